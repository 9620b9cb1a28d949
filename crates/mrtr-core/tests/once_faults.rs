//! What goes wrong with the ledger never makes a body run twice, and never
//! becomes something that a handler could mistake for a value.

mod durable;
mod support;

use std::sync::Arc;
use std::time::Duration;

use durable::*;
use futures::FutureExt;
use mrtr_core::ledger::Entered;
use mrtr_core::replay::{Cx, Durable, NoHold, ToolError};
use mrtr_core::round::Closed;
use mrtr_core::wire::Cause;
use proptest::prelude::*;
use serde_json::json;
use support::*;
use tokio::time::{sleep, timeout};

fn a() -> serde_json::Value {
    json!({ "a": value("1") })
}

async fn charge(cx: Cx<Durable>, charges: &Count) -> Result<u32, ToolError> {
    ask(&cx, "a").await?;
    let counted = charges.clone();
    Ok(cx
        .once("charge", move || async move { counted.up() })
        .await?)
}

/// A handler that takes no for no answer.
async fn stubborn(cx: Cx<Durable>, charges: &Count) -> Result<u32, ToolError> {
    ask(&cx, "a").await?;
    let counted = charges.clone();
    let mut charge = cx.once("charge", move || async move { counted.up() });
    for _ in 0..1_000 {
        if let Some(value) = (&mut charge).now_or_never() {
            return Ok(value.unwrap_or(77));
        }
        tokio::select! {
            value = &mut charge => return Ok(value.unwrap_or(88)),
            () = sleep(Duration::from_millis(1)) => {}
        }
    }
    Ok(99)
}

