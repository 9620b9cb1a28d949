//! What the log tells: one exchange can be followed across its rounds, and
//! what the client is not told is there.

use std::cell::RefCell;
use std::io::Write;
use std::sync::{Arc, Once};

use mrtr::server::tool;
use mrtr::{Cx, ToolError};
use serde_json::json;
use tokio::sync::Notify;

use crate::support::{Peer, accept, builder};

thread_local! {
    static LOG: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Writes to the log of this thread: each test runs on one of its own.
struct ThreadLog;

impl Write for ThreadLog {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LOG.with_borrow_mut(|log| log.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// One subscriber for the process: what is of interest to a thread's own is
/// cached for all threads.
fn capture() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        tracing_subscriber::fmt()
            .with_max_level(tracing::Level::DEBUG)
            .with_ansi(false)
            .with_writer(|| ThreadLog)
            .init();
    });
}

fn logged() -> String {
    LOG.with_borrow(|log| String::from_utf8(log.clone()).expect("UTF-8"))
}

async fn pay(cx: Cx, _: ()) -> Result<String, ToolError> {
    cx.confirm("pay", "Pay?").await?;
    Err(std::io::Error::other("the bank said no").into())
}

fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let (_, rest) = line.split_once(&format!("{name}=")).expect("the field");
    rest.split([' ', '}']).next().expect("a value")
}

#[tokio::test]
async fn one_exchange_has_one_id_in_all_its_rounds_and_another_call_another() {
    capture();
    let peer = Peer::of(builder().tool(tool("pay", pay)));
    let params = json!({"name": "pay"});
    let asked = peer.result("tools/call", params.clone()).await;
    peer.retry(
        "tools/call",
        &params,
        &asked,
        json!({"pay": accept(json!({"confirmed": true}))}),
    )
    .await;
    peer.result("tools/call", params).await;
    let text = logged();
    let spans: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("input required") || line.contains("handler failed"))
        .collect();
    let [first, second, other] = spans[..] else {
        panic!("{text}")
    };
    for line in [first, second, other] {
        assert_eq!(field(line, "method"), "\"tools/call\"");
        assert_eq!(field(line, "target"), "\"pay\"");
    }
    assert_eq!(field(first, "exchange"), field(second, "exchange"));
    assert_ne!(field(first, "exchange"), field(other, "exchange"));
    assert_eq!((field(first, "round"), field(second, "round")), ("1", "2"));
}

#[tokio::test]
async fn what_the_client_is_not_told_is_in_the_log() {
    capture();
    async fn boom(_: Cx, _: ()) -> Result<String, ToolError> {
        panic!("out of seats")
    }
    let peer = Peer::of(builder().tool(tool("pay", pay)).tool(tool("boom", boom)));
    let params = json!({"name": "pay"});
    let asked = peer.result("tools/call", params.clone()).await;
    peer.retry(
        "tools/call",
        &params,
        &asked,
        json!({"pay": accept(json!({"confirmed": true}))}),
    )
    .await;
    peer.error("tools/call", json!({"name": "boom"})).await;
    let forged = asked["requestState"]
        .as_str()
        .expect("a state")
        .replace("mrtr1.", "mrtr1.A");
    peer.error("tools/call", json!({"name": "pay", "requestState": forged}))
        .await;
    let text = logged();
    for told in ["the bank said no", "out of seats", "not in the keyring"] {
        assert!(text.contains(told), "`{told}` is missing in:\n{text}");
    }
    assert!(
        !text.contains(asked["requestState"].as_str().expect("a state")),
        "states are not logged"
    );
}

