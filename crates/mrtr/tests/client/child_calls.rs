//! Calls of servers that run as child processes.

use std::sync::{Arc, Mutex};

use crate::support::child::Child;
use crate::support::{asks, done, form, says_yes};
use mrtr::client::{Answerer, ClientError, ClientLimits, Direction, Loss, Turn};
use serde_json::json;

#[tokio::test]
async fn a_call_over_all_its_rounds_through_a_real_process() {
    let child = Child::new(&format!(
        "take; result '{}'; take; result '{}'",
        asks(form()),
        done()
    ));
    let client = child.client();
    client
        .call_tool("t", &json!({"a": 1}), &says_yes())
        .await
        .unwrap();
    let log = child.log();
    assert_eq!(
        child.methods(),
        ["server/discover", "tools/call", "tools/call"]
    );
    let meta = &log[0]["params"]["_meta"];
    assert_eq!(
        meta["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    assert_eq!(
        meta["io.modelcontextprotocol/clientCapabilities"],
        json!({})
    );
    let mut retry = log[2]["params"].clone();
    assert_eq!(
        retry["_meta"]["io.modelcontextprotocol/clientCapabilities"],
        json!({"elicitation": {"form": {}}})
    );
    retry.as_object_mut().unwrap().remove("_meta");
    let answers = json!({"q": {"action": "accept", "content": {"yes": true}}});
    assert_eq!(
        retry,
        json!({"name": "t", "arguments": {"a": 1}, "inputResponses": answers, "requestState": "S1"})
    );
    assert_ne!(log[1]["id"], log[2]["id"]);
    client.close().await;
}

#[tokio::test]
async fn answers_find_their_requests_in_any_order() {
    // Answers the second request first.
    let script = format!(
        "take; first=$id; take; result '{{\"resultType\":\"complete\",\"contents\":[]}}'; id=$first; result '{}'",
        done()
    );
    let child = Child::new(&script);
    let client = child.client();
    let mut tool = client.tool("t", &json!({})).unwrap();
    let resource = client.clone();
    let first = tool.advance();
    let second = async {
        // The line of the first is on its way before the second starts.
        while child.methods().len() < 2 {
            tokio::task::yield_now().await;
        }
        resource.read_resource("a://b", &()).await
    };
    let (first, second) = tokio::join!(first, second);
    assert!(matches!(first.unwrap(), Turn::Done(_)));
    assert!(second.unwrap().contents.is_empty());
    client.close().await;
}

#[tokio::test]
async fn b21_a_server_that_dies_before_its_answer_is_ambiguous_and_not_asked_again() {
    let child = Child::new("take; echo 'out of memory' >&2; exit 9");
    let client = child.client();
    let error = client.call_tool("pay", &json!({}), &()).await.unwrap_err();
    let ClientError::Ambiguous(lost) = &error else {
        panic!("{error}")
    };
    assert!(matches!(lost.loss, Loss::Closed { .. }));
    assert!(error.to_string().contains("exit status: 9"), "{error}");
    assert!(error.to_string().contains("out of memory"), "{error}");
    assert_eq!(
        child.methods(),
        ["server/discover", "tools/call"],
        "one execution"
    );
}

#[tokio::test]
async fn dropping_a_request_in_flight_sends_cancelled_for_its_id() {
    let child = Child::new(
        "take; say '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}'; take; touch \"$DIR/cancelled\"; take",
    );
    let (told, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let client = child
        .builder()
        .on_notification(move |_| told.send(()).unwrap())
        .build()
        .unwrap();
    let mut call = client.tool("t", &json!({})).unwrap();
    tokio::select! {
        turn = call.advance() => panic!("{turn:?}"),
        _ = seen.recv() => {}
    }
    drop(call);
    client.close().await;
    let log = child.log();
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": log[1]["id"]}});
    assert_eq!(log[2], cancelled);
    assert_eq!(log.len(), 3);
}

#[tokio::test]
async fn b9_giving_up_while_a_person_answers_sends_nothing() {
    let child = Child::new(&format!("take; result '{}'; take; take", asks(form())));
    let client = child.client();
    let mut call = client
        .tool("t", &json!({}))
        .unwrap()
        .declare(says_yes().capabilities());
    assert!(matches!(call.advance().await.unwrap(), Turn::Asked(_)));
    drop(call);
    client.close().await;
    assert_eq!(child.methods(), ["server/discover", "tools/call"]);
}

#[tokio::test]
async fn what_is_not_a_message_is_passed_over() {
    let late = json!({"jsonrpc": "2.0", "id": 4711, "result": {}});
    let request = json!({"jsonrpc": "2.0", "id": "r", "method": "roots/list"});
    let child = Child::new(&format!(
        "take; say 'debug: hello'; say ''; say '{late}'; say '{request}'; result '{}'; take",
        done()
    ));
    let client = child.client();
    client.call_tool("t", &json!({}), &()).await.unwrap();
    client.close().await;
    assert_eq!(child.methods().len(), 2, "and never answered");
}

#[tokio::test]
async fn a_message_beyond_the_limit_ends_the_connection() {
    let child = Child::new("take; head -c 5000 /dev/zero | tr '\\0' 'x'; take");
    let mut limits = ClientLimits::default();
    limits.message = 4000;
    let client = child.builder().limits(limits).build().unwrap();
    let error = client.call_tool("t", &json!({}), &()).await.unwrap_err();
    assert!(matches!(error, ClientError::Ambiguous(_)));
    assert!(error.to_string().contains("4000 bytes"), "{error}");
}

#[tokio::test]
async fn progress_reaches_its_own_call() {
    let progress = |token: &str, done: u8| {
        format!(
            "say '{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":'{token}',\"progress\":{done},\"total\":4}}}}'"
        )
    };
    let child = Child::new(&format!(
        "take; {}; {}; {}; result '{}'",
        progress("$id", 1),
        progress("99", 2),
        progress("$id", 3),
        done()
    ));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hear = Arc::clone(&heard);
    let client = child.client();
    let mut call = client
        .tool("t", &json!({}))
        .unwrap()
        .on_progress(move |progress| hear.lock().unwrap().push(progress.progress.to_string()));
    assert!(matches!(call.advance().await.unwrap(), Turn::Done(_)));
    assert_eq!(*heard.lock().unwrap(), ["1", "3"]);
    client.close().await;
}

#[tokio::test]
async fn the_trace_shows_every_line() {
    let child = Child::new(&format!("take; result '{}'", done()));
    let traced = Arc::new(Mutex::new(Vec::new()));
    let trace = Arc::clone(&traced);
    let client = child
        .builder()
        .trace(move |message| {
            trace
                .lock()
                .unwrap()
                .push((message.direction, message.text.to_owned()))
        })
        .build()
        .unwrap();
    client.call_tool("t", &json!({}), &()).await.unwrap();
    let traced = traced.lock().unwrap().clone();
    let directions: Vec<_> = traced.iter().map(|(direction, _)| *direction).collect();
    use Direction::{Received, Sent};
    assert_eq!(directions, [Sent, Received, Sent, Received]);
    assert!(traced[3].1.contains("done"));
    client.close().await;
}
