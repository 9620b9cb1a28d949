//! Progress and log messages.

use std::sync::{Arc, Mutex};

use mrtr::server::{Caller, Notify, tool};
use mrtr::wire::LoggingLevel;
use mrtr::{Cx, ToolError};
use serde_json::{Value, json};

use crate::official;
use crate::support::{Peer, builder};

async fn copy(cx: Cx, _: ()) -> Result<(), ToolError> {
    cx.progress(1.0, 3.0, "one");
    cx.progress(1.0, 3.0, "not more");
    cx.progress(0.5, 3.0, "less");
    cx.progress(f64::NAN, 3.0, "nonsense");
    cx.log(LoggingLevel::Debug, "copy", "detail");
    cx.log(LoggingLevel::Error, "copy", &json!({"lost": 2}));
    cx.progress(2.5, None, None);
    Ok(())
}

async fn notices(peer: &Peer) -> Vec<Value> {
    let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
    let collect = {
        let seen = seen.clone();
        move |notification: bytes::Bytes| {
            let notification = serde_json::from_slice(&notification).expect("JSON");
            seen.lock().expect("unpoisoned").push(notification);
        }
    };
    let request = peer
        .request("tools/call", json!({"name": "copy"}))
        .to_string();
    let response = peer
        .server
        .respond_with(request.as_bytes(), &Caller::anonymous(), collect)
        .await;
    assert!(response.is_some());
    let seen = seen.lock().expect("unpoisoned");
    seen.iter().for_each(official::check_notification);
    seen.clone()
}

fn peer(meta: Value) -> Peer {
    let mut peer = Peer::of(builder().logging().tool(tool("copy", copy)));
    peer.extra_meta = meta;
    peer
}

#[tokio::test]
async fn a_request_that_asked_for_nothing_is_told_nothing() {
    assert!(notices(&peer(json!({}))).await.is_empty());
}

#[tokio::test]
async fn progress_carries_the_token_as_it_came_and_always_increases() {
    for token in [json!("t-1"), json!(7)] {
        let told = notices(&peer(json!({"progressToken": token}))).await;
        let params: Vec<&Value> = told.iter().map(|notice| &notice["params"]).collect();
        assert_eq!(
            params,
            [
                &json!({"progressToken": token, "progress": 1, "total": 3, "message": "one"}),
                &json!({"progressToken": token, "progress": 2.5}),
            ]
        );
    }
}

#[tokio::test]
async fn log_messages_come_from_the_wanted_level_on_and_only_when_switched_on() {
    let wanted = json!({"io.modelcontextprotocol/logLevel": "warning"});
    let told = notices(&peer(wanted.clone())).await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(
        told[0]["params"],
        json!({"level": "error", "logger": "copy", "data": {"lost": 2}})
    );

    let mut silent = Peer::of(builder().tool(tool("copy", copy)));
    silent.extra_meta = wanted;
    assert!(notices(&silent).await.is_empty());
}

#[tokio::test]
async fn an_unknown_log_level_is_invalid_params() {
    let peer = peer(json!({"io.modelcontextprotocol/logLevel": "loud"}));
    assert_eq!(
        peer.error("tools/call", json!({"name": "copy"})).await["code"],
        -32_602
    );
}

#[tokio::test]
async fn nothing_is_sent_after_the_response() {
    let kept: Arc<Mutex<Option<Cx>>> = Arc::default();
    let keep = kept.clone();
    let mut peer = Peer::of(builder().tool(tool("copy", move |cx: Cx, (): ()| {
        *keep.lock().expect("unpoisoned") = Some(cx.clone());
        async move {
            cx.progress(1.0, None, None);
            Ok::<_, ToolError>(())
        }
    })));
    peer.extra_meta = json!({"progressToken": 1});
    assert_eq!(notices(&peer).await.len(), 1);
    let late = Arc::new(Mutex::new(0));
    let counter = late.clone();
    let request = peer
        .request("tools/call", json!({"name": "copy"}))
        .to_string();
    let count = move |_| *counter.lock().expect("unpoisoned") += 1;
    peer.server
        .respond_with(request.as_bytes(), &Caller::anonymous(), count)
        .await;
    let cx = kept.lock().expect("unpoisoned").take().expect("kept");
    cx.progress(2.0, None, None);
    assert_eq!(*late.lock().expect("unpoisoned"), 1);
}
