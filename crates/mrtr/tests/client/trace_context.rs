//! A call is one trace: what the client says of it reaches the handler in every round.

use std::sync::atomic::{AtomicU64, Ordering};

use mrtr::client::{Answerer as _, Answers, Client, FormQuestion, IfSent, Turn};
use mrtr::server::{Server, tool};
use mrtr::state::{Keyring, Secret};
use mrtr::trace::{TraceContext, TraceParent};
use mrtr::wire::ContentBlock;
use mrtr::{Cx, ToolError};
use serde_json::json;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// Asks, then says which trace it runs in.
async fn trace(cx: Cx, _: ()) -> Result<String, ToolError> {
    cx.confirm("go", "Go on?").await?;
    let Some(trace) = cx.trace_context() else {
        return Ok("none".into());
    };
    let lists = (trace.state(), trace.baggage());
    Ok(format!("{} {lists:?}", trace.parent()))
}

async fn url() -> String {
    let server = Server::builder("trace", "1.0.0")
        .keyring(Keyring::new([Secret::generate([7; 32])]).unwrap())
        .tool(tool("trace", trace))
        .build()
        .unwrap();
    let listener = server.http().bind("127.0.0.1:0").await.unwrap();
    let url = listener.url();
    tokio::spawn(listener.run_until(std::future::pending()));
    url
}

/// A client whose every request is another span of one trace.
fn traced(url: &str) -> Client {
    let spans = AtomicU64::new(1);
    let context = move || {
        let span = spans.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        let trace = u128::from_str_radix(TRACE, 16).unwrap().to_be_bytes();
        let parent = TraceParent::new(trace, span, true).unwrap();
        let context = TraceContext::new(parent);
        Some(context.with_state("vendor=1").with_baggage("tenant=7"))
    };
    Client::http(url).trace_context(context).build().unwrap()
}

fn answers() -> Answers {
    let yes = |question: FormQuestion| async move { question.accept(&json!({"confirmed": true})) };
    Answers::new().form(yes)
}

fn text(content: &[ContentBlock]) -> &str {
    match content {
        [ContentBlock::Text(text)] => &text.text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_request_carries_the_span_that_is_current_when_it_leaves() {
    let client = traced(&url().await);
    let result = client.call_tool("trace", &json!({}), &answers()).await;
    let result = result.unwrap();
    let said = text(&result.content);
    assert!(said.starts_with(&format!("00-{TRACE}-")), "{said}");
    assert!(
        said.ends_with(r#" (Some("vendor=1"), Some("tenant=7"))"#),
        "{said}"
    );
    let span = said.split('-').nth(2).unwrap();
    let list = client
        .call_tool("trace", &json!({}), &answers())
        .await
        .unwrap();
    assert_ne!(span, text(&list.content).split('-').nth(2).unwrap());
}

#[tokio::test]
async fn a_call_that_another_process_goes_on_with_stays_in_its_trace() {
    let url = url().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("call.json");
    let first = traced(&url);
    let call = first.tool("trace", &json!({})).unwrap();
    let mut call = call.declare(answers().capabilities());
    assert!(matches!(call.advance().await.unwrap(), Turn::Asked(_)));
    call.save(&file).await.unwrap();
    drop(call);
    let saved = std::fs::read_to_string(&file).unwrap();
    assert!(
        !saved.contains(TRACE),
        "the server remembers it, in the state"
    );

    let second = Client::http(url).build().unwrap();
    let call = second.resume(&file, IfSent::Refuse).await.unwrap();
    let mut call = call.declare(answers().capabilities());
    let result = call.drive(&answers()).await.unwrap().into_tool().unwrap();
    let said = text(&result.content);
    assert!(said.starts_with(&format!("00-{TRACE}-")), "{said}");
}

#[tokio::test]
async fn a_client_that_says_nothing_is_in_no_trace() {
    let client = Client::http(url().await).build().unwrap();
    let result = client.call_tool("trace", &json!({}), &answers()).await;
    assert_eq!(text(&result.unwrap().content), "none");
}
