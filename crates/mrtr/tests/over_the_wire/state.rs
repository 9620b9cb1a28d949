//! States over time: older ones, late ones, large ones, and those of other keys. Whose they are and
//! what they are for is in [`crate::requirements_state`].

use std::time::Duration;

use mrtr::server::{Server, ServerBuilder};
use mrtr::{Cx, Form, ToolError};
use serde_json::{Value, json};

use crate::support::{Case, Clock, Offer, Peer, accept, builder, keyring, yes};

#[derive(Form)]
struct Number {
    number: i64,
}

async fn sum(cx: Cx) -> Result<String, ToolError> {
    let mut sum = 0;
    for i in 0..3 {
        let Number { number } = cx.at(i).elicit("number", "Which number?").await?;
        sum += number;
    }
    Ok(sum.to_string())
}

fn number(round: usize, number: i64) -> Value {
    json!({format!("{round}/number"): accept(json!({"number": number}))})
}

async fn sure(cx: Cx) -> Result<String, ToolError> {
    cx.confirm("sure", "Sure?").await?;
    Ok("done".into())
}

fn clocked(clock: &Clock) -> ServerBuilder {
    builder().runtime(clock.clone()).offer("sum", sum)
}

everywhere!(
    the_state_of_an_older_round_goes_on_from_there,
    every_round_renews_the_expiry_and_none_the_deadline_of_the_exchange,
    a_state_of_the_near_future_opens_for_clocks_that_differ,
    e7_a_state_of_an_instance_with_other_keys_is_rejected_and_the_call_can_start_anew,
    e8_keys_rotate_without_ending_what_is_open,
    another_revision_of_the_handlers_ends_what_is_open,
    e11_a_state_that_would_be_too_large_is_an_error_when_it_is_made,
);

/// A branch: what was answered after it is not known there, and nothing is mixed.
async fn the_state_of_an_older_round_goes_on_from_there(case: Case) {
    let mut peer = Peer::of(case, clocked(&Clock::new())).await;
    let first = peer.call("sum").await.state();
    let second = peer.answer("sum", number(0, 1), &first).await.state();
    let third = peer.answer("sum", number(1, 2), &second).await.state();
    assert_eq!(peer.answer("sum", number(2, 3), &third).await.done(), "6");

    let other_second = peer.answer("sum", number(0, 10), &first).await;
    assert_eq!(other_second.keys(), ["1/number"]);
    let other_third = peer
        .answer("sum", number(1, 20), other_second.state())
        .await;
    assert_eq!(
        peer.answer("sum", number(2, 30), other_third.state())
            .await
            .done(),
        "60"
    );

    let skipped = peer.answer("sum", number(2, 3), &second).await;
    assert_eq!(
        skipped.keys(),
        ["1/number"],
        "an answer ahead of its question is none"
    );
    let again = peer.answer("sum", number(2, 300), &third).await;
    assert_eq!(again.done(), "303", "the last round may be sent again");
}

async fn every_round_renews_the_expiry_and_none_the_deadline_of_the_exchange(case: Case) {
    let clock = Clock::new();
    let builder = clocked(&clock);
    let limits = mrtr::state::StateLimits::default()
        .with_ttl(Duration::from_secs(60))
        .with_exchange(Duration::from_secs(100));
    let mut peer = Peer::of(case, builder.limits(limits)).await;
    let first = peer.call("sum").await.state();
    clock.advance(Duration::from_millis(59_999));
    let second = peer.answer("sum", number(0, 1), &first).await.state();
    clock.advance(Duration::from_millis(40_000));
    peer.answer("sum", number(0, 1), &first)
        .await
        .assert_state_rejected();
    let third = peer.answer("sum", number(1, 2), &second).await.state();
    assert_eq!(peer.answer("sum", number(2, 3), &third).await.done(), "6");
    clock.advance(Duration::from_millis(1));
    peer.answer("sum", number(2, 3), &third)
        .await
        .assert_state_rejected();
}

