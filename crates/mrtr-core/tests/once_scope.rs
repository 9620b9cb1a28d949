//! What a `once` is done to: its key within the exchange, or a scope.

mod durable;
mod support;

use std::sync::Arc;

use durable::*;
use mrtr_core::replay::{Cx, Durable, FaultKind, ToolError};
use mrtr_core::state::Principal;
use serde_json::json;
use support::*;

#[tokio::test(start_paused = true)]
async fn before_the_first_token_it_is_a_fault_and_nothing_begins() {
    let store = Store::new();
    let handler = |cx: Cx<Durable>| async move {
        cx.once::<(), _>("charge", || async { panic!("begun") })
            .await
            .map_err(ToolError::from)
    };
    let fault = fault(Single::new(&store).play(none(), handler).await);
    assert_eq!(fault.kind(), &FaultKind::OnceBeforeToken("charge".into()));
    assert_eq!(store.entries(), []);
}

async fn scoped(cx: Cx<Durable>, scope: &str, charges: &Count) -> Result<u32, ToolError> {
    let counted = charges.clone();
    let charge = cx.once("charge", move || async move { counted.up() });
    Ok(charge.scope(scope).await?)
}

#[tokio::test(start_paused = true)]
async fn a_scope_is_charged_once_in_all_exchanges_of_a_caller_and_a_tool() {
    let (store, charges) = (Store::new(), Count::default());
    let exchange = |seed: u8, who: &str, target: &str| {
        let mut single = Single::new(&store);
        single.call.seed = seed;
        single.call.principal = Some(Arc::new(Principal::new("iss", who)));
        single.call.target = target.into();
        single
    };
    let mut cases = [
        (exchange(1, "ada", "pay"), "order 1", 1),
        (exchange(2, "ada", "pay"), "order 1", 1),
        (exchange(3, "ada", "pay"), "order 2", 2),
        (exchange(4, "bob", "pay"), "order 1", 3),
        (exchange(5, "ada", "tip"), "order 1", 4),
        (exchange(6, "ada", "pay"), "order 1", 1),
    ];
    for (single, scope, receipt) in &mut cases {
        let closed = single.play(none(), |cx| scoped(cx, scope, &charges)).await;
        assert_eq!(done(closed), *receipt);
    }
}

#[tokio::test(start_paused = true)]
async fn keys_are_rows_of_their_own_in_an_exchange_and_between_exchanges() {
    let (store, charges) = (Store::new(), Count::default());
    let handler = |cx: Cx<Durable>| {
        let charges = charges.clone();
        async move {
            ask(&cx, "a").await?;
            let mut sum = Vec::new();
            for i in 0..3 {
                let counted = charges.clone();
                let charge = cx.at(i).once("charge", move || async move { counted.up() });
                sum.push(charge.await?);
            }
            Ok::<_, ToolError>(sum)
        }
    };
    for (seed, expected) in [(0, [1, 2, 3]), (100, [4, 5, 6])] {
        let mut single = Single::new(&store);
        single.call.seed = seed;
        assert_eq!(keys(single.play(none(), handler).await), ["a"]);
        assert_eq!(
            done(single.again(json!({ "a": value("1") }), handler).await),
            expected
        );
        assert_eq!(
            done(single.again(json!({ "a": value("1") }), handler).await),
            expected
        );
    }
}
