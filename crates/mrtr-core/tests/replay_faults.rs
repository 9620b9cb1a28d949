//! What breaks a rule is a fault that says which, and beats everything else.

mod support;

use std::convert::Infallible;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use mrtr_core::replay::{Cx, Fault, FaultKind, MAX_KEY_BYTES, ToolError};
use mrtr_core::round::Closed;
use mrtr_core::wire::{CreateMessageRequest, InputRequest};
use serde_json::json;
use support::*;

async fn first_fault<F, Fut>(handler: F) -> Fault
where
    F: FnOnce(Cx) -> Fut,
    Fut: Future<Output = Result<(), ToolError>>,
{
    fault(Call::new().play(none(), handler).await)
}

#[tokio::test]
async fn the_same_key_twice_in_one_run_is_a_fault() {
    for (first, second) in [("ask", "ask"), ("ask", "step"), ("step", "step")] {
        let fault = first_fault(|cx| async move {
            for what in [first, second] {
                if what == "ask" {
                    drop(cx.elicit_form("k", "?", text()));
                } else {
                    drop(cx.step("k", || async { Ok::<_, Infallible>(()) }));
                }
            }
            Ok(())
        })
        .await;
        assert_eq!(fault.kind(), &FaultKind::DuplicateKey("k".into()));
        assert!(fault.to_string().contains("cx.at(i)"), "{fault}");
    }
}

#[tokio::test]
async fn the_same_key_under_different_prefixes_is_fine() {
    let handler = |cx: Cx| async move {
        let outer = cx.at("a");
        let (one, two) = (ask(&outer.at(1), "k"), ask(&outer.at(2), "k"));
        Ok::<_, ToolError>(futures::try_join!(one, two, ask(&cx, "k"))?)
    };
    let asked = keys(Call::new().play(none(), handler).await);
    assert_eq!(asked, ["a/1/k", "a/2/k", "k"]);
}

#[tokio::test]
async fn keys_are_bounded_and_not_empty() {
    let long = "k".repeat(MAX_KEY_BYTES + 1);
    for key in ["", &long] {
        let key = key.to_owned();
        let fault = first_fault(|cx| async move {
            ask(&cx, &key).await?;
            Ok(())
        })
        .await;
        assert!(matches!(fault.kind(), FaultKind::BadKey(_)), "{fault}");
        assert!(fault.to_string().len() < 400);
    }
    let fits = "k".repeat(MAX_KEY_BYTES);
    let handler = |cx: Cx| async move { Ok::<_, ToolError>(ask(&cx, &fits).await?) };
    assert_eq!(keys(Call::new().play(none(), handler).await).len(), 1);
}

#[tokio::test]
async fn a_fault_beats_a_result() {
    let fault = first_fault(|cx| async move {
        drop(cx.elicit_form("k", "?", text()));
        drop(cx.elicit_form("k", "?", text()));
        Ok(())
    })
    .await;
    assert!(matches!(fault.kind(), FaultKind::DuplicateKey(_)));
}

#[tokio::test]
async fn a_fault_tells_what_was_recorded_and_what_was_attempted() {
    let handler = |cx: Cx| async move {
        cx.step("quote", || async { Ok::<_, Infallible>(7) })
            .await?;
        ask(&cx, "seat").await?;
        let _open = ask(&cx, "meal");
        panic!("no more");
        #[allow(unreachable_code)]
        Ok::<(), ToolError>(())
    };
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["seat"]);
    let closed = call.play(json!({ "seat": value("12A") }), handler).await;
    let fault = fault(closed);
    assert_eq!(fault.recorded().collect::<Vec<_>>(), ["quote", "seat"]);
    assert_eq!(
        fault.to_string(),
        "the handler panicked: no more; recorded: quote, seat; attempted: meal"
    );
}

#[tokio::test]
async fn a_panic_is_a_fault_with_its_text() {
    let fault = first_fault(|_| async move { panic!("at {}", "poll") }).await;
    assert_eq!(fault.kind(), &FaultKind::Panicked("at poll".into()));
    let fault = first_fault(|_| async move { std::panic::panic_any(7) }).await;
    assert!(matches!(fault.kind(), FaultKind::Panicked(_)));
}

#[tokio::test]
async fn a_panic_payload_that_panics_when_dropped_is_contained() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("again");
        }
    }
    let fault = first_fault(|_| async move { std::panic::panic_any(Bomb) }).await;
    assert!(matches!(fault.kind(), FaultKind::Panicked(_)));
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("in drop");
        }
    }
}

