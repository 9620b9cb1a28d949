//! Which run of which state a request asks for, where states are used once.

mod support;

use std::sync::Arc;
use std::time::Duration;

use mrtr_core::json::canonical::digest_value;
use mrtr_core::ledger::{
    Answer, Claim, Claimed, Entered, Entry, Epoch, Fence, Held, JournalKey, Ledger, LedgerError,
    OnceKey, Recorded, StateKey,
};
use mrtr_core::replay::{Context, Cx, Durable, ToolError};
use mrtr_core::round::{Attempt, Closed, Replay};
use mrtr_core::wire::Cause;
use serde_json::json;
use serde_json::value::RawValue;
use support::*;

/// A store that is never there: opening and closing rounds needs none.
struct Away;

fn away<T>() -> Answer<'static, T> {
    Box::pin(async { Err(LedgerError::unavailable("not there")) })
}

impl Ledger for Away {
    fn epoch(&self) -> Answer<'_, Epoch> {
        away()
    }
    fn claim<'a>(&'a self, _: &'a Claim) -> Answer<'a, Claimed> {
        away()
    }
    fn renew_run(&self, _: StateKey, _: Fence, _: Duration) -> Answer<'_, Held> {
        away()
    }
    fn finish<'a>(&'a self, _: StateKey, _: Fence, _: &'a [u8]) -> Answer<'a, Held> {
        away()
    }
    fn release(&self, _: StateKey, _: Fence) -> Answer<'_, ()> {
        away()
    }
    fn enter<'a>(&'a self, _: &'a Entry) -> Answer<'a, Entered> {
        away()
    }
    fn renew_once(&self, _: OnceKey, _: Fence, _: Duration) -> Answer<'_, Held> {
        away()
    }
    fn record<'a>(&'a self, _: OnceKey, _: &'a [u8]) -> Answer<'a, Recorded> {
        away()
    }
    fn keep_journal<'a>(&'a self, _: JournalKey, _: &'a [u8], _: Duration) -> Answer<'a, ()> {
        away()
    }
    fn journal(&self, _: JournalKey) -> Answer<'_, Option<Vec<u8>>> {
        away()
    }
}

fn attempt(epoch: u8) -> Attempt {
    Attempt {
        epoch: Epoch::from_bytes([epoch; 16]),
        fence: Fence::from_bytes([9; 16]),
        lease: Duration::from_secs(15),
    }
}

fn single() -> Call {
    let mut call = Call::new();
    call.policy.replay = Replay::Once;
    call.ledger = Some(Arc::new(Away));
    call.attempt = Some(attempt(1));
    call
}

async fn ab(cx: Cx) -> Result<String, ToolError> {
    let a = ask(&cx, "a").await?;
    Ok(a + &ask(&cx, "b").await?)
}

async fn started() -> Call {
    let mut call = single();
    assert_eq!(keys(call.play(none(), ab).await), ["a"]);
    call
}

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.into()).expect("JSON")
}

fn claim(call: &Call, answers: &str) -> Claim {
    let answers = raw(answers);
    let round = call.open(Some(&answers)).expect("opens");
    round.claim().expect("has a state")
}

fn rejected_with(call: &Call, answers: &str) -> Cause {
    let answers = raw(answers);
    call.open(Some(&answers)).expect_err("does not open").cause
}

const A: &str = r#"{"a":{"action":"accept","content":{"value":"1"}}}"#;

#[tokio::test]
async fn a_first_round_claims_nothing() {
    let round = single().open(None).expect("opens");
    assert_eq!(round.claim(), None);
}

#[tokio::test]
async fn a_state_that_may_be_used_again_claims_nothing() {
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), ab).await), ["a"]);
    assert_eq!(call.open(None).expect("opens").claim(), None);
}

#[tokio::test]
async fn a_request_that_is_sent_again_asks_for_the_same_run_however_it_is_written() {
    let call = started().await;
    let first = claim(&call, A);
    let spaced = r#" { "\u0061" : { "content": {"value": "\u0031"}, "action": "accept" } } "#;
    assert_eq!(claim(&call, spaced), first);
    let none = call.open(None).expect("opens").claim().expect("a claim");
    assert_eq!(claim(&call, "{}"), none);
}

#[tokio::test]
async fn other_answers_are_another_run_of_the_same_state() {
    let call = started().await;
    let first = claim(&call, A);
    let others = [
        r#"{"a":{"action":"accept","content":{"value":"2"}}}"#,
        r#"{"a":{"action":"decline"}}"#,
        r#"{"a":{"action":"accept","content":{"value":"1"}},"b":{"action":"cancel"}}"#,
        r#"{"a":{"action":"accept","content":{"value":"1"}},"_meta":{"x":1}}"#,
        "{}",
    ];
    let mut runs = std::collections::HashSet::from([first.run]);
    for other in others {
        let other = claim(&call, other);
        assert_eq!(other.state, first.state);
        assert!(runs.insert(other.run), "{other:?}");
    }
}

