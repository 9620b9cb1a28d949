//! Asks under every combinator that authors use.

mod support;

use std::convert::Infallible;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{join_all, select_all};
use futures::stream::{FuturesUnordered, StreamExt};
use mrtr_core::replay::{Cx, ToolError};
use serde_json::json;
use support::*;

#[tokio::test]
async fn an_ask_suspends_and_its_answer_is_given_in_the_next_round() {
    async fn handler(cx: Cx) -> Result<String, ToolError> {
        Ok(ask(&cx, "name").await?)
    }
    let mut call = Call::new();
    assert_eq!(
        messages(call.play(none(), handler).await),
        [("name".into(), "name?".into())]
    );
    assert_eq!(
        done(call.play(json!({ "name": value("Ada") }), handler).await),
        "Ada"
    );
}

#[tokio::test]
async fn sequential_asks_take_one_round_each_and_keep_all_answers() {
    async fn handler(cx: Cx) -> Result<String, ToolError> {
        let mut all = String::new();
        for key in ["a", "b", "c"] {
            all += &ask(&cx, key).await?;
        }
        Ok(all)
    }
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["a"]);
    assert_eq!(
        keys(call.play(json!({ "a": value("1") }), handler).await),
        ["b"]
    );
    assert_eq!(
        keys(call.play(json!({ "b": value("2") }), handler).await),
        ["c"]
    );
    assert_eq!(
        done(call.play(json!({ "c": value("3") }), handler).await),
        "123"
    );
}

#[tokio::test]
async fn join_asks_both_in_one_round() {
    async fn handler(cx: Cx) -> Result<(String, String), ToolError> {
        let (a, b) = tokio::join!(ask(&cx, "a"), ask(&cx, "b"));
        Ok((a?, b?))
    }
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["a", "b"]);
    let answers = json!({ "a": value("1"), "b": value("2") });
    assert_eq!(
        done(call.play(answers, handler).await),
        ("1".into(), "2".into())
    );
}

#[tokio::test]
async fn issue_then_await_asks_both_in_one_round_in_the_order_of_issue() {
    async fn handler(cx: Cx) -> Result<String, ToolError> {
        let first = ask(&cx, "first");
        let second = ask(&cx, "second");
        let second = second.await?;
        Ok(first.await? + &second)
    }
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["first", "second"]);
    let answers = json!({ "second": value("2"), "first": value("1") });
    assert_eq!(done(call.play(answers, handler).await), "12");
}

#[tokio::test]
async fn select_takes_the_answered_one_and_withdraws_the_other() {
    async fn handler(cx: Cx) -> Result<String, ToolError> {
        let chosen = tokio::select! {
            a = ask(&cx, "a") => a?,
            b = ask(&cx, "b") => b?,
        };
        Ok(chosen + &ask(&cx, "after").await?)
    }
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["a", "b"]);
    assert_eq!(
        keys(call.play(json!({ "b": value("B") }), handler).await),
        ["after"]
    );
    assert_eq!(
        done(call.play(json!({ "after": value("!") }), handler).await),
        "B!"
    );
}

#[tokio::test]
async fn join_all_of_forty_asks_goes_out_in_one_round() {
    async fn handler(cx: Cx) -> Result<usize, ToolError> {
        let answers = join_all((0..40).map(|i| ask(&cx.at(i), "q"))).await;
        Ok(answers.into_iter().collect::<Result<Vec<_>, _>>()?.len())
    }
    let mut call = Call::new();
    let all: Vec<_> = (0..40).map(|i| format!("{i}/q")).collect();
    assert_eq!(keys(call.play(none(), handler).await), all);
    let half = all
        .iter()
        .step_by(2)
        .map(|key| (key.clone(), value("x")))
        .collect();
    let rest: Vec<_> = all.iter().skip(1).step_by(2).cloned().collect();
    assert_eq!(keys(call.play(half, handler).await), rest);
    let half = rest.iter().map(|key| (key.clone(), value("x"))).collect();
    assert_eq!(done(call.play(half, handler).await), 40);
}

