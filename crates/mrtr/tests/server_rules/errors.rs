//! What the wire says, by cause.

use mrtr::server::tool;
use mrtr::wire::Capability;
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

async fn visit(cx: Cx, _: ()) -> Result<String, ToolError> {
    let done = || async { Ok::<_, std::io::Error>("token".to_owned()) };
    Ok(cx
        .elicit_url("visit", "Sign in", "https://example.com/", done)
        .await?)
}

async fn roots(cx: Cx, _: ()) -> Result<String, ToolError> {
    Ok(cx.roots("roots").await?.len().to_string())
}

async fn boom(_: Cx, _: ()) -> Result<String, ToolError> {
    panic!("the seat of secret passenger 7")
}

async fn twice(cx: Cx, _: ()) -> Result<String, ToolError> {
    cx.confirm("same", "One?").await?;
    cx.confirm("same", "Two?").await?;
    Ok(String::new())
}

fn peer() -> Peer {
    Peer::of(
        builder()
            .tool(tool("ask", ask))
            .tool(tool("visit", visit))
            .tool(tool("roots", roots))
            .tool(tool("boom", boom))
            .tool(tool("twice", twice))
            .tool(
                tool("needs", ask)
                    .requires(Capability::ElicitationUrl)
                    .requires(Capability::SamplingTools)
                    .requires(Capability::ElicitationForm),
            ),
    )
}

async fn call(peer: &Peer, name: &str) -> Value {
    peer.error("tools/call", json!({"name": name})).await
}

#[tokio::test]
async fn an_unknown_tool_is_invalid_params() {
    let error = call(&peer(), "fly").await;
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!(-32_602), &json!("Unknown tool: fly"))
    );
}

#[tokio::test]
async fn names_and_addresses_of_the_wrong_type_are_invalid_params() {
    for params in [
        json!({}),
        json!({"name": 7}),
        json!({"name": "ask", "arguments": []}),
        json!({"name": "ask", "arguments": "x"}),
    ] {
        assert_eq!(
            peer().error("tools/call", params.clone()).await["code"],
            -32_602,
            "{params}"
        );
    }
}

#[tokio::test]
async fn c1_a_url_question_needs_the_url_capability_and_bare_elicitation_is_form_only() {
    let peer = peer().declaring(json!({"elicitation": {}}));
    let error = call(&peer, "visit").await;
    assert_eq!(error["code"], -32_021);
    assert_eq!(
        error["data"],
        json!({"requiredCapabilities": {"elicitation": {"url": {}}}})
    );
    let asked = peer.result("tools/call", json!({"name": "ask"})).await;
    assert_eq!(asked["resultType"], "input_required");
}

#[tokio::test]
async fn c7_roots_need_their_capability() {
    let error = call(&peer().declaring(json!({})), "roots").await;
    assert_eq!(error["code"], -32_021);
    assert_eq!(
        error["data"],
        json!({"requiredCapabilities": {"roots": {}}})
    );
}

#[tokio::test]
async fn required_capabilities_are_checked_before_the_handler_and_all_missing_ones_named() {
    let error = call(
        &peer().declaring(json!({"elicitation": {"form": {}}})),
        "needs",
    )
    .await;
    assert_eq!(error["code"], -32_021);
    assert_eq!(
        error["data"],
        json!({"requiredCapabilities": {"elicitation": {"url": {}}, "sampling": {"tools": {}}}})
    );
}

#[tokio::test]
async fn c4_a_missing_capability_is_an_error_and_no_result() {
    let response = peer()
        .declaring(json!({}))
        .send("tools/call", json!({"name": "ask"}))
        .await;
    assert!(response.get("result").is_none(), "{response}");
}

#[tokio::test]
async fn a_panicking_handler_is_an_internal_error_without_detail_and_the_server_goes_on() {
    let peer = peer();
    let error = call(&peer, "boom").await;
    assert_eq!(error, json!({"code": -32_603, "message": "Internal error"}));
    let asked = peer.result("tools/call", json!({"name": "ask"})).await;
    assert_eq!(asked["resultType"], "input_required");
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
async fn a_handler_that_breaks_a_rule_is_an_internal_error_without_detail() {
    let peer = peer();
    let params = json!({"name": "twice"});
    let asked = peer.result("tools/call", params).await;
    let answers = json!({"same": {"action": "accept", "content": {"confirmed": true}}});
    let error = peer
        .error("tools/call", json!({"name": "twice", "requestState": asked["requestState"], "inputResponses": answers}))
        .await;
    assert_eq!(error, json!({"code": -32_603, "message": "Internal error"}));
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
async fn an_unsupported_version_names_what_is_supported_and_what_was_asked() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "1900-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    for method in ["server/discover", "tools/call"] {
        let error = peer()
            .error(method, json!({"_meta": meta, "name": "ask"}))
            .await;
        assert_eq!(error["code"], -32_022);
        assert_eq!(
            error["data"],
            json!({"supported": ["2026-07-28"], "requested": "1900-01-01"})
        );
    }
}

#[tokio::test]
async fn a_legacy_initialize_is_told_the_supported_versions() {
    let message = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}},
    });
    let error = peer().send_text(&message.to_string()).await["error"].clone();
    assert_eq!(
        error["data"],
        json!({"supported": ["2026-07-28"], "requested": "2025-11-25"})
    );
    assert!(
        error["message"]
            .as_str()
            .expect("a message")
            .contains("2026-07-28"),
        "{error}"
    );
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

#[tokio::test]
async fn ids_are_echoed_exactly() {
    let peer = peer();
    for id in ["18446744073709551616", r#""007""#, "0", r#""""#] {
        let request = peer
            .request("tools/list", json!({}))
            .to_string()
            .replace(r#""id":7"#, &format!(r#""id":{id}"#));
        let body = peer
            .server
            .respond(request.as_bytes(), &peer.caller)
            .await
            .expect("a response");
        assert!(
            body.starts_with(format!(r#"{{"jsonrpc":"2.0","id":{id},"#).as_bytes()),
            "{body:?}"
        );
    }
}
