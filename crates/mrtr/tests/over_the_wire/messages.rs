//! What the wire says where the message itself is at fault, whatever it calls.

use mrtr::{Cx, ToolError};
use serde_json::{Value, json};

use crate::support::{Case, Kind, Offer, Peer, Via, builder};

async fn sure(cx: Cx) -> Result<String, ToolError> {
    cx.confirm("sure", "Sure?").await?;
    Ok("done".into())
}

over_both!(
    error_handling_1_malformed_messages_are_protocol_errors,
    an_unknown_method_is_not_found,
    initialize_as_a_modern_request_is_not_found_and_told_the_versions,
    incomplete_meta_is_invalid_params_that_names_what_is_missing,
    another_version_is_told_the_supported_ones,
    a_cursor_of_somebody_else_is_invalid_params,
    ids_come_back_exactly_as_they_came,
);

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

async fn error_handling_1_malformed_messages_are_protocol_errors(via: Via) {
    let case = Case::new(via, Kind::Tool);
    let mut peer = Peer::of(case, builder().offer("sure", sure)).await;
    for (text, code, id) in [
        ("{", -32_700, None),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}"#,
            -32_700,
            None,
        ),
        ("nonsense", -32_700, None),
        ("[]", -32_600, None),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#,
            -32_600,
            None,
        ),
        ("\"text\"", -32_600, None),
        (
            r#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#,
            -32_600,
            None,
        ),
        (
            r#"{"jsonrpc":"1.0","id":"a","method":"tools/list"}"#,
            -32_600,
            Some("a"),
        ),
        (r#"{"jsonrpc":"2.0","id":"a"}"#, -32_600, Some("a")),
        (
            r#"{"jsonrpc":"2.0","id":"a","result":{}}"#,
            -32_600,
            Some("a"),
        ),
    ] {
        let answer = peer.send_text("tools/list", &json!({}), text).await;
        answer.assert_error(code, 400);
        assert_eq!(
            answer.message.get("id").and_then(Value::as_str),
            id,
            "{text}"
        );
    }
    assert_eq!(peer.call("sure").await.keys(), ["sure"]);
}

async fn an_unknown_method_is_not_found(via: Via) {
    let mut peer = Peer::of(Case::new(via, Kind::Tool), builder().offer("sure", sure)).await;
    for method in [
        "ping",
        "elicitation/create",
        "completion/complete",
        "tools/Call",
    ] {
        let request = peer.request(method, json!({"requestState": "S"}));
        peer.send(&request).await.assert_error(-32_601, 404);
    }
    let mut bare = Peer::of(Case::new(via, Kind::Tool), builder()).await;
    for kind in Kind::ALL {
        let request = bare.request(kind.method(), kind.params("sure"));
        bare.send(&request).await.assert_error(-32_601, 404);
    }
}

async fn incomplete_meta_is_invalid_params_that_names_what_is_missing(via: Via) {
    let mut peer = Peer::of(Case::new(via, Kind::Tool), builder().offer("sure", sure)).await;
    for method in ["server/discover", "tools/list", "tools/call"] {
        let params = json!({"name": "sure", "_meta": {VERSION: "2026-07-28"}});
        let request = peer.request(method, params);
        let refused = peer.send(&request).await;
        let error = refused.assert_error(-32_602, 400);
        assert!(
            error["message"].as_str().unwrap().contains(CAPABILITIES),
            "{error}"
        );
    }
}

async fn another_version_is_told_the_supported_ones(via: Via) {
    let mut peer = Peer::of(Case::new(via, Kind::Tool), builder().offer("sure", sure)).await;
    let meta = json!({VERSION: "2099-01-01", CAPABILITIES: {}});
    let request = peer.request("tools/call", json!({"name": "sure", "_meta": meta}));
    let refused = match via {
        // The header says the same as the body.
        Via::Http => peer.send_as_version("2099-01-01", &request).await,
        Via::Stdio => peer.send(&request).await,
    };
    assert_eq!(
        refused.assert_error(-32_022, 400)["data"],
        json!({"supported": ["2026-07-28"], "requested": "2099-01-01"})
    );
    let handshake = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}},
    });
    let told = peer.send(&handshake).await;
    let error = told.assert_error(-32_022, 400);
    assert_eq!(
        error["data"],
        json!({"supported": ["2026-07-28"], "requested": "2025-11-25"})
    );
    assert!(
        error["message"].as_str().unwrap().contains("2026-07-28"),
        "{error}"
    );
}

async fn initialize_as_a_modern_request_is_not_found_and_told_the_versions(via: Via) {
    let mut peer = Peer::of(Case::new(via, Kind::Tool), builder().offer("sure", sure)).await;
    let params = json!({"protocolVersion": "2026-07-28", "capabilities": {}});
    let request = peer.request("initialize", params);
    let answer = peer.send(&request).await;
    let message = answer.assert_error(-32_601, 404)["message"]
        .as_str()
        .unwrap();
    assert!(
        message.contains("initialize") && message.contains("2026-07-28"),
        "{message}"
    );
}

async fn a_cursor_of_somebody_else_is_invalid_params(via: Via) {
    let mut peer = Peer::of(Case::new(via, Kind::Tool), builder().offer("sure", sure)).await;
    for method in [
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
    ] {
        let request = peer.request(method, json!({"cursor": "nonsense"}));
        peer.send(&request).await.assert_error(-32_602, 200);
    }
}

async fn ids_come_back_exactly_as_they_came(via: Via) {
    let mut peer = Peer::of(Case::new(via, Kind::Tool), builder().offer("sure", sure)).await;
    for id in [
        "18446744073709551616",
        r#""007""#,
        "0",
        "-1",
        r#""""#,
        r#""\u0061\u0000""#,
    ] {
        let request = peer.request("tools/call", json!({"name": "sure"}));
        let old = format!("\"id\":{}", request["id"]);
        let text = request.to_string().replace(&old, &format!("\"id\":{id}"));
        let answer = peer
            .send_text("tools/call", &request["params"], &text)
            .await;
        assert!(
            answer
                .text
                .starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"#)),
            "{}",
            answer.text
        );
    }
}