#[tokio::test]
async fn a_panic_while_a_suspended_handler_is_dropped_is_a_fault() {
    let fault = first_fault(|cx| async move {
        let _guard = PanicsWhenDropped;
        ask(&cx, "q").await?;
        Ok(())
    })
    .await;
    assert_eq!(fault.kind(), &FaultKind::Panicked("in drop".into()));
}

#[test]
fn a_panic_while_an_abandoned_handler_is_dropped_goes_nowhere() {
    let mut call = Call::new();
    let mut round = Box::pin(call.play(none(), |_| async move {
        let _guard = PanicsWhenDropped;
        std::future::pending::<()>().await;
        Ok::<(), ToolError>(())
    }));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(round.as_mut().poll(&mut cx).is_pending());
    drop(round);
}

#[tokio::test]
async fn asking_in_a_spawned_task_is_a_fault_that_ends_the_round() {
    for what in ["ask", "step", "confirm", "later"] {
        let fault = first_fault(|cx| async move {
            let task = tokio::spawn(async move {
                match what {
                    "ask" => drop(ask(&cx, "k").await),
                    "step" => drop(cx.step("k", || async { Ok::<_, ()>(1) }).await),
                    "confirm" => drop(cx.confirm("k", "?").await),
                    _ => cx.later_when(async {}, std::time::Duration::ZERO).await,
                }
            });
            task.await?;
            Ok(())
        })
        .await;
        assert!(
            matches!(fault.kind(), FaultKind::OutsideRound(_)),
            "{fault}"
        );
        assert!(fault.to_string().contains("spawn"), "{fault}");
    }
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn asking_on_another_thread_is_a_fault_and_wakes_the_round() {
    let mut call = Call::new();
    let woken = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(woken.clone());
    let mut polls = Context::from_waker(&waker);
    let (send, asks) = std::sync::mpsc::channel();
    let mut round = pin!(call.play(none(), |cx| async move {
        send.send(cx.confirm("k", "?")).expect("is open");
        std::future::pending::<()>().await;
        Ok::<(), ToolError>(())
    }));
    assert!(round.as_mut().poll(&mut polls).is_pending());
    let mut taken = asks.recv().expect("was sent");
    std::thread::spawn(move || {
        let mut cx = Context::from_waker(Waker::noop());
        assert!(Pin::new(&mut taken).poll(&mut cx).is_pending());
    })
    .join()
    .expect("ends");
    assert!(woken.0.load(Ordering::SeqCst));
    let Poll::Ready(closed) = round.as_mut().poll(&mut polls) else {
        panic!("the round ends")
    };
    assert_eq!(fault(closed).kind(), &FaultKind::OutsideRound("k".into()));
}

#[test]
fn a_key_that_may_not_be_used_on_another_thread_wakes_the_round() {
    for (key, what) in [("k", "ask"), ("k", "step"), ("", "ask")] {
        let mut call = Call::new();
        let woken = Arc::new(Woken(AtomicBool::new(false)));
        let waker = Waker::from(woken.clone());
        let mut polls = Context::from_waker(&waker);
        let (send, contexts) = std::sync::mpsc::channel();
        let mut round = pin!(call.play(none(), |cx| async move {
            let _first = cx.confirm("k", "?");
            send.send(cx).expect("is open");
            std::future::pending::<()>().await;
            Ok::<(), ToolError>(())
        }));
        assert!(round.as_mut().poll(&mut polls).is_pending());
        let cx = contexts.recv().expect("was sent");
        std::thread::spawn(move || match what {
            "ask" => drop(cx.confirm(key, "?")),
            _ => drop(cx.step(key, || async { Ok::<_, Infallible>(()) })),
        })
        .join()
        .expect("ends");
        assert!(woken.0.load(Ordering::SeqCst), "{key:?} {what}");
        let Poll::Ready(closed) = round.as_mut().poll(&mut polls) else {
            panic!("the round ends")
        };
        fault(closed);
    }
}

#[tokio::test]
async fn an_ask_of_an_enclosing_run_suspends_that_run() {
    let handler = |outer: Cx| async move {
        let inner = |_: Cx| async move { Ok::<_, ToolError>(ask(&outer, "k").await?) };
        Ok::<_, ToolError>(done(Call::new().play(none(), inner).await))
    };
    assert_eq!(keys(Call::new().play(none(), handler).await), ["k"]);
}

#[tokio::test]
async fn an_ask_of_a_run_that_is_not_being_polled_is_a_fault_of_that_run() {
    let (send, taken) = tokio::sync::oneshot::channel();
    let one = first_fault(|cx| async move {
        send.send(ask(&cx, "k")).ok();
        std::future::pending().await
    });
    let other = async {
        let handler = |_: Cx| async { Ok::<_, ToolError>(taken.await?.await?) };
        Call::new().play(none(), handler).await
    };
    let fault = tokio::select! {
        fault = one => fault,
        other = other => panic!("{other:?}"),
    };
    assert_eq!(fault.kind(), &FaultKind::OutsideRound("k".into()));
}

#[tokio::test]
async fn polling_an_ask_again_after_its_answer_is_a_fault() {
    let handler = |cx: Cx| async move {
        let mut q = ask(&cx, "q");
        (&mut q).await?;
        (&mut q).await?;
        Ok::<_, ToolError>(())
    };
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["q"]);
    let closed = call.play(json!({ "q": value("x") }), handler).await;
    assert_eq!(fault(closed).kind(), &FaultKind::PolledAgain("q".into()));
}