#[tokio::test]
async fn futures_unordered_of_asks_and_steps() {
    let worked = Count::default();
    let handler = |cx: Cx| {
        let worked = worked.clone();
        async move {
            let mut all = FuturesUnordered::new();
            for i in 0..10 {
                let (cx, worked) = (cx.at(i), worked.clone());
                all.push(
                    async move {
                        let n = cx
                            .step("work", || async {
                                tokio::task::yield_now().await;
                                worked.up();
                                Ok::<_, Infallible>(i)
                            })
                            .await?;
                        ask(&cx, "q").await?;
                        Ok::<u32, ToolError>(n)
                    }
                    .boxed(),
                );
            }
            let mut sum = 0;
            while let Some(n) = all.next().await {
                sum += n?;
            }
            Ok::<_, ToolError>(sum)
        }
    };
    let mut call = Call::new();
    let mut asked = keys(call.play(none(), handler).await);
    asked.sort();
    let all: Vec<_> = (0..10).map(|i| format!("{i}/q")).collect();
    assert_eq!(asked, all);
    assert_eq!(worked.get(), 10);
    let answers = all.iter().map(|key| (key.clone(), value("x"))).collect();
    assert_eq!(done(call.play(answers, handler).await), 45);
    assert_eq!(worked.get(), 10, "recorded steps do not run again");
}

#[tokio::test]
async fn a_shared_ask_gives_its_answer_to_all() {
    async fn handler(cx: Cx) -> Result<String, ToolError> {
        let shared = ask(&cx, "q").shared();
        let (a, b) = tokio::join!(shared.clone(), shared);
        Ok(a? + &b?)
    }
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["q"]);
    assert_eq!(
        done(call.play(json!({ "q": value("x") }), handler).await),
        "xx"
    );
}

#[tokio::test(start_paused = true)]
async fn a_timeout_around_an_ask_never_fires() {
    async fn handler(cx: Cx) -> Result<String, ToolError> {
        match tokio::time::timeout(Duration::from_millis(1), ask(&cx, "q")).await {
            Ok(answer) => Ok(answer?),
            Err(_) => Ok("fired".into()),
        }
    }
    let mut call = Call::new();
    let before = tokio::time::Instant::now();
    assert_eq!(keys(call.play(none(), handler).await), ["q"]);
    assert_eq!(before.elapsed(), Duration::ZERO, "and nobody waits for it");
    assert_eq!(
        done(call.play(json!({ "q": value("x") }), handler).await),
        "x"
    );
}

#[tokio::test]
async fn a_local_set_inside_the_handler_works() {
    async fn handler(cx: Cx) -> Result<String, ToolError> {
        let local = tokio::task::LocalSet::new();
        let (a, b) = local
            .run_until(async {
                let inner = cx.clone();
                let a = tokio::task::spawn_local(async move { ask(&inner, "a").await });
                let inner = cx.clone();
                let b = tokio::task::spawn_local(async move { ask(&inner, "b").await });
                tokio::join!(a, b)
            })
            .await;
        Ok(a?? + &b??)
    }
    let mut call = Call::new();
    let mut asked = keys(call.play(none(), handler).await);
    asked.sort();
    assert_eq!(asked, ["a", "b"]);
    let answers = json!({ "a": value("1"), "b": value("2") });
    assert_eq!(done(call.play(answers, handler).await), "12");
}

#[tokio::test]
async fn a_thousand_answered_asks() {
    async fn handler(cx: Cx) -> Result<usize, ToolError> {
        let answers = join_all((0..1000).map(|i| ask(&cx.at(i), "q"))).await;
        let total = answers.into_iter().collect::<Result<Vec<_>, _>>()?.len();
        ask(&cx, "last").await?;
        Ok(total)
    }
    let mut call = Call::new();
    call.policy.limits.max_bytes = 1 << 20;
    let all = keys(call.play(none(), handler).await);
    assert_eq!(all.len(), 1000);
    let answers = all.into_iter().map(|key| (key, value("x"))).collect();
    assert_eq!(keys(call.play(answers, handler).await), ["last"]);
    assert_eq!(
        done(call.play(json!({ "last": value("x") }), handler).await),
        1000
    );
}

