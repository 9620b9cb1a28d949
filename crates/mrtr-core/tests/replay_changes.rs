//! Questions that are not the same in every round.

mod support;

use mrtr_core::replay::{Cx, FaultKind, ToolError};
use serde_json::json;
use support::*;

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
