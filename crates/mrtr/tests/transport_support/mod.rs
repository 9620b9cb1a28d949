//! HTTP by hand, so that tests see exactly what goes over the wire.

#![allow(dead_code)]

pub(crate) mod pipe;

use std::net::SocketAddr;

use mrtr::server::Http;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A running listener; dropping it stops the server.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    ended: JoinHandle<()>,
}

pub(crate) async fn run(http: Http) -> Running {
    let listener = http.bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr();
    let (stop, stopped) = oneshot::channel::<()>();
    let ended = tokio::spawn(listener.run_until(async move {
        let _ = stopped.await;
    }));
    Running {
        address,
        stop: Some(stop),
        ended,
    }
}

impl Running {
    /// Begins the graceful end.
    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Waits for the end.
    pub(crate) async fn ended(self) {
        drop(self.stop);
        self.ended.await.unwrap();
    }

    pub(crate) async fn send(&self, post: &Post) -> Answer {
        Connection::open(self.address).await.send(post).await
    }
}

/// A request to be written by hand. Starts as a correct one.
#[derive(Clone, Debug)]
pub(crate) struct Post {
    pub(crate) verb: &'static str,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// The `_meta` of a client that can be asked nothing.
pub(crate) fn meta() -> Value {
    meta_with(json!({}))
}

pub(crate) fn meta_with(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

/// A whole request message with id 1.
pub(crate) fn message(method: &str, mut params: Value) -> Value {
    if params.get("_meta").is_none() {
        params["_meta"] = meta();
    }
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

impl Post {
    pub(crate) fn new(method: &str, params: Value) -> Self {
        let name = params.get("name").or_else(|| params.get("uri")).cloned();
        let mut post = Self {
            verb: "POST",
            target: "/mcp".to_owned(),
            headers: Vec::new(),
            body: message(method, params).to_string().into_bytes(),
        }
        .with("Host", "localhost")
        .with("Content-Type", "application/json")
        .with("Accept", "application/json, text/event-stream")
        .with("MCP-Protocol-Version", "2026-07-28")
        .with("Mcp-Method", method);
        if let Some(Value::String(name)) = name {
            post = post.with("Mcp-Name", &name);
        }
        post
    }

    pub(crate) fn discover() -> Self {
        Self::new("server/discover", json!({}))
    }

    pub(crate) fn call(tool: &str, arguments: Value) -> Self {
        Self::new("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Sets a header, in place of one of that name.
    pub(crate) fn with(self, name: &str, value: &str) -> Self {
        self.without(name).and(name, value)
    }

    /// Adds a header, beside one of that name.
    pub(crate) fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers
            .retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self
    }

    pub(crate) fn verb(mut self, verb: &'static str) -> Self {
        self.verb = verb;
        self
    }

    pub(crate) fn target(mut self, target: &str) -> Self {
        self.target = target.to_owned();
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Changes the message.
    pub(crate) fn edit(self, edit: impl FnOnce(&mut Value)) -> Self {
        let mut message = serde_json::from_slice(&self.body).unwrap();
        edit(&mut message);
        self.body(message.to_string())
    }

    pub(crate) fn head(&self) -> String {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.verb, self.target);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let has = |name: &str| {
            self.headers
                .iter()
                .any(|(n, _)| n.eq_ignore_ascii_case(name))
        };
        if !has("Content-Length") && !has("Transfer-Encoding") {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        head + "\r\n"
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head().into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// One connection to a server.
pub(crate) struct Connection(pub BufReader<TcpStream>);

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Self {
        Self(BufReader::new(TcpStream::connect(address).await.unwrap()))
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.unwrap();
    }

    pub(crate) async fn send(&mut self, post: &Post) -> Answer {
        self.write(&post.bytes()).await;
        self.answer().await
    }

    pub(crate) async fn answer(&mut self) -> Answer {
        let mut answer = self.answer_head().await;
        answer.body = match answer.header("content-length") {
            Some(length) => {
                let mut body = vec![0; length.parse().unwrap()];
                self.0.read_exact(&mut body).await.unwrap();
                body
            }
            None if answer.header("transfer-encoding") == Some("chunked") => {
                let mut body = Vec::new();
                while let Some(chunk) = self.chunk().await {
                    body.extend_from_slice(&chunk);
                }
                body
            }
            None => Vec::new(),
        };
        answer
    }

    pub(crate) async fn answer_head(&mut self) -> Answer {
        let status = self.line().await;
        let status = status
            .split(' ')
            .nth(1)
            .unwrap_or_else(|| panic!("{status:?}"));
        let mut headers = Vec::new();
        loop {
            let line = self.line().await;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Answer {
            status: status.parse().unwrap(),
            headers,
            body: Vec::new(),
        }
    }

    /// The next chunk of a chunked body; `None` after the last one.
    pub(crate) async fn chunk(&mut self) -> Option<Vec<u8>> {
        let length = usize::from_str_radix(&self.line().await, 16).unwrap();
        let mut chunk = vec![0; length];
        self.0.read_exact(&mut chunk).await.unwrap();
        assert_eq!(self.line().await, "");
        (length > 0).then_some(chunk)
    }

    pub(crate) async fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).await.unwrap();
        line.trim_end_matches(['\r', '\n']).to_owned()
    }

    /// Whether the server has closed the connection and sent nothing before.
    pub(crate) async fn is_closed(&mut self) -> bool {
        matches!(self.0.read(&mut [0; 1]).await, Ok(0) | Err(_))
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(n, _)| n == name);
        let value = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "{name} twice");
        value
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    pub(crate) fn code(&self) -> Option<i64> {
        self.json()["error"]["code"].as_i64()
    }

    /// The messages of an event stream.
    pub(crate) fn events(&self) -> Vec<Value> {
        let text = std::str::from_utf8(&self.body).unwrap();
        text.split_terminator("\n\n")
            .filter(|event| !event.starts_with(':'))
            .map(|event| {
                let data = event.strip_prefix("event: message\ndata: ").unwrap();
                assert!(!data.contains('\n'), "one line: {data}");
                serde_json::from_str(data).unwrap()
            })
            .collect()
    }
}
