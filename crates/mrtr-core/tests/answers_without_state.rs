//! Answers that come along with a first request: input like arguments, never
//! consent.

mod support;

use mrtr_core::form::FormContent;
use mrtr_core::replay::{Cx, ToolError};
use mrtr_core::wire::Cause;
use serde_json::json;
use support::*;

async fn two(cx: Cx) -> Result<(String, String), ToolError> {
    let (a, b) = tokio::join!(ask(&cx, "a"), ask(&cx, "b"));
    Ok((a?, b?))
}

async fn who(cx: Cx) -> Result<FormContent, ToolError> {
    Ok(cx.elicit_form("who", "Who travels?", text()).await?)
}

#[tokio::test]
async fn an_answer_to_a_plain_question_counts() {
    let answers = json!({ "a": value("1"), "b": value("2") });
    assert_eq!(
        done(Call::new().play(answers, two).await),
        ("1".into(), "2".into())
    );
}

#[tokio::test]
async fn it_is_recorded_like_any_other() {
    async fn handler(cx: Cx) -> Result<String, ToolError> {
        Ok(ask(&cx, "a").await? + &ask(&cx, "b").await?)
    }
    let mut call = Call::new();
    assert_eq!(
        keys(call.play(json!({ "a": value("1") }), handler).await),
        ["b"]
    );
    assert_eq!(
        done(call.play(json!({ "b": value("2") }), handler).await),
        "12"
    );
}

#[tokio::test]
async fn a_bad_one_is_asked_for_saying_what_was_wrong() {
    let closed = Call::new().play(json!({ "who": value(7) }), who).await;
    let [(_, message)] = messages(closed).try_into().expect("one question");
    assert!(message.starts_with("Who travels?\n\n"), "{message}");
}

#[tokio::test]
async fn one_of_another_kind_is_rejected_and_names_the_key() {
    let closed = Call::new()
        .play(json!({ "who": { "roots": [] } }), who)
        .await;
    let cause = rejected(closed).cause;
    assert!(
        matches!(&cause, Cause::InvalidParams(text) if text.contains("`who`")),
        "{cause}"
    );
}

#[tokio::test]
async fn it_never_confirms() {
    let handler = |cx: Cx| async move {
        cx.confirm("pay", "Pay?").await?;
        Ok::<_, ToolError>("paid")
    };
    let mut call = Call::new();
    assert_eq!(
        keys(call.play(json!({ "pay": yes() }), handler).await),
        ["pay"]
    );
    assert_eq!(
        done(call.play(json!({ "pay": yes() }), handler).await),
        "paid"
    );
}

#[tokio::test]
async fn it_never_answers_a_question_marked_asked() {
    let handler = |cx: Cx| async move {
        let kept = cx.elicit_form("k", "?", text()).asked().keep(|c| said(&c));
        let plain = Said(cx.elicit_form("p", "?", text()).asked());
        Ok::<_, ToolError>(plain.await? + &kept.await?)
    };
    let answers = json!({ "p": value("1"), "k": value("2") });
    let mut call = Call::new();
    assert_eq!(keys(call.play(answers.clone(), handler).await), ["k", "p"]);
    assert_eq!(done(call.play(answers, handler).await), "12");
    // What would be malformed is not even looked at.
    let garbage = json!({ "p": { "roots": [] } });
    assert_eq!(keys(Call::new().play(garbage, handler).await), ["k", "p"]);
}

#[tokio::test]
async fn one_recorded_for_a_plain_question_does_not_answer_it_once_marked_asked() {
    let handler = |cx: Cx, strict: bool| async move {
        let q = cx.elicit_form("q", "?", text());
        let q = if strict { q.asked() } else { q };
        q.await?;
        ask(&cx, "more").await?;
        Ok::<_, ToolError>(())
    };
    let mut call = Call::new();
    let answers = json!({ "q": value("x") });
    assert_eq!(
        keys(call.play(answers, |cx| handler(cx, false)).await),
        ["more"]
    );
    assert_eq!(keys(call.play(none(), |cx| handler(cx, true)).await), ["q"]);
}

#[tokio::test]
async fn it_never_counts_for_a_handler_that_takes_asked_answers_only() {
    let mut call = Call::new();
    call.policy.asked_only = true;
    let answers = json!({ "a": value("1"), "b": value("2") });
    assert_eq!(keys(call.play(answers.clone(), two).await), ["a", "b"]);
    assert_eq!(
        done(call.play(answers, two).await),
        ("1".into(), "2".into())
    );
}

#[tokio::test]
async fn one_that_the_first_run_does_not_reach_is_forgotten() {
    async fn handler(cx: Cx) -> Result<String, ToolError> {
        ask(&cx, "a").await?;
        Ok(ask(&cx, "b").await?)
    }
    let mut call = Call::new();
    let early = json!({ "b": value("early") });
    assert_eq!(keys(call.play(early, handler).await), ["a"]);
    assert_eq!(
        keys(call.play(json!({ "a": value("1") }), handler).await),
        ["b"]
    );
}
