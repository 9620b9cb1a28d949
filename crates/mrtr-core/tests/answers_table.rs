//! Reading answers, one test per rule.

mod support;

use mrtr_core::replay::{Cx, Refused, ToolError};
use mrtr_core::round::Closed;
use mrtr_core::state::Method;
use mrtr_core::wire::{Cause, CreateMessageRequest};
use mrtr_derive::Form;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use support::*;

/// Who travels.
#[derive(Debug, PartialEq, Form)]
#[form(crate = "mrtr_core")]
struct Traveller {
    /// Full name
    name: String,
    /// Age in years
    #[form(min = 0)]
    age: Option<u8>,
}

async fn traveller(cx: Cx) -> Result<Traveller, ToolError> {
    Ok(cx.elicit("who", "Who travels?").await?)
}

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

async fn two(cx: Cx) -> Result<(String, String), ToolError> {
    let (a, b) = tokio::join!(ask(&cx, "a"), ask(&cx, "b"));
    Ok((a?, b?))
}

#[track_caller]
fn invalid_params<T: std::fmt::Debug>(closed: Closed<T>, names: &str) {
    let reject = rejected(closed);
    assert!(
        matches!(&reject.cause, Cause::InvalidParams(text) if text.contains(names)),
        "{reject:?}"
    );
    assert_eq!(reject.cause.code().0, -32602);
}

#[tokio::test]
async fn d4_wrong_envelope_types_are_rejected_before_the_handler_runs() {
    let shapes = ["[]", "7", "\"x\"", "null", "true"];
    let values = ["7", "null", "[]", "\"x\"", "true"];
    let inputs = shapes
        .iter()
        .map(|shape| (*shape).to_owned())
        .chain(values.iter().map(|value| format!("{{\"a\":{value}}}")))
        .chain(values.iter().map(|value| format!("{{\"nobody\":{value}}}")));
    for input in inputs {
        let raw = serde_json::value::RawValue::from_string(input.clone()).expect("JSON");
        for with_state in [false, true] {
            let mut call = Call::new();
            if with_state {
                asked(call.play(none(), two).await);
            }
            let ran = Count::default();
            let closed = call
                .play_raw(Some(&raw), |cx| {
                    ran.up();
                    two(cx)
                })
                .await;
            invalid_params(closed, "inputResponses");
            assert_eq!(ran.get(), 0, "{input}");
        }
    }
}

#[tokio::test]
async fn d4_a_state_that_is_no_string_is_rejected_before_the_handler_runs() {
    for state in ["123", "{}", "[]", "true", "\"\"", "\"x\""] {
        let mut call = Call::new();
        call.state = Some(serde_json::value::RawValue::from_string(state.into()).expect("JSON"));
        let ran = Count::default();
        let closed = call
            .play(none(), |cx| {
                ran.up();
                two(cx)
            })
            .await;
        assert_eq!(
            rejected(closed).cause,
            Cause::InvalidRequestState,
            "{state}"
        );
        assert_eq!(ran.get(), 0);
    }
}

#[tokio::test]
async fn a_null_state_is_a_first_round() {
    let mut call = Call::new();
    call.state = Some(to_raw_value(&()).expect("JSON"));
    assert_eq!(keys(call.play(none(), two).await), ["a", "b"]);
}

#[tokio::test]
async fn an_answer_of_another_kind_or_an_unknown_action_is_rejected_before_the_handler_runs() {
    let sampled = json!({
        "role": "assistant", "model": "m", "content": { "type": "text", "text": "x" },
    });
    let bad = [
        sampled,
        json!({ "roots": [] }),
        json!({}),
        json!({ "action": "maybe" }),
        json!({ "action": 7 }),
        json!({ "content": { "value": "x" } }),
        json!({ "action": "accept", "content": ["x"] }),
        json!({ "action": "accept", "content": "x" }),
    ];
    for answer in bad {
        let mut call = Call::new();
        asked(call.play(none(), two).await);
        let ran = Count::default();
        let closed = call
            .play(json!({ "b": answer, "a": value("1") }), |cx| {
                ran.up();
                two(cx)
            })
            .await;
        invalid_params(closed, "`b`");
        assert_eq!(ran.get(), 0, "{answer}");
    }
}

