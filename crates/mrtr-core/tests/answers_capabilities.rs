//! Nothing is asked that the client did not declare.

mod support;

use mrtr_core::replay::{Cx, ToolError};
use mrtr_core::wire::{Capabilities, Capability, Cause, CreateMessageRequest};
use serde_json::{Value, json};
use support::*;

async fn missing<F, Fut>(declared: Capabilities, handler: F) -> Capabilities
where
    F: FnOnce(Cx) -> Fut,
    Fut: Future<Output = Result<(), ToolError>>,
{
    let mut call = Call::new();
    call.capabilities = declared;
    match rejected(call.play(none(), handler).await).cause {
        Cause::MissingCapability(missing) => missing,
        other => panic!("{other:?}"),
    }
}

fn sampling(extra: Value) -> CreateMessageRequest {
    let mut request = json!({ "messages": [], "maxTokens": 1 });
    request
        .as_object_mut()
        .expect("an object")
        .extend(extra.as_object().expect("an object").clone());
    serde_json::from_value(request).expect("a request")
}

async fn sample(cx: Cx, extra: Value) -> Result<(), ToolError> {
    cx.sample("s", sampling(extra)).await?;
    Ok(())
}

#[tokio::test]
async fn c1_form_alone_does_not_allow_a_url() {
    let missing = missing(Capability::ElicitationForm.into(), |cx| async move {
        let done = || async { Ok::<_, std::convert::Infallible>(()) };
        cx.elicit_url("u", "?", "https://example.com", done).await?;
        Ok(())
    })
    .await;
    assert_eq!(
        serde_json::to_value(missing).expect("JSON"),
        json!({ "elicitation": { "url": {} } })
    );
}

#[tokio::test]
async fn c2_tools_in_sampling_need_their_own_capability() {
    let declared: Capabilities = Capability::Sampling.into();
    for (extra, needs) in [
        (json!({ "tools": [] }), Capability::SamplingTools),
        (json!({ "toolChoice": {} }), Capability::SamplingTools),
        (
            json!({ "includeContext": "thisServer" }),
            Capability::SamplingContext,
        ),
    ] {
        let found = missing(declared, |cx| sample(cx, extra)).await;
        assert_eq!(found, needs.into());
    }
    let mut call = Call::new();
    call.capabilities = declared;
    let plain = |cx| sample(cx, json!({ "includeContext": "none" }));
    assert_eq!(keys(call.play(none(), plain).await), ["s"]);
}

#[tokio::test]
async fn c7_roots_are_not_asked_without_capability() {
    let found = missing(Capabilities::NONE, |cx| async move {
        cx.roots("r").await?;
        Ok(())
    })
    .await;
    assert_eq!(found, Capability::Roots.into());
}

#[tokio::test]
async fn all_missing_ones_of_a_round_are_named_at_once() {
    let found = missing(Capability::ElicitationForm.into(), |cx| async move {
        let form = ask(&cx, "form");
        let roots = cx.roots("r");
        let _unpolled = cx.sample("s", sampling(json!({ "tools": [] })));
        let (form, roots) = tokio::join!(form, roots);
        form?;
        roots?;
        Ok(())
    })
    .await;
    let all = Capabilities::from(Capability::Roots)
        | Capability::Sampling.into()
        | Capability::SamplingTools.into();
    assert_eq!(found, all);
}

#[tokio::test]
async fn a_handler_may_look_before_it_asks() {
    let handler = |cx: Cx| async move {
        if cx.can_ask(Capability::ElicitationForm) {
            ask(&cx, "q").await?;
        }
        Ok::<_, ToolError>(())
    };
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["q"]);
    let mut call = Call::new();
    call.capabilities = Capabilities::NONE;
    done(call.play(none(), handler).await);
}

#[tokio::test]
async fn required_ones_are_checked_before_the_handler_runs() {
    let mut call = Call::new();
    call.capabilities = Capability::ElicitationForm.into();
    call.policy.requires = Capabilities::from(Capability::ElicitationUrl);
    let ran = Count::default();
    let closed = call
        .play(none(), |cx| {
            ran.up();
            q(cx)
        })
        .await;
    assert_eq!(
        rejected(closed).cause,
        Cause::MissingCapability(Capability::ElicitationUrl.into())
    );
    assert_eq!(ran.get(), 0);
}

async fn q(cx: Cx) -> Result<String, ToolError> {
    Ok(ask(&cx, "q").await?)
}

#[tokio::test]
async fn b17_no_answer_is_invented_for_a_question_that_cannot_be_asked() {
    let after = Count::default();
    let mut call = Call::new();
    call.capabilities = Capabilities::NONE;
    let closed = call
        .play(none(), |cx| {
            let after = after.clone();
            async move {
                let _ = ask(&cx, "q").await;
                after.up();
                Ok::<_, ToolError>(())
            }
        })
        .await;
    assert!(matches!(
        rejected(closed).cause,
        Cause::MissingCapability(_)
    ));
    assert_eq!(after.get(), 0, "neither accepted nor declined");
}