#[tokio::test(start_paused = true)]
async fn an_issued_unpolled_ask_beside_raw_io_waits_for_the_io() {
    let finished = Count::default();
    let handler = |cx: Cx| {
        let finished = finished.clone();
        async move {
            let later = ask(&cx, "q");
            tokio::time::sleep(Duration::from_secs(3)).await;
            finished.up();
            Ok::<_, ToolError>(later.await?)
        }
    };
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["q"]);
    assert_eq!(finished.get(), 1);
    assert_eq!(
        done(call.play(json!({ "q": value("x") }), handler).await),
        "x"
    );
}

#[tokio::test(start_paused = true)]
async fn raw_io_beside_a_blocked_ask_does_not_hold_the_round() {
    async fn handler(cx: Cx) -> Result<String, ToolError> {
        let (answer, ()) =
            tokio::join!(ask(&cx, "q"), tokio::time::sleep(Duration::from_secs(3600)));
        Ok(answer?)
    }
    let mut call = Call::new();
    let before = tokio::time::Instant::now();
    assert_eq!(keys(call.play(none(), handler).await), ["q"]);
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test]
async fn a_dropped_ask_is_not_asked() {
    async fn handler(cx: Cx) -> Result<String, ToolError> {
        drop(cx.elicit_form("dropped", "?", text()));
        let polled = ask(&cx, "polled");
        let chosen = select_all([polled, ask(&cx, "kept")]);
        let kept = ask(&cx, "other");
        drop(chosen);
        Ok(kept.await?)
    }
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["other"]);
}

#[tokio::test]
async fn a_dropped_ask_that_was_blocked_does_not_end_the_round() {
    async fn handler(cx: Cx) -> Result<&'static str, ToolError> {
        let mut waiting = ask(&cx, "q");
        assert!(futures::poll!(&mut waiting).is_pending());
        drop(waiting);
        tokio::task::yield_now().await;
        Ok("done")
    }
    assert_eq!(done(Call::new().play(none(), handler).await), "done");
}

#[tokio::test]
async fn two_hundred_handlers_multiplexed_in_one_task() {
    let worked = Count::default();
    let one = |i: usize, worked: Count| async move {
        let handler = |cx: Cx| {
            let worked = worked.clone();
            async move {
                let n = cx
                    .step("work", || async {
                        for _ in 0..i % 7 {
                            tokio::task::yield_now().await;
                        }
                        worked.up();
                        Ok::<_, Infallible>(i)
                    })
                    .await?;
                let (a, b) = tokio::join!(ask(&cx, "a"), ask(&cx, "b"));
                Ok::<_, ToolError>(format!("{n}{}{}", a?, b?))
            }
        };
        let mut call = Call::new();
        assert_eq!(keys(call.play(none(), handler).await), ["a", "b"]);
        tokio::task::yield_now().await;
        let answers = json!({ "a": value("A"), "b": value("B") });
        assert_eq!(done(call.play(answers, handler).await), format!("{i}AB"));
    };
    join_all((0..200).map(|i| one(i, worked.clone()))).await;
    assert_eq!(worked.get(), 200);
}

#[tokio::test]
async fn a_catch_all_does_not_swallow_a_suspension() {
    let destroyed = Count::default();
    let handler = |cx: Cx| {
        let destroyed = destroyed.clone();
        async move {
            let answer = std::panic::AssertUnwindSafe(ask(&cx, "sure"))
                .catch_unwind()
                .await
                .unwrap_or_else(|_| Ok("panicked".into()))
                .unwrap_or_else(|_| "default".into());
            destroyed.up();
            Ok::<_, ToolError>(answer)
        }
    };
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["sure"]);
    assert_eq!(destroyed.get(), 0);
    assert_eq!(
        done(call.play(json!({ "sure": decline() }), handler).await),
        "default"
    );
}

#[tokio::test]
async fn suspending_drops_the_handler_before_the_round_ends() {
    struct Guard(Count);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.up();
        }
    }
    let dropped = Count::default();
    let seen = dropped.clone();
    let closed = Call::new()
        .play(none(), |cx| async move {
            let _guard = Guard(dropped);
            ask(&cx, "q").await?;
            Ok::<_, ToolError>(())
        })
        .await;
    assert_eq!(seen.get(), 1);
    assert_eq!(keys(closed), ["q"]);
}
