//! The paragraphs on errors of
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#error-handling>,
//! as far as they are about answers; malformed messages are in [`crate::messages`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mrtr::wire::{CreateMessageRequest, SamplingMessage};
use mrtr::{Cx, Form, ToolError};
use serde_json::{Value, json};

use crate::support::{Case, Offer, Peer, accept, builder, yes};

#[derive(Form)]
struct Who {
    #[form(max_length = 20)]
    name: String,
    age: u8,
}

async fn who(cx: Cx) -> Result<String, ToolError> {
    let who: Who = cx.elicit("who", "Who are you?").await?;
    Ok(format!("{} {}", who.name, who.age))
}

async fn two(cx: Cx) -> Result<String, ToolError> {
    let (a, b) = futures::join!(
        cx.elicit::<Who>("a", "First?"),
        cx.elicit::<Who>("b", "Second?")
    );
    Ok(format!("{} and {}", a?.name, b?.name))
}

fn ann() -> Value {
    accept(json!({"name": "Ann", "age": 7}))
}

everywhere!(
    error_handling_1_d4_responses_that_are_no_object_of_objects_are_invalid_params,
    error_handling_1_d11_a_result_of_another_kind_or_shape_is_invalid_params_and_names_the_key,
    error_handling_1_answers_are_bounded_one_by_one_and_together,
    error_handling_2_what_nobody_asked_is_ignored,
    error_handling_3_d8_what_is_missing_is_asked_again_and_nothing_else,
);

async fn error_handling_1_d4_responses_that_are_no_object_of_objects_are_invalid_params(
    case: Case,
) {
    let runs = Arc::new(AtomicU32::new(0));
    let counter = runs.clone();
    let builder = builder().offer("who", move |cx| {
        counter.fetch_add(1, Ordering::SeqCst);
        who(cx)
    });
    let mut peer = Peer::of(case, builder).await;
    let state = peer.call("who").await.state();
    for wrong in [
        json!([]),
        json!("who"),
        json!(7),
        json!(true),
        json!(null),
        json!({"k": 7}),
        json!({"k": null}),
        json!({"k": []}),
        json!({"who": "accept"}),
        json!({"who": ann(), "k": false}),
    ] {
        for members in [
            json!({"inputResponses": wrong, "requestState": state}),
            json!({"inputResponses": wrong}),
        ] {
            let refused = peer.call_with("who", members).await;
            let error = refused.assert_error(-32_602, 400);
            let message = error["message"].as_str().unwrap();
            assert!(message.contains("inputResponses"), "{wrong}: {message}");
        }
    }
    assert_eq!(runs.load(Ordering::SeqCst), 1, "no handler ran");
}

async fn error_handling_1_d11_a_result_of_another_kind_or_shape_is_invalid_params_and_names_the_key(
    case: Case,
) {
    let builder = builder().offer("who", who).offer("roots", |cx| async move {
        Ok(cx.roots("q").await?.len().to_string())
    });
    let builder = builder.offer("sample", |cx| async move {
        let request = CreateMessageRequest::new(vec![SamplingMessage::user("Hello")], 10);
        Ok(cx.sample("q", request).await?.model)
    });
    let builder = builder.offer("form", |cx| async move {
        Ok(cx.elicit::<Who>("q", "Who are you?").await?.name)
    });
    let message = |content: Value| json!({"role": "assistant", "model": "m", "content": content});
    let text = json!({"type": "text", "text": "Hi"});
    let mixed = json!([{"type": "tool_result", "toolUseId": "u", "content": []}, text]);
    let mut stopped = message(text.clone());
    stopped["stopReason"] = json!("somethingNew");
    let mut stopped_wrongly = stopped.clone();
    stopped_wrongly["stopReason"] = json!(7);
    let mut peer = Peer::of(case, builder).await;
    for (name, wrong, right) in [
        (
            "form",
            vec![
                json!({}),
                json!({"action": "maybe"}),
                json!({"action": 7}),
                json!({"content": {}}),
                json!({"action": "accept", "content": []}),
                json!({"roots": []}),
                message(text.clone()),
            ],
            ann(),
        ),
        (
            "roots",
            vec![
                json!({}),
                yes(),
                json!({"roots": {}}),
                json!({"roots": [7]}),
                json!({"roots": [{"name": "no uri"}]}),
            ],
            json!({"roots": [{"uri": "file:///a"}]}),
        ),
        (
            "sample",
            vec![
                json!({}),
                yes(),
                message(json!({})),
                message(json!([7])),
                message(json!({"type": "text"})),
                message(json!({"type": "tool_result"})),
                json!({"role": "user", "model": "m", "content": mixed}),
                json!({"role": "assistant", "content": text}),
                stopped_wrongly,
            ],
            stopped,
        ),
    ] {
        let state = peer.call(name).await.state();
        for answer in wrong {
            let refused = peer.answer(name, json!({"q": answer}), &state).await;
            let error = refused.assert_error(-32_602, 400);
            let message = error["message"].as_str().unwrap();
            assert!(message.contains("`q`"), "{name} {answer}: {message}");
        }
        let done = peer.answer(name, json!({"q": right}), &state).await;
        assert!(!done.is_error() && !done.asks(), "{name}: {}", done.message);
    }
}

async fn error_handling_1_answers_are_bounded_one_by_one_and_together(case: Case) {
    let mut peer = Peer::of(case, builder().offer("who", who)).await;
    let state = peer.call("who").await.state();
    let of_size = |bytes: usize| accept(json!({"name": "x".repeat(bytes)}));
    let large = peer
        .answer("who", json!({"who": of_size(33 * 1024)}), &state)
        .await;
    large.assert_error(-32_602, 400);
    for (count, bytes) in [(1025, 1), (9, 31 * 1024)] {
        let many: Value = (0..count)
            .map(|i| (format!("k{i}"), of_size(bytes)))
            .collect();
        peer.answer("who", many, &state)
            .await
            .assert_error(-32_602, 400);
    }
    let fits = peer
        .answer("who", json!({"who": of_size(31 * 1024)}), &state)
        .await;
    assert_eq!(
        fits.keys(),
        ["who"],
        "too long for the field, which is the person's business"
    );
}

async fn error_handling_2_what_nobody_asked_is_ignored(case: Case) {
    let mut peer = Peer::of(case, builder().offer("who", who)).await;
    let state = peer.call("who").await.state();
    let answers = json!({
        "who": {"action": "accept", "content": {"name": "Ann", "age": 7}, "note": 1, "_meta": {}},
        "other": {"action": "whatever"},
        "": {},
        "who/": {"roots": "of all evil"},
    });
    assert_eq!(peer.answer("who", answers, &state).await.done(), "Ann 7");
    let only = peer.answer("who", json!({"other": ann()}), &state).await;
    assert_eq!(only.keys(), ["who"]);
}

async fn error_handling_3_d8_what_is_missing_is_asked_again_and_nothing_else(case: Case) {
    let mut peer = Peer::of(case, builder().offer("two", two)).await;
    let asked = peer.call("two").await;
    assert_eq!(asked.keys(), ["a", "b"]);
    let asked = peer.answer("two", json!({"a": ann()}), asked.state()).await;
    assert_eq!(asked.keys(), ["b"]);
    let again = peer.answer("two", json!({}), asked.state()).await;
    assert_eq!(again.keys(), ["b"]);
    let bob = json!({"b": accept(json!({"name": "Bob", "age": 8}))});
    assert_eq!(
        peer.answer("two", bob, again.state()).await.done(),
        "Ann and Bob"
    );
}
