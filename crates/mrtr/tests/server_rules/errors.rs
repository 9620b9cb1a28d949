//! What the wire says, by cause.

use mrtr::server::tool;
use mrtr::{Cx, Form, ToolError};
use serde_json::{Value, json};

use crate::support::{Peer, builder};

#[derive(Form)]
struct Seat {
    /// Which row?
    row: u8,
}

async fn ask(cx: Cx, _: ()) -> Result<String, ToolError> {
    let seat: Seat = cx.elicit("seat", "Which seat?").await?;
    Ok(seat.row.to_string())
}

fn peer() -> Peer {
    Peer::of(builder().tool(tool("ask", ask)))
}

async fn call(peer: &Peer, name: &str) -> Value {
    peer.error("tools/call", json!({"name": name})).await
}

#[tokio::test]
async fn a_handler_that_panics_before_its_first_await_is_contained_too() {
    let peer = Peer::of(builder().tool(tool(
        "now",
        |_: Cx, (): ()| -> std::future::Ready<Result<(), ToolError>> { panic!("at once") },
    )));
    assert_eq!(call(&peer, "now").await["code"], -32_603);
}

#[tokio::test]
async fn a_missing_member_of_meta_is_invalid_params_that_names_it() {
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    for (meta, missing) in [
        (json!({}), version),
        (json!({version: "2026-07-28"}), capabilities),
        (json!({capabilities: {}}), version),
        (Value::Null, version),
    ] {
        let error = peer().error("tools/list", json!({"_meta": meta})).await;
        assert_eq!(error["code"], -32_602);
        assert!(
            error["message"]
                .as_str()
                .expect("a message")
                .contains(missing),
            "{error}"
        );
    }
}

#[tokio::test]
async fn methods_that_are_not_there_are_not_found() {
    for method in [
        "ping",
        "completion/complete",
        "subscriptions/listen",
        "elicitation/create",
        "tools/Call",
        "",
    ] {
        let error = peer().error(method, json!({})).await;
        assert_eq!(error["code"], -32_601, "{method}");
    }
}

#[tokio::test]
async fn messages_that_are_none_are_told_so_without_an_id_that_could_not_be_read() {
    let peer = peer();
    for (message, code, id) in [
        ("", -32_700, None),
        ("{", -32_700, None),
        ("[]", -32_600, None),
        ("7", -32_600, None),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
            -32_600,
            None,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7.5,"method":"tools/list"}"#,
            -32_600,
            None,
        ),
        (
            r#"{"jsonrpc":"1.0","id":"007","method":"tools/list"}"#,
            -32_600,
            Some("007"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","result":{}}"#,
            -32_600,
            Some("a"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/list","params":[]}"#,
            -32_602,
            Some("a"),
        ),
    ] {
        let response = peer.send_text(message).await;
        assert_eq!(response["error"]["code"], code, "{message}");
        assert_eq!(response.get("id").and_then(Value::as_str), id, "{message}");
    }
}

#[tokio::test]
async fn nesting_is_bounded_before_anything_is_read() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"ask","arguments":{}{}}}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert_eq!(peer().send_text(&deep).await["error"]["code"], -32_600);
}

#[tokio::test]
async fn notifications_are_not_answered() {
    let peer = peer();
    for message in [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"boom"}}"#,
    ] {
        assert_eq!(
            peer.server.respond(message.as_bytes(), &peer.caller).await,
            None
        );
    }
}
