//! A server at the other end of a stream in memory, played by the test.

use std::time::Duration;

use mrtr::client::{Client, ClientBuilder};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

pub(crate) struct Peer {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl Peer {
    pub(crate) fn new() -> (Self, ClientBuilder) {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(theirs);
        let builder = Client::stream("peer", reader, writer);
        let (reader, writer) = tokio::io::split(ours);
        (
            Self {
                reader: BufReader::new(reader),
                writer,
            },
            builder,
        )
    }

    /// The next message; `None` when the client has gone.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        let length = self.reader.read_line(&mut line).await.unwrap();
        (length > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    /// The next message, unless nothing comes for a minute of the runtime's time.
    pub(crate) async fn silence(&mut self) {
        let minute = Duration::from_secs(60);
        if let Ok(message) = tokio::time::timeout(minute, self.next()).await {
            panic!("nothing may be sent: {message:?}");
        }
    }

    pub(crate) async fn line(&mut self, line: &str) {
        self.writer
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
    }

    pub(crate) async fn say(&mut self, message: Value) {
        self.line(&message.to_string()).await;
    }

    pub(crate) async fn result(&mut self, request: &Value, result: Value) {
        let id = &request["id"];
        self.say(json!({"jsonrpc": "2.0", "id": id, "result": result}))
            .await;
    }

    pub(crate) async fn error(&mut self, request: &Value, error: Value) {
        let id = &request["id"];
        self.say(json!({"jsonrpc": "2.0", "id": id, "error": error}))
            .await;
    }

    /// Answers the probe.
    pub(crate) async fn discover(&mut self) {
        let probe = self.next().await.unwrap();
        assert_eq!(probe["method"], "server/discover");
        self.result(&probe, discovered("peer")).await;
    }
}

/// A discovery of a server with this name.
pub(crate) fn discovered(name: &str) -> Value {
    json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {},
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": name, "version": "1"}}})
}