#[tokio::test]
async fn what_names_a_run_cannot_be_made_from_what_the_ledger_is_told() {
    let call = started().await;
    let told = claim(&call, A);
    let answers = digest_value(A).expect("canonical");
    let mut tried = blake3::Hasher::new_derive_key("mrtr 2026-07-28 run");
    tried.update(told.state.as_bytes());
    tried.update(&answers);
    let tried = tried.finalize();
    assert_ne!(told.run.as_bytes()[..], tried.as_bytes()[..16]);
}

#[tokio::test]
async fn another_state_is_another_row_and_another_run() {
    let (one, mut two) = (started().await, single());
    two.seed = 50;
    assert_eq!(keys(two.play(none(), ab).await), ["a"]);
    let (one, two) = (claim(&one, A), claim(&two, A));
    assert_ne!(one.state, two.state);
    assert_ne!(one.run, two.run);
}

#[tokio::test]
async fn the_exchange_relies_on_the_memory_it_began_with() {
    let mut call = started().await;
    call.attempt = Some(attempt(2));
    assert_eq!(claim(&call, A).epoch, attempt(1).epoch);
    assert_eq!(keys(call.play(json!({ "a": value("1") }), ab).await), ["b"]);
    assert_eq!(claim(&call, "{}").epoch, attempt(1).epoch);
}

#[tokio::test]
async fn a_claim_carries_the_attempt_and_outlives_the_exchange_by_the_skew_of_clocks() {
    let mut call = started().await;
    call.now = call.now + Duration::from_secs(100);
    let claim = claim(&call, A);
    assert_eq!(claim.fence, attempt(1).fence);
    assert_eq!(claim.lease, attempt(1).lease);
    assert_eq!(claim.keep, Duration::from_secs(3_600 - 100 + 60));
}

#[tokio::test]
async fn a_state_from_before_single_use_is_rejected() {
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), ab).await), ["a"]);
    call.policy.replay = Replay::Once;
    call.ledger = Some(Arc::new(Away));
    call.attempt = Some(attempt(1));
    let reject = rejected(call.play(none(), ab).await);
    assert_eq!(reject.cause, Cause::InvalidRequestState);
    assert!(reject.log.contains("more than once"), "{reject}");
}

#[tokio::test]
async fn a_state_of_single_use_goes_on_when_that_is_given_up_and_does_not_come_back() {
    let mut call = started().await;
    call.policy.replay = Replay::Allowed;
    assert_eq!(keys(call.play(json!({ "a": value("1") }), ab).await), ["b"]);
    call.policy.replay = Replay::Once;
    assert_eq!(rejected_with(&call, "{}"), Cause::InvalidRequestState);
}

#[tokio::test]
async fn single_use_without_a_ledger_or_an_attempt_is_refused() {
    let mut calls = [single(), single(), started().await];
    calls[0].ledger = None;
    calls[1].attempt = None;
    calls[2].ledger = None;
    for call in &mut calls {
        let reject = rejected(call.play(none(), ab).await);
        assert_eq!(reject.cause, Cause::Fault);
        assert!(reject.log.contains("ledger"), "{reject}");
    }
}

#[tokio::test]
async fn answers_that_come_without_a_state_never_count() {
    let mut call = single();
    let answers = json!({ "a": value("1"), "b": value("2") });
    assert_eq!(keys(call.play(answers, ab).await), ["a"]);
}

#[tokio::test]
async fn answers_that_could_be_read_in_two_ways_are_refused() {
    let call = started().await;
    let twice = r#"{"a":{"action":"accept","content":{"value":"1","value":"2"}}}"#;
    assert!(matches!(
        rejected_with(&call, twice),
        Cause::InvalidParams(told) if told.contains("two members")
    ));
}

#[tokio::test]
async fn a_state_of_single_use_is_longer_by_its_epoch_and_others_by_nothing() {
    let length = |closed: Closed<String>| asked(closed).request_state.map_or(0, |s| s.len());
    let plain = length(Call::new().play(none(), ab).await);
    let single = length(single().play(none(), ab).await);
    assert!((16..=24).contains(&(single - plain)), "{plain} {single}");
}

#[tokio::test]
async fn a_durable_context_is_there_under_single_use_only_and_is_the_same_run() {
    let round = single().open(None).expect("opens");
    let cx = round.context::<Cx<Durable>>().expect("durable");
    let plain: Cx = cx.at("x").clone().into();
    assert_eq!(plain.exchange_id(), round.exchange_id());
    assert!(round.context::<Cx>().is_some());
    let round = Call::new().open(None).expect("opens");
    assert!(round.context::<Cx<Durable>>().is_none());
    assert!(round.context::<Cx>().is_some());
    let replay = (<Cx as Context>::REPLAY, <Cx<Durable> as Context>::REPLAY);
    assert_eq!(replay, (Replay::Allowed, Replay::Once));
}
