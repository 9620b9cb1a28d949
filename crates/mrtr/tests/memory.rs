//! First rounds that are never answered leave the server's memory where it was.
//!
//! 20,000 of them here; `MRTR_FIRST_ROUNDS=1000000` makes it a million, which takes a release build
//! a few seconds.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use http::Request;
use mrtr::server::{Caller, Http, Server, tool};
use mrtr::state::{Keyring, Secret};
use mrtr::{Cx, Form, ToolError};
use serde_json::json;
use tower::ServiceExt as _;

/// More than what the allocator moves about; a million rounds may not keep a byte each.
const SLACK_PAGES: u64 = 128;

/// How many pages of memory this process has.
fn resident_pages() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse().unwrap()
}

#[derive(Form)]
struct Seats {
    seats: u8,
}

async fn book(cx: Cx, (): ()) -> Result<String, ToolError> {
    let quote: String = cx.step_value("quote", || async { "q".repeat(100) }).await;
    let Seats { seats } = cx.elicit("seats", "How many seats?").await?;
    cx.confirm("pay", "Pay?").await?;
    Ok(format!("{seats} for {quote}"))
}

fn asks(reply: &[u8]) -> bool {
    reply.windows(14).any(|window| window == b"input_required")
}

async fn by_message(server: &Server, message: &str) {
    let caller = Caller::anonymous();
    let reply = server.respond(message.as_bytes(), &caller).await.unwrap();
    assert!(asks(&reply));
}

async fn by_http(http: &Http, message: &str) {
    let request = Request::post("/mcp")
        .header("Host", "localhost")
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "tools/call")
        .header("Mcp-Name", "book")
        .body(message.to_owned())
        .unwrap();
    let response = http.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200);
    let body = http_body_util::BodyExt::collect(response.into_body())
        .await
        .unwrap();
    assert!(asks(&body.to_bytes()));
}

#[tokio::test]
async fn first_rounds_that_are_never_answered_leave_no_memory_behind() {
    let rounds = std::env::var("MRTR_FIRST_ROUNDS").map_or(20_000, |text| text.parse().unwrap());
    let keyring = Keyring::new([Secret::generate([1; 32])]).unwrap();
    let builder = Server::builder("memory", "1.0.0").keyring(keyring);
    let server = builder.tool(tool("book", book)).build().unwrap();
    let http = server.http();
    let message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "book", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        }},
    });
    let message = message.to_string();
    // What is made once and kept, and the room that the allocator needs.
    for _ in 0..500 {
        by_message(&server, &message).await;
        by_http(&http, &message).await;
    }
    let before = resident_pages();
    for round in 0_u32..rounds {
        match round % 10 {
            0 => by_http(&http, &message).await,
            _ => by_message(&server, &message).await,
        }
    }
    let grown = resident_pages().saturating_sub(before);
    assert!(
        grown <= SLACK_PAGES,
        "{grown} pages more after {rounds} first rounds"
    );
}
