//! An MCP server over HTTP that says what a test tells it to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// One request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) headers: String,
    pub(crate) body: Value,
}

impl Request {
    pub(crate) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    pub(crate) fn params(&self) -> &Value {
        &self.body["params"]
    }
}

/// What is said to a request.
pub(crate) enum Say {
    /// A result.
    Result(Value),
    /// A JSON-RPC error with HTTP status 400.
    Error(Value),
    /// A body as it is.
    Raw(u16, &'static str, String),
    /// Nothing: the connection is closed.
    Nothing,
    /// Nothing, and the connection stays open.
    Silence,
}

/// The server. It lives as long as the test's process.
pub(crate) struct Scripted {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Scripted {
    /// A server whose `answer` sees every request that may ask back. Others get answers of a server with
    /// one tool `t` that takes anything.
    pub(crate) fn start(answer: impl FnMut(&Request) -> Say + Send + 'static) -> Self {
        Self::with_tools(
            json!([{ "name": "t", "inputSchema": { "type": "object" } }]),
            answer,
        )
    }

    pub(crate) fn with_tools(
        tools: Value,
        mut answer: impl FnMut(&Request) -> Say + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let Some(request) = read(&stream) else {
                    continue;
                };
                let say = match request.method() {
                    "tools/call" | "prompts/get" | "resources/read" => {
                        log.lock().expect("a lock").push(request.clone());
                        answer(&request)
                    }
                    "tools/list" => Say::Result(json!({ "tools": tools })),
                    _ => Say::Result(json!({
                        "supportedVersions": ["2026-07-28"],
                        "capabilities": { "tools": {}, "prompts": {}, "resources": {} },
                        "prompts": [], "resources": [], "resourceTemplates": [],
                        "_meta": { "io.modelcontextprotocol/serverInfo": {
                            "name": "https://bank.example", "version": "1" } },
                    })),
                };
                write(stream, &request, say);
            }
        });
        Self { url, seen }
    }

    /// A server that asks `questions` once and then says `Done.`, or what it was answered.
    pub(crate) fn asking(questions: Value) -> Self {
        Self::start(move |request| match &request.params()["inputResponses"] {
            Value::Null => Say::ask(questions.clone()),
            answers => Say::text(&answers.to_string()),
        })
    }

    /// The requests that may ask back, in their order.
    pub(crate) fn seen(&self) -> Vec<Request> {
        self.seen.lock().expect("a lock").clone()
    }

    /// The answers of the last request.
    pub(crate) fn answers(&self) -> Value {
        self.seen().last().expect("a request").params()["inputResponses"].clone()
    }
}

impl Say {
    /// A result of one text.
    pub(crate) fn text(text: &str) -> Self {
        Self::Result(json!({ "content": [{ "type": "text", "text": text }] }))
    }

    /// An interim result.
    pub(crate) fn ask(questions: Value) -> Self {
        Self::Result(json!({
            "resultType": "input_required", "inputRequests": questions, "requestState": "S1" }))
    }
}

/// A form question.
pub(crate) fn form(message: &str, properties: Value, required: &[&str]) -> Value {
    json!({ "method": "elicitation/create", "params": { "mode": "form", "message": message,
        "requestedSchema": { "type": "object", "properties": properties, "required": required } } })
}

/// A URL question.
pub(crate) fn page(message: &str, url: &str) -> Value {
    json!({ "method": "elicitation/create", "params": {
        "mode": "url", "message": message, "url": url } })
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut headers = String::new();
    loop {
        let from = headers.len();
        if reader.read_line(&mut headers).ok()? == 0 {
            return None;
        }
        if headers[from..].trim().is_empty() {
            break;
        }
    }
    let length = headers.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    });
    let mut body = vec![0; length?];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).ok()?;
    Some(Request { headers, body })
}

fn write(mut stream: TcpStream, request: &Request, say: Say) {
    let id = &request.body["id"];
    let (status, kind, body) = match say {
        Say::Result(mut result) => {
            let members = result.as_object_mut().expect("an object");
            members.entry("resultType").or_insert(json!("complete"));
            let body = json!({ "jsonrpc": "2.0", "id": id, "result": result });
            (200, "application/json", body.to_string())
        }
        Say::Error(error) => {
            let body = json!({ "jsonrpc": "2.0", "id": id, "error": error });
            (400, "application/json", body.to_string())
        }
        Say::Raw(status, kind, body) => (status, kind, body.replace("$ID", &id.to_string())),
        Say::Nothing => return,
        Say::Silence => {
            std::mem::forget(stream);
            return;
        }
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\
         set-cookie: id=cookie-secret\r\n\r\n",
        body.len()
    );
    // A client that went away is the test's business.
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body.as_bytes()));
}
