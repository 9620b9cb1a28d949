//! Steps: done once, waited for, and never lost.

mod support;

use std::convert::Infallible;
use std::pin::pin;

use futures::FutureExt;
use futures::future::join_all;
use mrtr_core::replay::{Cx, FaultKind, ToolError};
use mrtr_core::round::Closed;
use serde_json::json;
use support::*;
use tokio::sync::oneshot;
use tokio::task::yield_now;

#[tokio::test]
async fn e13_a_side_effect_in_a_step_happens_once_over_three_asks() {
    let effects = Count::default();
    let handler = |cx: Cx| {
        let effects = effects.clone();
        async move {
            let n: u32 = cx
                .step("effect", || async { Ok::<_, Infallible>(effects.up()) })
                .await?;
            for key in ["a", "b", "c"] {
                ask(&cx, key).await?;
            }
            Ok::<_, ToolError>(n)
        }
    };
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
        1
    );
    assert_eq!(effects.get(), 1);
}

#[tokio::test]
async fn only_success_of_a_step_is_recorded() {
    let tries = Count::default();
    let handler = |cx: Cx| {
        let tries = tries.clone();
        async move {
            let got: Result<u32, String> = cx
                .step("try", || async move {
                    match tries.up() {
                        1 => Err("not yet".to_owned()),
                        n => Ok(n),
                    }
                })
                .await;
            ask(&cx, "q").await?;
            ask(&cx, "r").await?;
            Ok::<_, ToolError>(got)
        }
    };
    let mut call = Call::new();
    keys(call.play(none(), handler).await);
    keys(call.play(json!({ "q": value("x") }), handler).await);
    assert_eq!(
        done(call.play(json!({ "r": value("x") }), handler).await),
        Ok(2)
    );
    assert_eq!(tries.get(), 2);
}

#[tokio::test]
async fn step_value_records_whatever_it_gives() {
    let tries = Count::default();
    let handler = |cx: Cx| {
        let tries = tries.clone();
        async move {
            let got = cx
                .step_value("try", || async move { Err::<u32, u32>(tries.up()) })
                .await;
            ask(&cx, "q").await?;
            Ok::<_, ToolError>(got)
        }
    };
    let mut call = Call::new();
    keys(call.play(none(), handler).await);
    assert_eq!(
        done(call.play(json!({ "q": value("x") }), handler).await),
        Err(1)
    );
    assert_eq!(tries.get(), 1);
}

#[tokio::test]
async fn a_dropped_step_does_not_hold_the_round() {
    let handler = |cx: Cx| async move {
        {
            let mut step = pin!(cx.step("never", || async {
                std::future::pending::<()>().await;
                Ok::<_, Infallible>(())
            }));
            assert!(futures::poll!(&mut step).is_pending());
        }
        ask(&cx, "q").await?;
        Ok::<_, ToolError>(())
    };
    assert_eq!(keys(Call::new().play(none(), handler).await), ["q"]);
}

#[tokio::test]
async fn a_step_woken_from_another_thread_is_waited_for() {
    let (send, receive) = oneshot::channel();
    let thread = std::thread::spawn(move || send.send(7).expect("the step listens"));
    let mut receive = Some(receive);
    let mut call = Call::new();
    let mut handler = |cx: Cx| {
        let receive = receive.take();
        async move {
            let step = cx.step("far", || async { receive.expect("runs once").await });
            let (answer, n) = tokio::join!(ask(&cx, "q"), step);
            answer?;
            Ok::<i32, ToolError>(n?)
        }
    };
    assert_eq!(keys(call.play(none(), &mut handler).await), ["q"]);
    let answers = json!({ "q": value("x") });
    assert_eq!(done(call.play(answers, handler).await), 7);
    thread.join().expect("the thread ends");
}

/// A step that is polled twice, then counts.
async fn work(cx: &Cx, worked: Count) -> Result<u32, Infallible> {
    cx.step("work", || async move {
        yield_now().await;
        Ok(worked.up())
    })
    .await
}

#[tokio::test]
async fn steps_of_joined_branches_are_all_recorded() {
    let worked = Count::default();
    let handler = |cx: Cx| {
        let worked = worked.clone();
        async move {
            let steps = join_all((0..5).map(|i| {
                let (cx, worked) = (cx.at(i), worked.clone());
                async move { work(&cx, worked).await }
            }));
            let (answer, _) = tokio::join!(ask(&cx, "q"), steps);
            Ok::<_, ToolError>(answer?)
        }
    };
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["q"]);
    done(call.play(json!({ "q": value("x") }), handler).await);
    assert_eq!(worked.get(), 5);
}