#[tokio::test]
async fn a_malformed_sampling_or_roots_result_is_rejected_and_names_the_key() {
    async fn handler(cx: Cx) -> Result<(), ToolError> {
        let request: CreateMessageRequest =
            serde_json::from_value(json!({ "messages": [], "maxTokens": 1 }))?;
        let (s, r) = tokio::join!(cx.sample("s", request), cx.roots("r"));
        s?;
        r?;
        Ok(())
    }
    for content in [
        json!({}),
        json!([7]),
        json!({ "type": "text" }),
        json!({ "type": "tool_result" }),
    ] {
        let answer = json!({ "role": "assistant", "model": "m", "content": content });
        invalid_params(second(handler, json!({ "s": answer })).await, "`s`");
    }
    for answer in [
        json!({ "action": "accept" }),
        json!({ "roots": {} }),
        json!({ "roots": [{}] }),
    ] {
        invalid_params(second(handler, json!({ "r": answer })).await, "`r`");
    }
    let sampled = json!({
        "role": "assistant", "model": "m", "stopReason": "somethingNew",
        "content": { "type": "text", "text": "x" },
    });
    let roots = json!({ "roots": [{ "uri": "file:///home" }] });
    done(second(handler, json!({ "s": sampled, "r": roots })).await);
}

#[tokio::test]
async fn an_answer_to_a_key_nobody_asked_is_ignored() {
    let answers = json!({
        "a": value("1"), "b": value("2"),
        "c": { "whatever": true }, "": {}, "d": { "action": "decline" },
    });
    assert_eq!(done(second(two, answers).await), ("1".into(), "2".into()));
}

#[tokio::test]
async fn an_answer_to_a_key_that_is_asked_only_later_is_ignored_too() {
    async fn handler(cx: Cx) -> Result<String, ToolError> {
        Ok(ask(&cx, "a").await? + &ask(&cx, "b").await?)
    }
    let answers = json!({ "a": value("1"), "b": value("not asked yet") });
    assert_eq!(keys(second(handler, answers).await), ["b"]);
}

#[tokio::test]
async fn d8_a_missing_answer_is_asked_again_and_only_that() {
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), two).await), ["a", "b"]);
    assert_eq!(
        keys(call.play(json!({ "a": value("1") }), two).await),
        ["b"]
    );
    assert_eq!(keys(call.play(none(), two).await), ["b"]);
    assert_eq!(keys(call.play(json!({}), two).await), ["b"]);
    assert_eq!(
        done(call.play(json!({ "b": value("2") }), two).await),
        ("1".into(), "2".into())
    );
}

#[tokio::test]
async fn d1_accept_without_content_is_asked_again_and_is_no_other_action() {
    let closed = second(traveller, json!({ "who": accept() })).await;
    let [(key, message)] = messages(closed).try_into().expect("one question");
    assert_eq!(key, "who");
    assert!(message.starts_with("Who travels?\n\n"), "{message}");
}

#[tokio::test]
async fn accept_without_content_answers_a_form_that_needs_nothing() {
    async fn handler(cx: Cx) -> Result<usize, ToolError> {
        let nothing = form(json!({ "type": "object", "properties": {} }));
        Ok(cx.elicit_form("q", "Read this.", nothing).await?.len())
    }
    assert_eq!(done(second(handler, json!({ "q": accept() })).await), 0);
}

#[tokio::test]
async fn d2_content_of_a_decline_is_never_used() {
    let answer = json!({ "action": "decline", "content": { "name": "Paris" } });
    assert_eq!(
        refused(second(traveller, json!({ "who": answer })).await),
        Refused::declined("who")
    );
}

#[tokio::test]
async fn decline_and_cancel_are_told_apart() {
    let answers = json!({ "who": cancel() });
    assert_eq!(
        refused(second(traveller, answers).await),
        Refused::cancelled("who")
    );
}

#[tokio::test]
async fn d5_an_answer_needs_no_result_type() {
    assert_eq!(
        refused(second(traveller, json!({ "who": { "action": "decline" } })).await),
        Refused::declined("who")
    );
}

#[tokio::test]
async fn d6_the_form_is_read_from_the_content() {
    let answer = json!({ "action": "accept", "content": { "name": "A" } });
    assert_eq!(
        done(second(traveller, json!({ "who": answer })).await),
        Traveller {
            name: "A".into(),
            age: None
        }
    );
}

