//! What a `once` body returns: recorded whatever it is, sealed, and read back.

mod durable;
mod support;

use durable::*;
use mrtr_core::ledger::Entered;
use mrtr_core::replay::{Cx, Durable, ToolError};
use mrtr_core::round::Closed;
use mrtr_core::wire::Cause;
use serde_json::json;
use support::*;
use tokio::time::sleep;

/// Asks, then charges, then asks again.
async fn order(cx: Cx<Durable>, charges: &Count) -> Result<String, ToolError> {
    ask(&cx, "a").await?;
    let counted = charges.clone();
    let receipt = cx
        .once("charge", move || async move { counted.up() })
        .await?;
    let b = ask(&cx, "b").await?;
    Ok(format!("{receipt} {b}"))
}

fn a() -> serde_json::Value {
    json!({ "a": value("1") })
}

/// An exchange whose first question was asked.
async fn started(store: &Store) -> Single {
    let mut single = Single::new(store);
    let never = Count::default();
    let closed = single.play(none(), |cx| order(cx, &never)).await;
    assert_eq!(keys(closed), ["a"]);
    assert_eq!(never.get(), 0);
    single
}

#[tokio::test(start_paused = true)]
async fn an_error_in_the_value_was_an_attempt_too() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    let handler = |cx: Cx<Durable>| {
        let charges = charges.clone();
        async move {
            ask(&cx, "a").await?;
            let charge = cx.once("charge", move || async move {
                charges.up();
                Err::<u32, String>("declined".into())
            });
            Ok(charge.await?)
        }
    };
    for _ in 0..2 {
        let closed = single.again(a(), handler).await;
        assert_eq!(done(closed), Err("declined".to_owned()));
    }
    assert_eq!(charges.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn values_are_sealed_in_the_store_each_for_its_row() {
    let store = Store::new();
    let mut single = started(&store).await;
    let handler = |cx: Cx<Durable>| async move {
        ask(&cx, "a").await?;
        let secret = cx
            .once("secret", || async { "card 4711".to_owned() })
            .await?;
        let other = cx
            .once("other", || async { "card 4711".to_owned() })
            .await?;
        Ok::<_, ToolError>((secret, other))
    };
    done(single.again(a(), handler).await);
    let values = store.values();
    let [(_, secret), (_, other)] = &values[..] else {
        panic!("two values: {values:?}")
    };
    assert_ne!(secret, other);
    for value in [secret, other] {
        let value = String::from_utf8_lossy(value);
        assert!(
            value.starts_with("mrtrb1.") && !value.contains("4711"),
            "{value}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_value_that_is_not_this_rows_is_not_believed() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    assert_eq!(
        keys(single.again(a(), |cx| order(cx, &charges)).await),
        ["b"]
    );
    let (_, sealed) = store.values().pop().expect("one value");
    let mut other = Single::new(&store);
    other.call.seed = 100;
    assert_eq!(
        keys(other.play(none(), |cx| order(cx, &charges)).await),
        ["a"]
    );
    for foreign in [sealed, b"mrtrb1.x".to_vec(), vec![0xff]] {
        store.tell(Entered::Recorded(foreign));
        let reject = rejected(other.again(a(), |cx| order(cx, &charges)).await);
        assert_eq!(reject.cause, Cause::Unavailable);
        assert!(reject.log.contains("does not open"), "{reject}");
    }
    assert_eq!(charges.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_value_of_another_type_or_that_does_not_survive_json_is_a_fault() {
    let (store, charges) = (Store::new(), Count::default());
    let mut single = started(&store).await;
    assert_eq!(
        keys(single.again(a(), |cx| order(cx, &charges)).await),
        ["b"]
    );
    let other = |cx: Cx<Durable>| async move {
        ask(&cx, "a").await?;
        let charge = cx.once("charge", || async { "text".to_owned() });
        Ok::<_, ToolError>(charge.await?)
    };
    let fault_of = |closed: Closed<_>| fault(closed).kind().to_string();
    let told = fault_of(single.again(a(), other).await);
    assert!(told.contains("cannot be read"), "{told}");
    let lossy = |cx: Cx<Durable>| async move {
        ask(&cx, "a").await?;
        let charge = cx.once("lossy", || async { f64::NAN });
        charge.await?;
        Ok::<_, ToolError>(String::new())
    };
    let told = fault_of(single.again(a(), lossy).await);
    assert!(told.contains("does not survive JSON"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_value_that_cannot_be_recorded_is_a_fault_and_an_unknown_outcome() {
    use std::collections::HashMap;
    let store = Store::new();
    let mut single = started(&store).await;
    let unwritable = |cx: Cx<Durable>| async move {
        ask(&cx, "a").await?;
        let map = HashMap::from([((1, 2), 3)]);
        let charge = cx.once("map", move || async { map });
        Ok::<_, ToolError>(charge.await?.len())
    };
    let large = |cx: Cx<Durable>| async move {
        ask(&cx, "a").await?;
        let charge = cx.once("large", || async { "x".repeat(50_000) });
        Ok::<_, ToolError>(charge.await?.len())
    };
    let told = fault(single.again(a(), unwritable).await).to_string();
    assert!(told.contains("cannot be written"), "{told}");
    let told = fault(single.again(a(), large).await).to_string();
    assert!(told.contains("return a reference"), "{told}");
    sleep(LEASE).await;
    assert_eq!(unknown(single.again(a(), unwritable).await), "map");
    assert_eq!(unknown(single.again(a(), large).await), "large");
}
