//! Servers that answer with what a test says, and remember what they were sent.

use std::sync::{Arc, Mutex};

use mrtr::client::{Call, Client, ClientLimits};
use mrtr::exchange::Backoff;
use serde_json::{Value, json};

use super::{Case, Kind, Via};
use crate::client_support::http::{Do, Script};
use crate::client_support::peer::Peer;

/// A client, and the server that it talks to.
pub(crate) struct Scripted {
    case: Case,
    pub(crate) client: Client,
    log: Log,
}

enum Log {
    Http(Script),
    Stdio(Arc<Mutex<Vec<Value>>>),
}

impl Scripted {
    /// Answers each request for what may ask with the next of `results`; lists are empty.
    pub(crate) async fn new(case: Case, results: impl IntoIterator<Item = Value>) -> Self {
        let results: Vec<Value> = results.into_iter().collect();
        let (builder, log) = match case.via {
            Via::Http => {
                let script = Script::new(results.into_iter().map(Do::Result)).await;
                (script.builder(), Log::Http(script))
            }
            Via::Stdio => {
                let (peer, builder) = Peer::new();
                let log = Arc::new(Mutex::new(Vec::new()));
                tokio::spawn(play(peer, results, log.clone()));
                (builder, Log::Stdio(log))
            }
        };
        let mut limits = ClientLimits::default();
        limits.call.backoff = Backoff {
            first: std::time::Duration::ZERO,
            ..Backoff::default()
        };
        let client = builder.limits(limits).build().unwrap();
        Self { case, client, log }
    }

    /// A call of `name`, or of `proof://{name}`.
    pub(crate) fn call(&self, name: &str) -> Call {
        let arguments = json!({"to": "Kyoto"});
        let call = match self.case.kind {
            Kind::Tool => self.client.tool(name, &arguments),
            Kind::Prompt => self.client.prompt(name, &arguments),
            Kind::Resource => self.client.resource(&format!("proof://{name}")),
        };
        call.unwrap()
    }

    /// The requests for what may ask, as they came.
    pub(crate) fn legs(&self) -> Vec<Value> {
        let mut legs = self.all();
        legs.retain(|message| message["method"] == self.case.kind.method());
        legs
    }

    /// Everything that came.
    pub(crate) fn all(&self) -> Vec<Value> {
        match &self.log {
            Log::Http(script) => script.all().into_iter().map(|seen| seen.body).collect(),
            Log::Stdio(log) => log.lock().unwrap().clone(),
        }
    }
}

async fn play(mut peer: Peer, results: Vec<Value>, log: Arc<Mutex<Vec<Value>>>) {
    peer.discover().await;
    let mut results = results.into_iter();
    while let Some(message) = peer.next().await {
        log.lock().unwrap().push(message.clone());
        let result = match message["method"].as_str().unwrap() {
            "tools/list" => json!({"resultType": "complete", "tools": []}),
            _ => results.next().expect("a request beyond the script"),
        };
        peer.result(&message, result).await;
    }
}

/// A complete result of any kind.
pub(crate) fn done(kind: Kind) -> Value {
    let mut result = json!({"resultType": "complete"});
    result[kind.body()] = match kind {
        Kind::Tool => json!([{"type": "text", "text": "done"}]),
        Kind::Prompt => json!([{"role": "user", "content": {"type": "text", "text": "done"}}]),
        Kind::Resource => json!([{"uri": "proof://it", "text": "done"}]),
    };
    if kind == Kind::Resource {
        result["ttlMs"] = json!(0);
        result["cacheScope"] = json!("private");
    }
    result
}

/// An interim result that asks a form under each key.
pub(crate) fn asks(keys: &[&str], state: Option<&str>) -> Value {
    let form = json!({"method": "elicitation/create", "params": {"mode": "form", "message": "Sure?",
        "requestedSchema": {"type": "object", "properties": {"yes": {"type": "boolean"}}}}});
    let mut result = json!({"resultType": "input_required"});
    if !keys.is_empty() {
        result["inputRequests"] = keys
            .iter()
            .map(|key| ((*key).to_owned(), form.clone()))
            .collect();
    }
    if let Some(state) = state {
        result["requestState"] = json!(state);
    }
    result
}
