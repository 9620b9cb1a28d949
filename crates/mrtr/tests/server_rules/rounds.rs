//! Exchanges over several rounds: states, keys, instances, limits of time.

use std::time::Duration;

use mrtr::server::{ServerBuilder, prompt, resource, resource_template, tool};
use mrtr::state::Keyring;
use mrtr::{Cx, Form, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Clock, Peer, accept, builder, is_asking, keyring, text};

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

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only read")]
struct Id {
    id: String,
}

async fn sure_of(cx: Cx, _: Id) -> Result<String, ToolError> {
    sure(cx, ()).await
}

fn all(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(tool("sum", sum))
        .tool(tool("sure", sure))
        .tool(tool("other", sure))
        .prompt(prompt("sure", sure))
        .resource_template(resource_template("x:{id}", sure_of))
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
async fn two_instances_that_share_a_key_finish_a_call_whose_rounds_land_alternately() {
    let peers = [Peer::of(all(builder())), Peer::of(all(builder()))];
    let mut result = peers[0].result("tools/call", params(5)).await;
    for round in 0..5 {
        assert!(is_asking(&result), "{result}");
        let peer = &peers[usize::from(round + 1) % 2];
        result = peer
            .retry("tools/call", &params(5), &result, answer(round))
            .await;
    }
    assert_eq!(text(&result), "5");
}

#[tokio::test]
async fn e7_an_instance_with_another_key_rejects_cleanly_and_the_call_can_start_again() {
    let ours = Peer::of(all(builder()));
    let asked = ours.result("tools/call", json!({"name": "sure"})).await;
    let theirs = Peer::of(all(builder().keyring(keyring(2))));
    rejected(
        &theirs,
        "tools/call",
        &json!({"name": "sure"}),
        &asked["requestState"],
    )
    .await;
    assert!(is_asking(
        &theirs.result("tools/call", json!({"name": "sure"})).await
    ));
}

#[tokio::test]
async fn e8_keys_can_be_rotated_while_the_server_runs() {
    let peer = Peer::of(all(builder()));
    let params = json!({"name": "sure"});
    let asked = peer.result("tools/call", params.clone()).await;
    let secret = |seed| mrtr::state::Secret::generate([seed; 32]);
    peer.server
        .set_keyring(Keyring::new([secret(2), secret(1)]).expect("a keyring"));
    assert_eq!(
        text(&peer.retry("tools/call", &params, &asked, yes()).await),
        "done"
    );
    peer.server.set_keyring(keyring(2));
    rejected(&peer, "tools/call", &params, &asked["requestState"]).await;
}

#[tokio::test]
async fn a_key_file_is_read_again_on_demand_and_kept_when_it_is_broken() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys");
    let write = |seed: u8| {
        let secret = mrtr::state::Secret::generate([seed; 32]);
        std::fs::write(&path, &*secret.expose()).expect("written");
    };
    write(1);
    let server = mrtr::server::Server::builder("travel", "1.0.0")
        .runtime(Clock::new())
        .key_file(&path);
    let peer = Peer::of(all(server));
    let params = json!({"name": "sure"});
    let asked = peer.result("tools/call", params.clone()).await;
    std::fs::write(&path, "short").expect("written");
    assert!(peer.server.reload_keys().is_err());
    assert_eq!(
        text(&peer.retry("tools/call", &params, &asked, yes()).await),
        "done"
    );
    write(2);
    peer.server.reload_keys().expect("readable");
    rejected(&peer, "tools/call", &params, &asked["requestState"]).await;
    assert!(
        Peer::of(all(builder())).server.reload_keys().is_err(),
        "there is no file"
    );
}

#[tokio::test]
async fn e4_a_state_opens_for_its_own_request_only() {
    let peer = Peer::of(all(builder()).resource(resource("y:a", sure)));
    let tool = json!({"name": "sure"});
    let asked = peer.result("tools/call", tool.clone()).await;
    let state = &asked["requestState"];
    rejected(&peer, "tools/call", &json!({"name": "other"}), state).await;
    rejected(&peer, "prompts/get", &tool, state).await;
    rejected(&peer, "resources/read", &json!({"uri": "x:sure"}), state).await;

    let read = peer.result("resources/read", json!({"uri": "x:1"})).await;
    rejected(
        &peer,
        "resources/read",
        &json!({"uri": "x:2"}),
        &read["requestState"],
    )
    .await;
    rejected(
        &peer,
        "resources/read",
        &json!({"uri": "y:a"}),
        &read["requestState"],
    )
    .await;

    let first =
        json!({"name": "sum", "arguments": {"rounds": 1, "start": 9_007_199_254_740_992_i64}});
    let asked = peer.result("tools/call", first).await;
    let changed =
        json!({"name": "sum", "arguments": {"rounds": 1, "start": 9_007_199_254_740_993_i64}});
    rejected(&peer, "tools/call", &changed, &asked["requestState"]).await;
    let reordered =
        json!({"name": "sum", "arguments": {"start": 9_007_199_254_740_992_i64, "rounds": 1}});
    let result = peer
        .retry("tools/call", &reordered, &asked, answer(0))
        .await;
    assert_eq!(text(&result), "9007199254740993");
}

#[tokio::test]
async fn e5_a_state_opens_for_its_principal_only() {
    let alice = Peer::of(all(builder())).called_by("alice");
    let bob = alice.clone().called_by("bob");
    let params = json!({"name": "sure"});
    let asked = alice.result("tools/call", params.clone()).await;
    rejected(&bob, "tools/call", &params, &asked["requestState"]).await;
    let nobody = Peer::new(alice.server.clone());
    rejected(&nobody, "tools/call", &params, &asked["requestState"]).await;
    let refreshed = alice.clone().called_by("alice");
    assert_eq!(
        text(&refreshed.retry("tools/call", &params, &asked, yes()).await),
        "done"
    );
}

#[tokio::test]
async fn a_change_of_revision_ends_open_exchanges() {
    let old = Peer::of(all(builder().revision("1")));
    let params = json!({"name": "sure"});
    let asked = old.result("tools/call", params.clone()).await;
    rejected(
        &Peer::of(all(builder().revision("2"))),
        "tools/call",
        &params,
        &asked["requestState"],
    )
    .await;
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

#[tokio::test]
async fn e13_a_step_before_the_questions_is_done_once() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    let count = Arc::new(AtomicU32::new(0));
    let counted = count.clone();
    let peer = Peer::of(builder().tool(tool("sum", move |cx: Cx, args: Sum| {
        let counted = counted.clone();
        async move {
            let work = || async { Ok::<_, ToolError>(counted.fetch_add(1, Ordering::Relaxed)) };
            cx.step("count", work).await?;
            sum(cx, args).await
        }
    })));
    let mut asked = peer.result("tools/call", params(3)).await;
    for round in 0..3 {
        asked = peer
            .retry("tools/call", &params(3), &asked, answer(round))
            .await;
    }
    assert_eq!((text(&asked), count.load(Ordering::Relaxed)), ("3", 1));
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