#[tokio::test]
async fn a_value_that_is_not_json_is_a_fault_that_names_the_step() {
    let handler = |cx: Cx| async move {
        let bad = std::collections::BTreeMap::from([((1, 2), 3)]);
        cx.step("map", || async { Ok::<_, Infallible>(bad) })
            .await?;
        Ok::<_, ToolError>(())
    };
    let fault = fault(Call::new().play(none(), handler).await);
    assert!(
        matches!(fault.kind(), FaultKind::StepNotWritable { key, .. } if &**key == "map"),
        "{fault}"
    );
}

#[tokio::test]
async fn a_recorded_value_of_another_type_is_a_fault_and_the_step_does_not_run_again() {
    let mut call = Call::new();
    let first = |cx: Cx| async move {
        let _: String = cx
            .step("s", || async { Ok::<_, Infallible>("text".to_owned()) })
            .await?;
        ask(&cx, "q").await?;
        Ok::<_, ToolError>(())
    };
    assert_eq!(keys(call.play(none(), first).await), ["q"]);
    let ran = Count::default();
    let counted = ran.clone();
    let closed = call
        .play(none(), |cx| async move {
            let _: u32 = cx
                .step("s", || async { Ok::<_, Infallible>(counted.up()) })
                .await?;
            Ok::<_, ToolError>(())
        })
        .await;
    assert!(matches!(
        fault(closed).kind(),
        FaultKind::StepNotReadable { .. }
    ));
    assert_eq!(ran.get(), 0);
}

#[tokio::test]
async fn asking_inside_a_step_is_a_fault() {
    let handler = |cx: Cx| async move {
        let inner = cx.clone();
        cx.step("work", || async move {
            ask(&inner, "q").await.map_err(|_| "refused").map(drop)
        })
        .await?;
        Ok::<_, ToolError>(())
    };
    let fault = fault(Call::new().play(none(), handler).await);
    assert!(matches!(fault.kind(), FaultKind::AskInsideStep(key) if &**key == "q"));
    assert_eq!(fault.attempted().collect::<Vec<_>>(), ["q", "work"]);
}

#[tokio::test]
async fn a_step_within_a_step_works() {
    let (inner, outer) = (Count::default(), Count::default());
    let handler = |cx: Cx| {
        let (inner, outer) = (inner.clone(), outer.clone());
        async move {
            let within = cx.clone();
            cx.step("outer", || async move {
                let n: u32 = within
                    .step("inner", || async {
                        yield_now().await;
                        Ok::<_, Infallible>(inner.up())
                    })
                    .await?;
                outer.up();
                Ok::<_, Infallible>(n)
            })
            .await?;
            ask(&cx, "q").await?;
            Ok::<_, ToolError>(())
        }
    };
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["q"]);
    done(call.play(json!({ "q": value("x") }), handler).await);
    assert_eq!((inner.get(), outer.get()), (1, 1));
}

#[tokio::test]
async fn a_step_whose_panic_is_caught_does_not_hold_the_round() {
    let handler = |cx: Cx| async move {
        let step = cx.step("bad", || async {
            yield_now().await;
            panic!("inside");
            #[allow(unreachable_code)]
            Ok::<(), Infallible>(())
        });
        let caught = std::panic::AssertUnwindSafe(step).catch_unwind().await;
        assert!(caught.is_err());
        ask(&cx, "q").await?;
        Ok::<_, ToolError>(())
    };
    assert_eq!(keys(Call::new().play(none(), handler).await), ["q"]);
}

#[tokio::test]
async fn a_round_without_questions_ends_although_steps_are_unfinished() {
    let handler = |cx: Cx| async move {
        let mut step = pin!(cx.step("slow", || async {
            std::future::pending::<()>().await;
            Ok::<_, Infallible>(())
        }));
        assert!(futures::poll!(&mut step).is_pending());
        Ok::<_, ToolError>("done")
    };
    assert!(matches!(
        Call::new().play(none(), handler).await,
        Closed::Complete("done")
    ));
}
