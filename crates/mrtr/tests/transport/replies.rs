//! Servers with tools, and how to look at what they reply.

use mrtr::server::{Server, ServerBuilder};
use mrtr::state::{Keyring, Secret};
use serde_json::{Value, json};

use crate::support::{Answer, Post, Running, meta_with, run};

pub(crate) fn builder() -> ServerBuilder {
    let keyring = Keyring::new([Secret::generate([7; 32])]).unwrap();
    Server::builder("replies", "1.0.0").keyring(keyring)
}

pub(crate) async fn serve(builder: ServerBuilder) -> Running {
    run(builder.build().unwrap().http()).await
}

/// A call of a tool without arguments that asks for progress.
pub(crate) fn call(tool: &str) -> Post {
    call_of(json!({}), tool)
}

pub(crate) fn call_of(capabilities: Value, tool: &str) -> Post {
    let mut meta = meta_with(capabilities);
    meta["progressToken"] = json!("p");
    Post::new(
        "tools/call",
        json!({"name": tool, "arguments": {}, "_meta": meta}),
    )
}

pub(crate) fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{message}"))
}

pub(crate) fn is_event_stream(answer: &Answer) -> bool {
    match answer.header("content-type").unwrap() {
        "text/event-stream" => {
            assert_eq!(answer.status, 200);
            assert_eq!(answer.header("x-accel-buffering"), Some("no"));
            assert_eq!(answer.header("cache-control"), Some("no-store"));
            true
        }
        "application/json" => {
            assert_eq!(answer.header("x-accel-buffering"), None);
            false
        }
        other => panic!("{other}"),
    }
}