#[tokio::test]
async fn all_rounds_of_an_exchange_are_logged_with_its_trace() {
    capture();
    let mut peer = Peer::of(builder().tool(tool("pay", pay)));
    let [first, other] = [
        "0af7651916cd43dd8448eb211c80319c",
        "4bf92f3577b34da6a3ce929d0e0e4736",
    ];
    let meta = |trace: &str, span: u8| json!({"traceparent": format!("00-{trace}-00000000000000{span:02x}-01")});
    let params = json!({"name": "pay"});
    peer.extra_meta = meta(first, 1);
    let asked = peer.result("tools/call", params.clone()).await;
    peer.extra_meta = json!({});
    peer.retry("tools/call", &params, &asked, json!({})).await;
    peer.extra_meta = meta(other, 2);
    let yes = json!({"pay": accept(json!({"confirmed": true}))});
    peer.retry("tools/call", &params, &asked, yes).await;
    let text = logged();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("input required") || line.contains("handler failed"))
        .collect();
    assert_eq!(lines.len(), 3, "{text}");
    for line in &lines {
        assert_eq!(field(line, "trace_id"), format!("\"{first}\""), "{line}");
    }
    assert!(field(lines[0], "traceparent").contains(first));
    assert!(
        !lines[1].contains("traceparent"),
        "it came without one: {}",
        lines[1]
    );
    assert!(field(lines[2], "traceparent").contains(other));
}

#[tokio::test]
async fn what_is_no_trace_context_is_not_noted() {
    capture();
    let mut peer = Peer::of(builder().tool(tool("pay", pay)));
    peer.extra_meta = json!({"traceparent": "00-forged\n", "tracestate": "k=v", "baggage": "b=1"});
    peer.result("tools/call", json!({"name": "pay"})).await;
    let text = logged();
    assert!(text.contains("input required"), "{text}");
    assert!(
        !text.contains("forged") && !text.contains("trace_id"),
        "{text}"
    );
}

#[tokio::test]
async fn what_a_client_sends_stays_on_its_line_of_the_log() {
    capture();
    let peer = Peer::of(builder().tool(tool("pay", pay)));
    let hostile = "x\u{1b}[2J\nWARN forged";
    peer.error("tools/call", json!({"name": hostile})).await;
    peer.error(hostile, json!({})).await;
    peer.error(
        "tools/call",
        json!({"name": "pay", "requestState": hostile}),
    )
    .await;
    let text = logged();
    assert!(text.contains("forged"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(!text.contains("\nWARN"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_key_file_that_is_broken_is_told_once_and_so_is_its_repair() {
    capture();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("keys");
    let keys = mrtr::state::Secret::generate([1; 32]).expose();
    std::fs::write(&file, &keys).expect("written");
    let server = mrtr::server::Server::builder("travel", "1").key_file(&file);
    let server = server.build().expect("a server");
    tokio::spawn(server.watch_keys());
    let a_while = || tokio::time::sleep(std::time::Duration::from_secs(5));
    std::fs::write(&file, "c2hvcnQ").expect("written");
    a_while().await;
    std::fs::write(&file, &keys).expect("written");
    a_while().await;
    let text = logged();
    assert_eq!(
        text.matches("the keys stay as they are").count(),
        1,
        "{text}"
    );
    assert_eq!(text.matches("readable again").count(), 1, "{text}");
    assert!(text.contains("line 1: the key has 5 bytes"), "{text}");
    assert!(!text.contains("c2hvcnQ"), "{text}");
}

#[tokio::test]
async fn what_shielded_work_logs_belongs_to_its_request_even_when_that_is_over() {
    capture();
    let go = Arc::new(Notify::new());
    let wait = go.clone();
    let leave = tool("leave", move |cx: Cx, _: ()| {
        let go = wait.clone();
        async move {
            let work = cx.shield(async move {
                go.notified().await;
                tracing::info!("at its end");
                panic!("alone");
            });
            tokio::select! {
                biased;
                () = work => {}
                () = tokio::task::yield_now() => {}
            }
            Ok::<_, ToolError>("left")
        }
    });
    let server = builder().tool(leave).build().expect("it builds");
    let mut peer = Peer::new(server.clone());
    peer.extra_meta =
        json!({"traceparent": "00-0af7651916cd43dd8448eb211c80319d-00f067aa0ba902b7-01"});
    peer.result("tools/call", json!({"name": "leave"})).await;
    go.notify_one();
    server.shielded_ended().await;
    let text = logged();
    for told in ["at its end", "alone"] {
        let line = text.lines().find(|line| line.contains(told));
        let line = line.unwrap_or_else(|| panic!("`{told}` is missing in:\n{text}"));
        assert_eq!(field(line, "target"), "\"leave\"");
        assert!(line.contains("319d"), "{line}");
    }
}