#[tokio::test]
async fn a_url_that_is_none_is_a_fault() {
    let fault = first_fault(|cx| async move {
        cx.elicit_url("go", "Go", "nowhere", || async { Ok::<_, Infallible>(()) })
            .await?;
        Ok(())
    })
    .await;
    assert!(matches!(fault.kind(), FaultKind::BadQuestion { key, .. } if &**key == "go"));
}

#[tokio::test]
async fn a_sampling_request_that_breaks_its_rules_is_a_fault_and_is_not_sent() {
    let request: CreateMessageRequest = serde_json::from_value(json!({
        "maxTokens": 10,
        "messages": [{ "role": "user", "content": [
            { "type": "tool_result", "toolUseId": "u1", "content": [] },
            { "type": "text", "text": "x" },
        ]}],
    }))
    .expect("has the right shape");
    let fault = first_fault(|cx| async move {
        cx.sample("s", request).await?;
        Ok(())
    })
    .await;
    assert!(matches!(fault.kind(), FaultKind::BadQuestion { key, .. } if &**key == "s"));
}

#[tokio::test]
async fn a_state_that_grows_too_large_is_a_fault_that_names_the_largest_key() {
    let handler = |cx: Cx| async move {
        cx.step("small", || async { Ok::<_, Infallible>(1) })
            .await?;
        cx.step("huge", || async { Ok::<_, Infallible>("x".repeat(70_000)) })
            .await?;
        ask(&cx, "q").await?;
        Ok(())
    };
    let fault = first_fault(handler).await;
    let FaultKind::StateTooLarge {
        bytes,
        limit,
        largest,
    } = fault.kind()
    else {
        panic!("{fault}")
    };
    assert!(*bytes > 70_000 && *limit == 64 * 1024);
    let (key, share) = largest.as_ref().expect("there are entries");
    assert_eq!((&**key, *share > 70_000), ("huge", true));
    assert!(fault.to_string().contains("`huge`"), "{fault}");
}

#[tokio::test]
async fn e11_two_hundred_answers_that_do_not_fit_are_a_fault_when_sealing() {
    let handler = |cx: Cx| async move {
        for chunk in 0..4 {
            let cx = cx.at(chunk);
            let all = futures::future::join_all((0..50).map(|i| ask(&cx.at(i), "q"))).await;
            for answer in all {
                answer?;
            }
        }
        Ok::<_, ToolError>(())
    };
    let mut call = Call::new();
    let mut closed = call.play(none(), handler).await;
    let mut rounds = 0;
    loop {
        match closed {
            Closed::InputRequired(result) => {
                rounds += 1;
                let requests = result.input_requests.expect("questions");
                let answers = requests
                    .iter()
                    .map(|(key, _): (&str, &InputRequest)| (key.to_owned(), value("x".repeat(600))))
                    .collect();
                closed = call.play(answers, handler).await;
            }
            Closed::Fault(fault) => {
                assert!(matches!(fault.kind(), FaultKind::StateTooLarge { .. }));
                break;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(rounds, 2, "100 answers of 600 bytes and more fit no more");
}
