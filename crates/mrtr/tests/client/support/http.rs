//! An HTTP server that says what it is told to, over a real socket.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use mrtr::client::{Client, ClientBuilder};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// What the server does with one request.
pub(crate) enum Do {
    /// Answers with this result, as JSON.
    Result(Value),
    /// Answers with this JSON-RPC error and HTTP status.
    Error(u16, Value),
    /// Writes these bytes; `$ID` stands for the request's id and `$LEN` for the length of the body.
    Bytes(String),
    /// Writes these bytes and keeps the request open until the client closes it.
    Hold(String),
    /// Writes these bytes and closes the connection.
    Cut(String),
    /// Closes the connection without an answer.
    Hangup,
}

/// One request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: Value,
    pub(crate) text: String,
}

impl Seen {
    pub(crate) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap()
    }

    pub(crate) fn params(&self) -> &Value {
        &self.body["params"]
    }

    /// The parameters without `_meta`.
    pub(crate) fn bare(&self) -> Value {
        let mut params = self.params().clone();
        params.as_object_mut().unwrap().remove("_meta");
        params
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// The server.
pub(crate) struct Script {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    closed: mpsc::UnboundedReceiver<()>,
    arrived: mpsc::UnboundedReceiver<()>,
}

struct Shared {
    steps: Mutex<VecDeque<Do>>,
    tools: Mutex<VecDeque<Value>>,
    seen: Arc<Mutex<Vec<Seen>>>,
    closed: mpsc::UnboundedSender<()>,
    arrived: mpsc::UnboundedSender<()>,
}

impl Script {
    /// Takes one step for each request other than `tools/list`, which it answers with no tools.
    pub(crate) async fn new(steps: impl IntoIterator<Item = Do>) -> Self {
        Self::with_tools([json!([])], steps).await
    }

    /// Answers `tools/list` with each of `tools` in turn, the last one from then on; an object is an
    /// error.
    pub(crate) async fn with_tools(
        tools: impl IntoIterator<Item = Value>,
        steps: impl IntoIterator<Item = Do>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (closed_tx, closed) = mpsc::unbounded_channel();
        let (arrived_tx, arrived) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            steps: Mutex::new(steps.into_iter().collect()),
            tools: Mutex::new(tools.into_iter().collect()),
            seen: Arc::clone(&seen),
            closed: closed_tx,
            arrived: arrived_tx,
        });
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self {
            url,
            seen,
            closed,
            arrived,
        }
    }

    pub(crate) fn builder(&self) -> ClientBuilder {
        Client::http(&self.url)
    }

    pub(crate) fn client(&self) -> Client {
        self.builder().build().unwrap()
    }

    /// All requests but `tools/list`.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        let mut seen = self.all();
        seen.retain(|seen| seen.method() != "tools/list");
        seen
    }

    pub(crate) fn all(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits until the client closed a held request.
    pub(crate) async fn closed(&mut self) {
        self.closed.recv().await.unwrap();
    }

    /// Waits until a held request arrived.
    pub(crate) async fn arrived(&mut self) {
        self.arrived.recv().await.unwrap();
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let mut stream = BufReader::new(stream);
    while let Some(seen) = read(&mut stream).await {
        let id = seen.body["id"].clone();
        let listing = seen.method() == "tools/list";
        shared.seen.lock().unwrap().push(seen);
        let step = if listing {
            let mut tools = shared.tools.lock().unwrap();
            let next = if tools.len() > 1 {
                tools.pop_front()
            } else {
                tools.front().cloned()
            };
            match next.unwrap() {
                tools @ Value::Array(_) => {
                    Do::Result(json!({"resultType": "complete", "tools": tools}))
                }
                error => Do::Error(404, error),
            }
        } else {
            shared
                .steps
                .lock()
                .unwrap()
                .pop_front()
                .expect("a request beyond the script")
        };
        let message = |member: &str, value: Value| {
            json!({"jsonrpc": "2.0", "id": id, member: value}).to_string()
        };
        match step {
            Do::Result(result) => {
                write(&mut stream, &reply(200, &message("result", result))).await;
            }
            Do::Error(status, error) => {
                write(&mut stream, &reply(status, &message("error", error))).await;
            }
            Do::Bytes(bytes) => write(&mut stream, &fill(&bytes, &id)).await,
            Do::Hold(bytes) => {
                write(&mut stream, &fill(&bytes, &id)).await;
                let _ = shared.arrived.send(());
                let mut rest = Vec::new();
                let _ = stream.read_to_end(&mut rest).await;
                assert!(
                    rest.is_empty(),
                    "the client must not write on a held connection"
                );
                let _ = shared.closed.send(());
                return;
            }
            Do::Cut(bytes) => return write(&mut stream, &fill(&bytes, &id)).await,
            Do::Hangup => return,
        }
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Seen> {
    let mut head = String::new();
    loop {
        let start = head.len();
        if stream.read_line(&mut head).await.ok()? == 0 {
            return None;
        }
        if head[start..].trim().is_empty() {
            break;
        }
    }
    let mut seen = Seen {
        head,
        body: Value::Null,
        text: String::new(),
    };
    let length = seen.header("content-length").unwrap().parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    seen.text = String::from_utf8(body).unwrap();
    seen.body = serde_json::from_str(&seen.text).unwrap();
    Some(seen)
}

async fn write(stream: &mut BufReader<TcpStream>, bytes: &str) {
    let _ = stream.get_mut().write_all(bytes.as_bytes()).await;
}

fn fill(bytes: &str, id: &Value) -> String {
    let text = bytes.replace("$ID", &id.to_string());
    let length = text
        .split_once("\r\n\r\n")
        .map_or(0, |(_, body)| body.len());
    text.replace("$LEN", &length.to_string())
}

/// A whole HTTP reply with a JSON body.
pub(crate) fn reply(status: u16, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// An event stream that the server ends by closing the connection.
pub(crate) fn events(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n{body}")
}

/// One event.
pub(crate) fn event(message: &Value) -> String {
    format!(
        "data: {}\n\n",
        message.to_string().replace("\"$ID\"", "$ID")
    )
}