async fn a_state_of_the_near_future_opens_for_clocks_that_differ(case: Case) {
    let clock = Clock::new();
    let mut peer = Peer::of(case, clocked(&clock)).await;
    let state = peer.call("sum").await.state();
    clock.back(Duration::from_secs(60));
    assert_eq!(
        peer.answer("sum", number(0, 1), &state).await.keys(),
        ["1/number"]
    );
    clock.back(Duration::from_millis(1));
    peer.answer("sum", number(0, 1), &state)
        .await
        .assert_state_rejected();
}

async fn e7_a_state_of_an_instance_with_other_keys_is_rejected_and_the_call_can_start_anew(
    case: Case,
) {
    let mut ours = Peer::of(case, builder().offer("sure", sure)).await;
    let state = ours.call("sure").await.state();
    let mut theirs = Peer::of(case, builder().keyring(keyring([2])).offer("sure", sure)).await;
    theirs
        .answer("sure", json!({"sure": yes()}), &state)
        .await
        .assert_state_rejected();
    let anew = theirs.call("sure").await.state();
    assert_eq!(
        theirs
            .answer("sure", json!({"sure": yes()}), anew)
            .await
            .done(),
        "done"
    );
    let mut twin = Peer::of(case, builder().offer("sure", sure)).await;
    assert_eq!(
        twin.answer("sure", json!({"sure": yes()}), state)
            .await
            .done(),
        "done"
    );
}

async fn e8_keys_rotate_without_ending_what_is_open(case: Case) {
    let server: Server = builder().offer("sum", sum).build().unwrap();
    let mut peer = Peer::new(case, &server).await;
    let first = peer.call("sum").await.state();
    server.set_keyring(keyring([2, 1]));
    let second = peer.answer("sum", number(0, 1), &first).await.state();
    server.set_keyring(keyring([2]));
    peer.answer("sum", number(0, 1), &first)
        .await
        .assert_state_rejected();
    let third = peer.answer("sum", number(1, 2), &second).await.state();
    assert_eq!(peer.answer("sum", number(2, 3), third).await.done(), "6");
}

async fn another_revision_of_the_handlers_ends_what_is_open(case: Case) {
    let mut old = Peer::of(case, builder().revision("1").offer("sure", sure)).await;
    let state = old.call("sure").await.state();
    for other in [builder().revision("2"), builder()] {
        let mut new = Peer::of(case, other.offer("sure", sure)).await;
        new.answer("sure", json!({"sure": yes()}), &state)
            .await
            .assert_state_rejected();
    }
}

async fn e11_a_state_that_would_be_too_large_is_an_error_when_it_is_made(case: Case) {
    let builder = builder()
        .limits(mrtr::state::StateLimits::default().with_max_bytes(4 * 1024))
        .offer("hoard", |cx| async move {
            for i in 0..200 {
                let work = || async { Ok::<_, ToolError>("x".repeat(300)) };
                cx.at(i).step("all", work).await?;
                if i % 4 == 3 {
                    cx.at(i).confirm("sure", "Sure?").await?;
                }
            }
            Ok("done".into())
        });
    let mut peer = Peer::of(case, builder).await;
    let first = peer.call("hoard").await;
    let second = peer
        .answer("hoard", json!({"3/sure": yes()}), first.state())
        .await;
    assert!(first.state().len() < second.state().len() && second.state().len() <= 4 * 1024);
    let third = peer
        .answer("hoard", json!({"7/sure": yes()}), second.state())
        .await;
    let told = json!({"code": -32_603, "message": "Internal error"});
    assert_eq!(
        third.assert_error(-32_603, 200),
        &told,
        "before the client could get it"
    );
    let mut long = first.state();
    long.push_str(&"A".repeat(4 * 1024));
    peer.answer("hoard", json!({}), long)
        .await
        .assert_state_rejected();
}
