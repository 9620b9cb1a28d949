//! What does not need a ledger pays nothing for it.

use allocation_counter::measure;
use mrtr::server::{Caller, Server, ServerBuilder, tool};
use mrtr::state::{Keyring, Secret};
use mrtr::{Cx, ToolError};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::line::Line;
use crate::shop::*;
use crate::transport_support::meta_with;

async fn greet(_: Cx, (): ()) -> Result<&'static str, ToolError> {
    Ok("hello")
}

async fn ask(cx: Cx, (): ()) -> Result<&'static str, ToolError> {
    cx.confirm("sure", "Sure?").await?;
    Ok("done")
}

fn with_both(builder: ServerBuilder) -> Server {
    let keyring = Keyring::new([Secret::generate([7; 32])]).unwrap();
    let builder = builder.keyring(keyring);
    let builder = builder.tool(tool("greet", greet)).tool(tool("ask", ask));
    builder.build().unwrap()
}

fn message(name: &str, mut params: Value) -> String {
    params["name"] = json!(name);
    params["_meta"] = meta_with(json!({"elicitation": {}}));
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
}

fn respond(runtime: &Runtime, server: &Server, message: &str) -> Value {
    let caller = Caller::anonymous();
    let answer = server.respond(message.as_bytes(), &caller);
    serde_json::from_slice(&runtime.block_on(answer).unwrap()).unwrap()
}

/// How much a server allocates for each of these requests.
fn allocated(server: &Server, messages: &[String]) -> Vec<(u64, u64)> {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let caller = Caller::anonymous();
    let one = |message: &String| {
        let count = || {
            let respond = || {
                let answer = server.respond(message.as_bytes(), &caller);
                drop(runtime.block_on(answer));
            };
            let counted = measure(respond);
            (counted.count_total, counted.bytes_total)
        };
        // What is made once and kept.
        count();
        count()
    };
    messages.iter().map(one).collect()
}

#[test]
fn replay_allowed_asks_no_ledger_and_allocates_nothing_more() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let line = runtime.block_on(async { Line::to(ledger()) });
    let without = with_both(Server::builder("shop", "1.0.0"));
    let with = with_both(instance(&line, &Till::open()));

    let first = message("ask", json!({}));
    let asked = respond(&runtime, &with, &first);
    let answers = json!({"sure": {"action": "accept", "content": {"confirmed": true}}});
    let retry = json!({"requestState": state_of(&asked), "inputResponses": answers});
    let messages = [message("greet", json!({})), first, message("ask", retry)];
    for message in &messages {
        respond(&runtime, &with, message);
        respond(&runtime, &without, message);
    }
    assert_eq!(allocated(&with, &messages), allocated(&without, &messages));
    assert_eq!(line.asked_at_all(), 0);
}