async fn started(store: &Store) -> Single {
    let (mut single, never) = (Single::new(store), Count::default());
    let closed = single.play(none(), |cx| charge(cx, &never)).await;
    assert_eq!(keys(closed), ["a"]);
    single
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_taken_over_ends_without_an_answer_of_its_own() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    store.tell(Entered::Lost);
    let closed = single.again(a(), |cx| charge(cx, &charges)).await;
    assert!(matches!(closed, Closed::Lost), "{closed:?}");
    store.tell(Entered::Lost);
    let closed = single.again(a(), |cx| stubborn(cx, &charges)).await;
    assert!(matches!(closed, Closed::Lost), "{closed:?}");
    assert_eq!(charges.get(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_lost_its_memory_ends_the_exchange() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    for stubbornly in [false, true] {
        store.tell(Entered::Forgotten);
        let closed = if stubbornly {
            single.again(a(), |cx| stubborn(cx, &charges)).await
        } else {
            single.again(a(), |cx| charge(cx, &charges)).await
        };
        let reject = rejected(closed);
        assert_eq!(reject.cause, Cause::InvalidRequestState);
        assert!(reject.log.contains("memory"), "{reject}");
    }
    assert_eq!(charges.get(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_first_round_whose_store_lost_its_memory_may_be_sent_again() {
    let (store, charges) = (Store::new(), Count::default());
    let handler = |cx: Cx<Durable>| {
        let charges = charges.clone();
        async move {
            let charge = cx.once("charge", move || async move { charges.up() });
            charge.scope("order 1").await.map_err(ToolError::from)
        }
    };
    store.tell(Entered::Forgotten);
    let reject = rejected(Single::new(&store).play(none(), handler).await);
    assert_eq!(reject.cause, Cause::Unavailable);
    assert_eq!(done(Single::new(&store).play(none(), handler).await), 1);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_stays_away_ends_the_round_before_the_body_begins() {
    for stubbornly in [false, true] {
        let (store, charges) = (Store::new(), Count::default());
        let mut single = started(&store).await;
        store.slip("enter", [Slip::Away; 1_000]);
        let closed = single
            .again(a(), |cx| async {
                let charge = charge(cx, &charges).await;
                if stubbornly { charge.or(Ok(5)) } else { charge }
            })
            .await;
        let reject = rejected(closed);
        assert_eq!(reject.cause, Cause::Unavailable);
        assert!(reject.log.contains("`charge`"), "{reject}");
        assert_eq!(charges.get(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_was_away_for_a_while_is_asked_again() {
    for slip in [Slip::Away, Slip::Unheard] {
        let (store, charges) = (Store::new(), Count::default());
        let mut single = started(&store).await;
        store.slip("enter", [slip; 5]);
        store.slip("record", [slip; 50]);
        store.slip("renew_once", [slip; 5]);
        for _ in 0..2 {
            assert_eq!(done(single.again(a(), |cx| charge(cx, &charges)).await), 1);
        }
        assert_eq!(charges.get(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_begins_although_its_run_was_taken_over_before_the_store_was_heard() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    store.slip("enter", [Slip::Unheard]);
    let moment = Duration::from_millis(10);
    let gone = timeout(moment, single.again(a(), |cx| charge(cx, &charges))).await;
    assert!(gone.is_err());
    assert_eq!(done(single.again(a(), |cx| charge(cx, &charges)).await), 1);
    assert_eq!(charges.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn nothing_begins_when_the_answer_comes_after_the_lease() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    store.slip("enter", [Slip::Silent]);
    let reject = rejected(single.again(a(), |cx| charge(cx, &charges)).await);
    assert_eq!(reject.cause, Cause::Unavailable);
    assert!(reject.log.contains("lease"), "{reject}");
    sleep(LEASE).await;
    // It did happen there, and nobody knows what became of it.
    let closed = single.again(a(), |cx| charge(cx, &charges)).await;
    assert_eq!(unknown(closed), "charge");
    assert_eq!(charges.get(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_value_that_cannot_be_recorded_is_not_given() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    store.slip("record", [Slip::Away; 500]);
    let reject = rejected(single.again(a(), |cx| charge(cx, &charges)).await);
    assert_eq!(reject.cause, Cause::Unavailable);
    assert_eq!(charges.get(), 1);
    sleep(LEASE).await;
    let closed = single.again(a(), |cx| charge(cx, &charges)).await;
    assert_eq!(unknown(closed), "charge");
    assert_eq!(charges.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_value_is_recorded_after_the_handler_has_gone_and_the_store_has_come_back() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    let counted = charges.clone();
    let slow = |cx: Cx<Durable>| async move {
        ask(&cx, "a").await?;
        let charge = cx.once("charge", move || async move {
            sleep(Duration::from_secs(1)).await;
            counted.up()
        });
        Ok::<u32, ToolError>(charge.await?)
    };
    let half = Duration::from_millis(500);
    assert!(timeout(half, single.again(a(), slow)).await.is_err());
    store.down(true);
    sleep(Duration::from_secs(60)).await;
    store.down(false);
    sleep(Duration::from_secs(2)).await;
    assert_eq!(done(single.again(a(), |cx| charge(cx, &charges)).await), 1);
    assert_eq!(charges.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_value_whose_row_is_gone_is_not_given() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    let (memory, counted) = (store.memory.clone(), charges.clone());
    let forgets = |cx: Cx<Durable>| async move {
        ask(&cx, "a").await?;
        let charge = cx.once("charge", move || async move {
            memory.forget();
            counted.up()
        });
        Ok::<u32, ToolError>(charge.await.unwrap_or(5))
    };
    let reject = rejected(single.again(a(), forgets).await);
    assert_eq!(reject.cause, Cause::Unavailable);
    assert!(reject.log.contains("gone"), "{reject}");
}

#[tokio::test(start_paused = true)]
async fn a_task_that_its_spawner_loses_ends_the_round() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    single.call.spawner = Some(Arc::new(Killed));
    let closed = single.again(a(), |cx| charge(cx, &charges)).await;
    assert_eq!(rejected(closed).cause, Cause::Unavailable);
    single.call.spawner = Some(Arc::new(Tokio));
    assert_eq!(done(single.again(a(), |cx| charge(cx, &charges)).await), 1);
}

#[tokio::test(start_paused = true)]
async fn others_are_waited_for_until_their_lease_ends() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    let begun = tokio::time::Instant::now();
    for left in [LEASE, LEASE, Duration::from_millis(40)] {
        store.tell(Entered::Busy { left });
    }
    assert_eq!(done(single.again(a(), |cx| charge(cx, &charges)).await), 1);
    // 25 and 50 ms, then what is left.
    assert_eq!(begun.elapsed().as_millis(), 25 + 50 + 40);
    assert_eq!(charges.get(), 1);
}

/// One event of a history.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// The request is sent again, and its handler dropped after so many
    /// milliseconds.
    Request {
        patience: u16,
    },
    /// The request is sent again and all that runs dies after so many polls.
    Death {
        polls: u8,
    },
    Slip(&'static str, Slip, u8),
    Wait {
        seconds: u8,
    },
}

fn event() -> impl Strategy<Value = Event> {
    let operation = prop_oneof![Just("enter"), Just("record"), Just("renew_once")];
    let slip = prop_oneof![Just(Slip::Away), Just(Slip::Unheard), Just(Slip::Silent)];
    prop_oneof![
        3 => (0u16..3_000).prop_map(|patience| Event::Request { patience }),
        1 => (0u8..12).prop_map(|polls| Event::Death { polls }),
        3 => (operation, slip, 1u8..4).prop_map(|(name, slip, n)| Event::Slip(name, slip, n)),
        2 => (0u8..40).prop_map(|seconds| Event::Wait { seconds }),
    ]
}

/// A spawner whose tasks can all be killed.
#[derive(Clone, Default)]
struct Mortal(Arc<std::sync::Mutex<Vec<tokio::task::JoinHandle<()>>>>);

impl mrtr_core::replay::Spawner for Mortal {
    fn spawn(&self, task: mrtr_core::replay::Task) {
        self.0
            .lock()
            .expect("not poisoned")
            .push(tokio::spawn(task));
    }
}

impl Mortal {
    fn die(&self) {
        for task in self.0.lock().expect("not poisoned").drain(..) {
            task.abort();
        }
    }
}

/// What was seen of a body by whoever asked.
#[derive(Debug, Default)]
struct Seen {
    attempts: u32,
    values: Vec<u32>,
    unknown: u32,
    deaths: u32,
    silent: bool,
}

async fn history(events: Vec<Event>) -> Seen {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    let mortal = Mortal::default();
    single.call.spawner = Some(Arc::new(mortal.clone()));
    let mut seen = Seen::default();
    let handler = |cx: Cx<Durable>| {
        let charges = charges.clone();
        async move {
            ask(&cx, "a").await?;
            let charge = cx.once("charge", move || async move {
                let attempt = charges.up();
                sleep(Duration::from_millis(700)).await;
                attempt
            });
            Ok::<u32, ToolError>(charge.await?)
        }
    };
    let last = Event::Request { patience: u16::MAX };
    for event in events.into_iter().chain([last]) {
        match event {
            Event::Request { patience } => {
                let patience = Duration::from_millis(patience.into());
                match timeout(patience, single.again(a(), handler)).await {
                    Ok(Closed::Complete(value)) => seen.values.push(value),
                    Ok(closed @ Closed::Failed(_)) => {
                        unknown(closed);
                        seen.unknown += 1;
                    }
                    Ok(Closed::Rejected(reject)) => assert_eq!(reject.cause, Cause::Unavailable),
                    Ok(other) => panic!("{other:?}"),
                    Err(_) => {}
                }
            }
            Event::Death { polls } => {
                let mut round = std::pin::pin!(single.again(a(), handler));
                for _ in 0..polls {
                    if futures::poll!(round.as_mut()).is_ready() {
                        break;
                    }
                    tokio::task::yield_now().await;
                }
                mortal.die();
                seen.deaths += 1;
            }
            Event::Slip(name, slip, n) => {
                seen.silent |= slip == Slip::Silent;
                store.slip(name, vec![slip; n.into()]);
            }
            Event::Wait { seconds } => sleep(Duration::from_secs(seconds.into())).await,
        }
    }
    seen.attempts = charges.get();
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whatever_happens_a_body_is_attempted_at_most_once_and_all_learn_the_same(
        events in proptest::collection::vec(event(), 0..12),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .expect("a runtime");
        let seen = runtime.block_on(history(events));
        prop_assert!(seen.attempts <= 1, "{seen:?}");
        prop_assert!(seen.values.iter().all(|value| *value == 1), "{seen:?}");
        prop_assert!(seen.values.is_empty() || seen.attempts == 1, "{seen:?}");
        if seen.deaths == 0 && !seen.silent {
            prop_assert_eq!(seen.unknown, 0, "unknown without a death: {:?}", seen);
        }
    }
}

#[tokio::test]
async fn without_time_a_round_ends_at_once_whatever_the_store_does() {
    for slip in [Slip::Away, Slip::Unheard] {
        let (store, charges) = (Store::new(), Count::default());
        let mut single = started(&store).await;
        single.call.timer = Arc::new(NoHold);
        store.slip("enter", [slip; 10]);
        store.slip("record", [slip; 10]);
        assert_eq!(done(single.again(a(), |cx| charge(cx, &charges)).await), 1);
        assert_eq!(charges.get(), 1);
    }
}
