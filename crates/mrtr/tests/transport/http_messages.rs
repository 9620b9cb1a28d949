//! Messages over HTTP: legacy ones, notifications, ids.

use crate::cases::server;
use crate::support::{Post, meta};
use serde_json::json;

#[tokio::test]
async fn a_legacy_initialize_is_told_the_versions_spoken_here() {
    let initialize = json!({"jsonrpc": "2.0", "id": "0", "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}
    }});
    let post = Post::discover()
        .body(initialize.to_string())
        .without("MCP-Protocol-Version")
        .without("Mcp-Method");
    let answer = server().await.send(&post).await;
    assert_eq!(answer.status, 400);
    let body = answer.json();
    assert_eq!(body["id"], "0");
    assert!(
        body["error"]["message"]
            .as_str()
            .unwrap()
            .contains("2026-07-28"),
        "{body}"
    );
    assert_eq!(body["error"]["data"]["supported"], json!(["2026-07-28"]));
    assert_eq!(body["error"]["data"]["requested"], "2025-06-18");
}

#[tokio::test]
async fn notifications_are_accepted_without_a_body_whatever_their_headers() {
    let server = server().await;
    for method in ["notifications/cancelled", "notifications/unheard/of"] {
        let body = json!({"jsonrpc": "2.0", "method": method, "params": {"requestId": 1}});
        let post = Post::discover()
            .body(body.to_string())
            .without("MCP-Protocol-Version")
            .without("Mcp-Method");
        let answer = server.send(&post).await;
        assert_eq!((answer.status, answer.body.len()), (202, 0));
        assert_eq!(answer.header("content-type"), None);
    }
}

#[tokio::test]
async fn ids_are_echoed_exactly() {
    let server = server().await;
    for id in [
        "0",
        "-1",
        "18446744073709551616",
        "\"007\"",
        "\"\\u0041\\n\"",
        "1.0",
        "\"\"",
    ] {
        let body = format!(
            r#"{{"params":{{"_meta":{}}},"method":"server/discover","jsonrpc":"2.0","id":{id}}}"#,
            meta()
        );
        let answer = server.send(&Post::discover().body(body)).await;
        let text = String::from_utf8(answer.body).unwrap();
        assert!(text.contains(&format!("\"id\":{id},")), "{id}: {text}");
    }
}
