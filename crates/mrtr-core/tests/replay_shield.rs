//! Shielded work runs to its end, and is no part of the round.

mod support;

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use futures::FutureExt;
use mrtr_core::harness::Harness;
use mrtr_core::replay::{Cx, Fault, FaultKind, Spawner, Task, ToolError};
use serde_json::json;
use support::*;
use tokio::sync::{Notify, oneshot};
use tokio::task::yield_now;

/// A spawner whose tasks the test runs.
#[derive(Clone, Default)]
struct Tasks(Arc<Mutex<Vec<Task>>>);

impl Spawner for Tasks {
    fn spawn(&self, task: Task) {
        self.0.lock().expect("not poisoned").push(task);
    }
}

impl Tasks {
    fn take(&self) -> Task {
        self.0.lock().expect("not poisoned").pop().expect("a task")
    }
}

/// Runs what it is given on the runtime.
struct Tokio;

impl Spawner for Tokio {
    fn spawn(&self, task: Task) {
        tokio::spawn(task);
    }
}

/// Runs what it is given right away, as far as it goes, and then loses it.
struct AtOnce;

impl Spawner for AtOnce {
    fn spawn(&self, mut task: Task) {
        let _ = poll_once(&mut task);
    }
}

fn poll_once<F: Future + ?Sized>(future: &mut Pin<Box<F>>) -> Poll<F::Output> {
    future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
}

fn call(spawner: impl Spawner + 'static) -> Call {
    let mut call = Call::new();
    call.spawner = Some(Arc::new(spawner));
    call
}

/// A call without a spawner, and one with.
fn calls() -> [Call; 2] {
    [Call::new(), call(Tokio)]
}

#[tokio::test]
async fn shielded_work_gives_its_value() {
    for mut call in calls() {
        let handler = |cx: Cx| async move {
            let (a, b) = tokio::join!(
                cx.shield(async {
                    yield_now().await;
                    20
                }),
                cx.shield(std::future::ready(22)),
            );
            Ok::<_, ToolError>(a + b)
        };
        assert_eq!(done(call.play(none(), handler).await), 42);
    }
}

#[tokio::test]
async fn nothing_begins_before_it_is_awaited() {
    for mut call in calls() {
        let ran = Count::default();
        let counted = ran.clone();
        let handler = |cx: Cx| async move {
            drop(cx.shield(async move { counted.up() }));
            Ok::<_, ToolError>(())
        };
        done(call.play(none(), handler).await);
        yield_now().await;
        assert_eq!(ran.get(), 0);
    }
}

#[tokio::test]
async fn work_goes_on_when_its_handler_is_dropped() {
    let (tasks, ended) = (Tasks::default(), Count::default());
    let (go, wait) = oneshot::channel::<()>();
    let mut call = call(tasks.clone());
    let counted = ended.clone();
    let mut round = Box::pin(call.play(none(), |cx| async move {
        cx.shield(async move {
            wait.await.ok();
            counted.up();
        })
        .await;
        Ok::<_, ToolError>(())
    }));
    assert!(poll_once(&mut round).is_pending());
    let mut task = tasks.take();
    assert!(poll_once(&mut task).is_pending());
    drop(round);
    go.send(()).expect("the work goes on");
    assert!(poll_once(&mut task).is_ready());
    assert_eq!(ended.get(), 1);
}

#[tokio::test]
async fn a_round_does_not_wait_for_shielded_work_beside_a_question() {
    let (tasks, ended) = (Tasks::default(), Count::default());
    let go = Arc::new(Notify::new());
    let handler = |cx: Cx| {
        let (go, ended) = (go.clone(), ended.clone());
        async move {
            let work = cx.shield(async move {
                go.notified().await;
                ended.up()
            });
            let (answer, n) = tokio::join!(ask(&cx, "q"), work);
            answer?;
            Ok::<_, ToolError>(n)
        }
    };
    let mut call = call(tasks.clone());
    assert_eq!(keys(call.play(none(), handler).await), ["q"]);
    let first = tokio::spawn(tasks.take());
    go.notify_one();
    first.await.expect("runs to its end");
    assert_eq!(ended.get(), 1);

    call.spawner = Some(Arc::new(Tokio));
    go.notify_one();
    let answers = json!({ "q": value("x") });
    assert_eq!(done(call.play(answers, handler).await), 2, "it ran again");
}

#[tokio::test]
async fn a_question_that_is_not_awaited_beside_shielded_work_does_not_end_the_round() {
    for mut call in calls() {
        let handler = |cx: Cx| async move {
            let question = ask(&cx, "q");
            let n = cx
                .shield(async {
                    yield_now().await;
                    7
                })
                .await;
            drop(question);
            Ok::<_, ToolError>(n)
        };
        assert_eq!(done(call.play(none(), handler).await), 7);
    }
}

