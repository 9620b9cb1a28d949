//! `once` under real combinators: a step that the round waits for.

mod durable;
mod support;

use std::time::Duration;

use durable::*;
use futures::future::{Either, join_all, select};
use futures::stream::{FuturesUnordered, StreamExt};
use mrtr_core::replay::{Cx, Durable, Once, ToolError};
use mrtr_core::round::Closed;
use serde_json::{Value, json};
use support::*;
use tokio::time::sleep;

const SLOW: Duration = Duration::from_secs(1);

/// Work that takes a while and says how often it was begun.
fn work<'a>(cx: &Cx<Durable>, key: &str, begun: &Count) -> Once<'a, u32> {
    let begun = begun.clone();
    cx.once(key, move || async move {
        let attempt = begun.up();
        sleep(SLOW).await;
        attempt
    })
}

/// Exchanges whose first question was asked: with tasks of their own for
/// bodies, and without.
async fn exchanges() -> [(Single, Count); 2] {
    let mut exchanges = [(), ()].map(|()| (Single::new(&Store::new()), Count::default()));
    exchanges[1].0.call.spawner = None;
    for (single, _) in &mut exchanges {
        let first = single.play(none(), |cx| async move { Ok(ask(&cx, "a").await?) });
        assert_eq!(keys(first.await), ["a"]);
    }
    exchanges
}

fn a() -> Value {
    json!({ "a": value("1") })
}

fn b() -> Value {
    json!({ "b": value("2") })
}

#[tokio::test(start_paused = true)]
async fn joined_bodies_run_at_the_same_time() {
    for (mut single, begun) in exchanges().await {
        let start = tokio::time::Instant::now();
        let closed = single.again(a(), |cx| async {
            let cx = cx;
            ask(&cx, "a").await?;
            let keys: Vec<String> = (0..40).map(|i| format!("charge {i}")).collect();
            let all = join_all(keys.iter().map(|key| work(&cx, key, &begun)));
            let (all, more) = tokio::join!(all, work(&cx, "more", &begun));
            let all: Result<Vec<u32>, _> = all.into_iter().collect();
            Ok((all?, more?))
        });
        let (mut all, more) = done(closed.await);
        all.push(more);
        all.sort_unstable();
        assert_eq!(all, (1..=41).collect::<Vec<_>>());
        assert_eq!(start.elapsed(), SLOW);
    }
}

