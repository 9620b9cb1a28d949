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
async fn a_question_that_changed_is_asked_again_and_the_old_answer_is_dropped() {
    async fn handler(cx: Cx, message: &str) -> Result<String, ToolError> {
        let answer = cx.elicit_form("q", message, text()).await?;
        ask(&cx, "more").await?;
        Ok(said(&answer))
    }
    let mut call = Call::new();
    assert_eq!(
        keys(call.play(none(), |cx| handler(cx, "one?")).await),
        ["q"]
    );
    let closed = call
        .play(json!({ "q": value("1") }), |cx| handler(cx, "two?"))
        .await;
    assert_eq!(messages(closed), [("q".into(), "two?".into())]);
    let closed = call
        .play(json!({ "q": value("2") }), |cx| handler(cx, "two?"))
        .await;
    assert_eq!(keys(closed), ["more"]);
    // A recorded answer does not fit a question that changed either.
    let closed = call
        .play(json!({ "more": value("x") }), |cx| handler(cx, "three?"))
        .await;
    assert_eq!(messages(closed), [("q".into(), "three?".into())]);
    let closed = call
        .play(json!({ "q": value("3") }), |cx| handler(cx, "three?"))
        .await;
    assert_eq!(done(closed), "3", "the other answer travelled on");
}

#[tokio::test]
async fn a_question_whose_form_changed_is_asked_again() {
    let mut call = Call::new();
    let first = |cx: Cx| async move {
        cx.elicit_form("q", "?", text()).await?;
        Ok::<_, ToolError>(())
    };
    let second = |cx: Cx| async move {
        cx.elicit_form("q", "?", number()).await?;
        Ok::<_, ToolError>(())
    };
    assert_eq!(keys(call.play(none(), first).await), ["q"]);
    let closed = call.play(json!({ "q": value("x") }), second).await;
    assert_eq!(
        messages(closed),
        [("q".into(), "?".into())],
        "without a correction: the answer was to another question"
    );
}

#[tokio::test]
async fn a_question_that_changes_in_every_round_is_a_fault_that_says_so() {
    let round = Count::default();
    let handler = |cx: Cx| {
        let n = round.up();
        async move {
            cx.elicit_form("when", format!("Is it {n} o'clock?"), text())
                .await?;
            Ok::<_, ToolError>(())
        }
    };
    let mut call = Call::new();
    let mut answers = none();
    for _ in 0..3 {
        assert_eq!(keys(call.play(answers, handler).await), ["when"]);
        answers = json!({ "when": value("yes") });
    }
    let fault = fault(call.play(json!({ "when": value("yes") }), handler).await);
    assert_eq!(
        fault.kind(),
        &FaultKind::EverChangingQuestion("when".into())
    );
    assert!(fault.to_string().contains("cx.step"), "{fault}");
}

#[tokio::test]
async fn a_question_that_settles_down_is_forgiven() {
    let texts = ["1?", "2?", "3?", "3?", "4?", "5?", "5?"];
    let mut call = Call::new();
    for text in texts {
        let closed = call
            .play(none(), |cx| async move {
                cx.elicit_form("q", text, support::text()).await?;
                Ok::<_, ToolError>(())
            })
            .await;
        assert_eq!(messages(closed), [("q".into(), text.into())]);
    }
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

mod idempotency {
    use super::*;
    use mrtr_core::replay::IdempotencyKey;
    use mrtr_core::state::Principal;

    #[tokio::test]
    async fn a_key_before_the_first_token_is_a_fault_and_what_follows_does_not_run() {
        let effects = Count::default();
        let counted = effects.clone();
        let fault = first_fault(|cx| async move {
            let _key = cx.idempotency_key("charge").to_string();
            counted.up();
            Ok(())
        })
        .await;
        assert_eq!(fault.kind(), &FaultKind::NoTokenYet("charge".into()));
        assert_eq!(effects.get(), 0);
    }

    #[tokio::test]
    async fn a_key_is_the_same_in_every_later_round_and_differs_by_label_and_exchange() {
        async fn handler(cx: Cx, seen: &std::sync::Mutex<Vec<String>>) -> Result<(), ToolError> {
            ask(&cx, "a").await?;
            let two = [cx.idempotency_key("x"), cx.at(1).idempotency_key("x")];
            seen.lock()
                .expect("not poisoned")
                .extend(two.map(String::from));
            ask(&cx, "b").await?;
            Ok(())
        }
        let seen = std::sync::Mutex::new(Vec::new());
        for seed in [0, 100] {
            let mut call = Call::new();
            call.seed = seed;
            keys(call.play(none(), |cx| handler(cx, &seen)).await);
            keys(
                call.play(json!({ "a": value("1") }), |cx| handler(cx, &seen))
                    .await,
            );
            done(
                call.play(json!({ "b": value("2") }), |cx| handler(cx, &seen))
                    .await,
            );
        }
        let seen = seen.into_inner().expect("not poisoned");
        let [a, a1, b, b1, c, c1, d, d1] = seen.try_into().expect("four rounds of two");
        assert_eq!((&a, &a1), (&b, &b1));
        assert_eq!((&c, &c1), (&d, &d1));
        assert_eq!(std::collections::HashSet::from([&a, &a1, &c, &c1]).len(), 4);
        assert_eq!(a.len(), 32);
    }

    #[tokio::test]
    async fn a_scoped_key_needs_no_token_and_is_the_callers_own() {
        let keys_of = |principal: Option<&'static str>, target: &'static str| async move {
            let mut call = Call::new();
            call.principal = principal.map(|name| Arc::new(Principal::new("iss", name)));
            call.target = target.into();
            call.seed = target.len() as u8;
            let handler = |cx: Cx| async move {
                let key =
                    |scope: &str| -> IdempotencyKey { cx.idempotency_key("pay").scope(scope) };
                Ok::<_, ToolError>([key("order-1").to_string(), key("order-2").to_string()])
            };
            done(call.play(none(), handler).await)
        };
        let [one, two] = keys_of(Some("ada"), "pay").await;
        assert_ne!(one, two);
        assert_eq!(keys_of(Some("ada"), "pay").await, [one.clone(), two]);
        assert_ne!(keys_of(Some("bob"), "pay").await[0], one);
        assert_ne!(keys_of(None, "pay").await[0], one);
        assert_ne!(keys_of(Some("ada"), "refund").await[0], one);
    }
}
