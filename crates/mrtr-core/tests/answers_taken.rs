//! How an answer is taken: checks, parts that are kept, refusals, consent.

mod support;

use mrtr_core::form::FieldValue;
use mrtr_core::replay::{Cx, Refused, ToolError};
use mrtr_core::round::Closed;
use serde_json::{Value, json};
use support::*;

/// Asks, then answers with `answers`.
async fn second<T, F, Fut>(handler: F, answers: Value) -> Closed<T>
where
    T: std::fmt::Debug,
    F: Fn(Cx) -> Fut,
    Fut: Future<Output = Result<T, ToolError>>,
{
    let mut call = Call::new();
    asked(call.play(none(), &handler).await);
    call.play(answers, &handler).await
}

#[tokio::test]
async fn a_check_asks_again_with_its_text_and_does_not_run_on_recorded_answers() {
    let checked = Count::default();
    let handler = |cx: Cx| {
        let checked = checked.clone();
        async move {
            let n = cx
                .elicit_form("n", "Even?", number())
                .check(move |content| {
                    checked.up();
                    match content.get("value") {
                        Some(FieldValue::Number(n)) if n.as_str() == "4" => Ok(()),
                        _ => Err("Only 4 will do."),
                    }
                })
                .await?;
            ask(&cx, "more").await?;
            Ok::<_, ToolError>(n.len())
        }
    };
    let mut call = Call::new();
    asked(call.play(none(), handler).await);
    let closed = call.play(json!({ "n": value(3) }), handler).await;
    assert_eq!(
        messages(closed),
        [("n".into(), "Even?\n\nOnly 4 will do.".into())]
    );
    assert_eq!(
        keys(call.play(json!({ "n": value(4) }), handler).await),
        ["more"]
    );
    done(call.play(json!({ "more": value("x") }), handler).await);
    assert_eq!(checked.get(), 2);
}

#[tokio::test]
async fn a_long_correction_is_cut() {
    let handler = |cx: Cx| async move {
        cx.elicit_form("q", "?", text())
            .check(|_| Err("x".repeat(100_000)))
            .await?;
        Ok::<_, ToolError>(())
    };
    let [(_, message)] = messages(second(handler, json!({ "q": value("y") })).await)
        .try_into()
        .expect("one question");
    assert!(message.len() < 1_000);
}

#[tokio::test]
async fn keep_records_only_what_it_makes_of_the_answer() {
    let projected = Count::default();
    let handler = |cx: Cx| {
        let projected = projected.clone();
        async move {
            let length = cx
                .elicit_form("long", "?", text())
                .keep(move |content| {
                    projected.up();
                    said(&content).len()
                })
                .await?;
            ask(&cx, "more").await?;
            Ok::<_, ToolError>(length)
        }
    };
    let mut call = Call::new();
    asked(call.play(none(), handler).await);
    let closed = call
        .play(json!({ "long": value("x".repeat(20_000)) }), handler)
        .await;
    let state = asked(closed).request_state.expect("a state");
    assert!(state.len() < 600, "{}", state.len());
    let closed = call.play(json!({ "more": value("x") }), handler).await;
    assert_eq!(done(closed), 20_000);
    assert_eq!(projected.get(), 1, "made once, read back later");
}

#[tokio::test]
async fn a_refusal_of_a_kept_answer_is_recorded_as_one() {
    let handler = |cx: Cx| async move {
        let kept = cx.elicit_form("q", "?", text()).keep(|c| c.len()).await;
        ask(&cx, "more").await?;
        Ok::<_, ToolError>(kept.is_err())
    };
    let mut call = Call::new();
    asked(call.play(none(), handler).await);
    asked(call.play(json!({ "q": decline() }), handler).await);
    assert!(done(
        call.play(json!({ "more": value("x") }), handler).await
    ));
}

#[tokio::test]
async fn a_refusal_is_recorded_and_not_asked_again() {
    let handler = |cx: Cx| async move {
        let name = ask(&cx, "name").await.unwrap_or_else(|_| "nobody".into());
        let more = ask(&cx, "more").await?;
        Ok::<_, ToolError>(name + &more)
    };
    let mut call = Call::new();
    asked(call.play(none(), handler).await);
    assert_eq!(
        keys(call.play(json!({ "name": decline() }), handler).await),
        ["more"]
    );
    assert_eq!(
        done(call.play(json!({ "more": value("!") }), handler).await),
        "nobody!"
    );
}

mod confirm {
    use super::*;

    async fn pay(cx: Cx) -> Result<&'static str, ToolError> {
        cx.confirm("pay", "Pay?").await?;
        Ok("paid")
    }

    #[tokio::test]
    async fn only_true_is_a_yes() {
        assert_eq!(done(second(pay, json!({ "pay": yes() })).await), "paid");
        for content in [
            json!({ "confirmed": false }),
            json!({}),
            json!({ "confirmed": "true" }),
            json!({ "confirmed": 1 }),
            json!({ "confirmed": null }),
            json!({ "value": true }),
        ] {
            let answer = json!({ "action": "accept", "content": content });
            assert_eq!(
                refused(second(pay, json!({ "pay": answer })).await),
                Refused::declined("pay"),
                "{content}"
            );
        }
        assert_eq!(
            refused(second(pay, json!({ "pay": accept() })).await),
            Refused::declined("pay")
        );
        assert_eq!(
            refused(second(pay, json!({ "pay": cancel() })).await),
            Refused::cancelled("pay")
        );
    }

    #[tokio::test]
    async fn a_yes_that_was_no_yes_stays_a_decline() {
        let handler = |cx: Cx| async move {
            let paid = cx.confirm("pay", "Pay?").await.is_ok();
            ask(&cx, "more").await?;
            Ok::<_, ToolError>(paid)
        };
        let mut call = Call::new();
        asked(call.play(none(), handler).await);
        let no = json!({ "action": "accept", "content": { "confirmed": "yes" } });
        assert_eq!(
            keys(call.play(json!({ "pay": no }), handler).await),
            ["more"]
        );
        let answers = json!({ "more": value("x"), "pay": yes() });
        assert!(!done(call.play(answers, handler).await));
    }
}
