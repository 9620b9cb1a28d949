//! Idempotency keys are stable or are not given.

mod support;

use std::sync::Arc;

use mrtr_core::replay::{Cx, FaultKind, IdempotencyKey, ToolError};
use mrtr_core::state::Principal;
use serde_json::json;
use support::*;

#[tokio::test]
async fn a_key_before_the_first_token_is_a_fault_and_what_follows_does_not_run() {
    let effects = Count::default();
    let counted = effects.clone();
    let handler = |cx: Cx| async move {
        let _key = cx.idempotency_key("charge").to_string();
        counted.up();
        Ok::<_, ToolError>(())
    };
    let fault = fault(Call::new().play(none(), handler).await);
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
            let key = |scope: &str| -> IdempotencyKey { cx.idempotency_key("pay").scope(scope) };
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

/// Releases something outside, under its key.
struct Release(Cx);

impl Drop for Release {
    fn drop(&mut self) {
        let _ = self.0.idempotency_key("release").to_string();
    }
}

#[tokio::test]
async fn a_key_before_the_first_token_in_a_guard_is_a_fault_that_says_so() {
    let handler = |cx: Cx| async move {
        let _guard = Release(cx.clone());
        ask(&cx, "q").await?;
        Ok::<_, ToolError>(())
    };
    let fault = fault(Call::new().play(none(), handler).await);
    assert!(fault.to_string().contains("`release`"), "{fault}");
}

#[tokio::test]
async fn a_key_before_the_first_token_in_a_guard_does_not_abort_a_panic() {
    for panics in [true, false] {
        let handler = |cx: Cx| async move {
            let _guard = Release(cx.clone());
            if panics {
                panic!("first");
            }
            Ok::<_, ToolError>(cx.idempotency_key("charge").to_string())
        };
        fault(Call::new().play(none(), handler).await);
    }
}