#[tokio::test]
async fn a_round_waits_for_a_step_whose_work_is_shielded_and_records_it() {
    for mut call in calls() {
        let ended = Count::default();
        let handler = |cx: Cx| {
            let ended = ended.clone();
            async move {
                let work = cx.shield(async move {
                    for _ in 0..5 {
                        yield_now().await;
                    }
                    Ok::<_, Infallible>(ended.up())
                });
                let (answer, n) = tokio::join!(ask(&cx, "q"), cx.step("work", || work));
                answer?;
                Ok::<_, ToolError>(n?)
            }
        };
        assert_eq!(keys(call.play(none(), handler).await), ["q"]);
        assert_eq!(ended.get(), 1);
        let answers = json!({ "q": value("x") });
        assert_eq!(done(call.play(answers, handler).await), 1);
        assert_eq!(ended.get(), 1);
    }
}

async fn first_fault<F, Fut>(call: &mut Call, handler: F) -> Fault
where
    F: FnOnce(Cx) -> Fut,
    Fut: Future<Output = Result<(), ToolError>>,
{
    fault(call.play(none(), handler).await)
}

#[tokio::test]
async fn a_panic_inside_is_one_of_the_handler() {
    for mut call in calls() {
        let fault = first_fault(&mut call, |cx| async move {
            let bad = async {
                yield_now().await;
                panic!("half-way")
            };
            cx.shield(bad).await
        });
        assert_eq!(fault.await.kind(), &FaultKind::Panicked("half-way".into()));
    }
}

#[tokio::test]
async fn a_panic_when_the_handler_is_gone_is_one_of_the_task() {
    let tasks = Tasks::default();
    let mut call = call(tasks.clone());
    let handler = |cx: Cx| async move {
        tokio::join!(ask(&cx, "q"), cx.shield(async { panic!("alone") }))
            .0
            .map(drop)
    };
    assert_eq!(keys(call.play(none(), handler).await), ["q"]);
    let panic = AssertUnwindSafe(tasks.take()).catch_unwind().await;
    let panic = panic.expect_err("nobody else would learn of it");
    assert_eq!(panic.downcast_ref(), Some(&"alone"));
}

#[tokio::test]
async fn work_that_is_dropped_before_its_end_is_a_fault_and_does_not_hang() {
    let tasks = Tasks::default();
    let mut call = call(tasks.clone());
    let play = first_fault(&mut call, |cx| async move {
        cx.shield(std::future::pending::<()>()).await;
        Ok(())
    });
    let mut play = pin!(play);
    assert!(futures::poll!(&mut play).is_pending());
    drop(tasks.take());
    let fault = play.await;
    assert!(
        matches!(fault.kind(), FaultKind::Panicked(told) if told.contains("dropped before its end")),
        "{fault}"
    );
}

#[tokio::test]
async fn asks_and_steps_inside_are_a_fault_wherever_the_work_runs() {
    for what in ["ask", "step"] {
        for mut call in [Call::new(), call(Tokio), call(AtOnce)] {
            let fault = first_fault(&mut call, |cx| async move {
                let inner = cx.clone();
                cx.shield(async move {
                    match what {
                        "ask" => drop(ask(&inner, "k").await),
                        _ => drop(inner.step("k", || async { Ok::<_, Infallible>(()) }).await),
                    }
                })
                .await;
                Ok(())
            });
            let fault = fault.await;
            assert_eq!(fault.kind(), &FaultKind::OutsideRound("k".into()), "{what}");
        }
    }
}

#[tokio::test]
async fn asks_work_after_a_panic_of_shielded_work_was_caught() {
    let handler = |cx: Cx| async move {
        let bad = cx.shield(async { panic!("inside") });
        assert!(AssertUnwindSafe(bad).catch_unwind().await.is_err());
        ask(&cx, "q").await?;
        Ok::<(), ToolError>(())
    };
    for mut call in calls() {
        assert_eq!(keys(call.play(none(), handler).await), ["q"]);
    }
}

#[tokio::test]
async fn shielded_work_within_shielded_work() {
    for mut call in calls() {
        let handler = |cx: Cx| async move {
            let inner = cx.clone();
            let n = cx
                .shield(async move { inner.shield(async { 6 }).await * 7 })
                .await;
            Ok::<_, ToolError>(n)
        };
        assert_eq!(done(call.play(none(), handler).await), 42);
    }
}

#[tokio::test]
async fn the_harness_runs_shielded_work_within_the_handler() {
    let handler = |cx: Cx| async move {
        cx.confirm("sure", "Sure?").await?;
        let n = cx.shield(async {
            yield_now().await;
            7
        });
        Ok::<_, ToolError>(n.await)
    };
    let played = Harness::new(handler)
        .confirm("sure")
        .repeat_each_round()
        .play()
        .await;
    assert_eq!(played.value(), 7);
}
