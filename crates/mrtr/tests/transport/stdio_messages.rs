//! What a server on pipes reads and writes, message by message.

use crate::support::message;
use crate::support::pipe::Pipe;
use mrtr::server::{Server, Stdio};
use serde_json::{Value, json};

fn stdio() -> Stdio {
    Server::builder("stdio", "1.0.0").build().unwrap().stdio()
}

fn discover(id: impl Into<Value>) -> Value {
    let mut message = message("server/discover", json!({}));
    message["id"] = id.into();
    message
}

/// What is wrong with a line, the line, the code, and the id of the error.
type Bad = (&'static str, Vec<u8>, i64, Option<Value>);

fn bad_lines() -> Vec<Bad> {
    let edit = |edit: fn(&mut Value)| {
        let mut message = discover(7);
        edit(&mut message);
        message.to_string().into_bytes()
    };
    let id = || Some(json!(7));
    vec![
        ("no JSON", b"hello".to_vec(), -32700, None),
        (
            "half a message",
            b"{\"jsonrpc\":\"2.0\",\"id\":7".to_vec(),
            -32700,
            None,
        ),
        (
            "no UTF-8",
            b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xff\"}".to_vec(),
            -32700,
            None,
        ),
        (
            "two messages",
            [edit(|_| {}), edit(|_| {})].concat(),
            -32700,
            None,
        ),
        ("a batch", edit(|m| *m = json!([m.clone()])), -32600, None),
        ("a null id", edit(|m| m["id"] = Value::Null), -32600, None),
        (
            "a response",
            br#"{"jsonrpc":"2.0","id":7,"result":{}}"#.to_vec(),
            -32600,
            id(),
        ),
        ("no method", edit(|m| m["method"] = json!(1)), -32600, id()),
        (
            "too deep",
            format!("{}{}", "[".repeat(65), "]".repeat(65)).into_bytes(),
            -32600,
            None,
        ),
        ("no _meta", edit(|m| m["params"] = json!({})), -32602, id()),
        (
            "an unknown method",
            edit(|m| m["method"] = json!("no/such")),
            -32601,
            id(),
        ),
        (
            "an unknown version",
            edit(|m| {
                m["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] =
                    json!("1900-01-01")
            }),
            -32022,
            id(),
        ),
    ]
}

#[tokio::test]
async fn bad_lines_are_answered_and_the_next_line_is_served() {
    let mut pipe = Pipe::new(stdio());
    for (what, line, code, id) in bad_lines() {
        pipe.write(&line).await;
        pipe.write(b"\n").await;
        let answer = pipe.next().await;
        assert_eq!(answer["error"]["code"], code, "{what}: {answer}");
        assert_eq!(answer.get("id"), id.as_ref(), "{what}");
        assert_eq!(answer["jsonrpc"], "2.0", "{what}");
    }
    pipe.send(&discover("after")).await;
    assert_eq!(pipe.next().await["id"], "after");
    assert_eq!(pipe.rest().await, [] as [Value; 0]);
}

#[tokio::test]
async fn a_line_that_is_too_long_is_answered_and_the_next_one_is_served() {
    let mut pipe = Pipe::with_room(stdio().line_limit(1000), 64);
    let mut long = discover(1);
    long["params"]["padding"] = json!("x".repeat(1000));
    pipe.send(&long).await;
    let answer = pipe.next().await;
    assert_eq!(answer["error"]["code"], -32600);
    assert_eq!(answer.get("id"), None);
    pipe.send(&discover(2)).await;
    assert_eq!(pipe.next().await["id"], 2);
}

#[tokio::test]
async fn blank_lines_and_notifications_are_passed_over() {
    let mut pipe = Pipe::new(stdio());
    pipe.write(b"\n\r\n  \n").await;
    for method in [
        "notifications/initialized",
        "notifications/cancelled",
        "no/such",
    ] {
        pipe.send(&json!({"jsonrpc": "2.0", "method": method}))
            .await;
    }
    let unknown = json!({"requestId": "never seen", "reason": "none"});
    pipe.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": unknown}))
        .await;
    pipe.write(format!("{}\r\n", discover(1)).as_bytes()).await;
    assert_eq!(pipe.next().await["id"], 1);
    assert_eq!(pipe.rest().await, [] as [Value; 0]);
}

#[tokio::test]
async fn ids_are_echoed_exactly() {
    let mut pipe = Pipe::new(stdio());
    for id in [
        "0",
        "-1",
        "18446744073709551616",
        "\"007\"",
        "\"\\u0041\\n\"",
        "\"\"",
    ] {
        let line = discover("ID").to_string().replace("\"ID\"", id);
        pipe.write(format!("{line}\n").as_bytes()).await;
        let answer = pipe.line().await.unwrap();
        assert!(answer.contains(&format!("\"id\":{id},")), "{id}: {answer}");
    }
}

#[tokio::test]
async fn a_legacy_initialize_is_told_the_versions_spoken_here() {
    let mut pipe = Pipe::new(stdio());
    let params = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
        "_meta": {"progressToken": 1}
    });
    pipe.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}))
        .await;
    let answer = pipe.next().await;
    assert_eq!(answer["id"], 0);
    assert_eq!(answer["error"]["data"]["supported"], json!(["2026-07-28"]));
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("2026-07-28"),
        "{answer}"
    );
}

#[tokio::test]
async fn the_last_line_needs_no_line_feed_and_is_answered_before_the_end() {
    let mut pipe = Pipe::new(stdio());
    pipe.write(discover(1).to_string().as_bytes()).await;
    let rest = pipe.rest().await;
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0]["result"]["resultType"], "complete");
}

#[tokio::test]
async fn a_client_that_hangs_up_is_the_end_and_no_error() {
    let mut pipe = Pipe::new(stdio());
    pipe.send(&discover(1)).await;
    assert!(pipe.hang_up().await.is_ok());
}

#[tokio::test]
async fn many_requests_are_answered_each_once() {
    let mut pipe = Pipe::with_room(stdio().max_in_flight(3), 4096);
    let lines: String = (0..500).map(|id| format!("{}\n", discover(id))).collect();
    let answers = pipe.exchange(lines.as_bytes(), 500).await;
    let mut ids: Vec<_> = answers
        .iter()
        .map(|answer| answer["id"].as_u64().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..500).collect::<Vec<_>>());
}
