//! Which requests are let in over HTTP, and which bodies are messages.

use crate::cases::{Case, answered, check, ok, passes, refused, server};
use crate::support::{Connection, Post, message};
use serde_json::{Value, json};

fn nested(depth: usize) -> String {
    let nest = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    message("server/discover", json!({"x": 0}))
        .to_string()
        .replace(":0", &format!(":{nest}"))
}

fn admission() -> Vec<Case> {
    vec![
        passes("a correct request", ok()),
        passes(
            "the host may be any loopback name",
            ok().with("Host", "127.0.0.1:4000"),
        ),
        refused(
            "a foreign host",
            ok().with("Host", "evil.example"),
            403,
            -32600,
        ),
        refused("no host", ok().without("Host"), 403, -32600),
        refused("two hosts", ok().and("Host", "evil.example"), 403, -32600),
        refused(
            "a target of a foreign host",
            ok().target("http://evil.example/mcp"),
            403,
            -32600,
        ),
        passes(
            "a loopback origin",
            ok().with("Origin", "http://localhost:3000"),
        ),
        refused(
            "a foreign origin",
            ok().with("Origin", "https://evil.example"),
            403,
            -32600,
        ),
        refused("an opaque origin", ok().with("Origin", "null"), 403, -32600),
        refused("GET", ok().verb("GET"), 405, -32600),
        refused("DELETE", ok().verb("DELETE"), 405, -32600),
        refused("OPTIONS", ok().verb("OPTIONS"), 405, -32600),
        refused(
            "a foreign origin comes before the verb",
            ok().verb("GET").with("Origin", "http://e.example"),
            403,
            -32600,
        ),
        refused("no content type", ok().without("Content-Type"), 415, -32600),
        refused(
            "a foreign content type",
            ok().with("Content-Type", "text/plain"),
            415,
            -32600,
        ),
        refused(
            "a foreign charset",
            ok().with("Content-Type", "application/json;charset=latin1"),
            415,
            -32600,
        ),
        refused(
            "a compressed body",
            ok().with("Content-Encoding", "gzip"),
            415,
            -32600,
        ),
        passes(
            "a content type with charset",
            ok().with("Content-Type", "application/json; charset=utf-8"),
        ),
        refused("no Accept", ok().without("Accept"), 406, -32600),
        refused(
            "Accept without events",
            ok().with("Accept", "application/json"),
            406,
            -32600,
        ),
        refused(
            "Accept without JSON",
            ok().with("Accept", "text/event-stream"),
            406,
            -32600,
        ),
        passes("Accept anything", ok().with("Accept", "*/*")),
        passes(
            "Accept in two headers",
            ok().with("Accept", "text/event-stream")
                .and("Accept", "application/json"),
        ),
        refused(
            "the body is too large",
            ok().body(vec![b' '; 4097]),
            413,
            -32600,
        ),
        refused("another path", ok().target("/other"), 404, 0),
        passes("a query", ok().target("/mcp?x=1")),
    ]
}

fn bodies() -> Vec<Case> {
    let member = |name: &'static str, value: Value| ok().edit(move |m| m[name] = value);
    vec![
        refused("no body", ok().body(""), 400, -32700),
        refused("no JSON", ok().body("{\"jsonrpc\":"), 400, -32700),
        refused(
            "no UTF-8",
            ok().body(b"{\"jsonrpc\":\"\xff\"}".to_vec()),
            400,
            -32700,
        ),
        refused(
            "two messages",
            ok().body([ok().body, ok().body].concat()),
            400,
            -32700,
        ),
        passes("nested as deep as allowed", ok().body(nested(62))),
        refused(
            "nested deeper than allowed",
            ok().body(nested(63)),
            400,
            -32600,
        ),
        refused(
            "a batch",
            ok().edit(|m| *m = json!([m.clone()])),
            400,
            -32600,
        ),
        refused("an empty batch", ok().body("[]"), 400, -32600),
        refused("no object", ok().body("7"), 400, -32600),
        refused("the id is null", member("id", Value::Null), 400, -32600),
        refused(
            "the id is a fraction",
            member("id", json!(1.5)),
            400,
            -32600,
        ),
        refused("the id is an object", member("id", json!({})), 400, -32600),
        answered(
            "another JSON-RPC",
            member("jsonrpc", json!("1.0")),
            400,
            -32600,
        ),
        answered("no method", member("method", Value::Null), 400, -32600),
        answered(
            "a response",
            ok().body(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            400,
            -32600,
        ),
        answered(
            "an error response",
            ok().body(r#"{"jsonrpc":"2.0","id":1,"error":{}}"#),
            400,
            -32600,
        ),
        answered(
            "params is a list",
            member("params", json!([1])),
            400,
            -32602,
        ),
    ]
}

#[tokio::test]
async fn admission_rules_and_their_statuses() {
    check(admission()).await;
}

#[tokio::test]
async fn body_rules_and_their_statuses() {
    check(bodies()).await;
}

#[tokio::test]
async fn a_body_announced_too_large_is_refused_before_it_is_sent() {
    let server = server().await;
    let mut connection = Connection::open(server.address).await;
    let head = Post::discover().with("Content-Length", "4097").head();
    connection.write(head.as_bytes()).await;
    assert_eq!(connection.answer().await.status, 413);
}

#[tokio::test]
async fn a_client_that_sends_far_too_much_gets_to_read_why_it_is_refused() {
    let server = server().await;
    for post in [
        Post::discover(),
        Post::discover().with("Content-Type", "text/plain"),
    ] {
        let status = if post.headers.iter().any(|(_, value)| value == "text/plain") {
            415
        } else {
            413
        };
        let mut connection = Connection::open(server.address).await;
        // All of it is sent before the reply is looked at.
        connection
            .write(&post.body(vec![b' '; 16 << 20]).bytes())
            .await;
        assert_eq!(connection.answer().await.status, status);
        assert!(connection.is_closed().await);
    }
}

#[tokio::test]
async fn a_body_is_asked_for_only_when_it_is_wanted() {
    let server = server().await;
    let expecting = Post::discover().with("Expect", "100-continue");
    let mut connection = Connection::open(server.address).await;
    connection.write(expecting.head().as_bytes()).await;
    assert_eq!(connection.answer_head().await.status, 100);
    connection.write(&expecting.body).await;
    assert_eq!(connection.answer().await.status, 200);
    for (refused, status) in [
        (expecting.clone().with("Origin", "http://evil.example"), 403),
        (expecting.clone().with("Content-Length", "4097"), 413),
    ] {
        let mut connection = Connection::open(server.address).await;
        connection.write(refused.head().as_bytes()).await;
        assert_eq!(connection.answer().await.status, status);
    }
}

#[tokio::test]
async fn a_chunked_body_is_bounded_as_it_arrives() {
    let server = server().await;
    let chunked = |size: usize| {
        let mut body = Post::discover().body;
        body.resize(size, b' ');
        let mut encoded = Vec::new();
        for chunk in body.chunks(1000) {
            encoded.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            encoded.extend_from_slice(chunk);
            encoded.extend_from_slice(b"\r\n");
        }
        encoded.extend_from_slice(b"0\r\n\r\n");
        Post::discover()
            .with("Transfer-Encoding", "chunked")
            .body(encoded)
    };
    assert_eq!(server.send(&chunked(4096)).await.status, 200);
    assert_eq!(server.send(&chunked(4097)).await.status, 413);
}
