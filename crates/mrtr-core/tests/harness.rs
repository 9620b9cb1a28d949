//! The harness finds what it promises to find.

mod support;

use std::convert::Infallible;

use mrtr_core::harness::{End, Harness};
use mrtr_core::replay::{Cx, FaultKind, Refused, ToolError};
use mrtr_core::round::RoundPolicy;
use mrtr_core::wire::{Capabilities, Cause};
use serde_json::json;
use support::{Count, ask};

async fn book(cx: Cx, worked: Count) -> Result<String, ToolError> {
    let quote: u32 = cx
        .step("quote", || async {
            tokio::task::yield_now().await;
            Ok::<_, Infallible>(worked.up())
        })
        .await?;
    let seat = ask(&cx, "seat").await?;
    cx.confirm("pay", format!("Pay {quote}?")).await?;
    Ok(seat)
}

#[tokio::test]
async fn a_scripted_exchange_plays_to_its_end() {
    let worked = Count::default();
    let played = Harness::new(|cx| book(cx, worked.clone()))
        .answer("seat", json!({ "value": "12A" }))
        .confirm("pay")
        .play()
        .await;
    assert_eq!(played.asked(), [["seat"], ["pay"]]);
    assert_eq!(played.rounds[1].message("pay"), Some("Pay 1?"));
    assert!(played.rounds.iter().all(|round| round.state_bytes > 100));
    assert_eq!(played.value(), "12A");
    assert_eq!(worked.get(), 1);
}

#[tokio::test]
async fn answers_to_one_key_are_used_one_after_the_other() {
    let played = Harness::new(|cx| book(cx, Count::default()))
        .answer("seat", json!({ "value": 7 }))
        .answer("seat", json!({ "value": "12A" }))
        .decline("pay")
        .play()
        .await;
    assert_eq!(played.asked(), [["seat"], ["seat"], ["pay"]]);
    assert!(matches!(&played.end, End::Refused(refused) if *refused == Refused::declined("pay")));
}

#[tokio::test]
async fn questions_without_an_answer_end_it() {
    let played = Harness::new(|cx| book(cx, Count::default())).play().await;
    assert_eq!(played.unanswered(), ["seat"]);
}

#[tokio::test]
async fn limits_and_capabilities_are_those_of_a_server() {
    let mut policy = RoundPolicy::default();
    policy.limits.max_rounds = 1;
    let played = Harness::new(|cx| book(cx, Count::default()))
        .answer("seat", json!({ "value": "12A" }))
        .policy(policy)
        .play()
        .await;
    assert!(
        matches!(&played.end, End::Rejected(r) if r.cause == Cause::TooManyRounds { limit: 1 })
    );
    let played = Harness::new(|cx| book(cx, Count::default()))
        .capabilities(Capabilities::NONE)
        .play()
        .await;
    assert!(
        matches!(&played.end, End::Rejected(r) if matches!(r.cause, Cause::MissingCapability(_)))
    );
}

#[tokio::test]
async fn a_round_that_asks_something_else_when_repeated_is_found() {
    let clock = Count::default();
    let played = Harness::new(|cx: Cx| {
        let now = clock.up();
        async move {
            cx.confirm("pay", format!("Pay at {now}?")).await?;
            Ok::<_, ToolError>(())
        }
    })
    .confirm("pay")
    .repeat_each_round()
    .play()
    .await;
    let End::Diverged(difference) = &played.end else {
        panic!("{played:?}")
    };
    assert!(difference.contains("- pay:") && difference.contains("Pay at 1?"));
    assert!(difference.contains("+ pay:") && difference.contains("Pay at 2?"));
}

#[tokio::test]
async fn a_sound_handler_passes_both_checks_to_its_last_allowed_round() {
    let worked = Count::default();
    let mut policy = RoundPolicy::default();
    policy.limits.max_rounds = 3;
    let played = Harness::new(|cx| book(cx, worked.clone()))
        .answer("seat", json!({ "value": 7 })) // corrected, which is no difference
        .answer("seat", json!({ "value": "12A" }))
        .confirm("pay")
        .policy(policy)
        .repeat_each_round()
        .drop_at_every_await()
        .play()
        .await;
    assert_eq!(played.asked(), [["seat"], ["seat"], ["pay"]]);
    assert_eq!(played.value(), "12A");
    assert_eq!(
        worked.get(),
        2,
        "once abandoned after it was done, once recorded"
    );
}

#[tokio::test]
async fn every_await_is_dropped_at() {
    struct Guard(Count);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.up();
        }
    }
    let (reached, dropped) = (Count::default(), Count::default());
    let played = Harness::new(|_: Cx| {
        let (reached, guard) = (reached.clone(), Guard(dropped.clone()));
        async move {
            let _guard = guard;
            for _ in 0..3 {
                tokio::task::yield_now().await;
                reached.up();
            }
            Ok::<_, ToolError>(())
        }
    })
    .drop_at_every_await()
    .play()
    .await;
    played.value();
    assert_eq!(
        dropped.get(),
        5,
        "three dropped, one to the end, one played"
    );
    assert_eq!(reached.get(), 1 + 2 + 3 + 3);
}

#[tokio::test]
async fn a_destructor_that_panics_in_the_middle_is_found() {
    struct Fragile(bool);
    impl Drop for Fragile {
        fn drop(&mut self) {
            assert!(self.0, "dropped in the middle");
        }
    }
    let played = Harness::new(|_: Cx| async {
        let mut fragile = Fragile(false);
        tokio::task::yield_now().await;
        fragile.0 = true;
        Ok::<_, ToolError>(())
    })
    .drop_at_every_await()
    .play()
    .await;
    assert!(
        matches!(&played.end, End::Fault(fault) if matches!(fault.kind(), FaultKind::Panicked(_)))
    );
}

#[tokio::test]
#[should_panic(expected = "the question `pay` was refused")]
async fn asking_for_the_value_of_another_end_says_how_it_ended() {
    Harness::new(|cx: Cx| async move {
        cx.confirm("pay", "Pay?").await?;
        Ok::<_, ToolError>(())
    })
    .cancel("pay")
    .play()
    .await
    .value();
}
