//! What a round accepts and seals as its state.

mod support;

use std::sync::Arc;
use std::time::Duration;

use mrtr_core::Timestamp;
use mrtr_core::replay::{Cx, ToolError};
use mrtr_core::round::{Closed, Rounds};
use mrtr_core::state::{Keyring, Method, Principal, Secret};
use mrtr_core::wire::Cause;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use support::*;

async fn abc(cx: Cx) -> Result<String, ToolError> {
    let a = ask(&cx, "a").await?;
    let b = ask(&cx, "b").await?;
    Ok(a + &b + &ask(&cx, "c").await?)
}

fn raw(json: &str) -> Option<Box<RawValue>> {
    Some(RawValue::from_string(json.into()).expect("JSON"))
}

/// A call whose first round has asked.
async fn started() -> Call {
    let mut call = Call::new();
    call.arguments = raw(r#"{"x":1,"y":[true,"z"]}"#);
    call.principal = Some(Arc::new(Principal::new("iss", "ada")));
    assert_eq!(keys(call.play(none(), abc).await), ["a"]);
    call
}

async fn expect_rejected(call: &mut Call, why: &str) {
    let reject = rejected(call.play(json!({ "a": value("1") }), abc).await);
    assert_eq!(reject.cause, Cause::InvalidRequestState);
    assert!(reject.log.contains(why), "{}: {why}", reject.log);
    let error = reject.cause.error();
    assert_eq!(
        error.message, "Invalid or expired requestState",
        "the reason stays in the log"
    );
}

#[tokio::test]
async fn e4_e5_a_state_opens_for_the_request_it_was_made_for_only() {
    let mut call = started().await;
    call.principal = Some(Arc::new(Principal::new("iss", "bob")));
    expect_rejected(&mut call, "principal").await;
    call.principal = None;
    expect_rejected(&mut call, "principal").await;

    let mut call = started().await;
    call.method = Method::PromptsGet;
    expect_rejected(&mut call, "method").await;

    let mut call = started().await;
    call.target = "other".into();
    expect_rejected(&mut call, "").await;

    let mut call = started().await;
    call.arguments = raw(r#"{"x":2,"y":[true,"z"]}"#);
    expect_rejected(&mut call, "arguments").await;
    call.arguments = None;
    expect_rejected(&mut call, "arguments").await;

    let mut call = started().await;
    call.rounds = call.rounds.with_revision("2");
    expect_rejected(&mut call, "revision").await;
}

#[tokio::test]
async fn e4_reordered_arguments_and_other_spellings_of_numbers_are_the_same_request() {
    let mut call = started().await;
    call.arguments = raw(r#"{ "y": [true, "\u007a"], "x": 1.0 }"#);
    assert_eq!(
        keys(call.play(json!({ "a": value("1") }), abc).await),
        ["b"]
    );
}

#[tokio::test]
async fn e7_another_instance_with_the_same_key_goes_on_and_one_with_its_own_does_not() {
    let mut call = started().await;
    let other = |key: u8| {
        let keyring = Keyring::new([Secret::generate([key; 32])]).expect("one key");
        Rounds::new(Arc::new(keyring), "test")
    };
    let (same, different) = (other(1), other(2));
    call.rounds = same;
    assert_eq!(
        keys(call.play(json!({ "a": value("1") }), abc).await),
        ["b"]
    );
    call.rounds = different;
    expect_rejected(&mut call, "key").await;
}

#[tokio::test]
async fn an_older_rounds_state_goes_on_from_there() {
    let mut call = started().await;
    let first = call.state.clone();
    keys(call.play(json!({ "a": value("1") }), abc).await);
    keys(call.play(json!({ "b": value("2") }), abc).await);
    call.state = first;
    let closed = call.play(json!({ "a": value("other") }), abc).await;
    assert_eq!(keys(closed), ["b"]);
    keys(call.play(json!({ "b": value("2") }), abc).await);
    let closed = call.play(json!({ "c": value("3") }), abc).await;
    assert_eq!(done(closed), "other23");
}

#[tokio::test]
async fn a_recorded_answer_cannot_be_given_again() {
    let mut call = started().await;
    keys(call.play(json!({ "a": value("1") }), abc).await);
    let answers = json!({ "a": value("changed"), "b": value("2") });
    keys(call.play(answers, abc).await);
    let closed = call.play(json!({ "c": value("3") }), abc).await;
    assert_eq!(done(closed), "123");
}

#[tokio::test]
async fn the_ttl_is_renewed_each_round_and_ends_at_the_exact_instant() {
    let mut call = started().await;
    let ttl = call.policy.limits.ttl;
    for (key, next) in [("a", "b"), ("b", "c")] {
        call.now = call.now + (ttl - Duration::from_millis(1));
        let closed = call.play(json!({ key: value("x") }), abc).await;
        assert_eq!(keys(closed), [next]);
    }
    call.now = call.now + ttl;
    expect_rejected(&mut call, "expired").await;
}

#[tokio::test]
async fn the_exchange_has_a_deadline_that_is_not_renewed() {
    let mut call = started().await;
    let start = call.now;
    call.policy.limits.ttl = Duration::from_secs(3_200);
    call.now = start + Duration::from_secs(500);
    assert_eq!(
        keys(call.play(json!({ "a": value("x") }), abc).await),
        ["b"]
    );
    call.now = start + Duration::from_secs(3_599);
    assert_eq!(
        keys(call.play(json!({ "b": value("x") }), abc).await),
        ["c"]
    );
    call.now = start + Duration::from_secs(3_600);
    expect_rejected(&mut call, "").await;
}

#[tokio::test]
async fn the_round_cap_is_a_clear_final_error() {
    async fn endless(cx: Cx) -> Result<(), ToolError> {
        for i in 0.. {
            ask(&cx.at(i), "q").await?;
        }
        Ok(())
    }
    let mut call = Call::new();
    let mut answers = none();
    for i in 0..10 {
        let asked = keys(call.play(answers, endless).await);
        assert_eq!(asked, [format!("{i}/q")]);
        answers = json!({ &asked[0]: value("x") });
    }
    let reject = rejected(call.play(answers, endless).await);
    assert_eq!(reject.cause, Cause::TooManyRounds { limit: 10 });
    assert!(reject.log.contains("10"), "{}", reject.log);
}

#[tokio::test]
async fn what_a_handler_knows_of_its_exchange_is_the_same_in_every_round() {
    type Seen = (Timestamp, String, u16, Option<String>);
    async fn handler(cx: Cx, seen: &std::sync::Mutex<Vec<Seen>>) -> Result<(), ToolError> {
        seen.lock().expect("not poisoned").push((
            cx.started_at(),
            cx.exchange_id().to_string(),
            cx.round(),
            cx.principal().map(|who| who.subject().to_owned()),
        ));
        ask(&cx, "a").await?;
        ask(&cx, "b").await?;
        Ok(())
    }
    let seen = std::sync::Mutex::new(Vec::new());
    let mut call = Call::new();
    call.principal = Some(Arc::new(Principal::new("iss", "ada")));
    let start = call.now;
    keys(call.play(none(), |cx| handler(cx, &seen)).await);
    call.now = start + Duration::from_secs(60);
    keys(
        call.play(json!({ "a": value("1") }), |cx| handler(cx, &seen))
            .await,
    );
    done(
        call.play(json!({ "b": value("2") }), |cx| handler(cx, &seen))
            .await,
    );
    let seen = seen.into_inner().expect("not poisoned");
    assert_eq!(seen.iter().map(|s| s.2).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(
        seen.iter()
            .all(|s| (s.0, &s.1, &s.3) == (start, &seen[0].1, &seen[0].3))
    );
    assert_eq!(seen[0].3.as_deref(), Some("ada"));
}

#[tokio::test]
async fn arguments_that_cannot_be_bound_are_the_clients_fault() {
    let mut call = Call::new();
    call.arguments = raw(r#"{"x":1,"x":2}"#);
    let reject = rejected(call.play(none(), abc).await);
    assert!(matches!(&reject.cause, Cause::InvalidParams(text) if text.contains("arguments")));
    // A handler that asks nothing needs no binding.
    let nothing = |_: Cx| async { Ok::<_, ToolError>(1) };
    assert_eq!(done(call.play(none(), nothing).await), 1);
}

#[tokio::test]
async fn two_answers_of_two_hundred_bytes_together_fit_a_short_state() {
    let mut call = Call::new();
    keys(call.play(none(), abc).await);
    keys(call.play(json!({ "a": value("x".repeat(88)) }), abc).await);
    let closed = call.play(json!({ "b": value("x".repeat(88)) }), abc).await;
    let state = asked(closed).request_state.expect("a state");
    assert!(state.len() <= 540, "{}", state.len());
}

#[tokio::test]
async fn a_state_with_an_unknown_journal_is_rejected_and_not_misread() {
    use mrtr_core::state::{Binding, Bound, Claims, ExchangeId, StateLimits, seal};
    let mut call = Call::new();
    let binding = Binding {
        principal: None,
        method: Method::ToolsCall,
        target: "tool",
        arguments: None,
        audience: "test",
        revision: None,
    };
    let limits = StateLimits::default();
    let claims = Claims::first(ExchangeId::from_bytes([1; 16]), call.now, call.now, &limits)
        .expect("there is time");
    let keyring = Keyring::new([Secret::generate([1; 32])]).expect("one key");
    let bound = Bound::new(&binding).expect("no arguments");
    let state = seal(&keyring, &claims, &bound, b"\x07", [0; 12], &limits).expect("short");
    call.state = Some(to_raw_value(&state).expect("JSON"));
    expect_rejected(&mut call, "").await;
}

#[tokio::test]
async fn an_input_required_result_always_has_a_state() {
    let mut call = Call::new();
    let Closed::InputRequired(result) = call.play(none(), abc).await else {
        panic!("asks")
    };
    assert!(result.request_state.is_some() && result.input_requests.is_some());
}
