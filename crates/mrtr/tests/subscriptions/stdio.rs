//! Subscriptions that share one channel.

use std::time::Duration;

use mrtr::server::Changes;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use crate::offer::{assert_end, builder, granted, listen, server, told};
use crate::support::message;
use crate::support::pipe::Pipe;

fn call(id: impl Into<Value>) -> Value {
    let mut message = message("tools/call", json!({"name": "hello", "arguments": {}}));
    message["id"] = id.into();
    message
}

fn cancel(id: impl Into<Value>) -> Value {
    let params = json!({"requestId": id.into()});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
}

#[tokio::test]
async fn subscriptions_and_requests_share_the_channel() {
    let changes = Changes::new();
    let mut pipe = Pipe::new(server(&changes).stdio());
    pipe.send(&listen(1, json!({"toolsListChanged": true})))
        .await;
    granted(&pipe.next().await, 1);
    pipe.send(&listen("two", json!({"promptsListChanged": true})))
        .await;
    granted(&pipe.next().await, "two");
    pipe.send(&call(3)).await;
    assert_eq!(pipe.next().await["id"], 3);
    changes.prompts_list_changed();
    let expected = ("notifications/prompts/list_changed", &json!("two"));
    assert_eq!(told(&pipe.next().await), expected);
    changes.tools_list_changed();
    let expected = ("notifications/tools/list_changed", &json!(1));
    assert_eq!(told(&pipe.next().await), expected);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_for_a_cancelled_subscription_and_its_id_is_free() {
    let changes = Changes::new();
    let mut pipe = Pipe::new(server(&changes).stdio());
    let wish = json!({"toolsListChanged": true});
    pipe.send(&listen(1, wish.clone())).await;
    granted(&pipe.next().await, 1);
    pipe.send(&cancel(1)).await;
    while changes.subscriptions() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    changes.tools_list_changed();
    let silence = timeout(Duration::from_secs(1), pipe.next()).await;
    assert!(silence.is_err(), "{silence:?}");
    pipe.send(&listen(1, wish)).await;
    granted(&pipe.next().await, 1);
}

#[tokio::test(start_paused = true)]
async fn at_the_end_of_input_each_subscription_is_cancelled_and_gets_its_result() {
    let started = Instant::now();
    let changes = Changes::new();
    let mut pipe = Pipe::new(server(&changes).stdio());
    for id in ["a", "b"] {
        pipe.send(&listen(id, json!({"toolsListChanged": true})))
            .await;
        granted(&pipe.next().await, id);
    }
    let rest = pipe.rest().await;
    assert_eq!(started.elapsed(), Duration::ZERO, "without using the grace");
    for id in ["a", "b"] {
        let of_id: Vec<&Value> = rest
            .iter()
            .filter(|message| message["id"] == id || message["params"]["requestId"] == id)
            .collect();
        let [cancelled, result] = of_id[..] else {
            panic!("{rest:?}")
        };
        assert_eq!(told(cancelled), ("notifications/cancelled", &json!(id)));
        assert_end(result, id);
    }
    assert_eq!(rest.len(), 4);
}

#[tokio::test]
async fn the_application_ends_a_subscription_and_the_channel_stays_open() {
    let changes = Changes::new();
    let mut pipe = Pipe::new(server(&changes).stdio());
    pipe.send(&listen(1, json!({"toolsListChanged": true})))
        .await;
    granted(&pipe.next().await, 1);
    changes.end_subscriptions();
    let expected = ("notifications/cancelled", &json!(1));
    assert_eq!(told(&pipe.next().await), expected);
    assert_end(&pipe.next().await, 1);
    pipe.send(&call(1)).await;
    assert_eq!(pipe.next().await["id"], 1);
}

#[tokio::test]
async fn subscriptions_take_no_place_of_requests_and_have_a_bound_of_their_own() {
    let changes = Changes::new();
    let builder = builder(&changes).max_subscriptions(3);
    let mut pipe = Pipe::new(builder.build().unwrap().stdio().max_in_flight(1));
    for id in 1..=3 {
        pipe.send(&listen(id, json!({"toolsListChanged": true})))
            .await;
        granted(&pipe.next().await, id);
    }
    pipe.send(&listen(4, json!({"toolsListChanged": true})))
        .await;
    let refused = pipe.next().await;
    assert_eq!(refused["id"], 4);
    assert_eq!(refused["error"]["data"]["reason"], "rate_limited");
    for id in 5..=9 {
        pipe.send(&call(id)).await;
        assert_eq!(pipe.next().await["id"], id);
    }
    pipe.send(&cancel(2)).await;
    pipe.send(&call(10)).await;
    assert_eq!(pipe.next().await["id"], 10);
    pipe.send(&listen(11, json!({"toolsListChanged": true})))
        .await;
    granted(&pipe.next().await, 11);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_misses_no_change_and_piles_up_nothing() {
    const URIS: usize = 400;
    let changes = Changes::new();
    let mut pipe = Pipe::with_room(server(&changes).stdio(), 64);
    let uris: Vec<String> = (0..URIS).map(|n| format!("note://by-id/{n}")).collect();
    let wish = json!({"resourceSubscriptions": uris});
    pipe.send(&listen(1, wish)).await;
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(1)).await;
        for uri in &uris {
            changes.resource_updated(uri);
        }
    }
    granted(&pipe.next().await, 1);
    let mut seen = vec![0_usize; URIS];
    while let Ok(told) = timeout(Duration::from_secs(1), pipe.next()).await {
        let uri = told["params"]["uri"].as_str().unwrap().to_owned();
        seen[uris.iter().position(|known| *known == uri).unwrap()] += 1;
    }
    assert!(seen.iter().all(|times| (1..=3).contains(times)), "{seen:?}");
    let again = seen.iter().filter(|times| **times > 1).count();
    assert!(
        again <= 300,
        "only what had left the queue came again: {again}"
    );
}
