//! A `once` body is attempted at most once, whoever asks and however often.

mod durable;
mod support;

use std::sync::Arc;
use std::time::Duration;

use durable::*;
use mrtr_core::ledger::Entered;
use mrtr_core::replay::{Cx, Durable, FaultKind, NoHold, OutcomeUnknown, ToolError};
use mrtr_core::wire::Cause;
use serde_json::json;
use support::*;
use tokio::sync::Notify;
use tokio::time::sleep;

/// Asks, then charges, then asks again.
async fn order(cx: Cx<Durable>, charges: &Count) -> Result<String, ToolError> {
    ask(&cx, "a").await?;
    let counted = charges.clone();
    let receipt = cx
        .once("charge", move || async move { counted.up() })
        .await?;
    let b = ask(&cx, "b").await?;
    Ok(format!("{receipt} {b}"))
}

fn a() -> serde_json::Value {
    json!({ "a": value("1") })
}

/// An exchange whose first question was asked.
async fn started(store: &Store) -> Single {
    let mut single = Single::new(store);
    let never = Count::default();
    let closed = single.play(none(), |cx| order(cx, &never)).await;
    assert_eq!(keys(closed), ["a"]);
    assert_eq!(never.get(), 0);
    single
}

#[tokio::test(start_paused = true)]
async fn a_body_runs_once_and_later_rounds_need_no_ledger() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    assert_eq!(
        keys(single.play(a(), |cx| order(cx, &charges)).await),
        ["b"]
    );
    store.down(true);
    let answers = json!({ "b": value("x") });
    let closed = single.play(answers, |cx| order(cx, &charges)).await;
    assert_eq!(done(closed), "1 x");
    assert_eq!(charges.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_same_request_sent_again_gets_the_value_that_was_recorded() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    for _ in 0..3 {
        let closed = single.again(a(), |cx| order(cx, &charges)).await;
        assert_eq!(keys(closed), ["b"]);
    }
    assert_eq!(charges.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_body_runs_to_its_end_when_its_handler_is_dropped_and_others_wait_for_it() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    let slow = |cx: Cx<Durable>| {
        let charges = charges.clone();
        async move {
            ask(&cx, "a").await?;
            let counted = charges.clone();
            let value = cx.once("charge", move || async move {
                sleep(LEASE * 4).await;
                counted.up()
            });
            Ok::<_, ToolError>(value.await?)
        }
    };
    let dropped = tokio::time::timeout(Duration::from_secs(1), single.again(a(), slow)).await;
    assert!(dropped.is_err());
    assert_eq!(charges.get(), 0);
    // Longer than the lease: it is renewed as long as the body runs.
    sleep(LEASE * 2).await;
    assert_eq!(done(single.again(a(), slow).await), 1);
    assert_eq!(done(single.again(a(), slow).await), 1);
    assert_eq!(charges.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_handler_dropped_while_it_enters_has_begun_the_body() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    for polls in 1..6 {
        let round = single.again(a(), |cx| order(cx, &charges));
        let mut round = std::pin::pin!(round);
        for _ in 0..polls {
            assert!(futures::poll!(round.as_mut()).is_pending());
            if !store.entries().is_empty() {
                break;
            }
        }
    }
    assert_eq!(
        keys(single.again(a(), |cx| order(cx, &charges)).await),
        ["b"]
    );
    assert_eq!(charges.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_body_whose_process_died_has_an_unknown_outcome_and_is_not_tried_again() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    die(&mut single).await;
    for _ in 0..2 {
        let closed = single.again(a(), |cx| order(cx, &charges)).await;
        assert_eq!(unknown(closed), "charge");
    }
    assert_eq!(charges.get(), 0);
}

/// The process dies in the body, and its lease ends.
async fn die(single: &mut Single) {
    single.call.spawner = None;
    let stuck = |cx: Cx<Durable>| async move {
        ask(&cx, "a").await?;
        let value = cx.once::<u32, _>("charge", std::future::pending);
        Ok::<_, ToolError>(value.await?)
    };
    let dead = tokio::time::timeout(LEASE / 2, single.again(a(), stuck)).await;
    assert!(dead.is_err());
    single.call.spawner = Some(Arc::new(Tokio));
    sleep(LEASE * 2).await;
}

#[tokio::test(start_paused = true)]
async fn an_author_may_handle_an_unknown_outcome() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    die(&mut single).await;
    let careful = |cx: Cx<Durable>| {
        let charges = charges.clone();
        async move {
            ask(&cx, "a").await?;
            let receipt = cx.once("charge", move || async move { charges.up() });
            Ok(match receipt.await {
                Ok(receipt) => format!("paid {receipt}"),
                Err(unknown) => format!("`{}` will be looked into", unknown.key()),
            })
        }
    };
    let closed = single.again(a(), careful).await;
    assert_eq!(done(closed), "`charge` will be looked into");
    assert_eq!(charges.get(), 0);
}

/// What a lookup says, and how often it was asked.
async fn looked_up(cx: Cx<Durable>, found: Option<u32>, lookups: &Count) -> Result<u32, ToolError> {
    ask(&cx, "a").await?;
    let receipt = cx
        .once("charge", || async { panic!("was begun already") })
        .reconcile(|| async {
            lookups.up();
            found
        });
    Ok(receipt.await?)
}

#[tokio::test(start_paused = true)]
async fn a_lookup_settles_what_is_not_known_and_is_not_asked_again() {
    let (store, lookups) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    die(&mut single).await;
    let closed = single.again(a(), |cx| looked_up(cx, None, &lookups)).await;
    assert_eq!(unknown(closed), "charge");
    let closed = single
        .again(a(), |cx| looked_up(cx, Some(7), &lookups))
        .await;
    assert_eq!(done(closed), 7);
    let closed = single
        .again(a(), |cx| looked_up(cx, Some(8), &lookups))
        .await;
    assert_eq!(done(closed), 7);
    assert_eq!(lookups.get(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_lookup_is_not_asked_when_the_outcome_is_known() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    let handler = |cx: Cx<Durable>| {
        let charges = charges.clone();
        async move {
            ask(&cx, "a").await?;
            cx.once("charge", move || async move { charges.up() })
                .reconcile(|| async { panic!("nothing is unknown") })
                .await
                .map_err(ToolError::from)
        }
    };
    for _ in 0..2 {
        assert_eq!(done(single.again(a(), handler).await), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_value_that_is_recorded_late_is_learnt() {
    let (store, finish) = (Store::new(), Arc::new(Notify::new()));
    let mut single = started(&store).await;
    // Its renewals are lost: to others it looks dead.
    store.slip("renew_once", [Slip::Away; 100]);
    let body = finish.clone();
    let slow = move |cx: Cx<Durable>| {
        let body = body.clone();
        async move {
            ask(&cx, "a").await?;
            let value = cx.once("charge", move || async move {
                body.notified().await;
                5
            });
            Ok::<u32, ToolError>(value.await?)
        }
    };
    let gone = tokio::time::timeout(Duration::from_secs(1), single.again(a(), &slow)).await;
    assert!(gone.is_err());
    sleep(LEASE * 2).await;
    assert_eq!(unknown(single.again(a(), &slow).await), "charge");
    finish.notify_one();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(done(single.again(a(), &slow).await), 5);
}

#[tokio::test(start_paused = true)]
async fn of_a_body_and_a_lookup_the_first_to_record_is_believed_by_both() {
    let (store, finish) = (Store::new(), Arc::new(Notify::new()));
    let mut single = started(&store).await;
    let mut other = Single::new(&store);
    other.call.state = single.call.state.clone();
    other.call.seed = 100;
    store.slip("renew_once", [Slip::Away; 100]);
    let body = finish.clone();
    let slow = single.again(a(), |cx| async move {
        ask(&cx, "a").await?;
        let value = cx.once("charge", move || async move {
            body.notified().await;
            5
        });
        Ok::<u32, ToolError>(value.await?)
    });
    let mut slow = std::pin::pin!(slow);
    assert!(
        tokio::time::timeout(LEASE * 2, slow.as_mut())
            .await
            .is_err()
    );
    let lookups = Count::default();
    let closed = other
        .again(a(), |cx| looked_up(cx, Some(9), &lookups))
        .await;
    assert_eq!(done(closed), 9);
    finish.notify_one();
    assert_eq!(done(slow.await), 9);
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_body_is_a_fault_that_nobody_swallows_and_an_unknown_outcome() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    for spawner in [true, false] {
        if !spawner {
            single = started(&Store::new()).await;
            single.call.spawner = None;
        }
        let panics = |cx: Cx<Durable>| async move {
            ask(&cx, "a").await?;
            let charge = cx.once("charge", || async { panic!("no card reader") });
            let caught = futures::FutureExt::catch_unwind(std::panic::AssertUnwindSafe(charge));
            let value: Result<Result<u32, OutcomeUnknown>, _> = caught.await;
            Ok::<_, ToolError>(value.is_err())
        };
        let fault = fault(single.again(a(), panics).await);
        assert_eq!(fault.kind(), &FaultKind::Panicked("no card reader".into()));
        sleep(LEASE * 2).await;
        let closed = single.again(a(), |cx| order(cx, &charges)).await;
        assert_eq!(unknown(closed), "charge");
    }
    assert_eq!(charges.get(), 0);
}

#[tokio::test(start_paused = true)]
async fn nothing_begins_before_it_is_awaited() {
    let store = Store::new();
    let mut single = started(&store).await;
    let handler = |cx: Cx<Durable>| async move {
        ask(&cx, "a").await?;
        drop(cx.once::<(), _>("charge", || async { panic!("was not awaited") }));
        Ok(())
    };
    done(single.play(a(), handler).await);
    assert_eq!(store.entries(), []);
}

#[tokio::test(start_paused = true)]
async fn the_key_is_used_once_in_a_run_and_shared_with_questions_and_steps() {
    let store = Store::new();
    let mut single = started(&store).await;
    let handler = |cx: Cx<Durable>| async move {
        ask(&cx, "a").await?;
        let one = cx.once("a", || async { 1 }).await?;
        Ok::<_, ToolError>(one)
    };
    let fault = fault(single.play(a(), handler).await);
    assert_eq!(fault.kind(), &FaultKind::DuplicateKey("a".into()));
    assert_eq!(store.entries(), []);
}

#[tokio::test(start_paused = true)]
async fn questions_and_steps_inside_a_body_are_faults() {
    for spawner in [true, false] {
        let mut single = started(&Store::new()).await;
        if !spawner {
            single.call.spawner = None;
        }
        let handler = |cx: Cx<Durable>| async move {
            ask(&cx, "a").await?;
            let inner = cx.clone();
            let charge = cx.once("charge", move || async move {
                ask(&inner, "inside").await.is_ok()
            });
            Ok::<_, ToolError>(charge.await?)
        };
        let fault = fault(single.again(a(), handler).await);
        assert_eq!(fault.kind(), &FaultKind::OutsideRound("inside".into()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_never_waits_does_not_wait_for_others() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    single.call.timer = Arc::new(NoHold);
    store.tell(Entered::Busy { left: LEASE });
    let reject = rejected(single.again(a(), |cx| order(cx, &charges)).await);
    assert_eq!(reject.cause, Cause::Busy);
    assert_eq!(
        keys(single.again(a(), |cx| order(cx, &charges)).await),
        ["b"]
    );
    assert_eq!(charges.get(), 1);
}