#[tokio::test]
async fn d7_content_that_fails_the_form_is_asked_again_saying_what_was_wrong() {
    for (content, says) in [
        (json!({}), "name"),
        (json!({ "name": 42 }), "name"),
        (json!({ "name": "A", "age": -5 }), "age"),
        (json!({ "name": "A", "age": 1.5 }), "age"),
        (json!({ "name": "A", "extra": { "x": 1 } }), "extra"),
    ] {
        let answer = json!({ "action": "accept", "content": content });
        let mut call = Call::new();
        asked(call.play(none(), traveller).await);
        let closed = call.play(json!({ "who": answer }), traveller).await;
        let [(_, message)] = messages(closed).try_into().expect("one question");
        let correction = message
            .strip_prefix("Who travels?\n\n")
            .expect("the message stays");
        assert!(
            correction.to_lowercase().contains(says),
            "{content}: {correction}"
        );
        // The correction is not part of the question: a good answer fits it.
        let good = json!({ "action": "accept", "content": { "name": "A", "age": 1.0 } });
        assert_eq!(
            done(call.play(json!({ "who": good }), traveller).await).age,
            Some(1)
        );
    }
}

#[tokio::test]
async fn two_issued_asks_with_bad_answers_are_both_asked_again_in_one_round() {
    async fn handler(cx: Cx) -> Result<(), ToolError> {
        let a = cx.elicit_form("a", "a?", number());
        let b = cx.elicit_form("b", "b?", number());
        a.await?;
        b.await?;
        Ok(())
    }
    let closed = second(handler, json!({ "a": value(0), "b": value("x") })).await;
    let asked = messages(closed);
    assert_eq!(asked.len(), 2);
    for (key, message) in asked {
        assert!(message.len() > format!("{key}?").len(), "{message}");
    }
}

#[tokio::test]
async fn a_good_answer_beside_a_bad_one_travels_on_unasked() {
    async fn handler(cx: Cx) -> Result<String, ToolError> {
        let bad = cx.elicit_form("bad", "bad?", number());
        let good = ask(&cx, "good");
        bad.await?;
        Ok(good.await?)
    }
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["bad", "good"]);
    let answers = json!({ "bad": value(0), "good": value("g") });
    assert_eq!(keys(call.play(answers, handler).await), ["bad"]);
    assert_eq!(
        done(call.play(json!({ "bad": value(1) }), handler).await),
        "g"
    );
}

#[tokio::test]
async fn a_received_answer_that_a_run_does_not_reach_travels_on() {
    let skips = Count::default();
    let handler = |cx: Cx| {
        let skip = skips.up() == 2;
        async move {
            if skip {
                ask(&cx, "extra").await?;
            }
            two(cx).await
        }
    };
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["a", "b"]);
    let answers = json!({ "a": value("1"), "b": value("2") });
    assert_eq!(keys(call.play(answers, handler).await), ["extra"]);
    assert_eq!(
        done(call.play(json!({ "extra": value("x") }), handler).await),
        ("1".into(), "2".into())
    );
}

#[tokio::test]
async fn d12_both_fields_reach_the_handler_on_all_three_methods() {
    for method in [Method::ToolsCall, Method::PromptsGet, Method::ResourcesRead] {
        let mut call = Call::new();
        call.method = method;
        assert_eq!(keys(call.play(none(), two).await), ["a", "b"]);
        let answers = json!({ "a": value("1"), "b": value("2") });
        assert_eq!(
            done(call.play(answers, two).await),
            ("1".into(), "2".into())
        );
    }
}

#[tokio::test]
async fn answers_are_bounded_one_by_one_and_together() {
    let mut call = Call::new();
    asked(call.play(none(), two).await);
    let closed = call
        .play(json!({ "a": value("x".repeat(33 * 1024)) }), two)
        .await;
    invalid_params(closed, "`a`");
    let many: serde_json::Map<_, _> = (0..10)
        .map(|i| (i.to_string(), value("x".repeat(30 * 1024))))
        .collect();
    invalid_params(call.play(many.into(), two).await, "inputResponses");
}

#[tokio::test]
async fn all_questions_of_a_round_may_be_answered_at_once() {
    let mut call = Call::new();
    call.policy.answers.count = 1;
    assert_eq!(keys(call.play(none(), two).await), ["a", "b"]);
    let answers = json!({ "a": value("1"), "b": value("2") });
    assert_eq!(
        done(call.play(answers, two).await),
        ("1".into(), "2".into())
    );
}
