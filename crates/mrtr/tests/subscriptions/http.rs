//! Subscriptions as streams of events.

use std::time::Duration;

use mrtr::server::Changes;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::offer::{builder, granted, listen, post, server, told};
use crate::support::{Connection, Post, Running, run};

const EVERYTHING: &str = r#"{"toolsListChanged":true,"promptsListChanged":true,
    "resourcesListChanged":true,"resourceSubscriptions":["note://todo"]}"#;

fn everything() -> Value {
    serde_json::from_str(EVERYTHING).unwrap()
}

/// An open subscription.
pub(crate) struct Listening(pub(crate) Connection);

impl Listening {
    pub(crate) async fn open(server: &Running, post: &Post) -> Self {
        let mut connection = Connection::open(server.address).await;
        connection.write(&post.bytes()).await;
        let head = connection.answer_head().await;
        assert_eq!(head.status, 200);
        assert_eq!(head.header("content-type"), Some("text/event-stream"));
        assert_eq!(head.header("x-accel-buffering"), Some("no"));
        assert_eq!(head.header("cache-control"), Some("no-store"));
        Self(connection)
    }

    /// The messages of the next chunk; `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Vec<Value>> {
        let chunk = String::from_utf8(self.0.chunk().await?).unwrap();
        let events = chunk.split_terminator("\n\n").map(|event| {
            let data = event.strip_prefix("event: message\ndata: ").unwrap();
            serde_json::from_str(data).unwrap()
        });
        Some(events.collect())
    }

    pub(crate) async fn one(&mut self) -> Value {
        let mut messages = self.next().await.expect("a message");
        assert_eq!(messages.len(), 1, "{messages:?}");
        messages.remove(0)
    }
}

#[tokio::test(start_paused = true)]
async fn the_acknowledgement_comes_first_and_at_once_with_the_id_as_it_was_sent() {
    let server = run(server(&Changes::new()).http()).await;
    let started = Instant::now();
    for id in [json!(0), json!("007"), json!(u64::MAX)] {
        let mut listening = Listening::open(&server, &post(id.clone(), everything())).await;
        assert_eq!(granted(&listening.one().await, id), everything());
    }
    assert_eq!(started.elapsed(), Duration::ZERO, "nothing was held back");
}

#[tokio::test]
async fn every_change_is_told_to_who_asked_for_it_and_to_nobody_else() {
    let changes = Changes::new();
    let server = run(server(&changes).http()).await;
    let mut all = Listening::open(&server, &post(1, everything())).await;
    granted(&all.one().await, 1);
    let wish = json!({"promptsListChanged": true, "toolsListChanged": false});
    let mut prompts = Listening::open(&server, &post("p", wish)).await;
    assert_eq!(
        granted(&prompts.one().await, "p"),
        json!({"promptsListChanged": true})
    );
    assert_eq!(changes.subscriptions(), 2);

    for (change, method) in [
        (
            Changes::tools_list_changed as fn(&Changes),
            "notifications/tools/list_changed",
        ),
        (
            Changes::resources_list_changed,
            "notifications/resources/list_changed",
        ),
        (
            |changes: &Changes| changes.resource_updated("note://todo"),
            "notifications/resources/updated",
        ),
        (
            Changes::prompts_list_changed,
            "notifications/prompts/list_changed",
        ),
    ] {
        changes.resource_updated("note://by-id/1");
        change(&changes);
        let told_to_all = all.one().await;
        assert_eq!(told(&told_to_all), (method, &json!(1)));
        if method.ends_with("updated") {
            assert_eq!(told_to_all["params"]["uri"], "note://todo");
        }
    }
    let first = prompts.one().await;
    let expected = ("notifications/prompts/list_changed", &json!("p"));
    assert_eq!(told(&first), expected);
}

#[tokio::test]
async fn what_the_server_does_not_have_or_announce_is_left_out_of_what_it_grants() {
    let lists = Changes::new().without_resources();
    let server = run(server(&lists).http()).await;
    let mut listening = Listening::open(&server, &post(1, everything())).await;
    assert_eq!(
        granted(&listening.one().await, 1),
        json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true})
    );

    let resources = Changes::new().without_lists();
    let server = run(builder(&resources).build().unwrap().http()).await;
    let wish = json!({
        "toolsListChanged": true,
        "taskStatus": true,
        "resourceSubscriptions":
            ["note://by-id/7", "note://todo", "note://nowhere", "note://by-id/7", "no uri"],
    });
    let mut listening = Listening::open(&server, &post(1, wish)).await;
    assert_eq!(
        granted(&listening.one().await, 1),
        json!({"resourceSubscriptions": ["note://by-id/7", "note://todo"]})
    );
    resources.resource_updated("note://by-id/7");
    assert_eq!(
        listening.one().await["params"]["uri"],
        "note://by-id/7",
        "of a template"
    );
}

#[tokio::test]
async fn the_application_decides_who_may_subscribe_to_which_resource() {
    let changes = Changes::new();
    let builder = builder(&changes)
        .subscribable(|caller, uri| caller.principal.is_some() || uri != "note://by-id/1");
    let server = run(builder.build().unwrap().http()).await;
    let wish = json!({"resourceSubscriptions": ["note://by-id/1", "note://by-id/2"]});
    let mut listening = Listening::open(&server, &post(1, wish)).await;
    assert_eq!(
        granted(&listening.one().await, 1),
        json!({"resourceSubscriptions": ["note://by-id/2"]})
    );
}

#[tokio::test(start_paused = true)]
async fn a_quiet_subscription_is_kept_open_by_comments_and_has_no_deadline() {
    let changes = Changes::new();
    let builder = builder(&changes).request_deadline(Duration::from_secs(1));
    let server = run(builder.build().unwrap().http()).await;
    let mut listening = Listening::open(&server, &post(1, everything())).await;
    granted(&listening.one().await, 1);
    let started = Instant::now();
    for beats in 1..=3 {
        assert_eq!(listening.0.chunk().await.unwrap(), b":\n\n");
        assert_eq!(started.elapsed().as_secs(), 15 * beats);
    }
    changes.tools_list_changed();
    assert_eq!(
        told(&listening.one().await).0,
        "notifications/tools/list_changed"
    );
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_makes_room_for_another() {
    let changes = Changes::new();
    let builder = builder(&changes).max_subscriptions(1);
    let server = run(builder.build().unwrap().http()).await;
    let mut first = Listening::open(&server, &post(1, everything())).await;
    granted(&first.one().await, 1);

    let refused = server.send(&post(2, everything())).await;
    assert_eq!(refused.code(), Some(-32_603));
    assert_eq!(refused.json()["error"]["data"]["reason"], "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("30"));

    drop(first);
    while changes.subscriptions() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let mut second = Listening::open(&server, &post(2, everything())).await;
    granted(&second.one().await, 2);
}

#[tokio::test]
async fn the_headers_of_a_subscription_are_those_of_any_request() {
    let server = run(server(&Changes::new()).http()).await;
    let wrong = post(1, json!({})).with("Mcp-Method", "tools/list");
    let answer = server.send(&wrong).await;
    assert_eq!((answer.status, answer.code()), (400, Some(-32_020)));
    let unversioned = post(1, json!({})).body(
        json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
            "params": {"notifications": listen(1, json!({}))}})
        .to_string(),
    );
    let answer = server.send(&unversioned).await;
    assert_eq!((answer.status, answer.code()), (400, Some(-32_602)));
}
