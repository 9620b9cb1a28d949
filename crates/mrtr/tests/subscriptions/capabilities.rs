//! What a server declares, and what follows from it.

use mrtr::server::{Caller, Changes, Server, ServerBuilder, tool};
use mrtr::{Cx, ToolError};
use serde_json::{Value, json};

use crate::offer::{bare, builder, listen};
use crate::support::message;

async fn respond(server: &Server, message: &Value) -> Value {
    let answer = server
        .respond_with(message.to_string().as_bytes(), &Caller::anonymous(), |_| {})
        .await
        .unwrap();
    serde_json::from_slice(&answer).unwrap()
}

async fn capabilities(builder: ServerBuilder) -> Value {
    let discover = message("server/discover", json!({}));
    let answer = respond(&builder.build().unwrap(), &discover).await;
    answer["result"]["capabilities"].clone()
}

#[tokio::test]
async fn a_server_declares_what_its_changes_announce_of_what_it_has() {
    let changes = Changes::new();
    assert_eq!(
        capabilities(builder(&changes)).await,
        json!({
            "tools": {"listChanged": true},
            "prompts": {"listChanged": true},
            "resources": {"listChanged": true, "subscribe": true},
        })
    );
    assert_eq!(
        capabilities(builder(&changes.clone().without_lists())).await,
        json!({"tools": {}, "prompts": {}, "resources": {"subscribe": true}})
    );
    assert_eq!(
        capabilities(builder(&changes.without_resources())).await,
        json!({
            "tools": {"listChanged": true},
            "prompts": {"listChanged": true},
            "resources": {"listChanged": true},
        })
    );
    let only_tools = bare()
        .tool(tool("hello", |_: Cx, (): ()| async {
            Ok::<_, ToolError>("hello")
        }))
        .changes(Changes::new());
    assert_eq!(
        capabilities(only_tools).await,
        json!({"tools": {"listChanged": true}})
    );
}

#[tokio::test]
async fn a_server_that_announces_nothing_does_not_have_the_method() {
    let silent = Changes::new().without_lists().without_resources();
    for builder in [bare(), builder(&silent)] {
        let server = builder.build().unwrap();
        server.changes().tools_list_changed();
        let answer = respond(&server, &listen(1, json!({}))).await;
        assert_eq!(answer["error"]["code"], -32_601, "{answer}");
    }
}

#[tokio::test]
async fn who_cannot_be_told_anything_cannot_subscribe() {
    let changes = Changes::new();
    let server = builder(&changes).build().unwrap();
    let message = listen(1, json!({})).to_string();
    let answer = server
        .respond(message.as_bytes(), &Caller::anonymous())
        .await
        .unwrap();
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["error"]["code"], -32_601, "{answer}");
    assert_eq!(changes.subscriptions(), 0);
}

#[tokio::test]
async fn a_malformed_wish_is_invalid_params() {
    let server = builder(&Changes::new()).build().unwrap();
    let many: Vec<String> = (0..1_001).map(|n| format!("note://by-id/{n}")).collect();
    for wish in [
        json!(null),
        json!([]),
        json!({"toolsListChanged": "yes"}),
        json!({"resourceSubscriptions": "note://todo"}),
        json!({"resourceSubscriptions": [1]}),
        json!({"resourceSubscriptions": many}),
    ] {
        let answer = respond(&server, &listen(1, wish.clone())).await;
        assert_eq!(answer["error"]["code"], -32_602, "{wish}: {answer}");
    }
    let mut without = listen(1, json!({}));
    without["params"]
        .as_object_mut()
        .unwrap()
        .remove("notifications");
    let answer = respond(&server, &without).await;
    assert_eq!(answer["error"]["code"], -32_602, "{answer}");
}
