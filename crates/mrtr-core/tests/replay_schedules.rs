//! Steps are done once however the handler's parts are polled.

mod support;

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use futures::FutureExt;
use futures::future::poll_fn;
use futures::stream::{FuturesUnordered, StreamExt};
use mrtr_core::replay::{Cx, ToolError};
use serde_json::json;
use support::*;
use tokio::sync::{mpsc, oneshot};
use tokio::task::yield_now;

/// Is polled again at once, without the runtime's help.
async fn wake_self(times: usize) {
    let mut left = times;
    poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// A step that takes some polls, then counts.
async fn work(cx: &Cx, polls: usize, worked: Count) -> Result<u32, Infallible> {
    cx.step("work", || async move {
        wake_self(polls).await;
        Ok(worked.up())
    })
    .await
}

/// Plays two rounds of a handler that asks `q`, and expects its step to have
/// been done once and recorded.
async fn expect_once<F, Fut>(handler: F)
where
    F: Fn(Cx, Count) -> Fut,
    Fut: Future<Output = Result<(), ToolError>>,
{
    let worked = Count::default();
    let mut call = Call::new();
    let first = call.play(none(), |cx| handler(cx, worked.clone())).await;
    assert_eq!(keys(first), ["q"]);
    assert_eq!(worked.get(), 1, "the round waits for the step");
    let answers = json!({ "q": value("x") });
    done(call.play(answers, |cx| handler(cx, worked.clone())).await);
    assert_eq!(worked.get(), 1, "and records it");
}

#[tokio::test]
async fn a_running_step_beside_a_blocked_ask_is_waited_for() {
    for polls in [0, 1, 5, 200] {
        expect_once(|cx, worked| async move {
            let (answer, worked) = tokio::join!(ask(&cx, "q"), work(&cx, polls, worked));
            answer?;
            worked?;
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_step_beside_a_yielding_sibling_in_futures_unordered_is_done_once() {
    for polls in 0..40 {
        expect_once(|cx, worked| async move {
            let mut all = FuturesUnordered::new();
            let q = ask(&cx, "q");
            all.push(async { q.await.map(drop).map_err(ToolError::from) }.boxed());
            all.push(async { Ok(work(&cx, polls, worked).await.map(drop)?) }.boxed());
            for _ in 0..5 {
                all.push(wake_self(300).map(Ok).boxed());
            }
            while let Some(one) = all.next().await {
                one?;
            }
            Ok(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_step_that_waits_unpolled_while_a_sibling_is_busy_is_done_once() {
    expect_once(|cx, worked| async move {
        let (send, receive) = oneshot::channel();
        let step = cx.step("work", || async move {
            receive.await.expect("is sent");
            Ok::<_, Infallible>(worked.up())
        });
        let q = ask(&cx, "q");
        let busy = async {
            wake_self(300).await;
            send.send(()).ok();
            Ok(())
        };
        let mut all = FuturesUnordered::new();
        all.push(async { q.await.map(drop).map_err(ToolError::from) }.boxed());
        all.push(async { Ok(step.await.map(drop)?) }.boxed());
        all.push(busy.boxed());
        while let Some(one) = all.next().await {
            one?;
        }
        Ok(())
    })
    .await;
}

/// Takes messages from a full channel until the task's budget is spent.
fn spend_budget() {
    let (send, mut receive) = mpsc::unbounded_channel();
    for _ in 0..1000 {
        send.send(()).expect("is open");
    }
    let mut cx = Context::from_waker(Waker::noop());
    let mut taken = 0;
    while let Poll::Ready(Some(())) = receive.poll_recv(&mut cx) {
        taken += 1;
    }
    assert!(taken < 1000, "the budget ends first");
}

/// A step that listens to a channel, behind a `select!` that does not even
/// poll it once the budget is spent.
async fn listen(cx: &Cx, heard: oneshot::Receiver<()>, worked: Count) -> Result<(), ToolError> {
    let step = cx.step("work", || async move {
        worked.up();
        heard.await.ok();
        Ok::<_, Infallible>(())
    });
    tokio::select! {
        biased;
        done = step => done?,
    };
    Ok(())
}

#[tokio::test]
async fn a_step_under_a_spent_budget_is_done_once() {
    expect_once(|cx, worked| async move {
        let (send, heard) = oneshot::channel();
        let spender = async {
            yield_now().await;
            send.send(()).ok();
            for _ in 0..20 {
                spend_budget();
                wake_self(1).await;
            }
        };
        let (answer, (), step) = futures::join!(ask(&cx, "q"), spender, listen(&cx, heard, worked));
        answer?;
        step
    })
    .await;
}

#[tokio::test]
async fn a_step_beside_a_busy_request_in_the_same_task_is_done_once_two_hundred_times() {
    for _ in 0..200 {
        let (send, heard) = oneshot::channel();
        let (again, heard_again) = oneshot::channel();
        let mut heard = vec![heard_again, heard];
        let worked = Count::default();
        let quiet = async {
            let mut call = Call::new();
            let mut handler = |cx: Cx| {
                let (heard, worked) = (heard.pop(), worked.clone());
                async move {
                    let heard = heard.expect("two rounds");
                    let (answer, step) = futures::join!(ask(&cx, "q"), listen(&cx, heard, worked));
                    answer?;
                    step
                }
            };
            assert_eq!(keys(call.play(none(), &mut handler).await), ["q"]);
            let answers = json!({ "q": value("x") });
            done(call.play(answers, handler).await);
        };
        let busy = async {
            let handler = |_: Cx| async {
                yield_now().await;
                send.send(()).ok();
                again.send(()).ok();
                for _ in 0..20 {
                    spend_budget();
                    yield_now().await;
                }
                Ok::<_, ToolError>(())
            };
            done(Call::new().play(none(), handler).await);
        };
        futures::join!(busy, quiet);
        assert_eq!(worked.get(), 1);
    }
}

struct CountWakes(Count);

impl Wake for CountWakes {
    fn wake(self: Arc<Self>) {
        self.0.up();
    }
}

#[test]
fn a_step_that_lost_a_select_and_is_kept_unpolled_does_not_hang_the_round() {
    let (finish, finished) = oneshot::channel::<()>();
    let handler = |cx: Cx| async move {
        let mut step = pin!(cx.step("slow", || async {
            finished.await.ok();
            Ok::<_, Infallible>(())
        }));
        tokio::select! {
            biased;
            _ = &mut step => {}
            () = std::future::ready(()) => {}
        }
        ask(&cx, "q").await?;
        step.await?;
        Ok::<_, ToolError>(())
    };
    let mut call = Call::new();
    let mut round = pin!(call.play(none(), handler));
    let wakes = Count::default();
    let waker = Waker::from(Arc::new(CountWakes(wakes.clone())));
    let mut cx = Context::from_waker(&waker);

    assert!(round.as_mut().poll(&mut cx).is_pending());
    assert_eq!(wakes.get(), 0, "the step will wake the round by itself");
    finish.send(()).expect("the step listens");
    assert_eq!(wakes.get(), 1);

    let mut polls = 0;
    let closed = loop {
        polls += 1;
        if let Poll::Ready(closed) = round.as_mut().poll(&mut cx) {
            break closed;
        }
        assert_eq!(wakes.get(), 1 + polls, "each such poll wakes the round");
    };
    assert_eq!(polls, 65, "64 polls in a row, then the step is parked");
    assert_eq!(keys(closed), ["q"]);
}

/// Polls a round for as long as something wakes it.
fn run_on<T>(
    round: &mut Pin<Box<dyn Future<Output = T> + '_>>,
    wakes: &Count,
    seen: &mut u32,
) -> Option<T> {
    let waker = Waker::from(Arc::new(CountWakes(wakes.clone())));
    let mut cx = Context::from_waker(&waker);
    while wakes.get() > *seen {
        *seen = wakes.get();
        if let Poll::Ready(output) = round.as_mut().poll(&mut cx) {
            return Some(output);
        }
    }
    None
}

#[test]
fn steps_buffered_by_a_stream_that_waits_unpolled_do_not_hang_the_round() {
    let (finish, finished): (Vec<_>, Vec<_>) = (0..3).map(|_| oneshot::channel::<()>()).unzip();
    let handler = |cx: Cx| async move {
        let steps = finished.into_iter().enumerate().map(|(i, finished)| {
            cx.at(i).step("work", move || async move {
                finished.await.ok();
                Ok::<_, Infallible>(i)
            })
        });
        let mut done = futures::stream::iter(steps).buffer_unordered(3);
        while let Some(i) = done.next().await {
            ask(&cx.at(i?), "q").await?;
        }
        Ok::<_, ToolError>(())
    };
    let mut call = Call::new();
    let (wakes, mut seen) = (Count::default(), 0);
    wakes.up();
    let mut round: Pin<Box<dyn Future<Output = _>>> = Box::pin(call.play(none(), handler));
    let mut closed = None;
    for finish in finish {
        assert!(
            run_on(&mut round, &wakes, &mut seen).is_none(),
            "a step is at work"
        );
        finish.send(()).expect("the step listens");
        closed = run_on(&mut round, &wakes, &mut seen);
    }
    assert_eq!(keys(closed.expect("nothing is left to wait for")), ["0/q"]);
}

#[test]
fn a_step_whose_combinator_is_gone_does_not_hang_the_round() {
    for polls in [0, 1] {
        let (finish, finished) = oneshot::channel::<()>();
        let handler = |cx: Cx| async move {
            let mut step = pin!(cx.step("slow", || async {
                wake_self(polls).await;
                finished.await.ok();
                Ok::<_, Infallible>(())
            }));
            let mut set = FuturesUnordered::new();
            set.push(step.as_mut());
            assert!(set.next().now_or_never().is_none());
            drop(set);
            ask(&cx, "q").await?;
            step.await?;
            Ok::<_, ToolError>(())
        };
        let mut call = Call::new();
        let (wakes, mut seen) = (Count::default(), 0);
        wakes.up();
        let mut round: Pin<Box<dyn Future<Output = _>>> = Box::pin(call.play(none(), handler));
        let early = run_on(&mut round, &wakes, &mut seen);
        assert_eq!(early.is_some(), polls > 0, "it is woken, and parked");
        finish.send(()).ok();
        let closed = early.or_else(|| run_on(&mut round, &wakes, &mut seen));
        assert_eq!(keys(closed.expect("the step has woken the round")), ["q"]);
    }
}

#[test]
fn a_step_that_is_dropped_elsewhere_does_not_hang_the_round() {
    let (give, given) = std::sync::mpsc::channel();
    let handler = |cx: Cx| async move {
        let mut step = Box::pin(cx.step("slow", std::future::pending::<Result<(), Infallible>>));
        assert!((&mut step).now_or_never().is_none());
        give.send(step).expect("is open");
        ask(&cx, "q").await?;
        Ok::<_, ToolError>(())
    };
    let mut call = Call::new();
    let (wakes, mut seen) = (Count::default(), 0);
    wakes.up();
    let mut round: Pin<Box<dyn Future<Output = _>>> = Box::pin(call.play(none(), handler));
    assert!(run_on(&mut round, &wakes, &mut seen).is_none());
    let step = given.recv().expect("was given");
    std::thread::spawn(move || drop(step)).join().expect("ends");
    let closed = run_on(&mut round, &wakes, &mut seen);
    assert_eq!(keys(closed.expect("nothing is left to wait for")), ["q"]);
}