#[tokio::test(start_paused = true)]
async fn a_round_waits_for_a_body_before_it_asks_and_keeps_its_value() {
    for (mut single, begun) in exchanges().await {
        let handler = |cx: Cx<Durable>| {
            let begun = begun.clone();
            async move {
                ask(&cx, "a").await?;
                let b = ask(&cx, "b");
                let (charge, b) = tokio::join!(work(&cx, "charge", &begun), b);
                Ok(format!("{} {}", charge?, b?))
            }
        };
        let start = tokio::time::Instant::now();
        assert_eq!(keys(single.play(a(), handler).await), ["b"]);
        assert_eq!(start.elapsed(), SLOW);
        single.store.down(true);
        assert_eq!(done(single.play(b(), handler).await), "1 2");
        assert_eq!(begun.get(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_lost_a_race_runs_to_its_end_and_gives_its_value_later() {
    // Dropped by its loser, and kept alive without being polled.
    for keep in [false, true] {
        let [(mut single, begun), _] = exchanges().await;
        let handler = |cx: Cx<Durable>| {
            let begun = begun.clone();
            async move {
                ask(&cx, "a").await?;
                let mut charge = work(&cx, "charge", &begun);
                let pause = Box::pin(sleep(SLOW / 2));
                let early = match select(&mut charge, pause).await {
                    Either::Left((charge, _)) => Some(charge?),
                    Either::Right(_) => None,
                };
                if !keep {
                    drop(charge);
                }
                ask(&cx, "b").await?;
                Ok(early)
            }
        };
        assert_eq!(keys(single.play(a(), handler).await), ["b"]);
        sleep(SLOW).await;
        assert_eq!(done(single.play(b(), handler).await), Some(1), "{keep}");
        assert_eq!(begun.get(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_in_a_race_with_a_question_that_has_no_answer_wins() {
    for (mut single, begun) in exchanges().await {
        let closed = single.again(a(), |cx| async {
            let cx = cx;
            ask(&cx, "a").await?;
            let charge = work(&cx, "charge", &begun);
            let question = ask(&cx, "b");
            tokio::select! {
                biased;
                b = question => Ok(b?),
                charge = charge => Ok(charge?.to_string()),
            }
        });
        assert_eq!(done(closed.await), "1");
    }
}

#[tokio::test(start_paused = true)]
async fn bodies_beside_siblings_that_yield_are_waited_for() {
    for (mut single, begun) in exchanges().await {
        let handler = |cx: Cx<Durable>| {
            let begun = begun.clone();
            async move {
                ask(&cx, "a").await?;
                let mut all = FuturesUnordered::new();
                for i in 0..5u32 {
                    let (cx, begun) = (cx.at(i), begun.clone());
                    all.push(Box::pin(async move {
                        for _ in 0..i {
                            tokio::task::yield_now().await;
                        }
                        let charge = work(&cx, "charge", &begun).await?;
                        let asked = ask(&cx, "b").await?;
                        Ok::<_, ToolError>(format!("{charge} {asked}"))
                    }));
                }
                let mut told = Vec::new();
                while let Some(one) = all.next().await {
                    told.push(one?);
                }
                told.sort_unstable();
                Ok(told)
            }
        };
        let asked = keys(single.play(a(), handler).await);
        assert_eq!(asked.len(), 5, "{asked:?}");
        let answers = asked.iter().map(|key| (key.clone(), value("x"))).collect();
        single.store.down(true);
        let told = done(single.play(Value::Object(answers), handler).await);
        assert_eq!(told, ["1 x", "2 x", "3 x", "4 x", "5 x"]);
        assert_eq!(begun.get(), 5);
    }
}

#[tokio::test(start_paused = true)]
async fn a_timeout_around_a_body_does_not_stop_it() {
    let [(mut single, begun), _] = exchanges().await;
    let handler = |cx: Cx<Durable>| {
        let begun = begun.clone();
        async move {
            ask(&cx, "a").await?;
            let charge = tokio::time::timeout(SLOW / 2, work(&cx, "charge", &begun));
            Ok(charge.await.ok().transpose()?)
        }
    };
    assert_eq!(done(single.again(a(), handler).await), None);
    sleep(SLOW).await;
    assert_eq!(done(single.again(a(), handler).await), Some(1));
    assert_eq!(begun.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_runs_in_a_step_or_shielded_work_is_a_fault() {
    let [(mut single, begun), _] = exchanges().await;
    let shielded = |cx: Cx<Durable>| {
        let begun = begun.clone();
        async move {
            ask(&cx, "a").await?;
            let inner = cx.clone();
            let value = cx.shield(async move { work(&inner, "charge", &begun).await });
            Ok(value.await?)
        }
    };
    let fault = fault(single.again(a(), shielded).await);
    assert!(
        fault.to_string().contains("outside of its round"),
        "{fault}"
    );
    assert_eq!(begun.get(), 0);
}

#[tokio::test(start_paused = true)]
async fn two_attempts_at_the_same_time_do_it_once() {
    let store = Store::new();
    let begun = Count::default();
    let scoped = |seed: u8| {
        let (store, begun) = (store.clone(), begun.clone());
        async move {
            let mut single = Single::new(&store);
            single.call.seed = seed;
            let closed: Closed<u32> = single
                .play(none(), |cx| async {
                    let cx = cx;
                    Ok(work(&cx, "charge", &begun).scope("order 1").await?)
                })
                .await;
            done(closed)
        }
    };
    let all = join_all((0..20).map(|i| scoped(i * 10))).await;
    assert_eq!(all, [1; 20]);
}

#[tokio::test(start_paused = true)]
async fn a_crowd_waits_for_a_slow_body() {
    let (store, begun) = (Store::new(), Count::default());
    let slow = {
        let begun = begun.clone();
        move |cx: Cx<Durable>| async move {
            let charge = cx.once("charge", move || async move {
                sleep(LEASE * 3).await;
                begun.up()
            });
            Ok(charge.scope("order 1").await?)
        }
    };
    let mut first = Single::new(&store);
    let mut second = Single::new(&store);
    second.call.seed = 100;
    let (one, two) = tokio::join!(first.play(none(), slow.clone()), second.play(none(), slow));
    assert_eq!((done(one), done(two)), (1, 1));
    assert_eq!(begun.get(), 1);
}
