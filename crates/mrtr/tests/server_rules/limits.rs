//! Who may call how often.

use std::sync::Arc;
use std::time::Duration;

use mrtr::server::{RetryAfter, TokenBuckets, prompt, resource_template, tool};
use mrtr::state::Principal;
use mrtr::{Cx, Timestamp, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{Clock, Peer, builder, text};

async fn ok(_: Cx, _: ()) -> Result<String, ToolError> {
    Ok("ok".into())
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only read")]
struct Id {
    id: String,
}

async fn ok_of(_: Cx, _: Id) -> Result<String, ToolError> {
    Ok("ok".into())
}

#[tokio::test]
async fn a_tool_called_too_often_says_when_to_come_back_and_then_works() {
    let clock = Clock::new();
    let buckets = TokenBuckets::new(1, Duration::from_secs(10));
    let peer = Peer::of(
        builder()
            .runtime(clock.clone())
            .limiter(buckets)
            .tool(tool("ok", ok)),
    );
    let alice = peer.clone().called_by("alice");
    assert_eq!(text(&alice.tool("ok", json!({})).await), "ok");
    let refused = alice.tool("ok", json!({})).await;
    assert_eq!(
        (text(&refused), &refused["isError"]),
        ("Too many calls. Try again in 10 seconds.", &json!(true))
    );
    assert_eq!(
        text(&peer.called_by("bob").tool("ok", json!({})).await),
        "ok"
    );
    clock.advance(Duration::from_secs(10));
    assert_eq!(text(&alice.tool("ok", json!({})).await), "ok");
}

#[tokio::test]
async fn prompts_and_resources_read_too_often_are_errors() {
    let buckets = TokenBuckets::new(1, Duration::from_millis(1_500));
    let peer = Peer::of(
        builder()
            .limiter(buckets)
            .prompt(prompt("ok", ok))
            .resource_template(resource_template("x:{id}", ok_of)),
    );
    peer.result("prompts/get", json!({"name": "ok"})).await;
    let error = peer.error("prompts/get", json!({"name": "ok"})).await;
    assert_eq!(
        error["data"],
        json!({"reason": "rate_limited", "retryAfterMs": 1_500})
    );
    peer.result("resources/read", json!({"uri": "x:1"})).await;
    let other = peer.error("resources/read", json!({"uri": "x:2"})).await;
    assert_eq!(
        other["data"]["reason"], "rate_limited",
        "all resources of a template share a limit"
    );
}

#[tokio::test]
async fn a_limiter_is_told_who_calls_what_and_never_of_what_does_not_exist() {
    struct Watch(std::sync::Mutex<Vec<String>>);
    impl mrtr::server::Limiter for Watch {
        fn check(
            &self,
            principal: Option<&Principal>,
            target: mrtr::server::Target<'_>,
            _: Timestamp,
        ) -> Result<(), RetryAfter> {
            let who = principal.map_or("nobody", Principal::subject);
            self.0
                .lock()
                .expect("unpoisoned")
                .push(format!("{who} {} {}", target.method, target.name));
            Ok(())
        }
    }
    let watch = Arc::new(Watch(std::sync::Mutex::default()));
    let peer = Peer::of(
        builder()
            .limiter(watch.clone())
            .tool(tool("ok", ok))
            .resource_template(resource_template("x:{id}", ok_of)),
    );
    peer.tool("ok", json!({})).await;
    peer.clone()
        .called_by("alice")
        .result("resources/read", json!({"uri": "x:1"}))
        .await;
    peer.error("tools/call", json!({"name": "unknown"})).await;
    peer.result("tools/list", json!({})).await;
    let seen = watch.0.lock().expect("unpoisoned");
    assert_eq!(
        *seen,
        ["nobody tools/call ok", "alice resources/read x:{id}"]
    );
}
