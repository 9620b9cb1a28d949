//! Exchanges over several rounds: states, keys, instances, limits of time.

use std::time::Duration;

use mrtr::server::{ServerBuilder, tool};
use mrtr::{Cx, Form, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Clock, Peer, accept, builder, is_asking, text};

#[derive(Form)]
struct Number {
    /// A number.
    number: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Sum {
    #[serde(default)]
    start: i64,
    rounds: u8,
}

async fn sum(cx: Cx, sum: Sum) -> Result<String, ToolError> {
    let mut total = sum.start;
    for i in 0..sum.rounds {
        let answer: Number = cx.at(i).elicit("number", "Which number?").await?;
        total += answer.number;
    }
    Ok(total.to_string())
}

async fn sure(cx: Cx, _: ()) -> Result<String, ToolError> {
    cx.confirm("sure", "Sure?").await?;
    Ok("done".into())
}

fn all(builder: ServerBuilder) -> ServerBuilder {
    builder.tool(tool("sum", sum)).tool(tool("sure", sure))
}

fn params(rounds: u8) -> Value {
    json!({"name": "sum", "arguments": {"rounds": rounds}})
}

fn answer(round: u8) -> Value {
    json!({format!("{round}/number"): accept(json!({"number": 1}))})
}

fn yes() -> Value {
    json!({"sure": accept(json!({"confirmed": true}))})
}

const REJECTED: &str = "Invalid or expired requestState";

async fn rejected(peer: &Peer, method: &str, params: &Value, state: &Value) {
    let mut params = params.clone();
    params["requestState"] = state.clone();
    params["inputResponses"] = yes();
    let error = peer.error(method, params).await;
    assert_eq!(
        error,
        json!({"code": -32_602, "message": REJECTED, "data": {"reason": "invalid_request_state"}})
    );
}

#[tokio::test]
async fn a_state_expires_at_the_exact_instant_set_for_the_tool() {
    let clock = Clock::new();
    let peer = Peer::of(
        all(builder().runtime(clock.clone()))
            .tool(tool("brief", sure).ttl(Duration::from_secs(30))),
    );
    let params = json!({"name": "brief"});
    let asked = peer.result("tools/call", params.clone()).await;
    clock.advance(Duration::from_millis(29_999));
    assert_eq!(
        text(&peer.retry("tools/call", &params, &asked, yes()).await),
        "done"
    );
    clock.advance(Duration::from_millis(1));
    rejected(&peer, "tools/call", &params, &asked["requestState"]).await;
}

#[tokio::test]
async fn the_deadline_of_an_exchange_holds_however_often_it_was_renewed() {
    let clock = Clock::new();
    let peer = Peer::of(
        builder().runtime(clock.clone()).tool(
            tool("sum", sum)
                .exchange_deadline(Duration::from_secs(100))
                .ttl(Duration::from_secs(60)),
        ),
    );
    let mut asked = peer.result("tools/call", params(5)).await;
    clock.advance(Duration::from_secs(50));
    asked = peer
        .retry("tools/call", &params(5), &asked, answer(0))
        .await;
    clock.advance(Duration::from_secs(49));
    asked = peer
        .retry("tools/call", &params(5), &asked, answer(1))
        .await;
    clock.advance(Duration::from_secs(1));
    rejected(&peer, "tools/call", &params(5), &asked["requestState"]).await;
}

#[tokio::test]
async fn more_rounds_than_the_tool_allows_are_a_final_error_that_names_the_cap() {
    let peer = Peer::of(builder().tool(tool("sum", sum).max_rounds(2)));
    let mut asked = peer.result("tools/call", params(5)).await;
    asked = peer
        .retry("tools/call", &params(5), &asked, answer(0))
        .await;
    let mut last = params(5);
    last["requestState"] = asked["requestState"].clone();
    last["inputResponses"] = answer(1);
    let error = peer.error("tools/call", last).await;
    assert_eq!(
        (&error["code"], &error["data"]["reason"]),
        (&json!(-32_603), &json!("too_many_rounds"))
    );
    assert!(
        error["message"].as_str().expect("a message").contains('2'),
        "{error}"
    );
}

#[tokio::test]
async fn e11_a_state_larger_than_the_tool_allows_is_an_error_when_it_is_made() {
    async fn hoard(cx: Cx, _: ()) -> Result<String, ToolError> {
        cx.step("all", || async { Ok::<_, ToolError>("x".repeat(4_096)) })
            .await?;
        sure(cx, ()).await
    }
    let peer = Peer::of(
        builder()
            .tool(tool("hoard", hoard).max_state_bytes(2_048))
            .tool(tool("roomy", hoard)),
    );
    assert_eq!(
        peer.error("tools/call", json!({"name": "hoard"})).await["code"],
        -32_603
    );
    assert!(is_asking(
        &peer.result("tools/call", json!({"name": "roomy"})).await
    ));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_takes_too_long_is_dropped_and_told() {
    struct OnDrop(std::sync::Arc<std::sync::atomic::AtomicBool>);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            self.0.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }
    let dropped = std::sync::Arc::<std::sync::atomic::AtomicBool>::default();
    let flag = dropped.clone();
    let slow = move |_: Cx, (): ()| {
        let guard = OnDrop(flag.clone());
        async move {
            let _guard = guard;
            tokio::time::sleep(Duration::from_secs(3_600)).await;
            Ok::<_, ToolError>(())
        }
    };
    let peer =
        Peer::of(builder().tool(tool("slow", slow).request_deadline(Duration::from_secs(2))));
    let start = tokio::time::Instant::now();
    let error = peer.error("tools/call", json!({"name": "slow"})).await;
    assert_eq!(
        (&error["code"], &error["data"]["reason"]),
        (&json!(-32_603), &json!("deadline"))
    );
    assert_eq!(start.elapsed().as_secs(), 2);
    assert!(dropped.load(std::sync::atomic::Ordering::Relaxed));
}

#[tokio::test]
async fn asked_only_lets_no_answer_count_before_the_question() {
    let peer = Peer::of(
        builder()
            .tool(tool("sum", sum))
            .tool(tool("asked", sum).asked_only()),
    );
    let mut early = params(1);
    early["inputResponses"] = answer(0);
    assert_eq!(text(&peer.result("tools/call", early.clone()).await), "1");
    early["name"] = json!("asked");
    assert!(is_asking(&peer.result("tools/call", early).await));
}
