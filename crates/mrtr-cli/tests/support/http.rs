//! HTTP and MCP by hand.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

/// A reply: status, head and body.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let of = |line: &'_ str| {
            line.split_once(": ")
                .map(|(key, _)| key.eq_ignore_ascii_case(name))
        };
        let line = self.head.lines().find(|line| of(line) == Some(true))?;
        line.split_once(": ").map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// Sends one request and reads its reply to the end. `Host` is that of the URL unless given.
pub(crate) fn request(method: &str, url: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut stream = start(method, url, headers, body);
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("a reply in UTF-8");
    let (head, body) = reply.split_once("\r\n\r\n").expect("a head");
    let status = head
        .split(' ')
        .nth(1)
        .expect("a status")
        .parse()
        .expect("a number");
    Reply {
        status,
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

/// Sends one request and leaves its reply unread.
pub(crate) fn start(method: &str, url: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
    let rest = url.strip_prefix("http://").expect("http");
    let (host, path) = rest.split_once('/').expect("a path");
    let mut text = format!("{method} /{path} HTTP/1.1\r\nconnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        text.push_str(&format!("host: {host}\r\n"));
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
    let mut stream = TcpStream::connect(host).expect("the server listens");
    stream.write_all(text.as_bytes()).expect("the server reads");
    stream
}

/// The message of one MCP request, of a client that can be asked for forms and URLs.
pub(crate) fn message(id: u64, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {}, "url": {} } },
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// Posts one MCP request.
pub(crate) fn mcp(endpoint: &str, method: &str, params: Value, headers: &[(&str, &str)]) -> Reply {
    let name = params
        .get("name")
        .or(params.get("uri"))
        .and_then(Value::as_str);
    let name = name.unwrap_or_default().to_owned();
    let mut all = vec![
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
    ];
    if !name.is_empty() {
        all.push(("mcp-name", &name));
    }
    all.extend_from_slice(headers);
    request("POST", endpoint, &all, &message(1, method, params))
}

/// Calls a tool; `answers` are content of forms that are accepted.
pub(crate) fn call(
    endpoint: &str,
    tool: &str,
    arguments: &Value,
    state: Option<&Value>,
    answers: &[(&str, Value)],
) -> Reply {
    mcp(
        endpoint,
        "tools/call",
        tool_params(tool, arguments, state, answers),
        &[],
    )
}

pub(crate) fn tool_params(
    tool: &str,
    arguments: &Value,
    state: Option<&Value>,
    answers: &[(&str, Value)],
) -> Value {
    let mut params = json!({ "name": tool, "arguments": arguments });
    if let Some(state) = state {
        params["requestState"] = state.clone();
    }
    for (key, content) in answers {
        params["inputResponses"][key] = match content {
            Value::Null => json!({ "action": "accept" }),
            content => json!({ "action": "accept", "content": content }),
        };
    }
    params
}
