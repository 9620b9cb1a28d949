//! A client without a transport, and a clock that stands still.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mrtr::Timestamp;
use mrtr::replay::{Sleep, Timer};
use mrtr::server::{Caller, Runtime, Server, ServerBuilder};
use mrtr::state::{Keyring, Principal, Secret};
use serde_json::{Value, json};

use crate::official;

/// A clock that is moved by hand, randomness that can be repeated, and tokio's
/// timer.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    millis: Arc<AtomicU64>,
    drawn: Arc<AtomicU64>,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self {
            millis: Arc::new(AtomicU64::new(1_785_196_800_000)),
            drawn: Arc::default(),
        }
    }

    pub(crate) fn advance(&self, by: Duration) {
        let millis = u64::try_from(by.as_millis()).expect("short");
        self.millis.fetch_add(millis, Ordering::Relaxed);
    }
}

impl Timer for Clock {
    fn sleep(&self, duration: Duration) -> Sleep {
        Box::pin(tokio::time::sleep(duration))
    }
}

impl Runtime for Clock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis.load(Ordering::Relaxed))
    }

    fn random(&self) -> [u8; 32] {
        let drawn = self.drawn.fetch_add(1, Ordering::Relaxed);
        let mut bytes = [0x5a; 32];
        bytes[..8].copy_from_slice(&drawn.to_be_bytes());
        bytes[20..28].copy_from_slice(&drawn.to_be_bytes());
        bytes
    }
}

pub(crate) fn keyring(seed: u8) -> Keyring {
    Keyring::new([Secret::generate([seed; 32])]).expect("a keyring")
}

/// A server that needs nothing of the machine.
pub(crate) fn builder() -> ServerBuilder {
    Server::builder("travel", "1.0.0")
        .keyring(keyring(1))
        .runtime(Clock::new())
}

/// A client that declares everything, unless told otherwise.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) server: Server,
    pub(crate) caller: Caller,
    pub(crate) capabilities: Value,
    pub(crate) extra_meta: Value,
}

impl Peer {
    pub(crate) fn new(server: Server) -> Self {
        Self {
            server,
            caller: Caller::anonymous(),
            capabilities: json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}),
            extra_meta: json!({}),
        }
    }

    pub(crate) fn of(builder: ServerBuilder) -> Self {
        Self::new(builder.build().expect("a server"))
    }

    pub(crate) fn called_by(mut self, subject: &str) -> Self {
        self.caller = Principal::new("https://issuer.example", subject).into();
        self
    }

    pub(crate) fn request(&self, method: &str, mut params: Value) -> Value {
        let mut meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
        });
        merge(&mut meta, &self.extra_meta);
        if let Some(params) = params.as_object_mut() {
            params.entry("_meta").or_insert(meta);
        }
        json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
    }

    /// The whole response, checked against the official schema.
    pub(crate) async fn send(&self, method: &str, params: Value) -> Value {
        let request = self.request(method, params).to_string();
        self.send_text(&request).await
    }

    pub(crate) async fn send_text(&self, message: &str) -> Value {
        let body = self
            .server
            .respond(message.as_bytes(), &self.caller)
            .await
            .expect("a response");
        assert!(!body.contains(&b'\n'), "one line");
        let response: Value = serde_json::from_slice(&body).expect("JSON");
        let method = serde_json::from_str::<Value>(message).ok();
        let method = method
            .as_ref()
            .and_then(|message| message["method"].as_str())
            .unwrap_or_default();
        official::check(method, &response);
        response
    }

    pub(crate) async fn result(&self, method: &str, params: Value) -> Value {
        let response = self.send(method, params).await;
        assert!(response.get("error").is_none(), "{response}");
        response["result"].clone()
    }

    pub(crate) async fn error(&self, method: &str, params: Value) -> Value {
        let response = self.send(method, params).await;
        assert!(response.get("result").is_none(), "{response}");
        response["error"].clone()
    }

    pub(crate) async fn tool(&self, name: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({"name": name, "arguments": arguments}))
            .await
    }

    /// The same request again, with the state of `asked` and these answers.
    pub(crate) async fn retry(
        &self,
        method: &str,
        params: &Value,
        asked: &Value,
        answers: Value,
    ) -> Value {
        let mut params = params.clone();
        params["inputResponses"] = answers;
        if let Some(state) = asked.get("requestState") {
            params["requestState"] = state.clone();
        }
        self.result(method, params).await
    }
}

pub(crate) fn merge(into: &mut Value, from: &Value) {
    let from = from.as_object().expect("an object");
    into.as_object_mut()
        .expect("an object")
        .extend(from.clone());
}

pub(crate) fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

pub(crate) fn is_asking(result: &Value) -> bool {
    result["resultType"] == "input_required"
}

/// The text of a tool's result.
pub(crate) fn text(result: &Value) -> &str {
    assert_eq!(result["resultType"], "complete", "{result}");
    result["content"][0]["text"].as_str().expect("a text")
}
