//! How subscriptions end when it is the server that ends them.

use std::time::Duration;

use mrtr::server::Changes;
use serde_json::json;
use tokio::time::Instant;

use crate::http::Listening;
use crate::offer::{assert_end, granted, post, server, told};
use crate::support::{Post, run};

#[tokio::test(start_paused = true)]
async fn a_listener_that_stops_ends_every_subscription_with_its_result() {
    let changes = Changes::new();
    let mut running = run(server(&changes).http()).await;
    let mut open = Vec::new();
    for id in [json!(1), json!("two")] {
        let wish = json!({"toolsListChanged": true});
        let mut listening = Listening::open(&running, &post(id.clone(), wish)).await;
        granted(&listening.one().await, id.clone());
        open.push((id, listening));
    }
    let started = Instant::now();
    running.stop();
    for (id, mut listening) in open {
        assert_end(&listening.one().await, id);
        assert!(listening.next().await.is_none(), "the stream ends");
        assert!(listening.0.is_closed().await);
    }
    running.ended().await;
    assert_eq!(started.elapsed(), Duration::ZERO, "without using the grace");
    assert_eq!(changes.subscriptions(), 0);
}

#[tokio::test]
async fn the_application_ends_subscriptions_and_the_server_goes_on() {
    let changes = Changes::new();
    let running = run(server(&changes).http()).await;
    let wish = json!({"toolsListChanged": true});
    let mut listening = Listening::open(&running, &post(1, wish.clone())).await;
    granted(&listening.one().await, 1);
    changes.end_subscriptions();
    assert_end(&listening.one().await, 1);
    assert!(listening.next().await.is_none());
    assert_eq!(running.send(&Post::discover()).await.status, 200);

    let mut again = Listening::open(&running, &post(2, wish)).await;
    granted(&again.one().await, 2);
    changes.tools_list_changed();
    assert_eq!(
        told(&again.one().await).0,
        "notifications/tools/list_changed"
    );
}

#[tokio::test]
async fn two_servers_may_share_their_changes() {
    let changes = Changes::new();
    let mut first = run(server(&changes).http()).await;
    let second = run(server(&changes).http()).await;
    let wish = json!({"toolsListChanged": true});
    let mut at_first = Listening::open(&first, &post(1, wish.clone())).await;
    let mut at_second = Listening::open(&second, &post(1, wish)).await;
    granted(&at_first.one().await, 1);
    granted(&at_second.one().await, 1);
    changes.tools_list_changed();
    told(&at_first.one().await);
    told(&at_second.one().await);
    first.stop();
    assert_end(&at_first.one().await, 1);
    changes.tools_list_changed();
    assert_eq!(
        told(&at_second.one().await).0,
        "notifications/tools/list_changed",
        "the end of one listener is not the end of the other"
    );
}
