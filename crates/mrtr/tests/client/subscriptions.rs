//! Hearing of changes, over HTTP and over a stream.

use std::time::Duration;

use crate::support::http::{Do, Script, event, reply};
use crate::support::peer::Peer;
use mrtr::client::{Change, Client, ClientError, Loss, Subscription};
use mrtr::exchange::{Blame, ExchangeError};
use mrtr::wire::SubscriptionFilter;
use serde_json::{Value, json};

fn filter(value: Value) -> SubscriptionFilter {
    serde_json::from_value(value).unwrap()
}

fn tools() -> SubscriptionFilter {
    filter(json!({"toolsListChanged": true}))
}

fn everything() -> SubscriptionFilter {
    filter(json!({"toolsListChanged": true, "promptsListChanged": true,
        "resourcesListChanged": true, "resourceSubscriptions": ["note://a"]}))
}

/// A notification of the subscription `id`.
fn told(id: &Value, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": id});
    json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params})
}

fn acknowledged(id: &Value, granted: Value) -> Value {
    told(
        id,
        "subscriptions/acknowledged",
        json!({"notifications": granted}),
    )
}

fn ended(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete",
        "_meta": {"io.modelcontextprotocol/subscriptionId": id}}})
}

/// A stream of these messages.
fn stream(messages: &[Value]) -> String {
    let events: String = messages.iter().map(event).collect();
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n: hi\n\n{events}"
    )
}

async fn next(subscription: &mut Subscription) -> Change {
    subscription.next().await.unwrap().unwrap()
}

#[tokio::test]
async fn changes_come_typed_until_the_server_ends_the_subscription() {
    let id = json!("$ID");
    let messages = [
        acknowledged(
            &id,
            json!({"toolsListChanged": true, "resourceSubscriptions": ["note://a"]}),
        ),
        told(&id, "tools/list_changed", json!({})),
        told(&id, "resources/updated", json!({"uri": "note://a/part"})),
        told(&id, "unheard/of", json!({})),
        told(&json!(999), "prompts/list_changed", json!({})),
        told(&id, "resources/list_changed", json!({})),
        ended(&id),
    ];
    let script = Script::new([Do::Cut(stream(&messages))]).await;
    let mut subscription = script.client().listen(everything()).await.unwrap();
    assert_eq!(subscription.granted().tools_list_changed, Some(true));
    assert_eq!(
        serde_json::to_value(subscription.missing()).unwrap(),
        json!({"promptsListChanged": true, "resourcesListChanged": true})
    );
    assert_eq!(next(&mut subscription).await, Change::Tools);
    let uri = "note://a/part".to_owned();
    assert_eq!(next(&mut subscription).await, Change::Resource { uri });
    assert_eq!(next(&mut subscription).await, Change::Resources);
    for _ in 0..2 {
        assert_eq!(subscription.next().await.unwrap(), None);
    }

    let seen = &script.seen()[0];
    assert_eq!(seen.header("mcp-method"), Some("subscriptions/listen"));
    assert_eq!(seen.header("mcp-name"), None);
    assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
    let wanted = json!({"notifications": everything()});
    assert_eq!(seen.bare(), wanted);
    let meta = &seen.params()["_meta"];
    assert!(meta["io.modelcontextprotocol/clientCapabilities"].is_object());
}

#[tokio::test]
async fn a_stream_that_ends_without_a_word_is_lost_after_what_came_before() {
    let id = json!("$ID");
    let messages = [
        acknowledged(&id, json!({"toolsListChanged": true})),
        told(&id, "tools/list_changed", json!({})),
        told(&id, "prompts/list_changed", json!({})),
    ];
    let script = Script::new([Do::Cut(stream(&messages))]).await;
    let mut subscription = script.client().listen(tools()).await.unwrap();
    assert_eq!(next(&mut subscription).await, Change::Tools);
    for _ in 0..2 {
        let error = subscription.next().await.unwrap_err();
        assert!(
            matches!(error, ClientError::SubscriptionLost(_)),
            "what was not wanted is not told: {error}"
        );
        assert_eq!(error.blame(), Blame::Transport);
    }
    assert_eq!(script.seen().len(), 1, "nobody listens again by itself");
}

#[tokio::test]
async fn dropping_the_subscription_closes_its_stream() {
    let open = stream(&[acknowledged(&json!("$ID"), json!({}))]);
    let mut script = Script::new([Do::Hold(open)]).await;
    let subscription = script.client().listen(tools()).await.unwrap();
    assert_eq!(
        serde_json::to_value(subscription.missing()).unwrap(),
        json!({"toolsListChanged": true})
    );
    drop(subscription);
    script.closed().await;
}

#[tokio::test]
async fn what_is_no_subscription_is_told_apart() {
    let unknown = json!({"code": -32601, "message": "Method not found"});
    let script = Script::new([Do::Error(404, unknown)]).await;
    let error = script.client().listen(tools()).await.unwrap_err();
    let ClientError::Exchange(ExchangeError::Rejected(rejected)) = &error else {
        panic!("{error}")
    };
    assert_eq!(rejected.error.code.0, -32601);

    let at_once = Do::Cut(stream(&[ended(&json!("$ID"))]));
    let result = Do::Result(json!({"resultType": "complete"}));
    let foreign = Do::Cut(stream(&[ended(&json!(999))]));
    let asks = json!({"jsonrpc": "2.0", "id": 1, "method": "roots/list"});
    let request = Do::Cut(stream(&[asks]));
    for step in [at_once, result, foreign, request] {
        let script = Script::new([step]).await;
        let error = script.client().listen(tools()).await.unwrap_err();
        assert!(matches!(error, ClientError::BadReply(_)), "{error}");
    }
    let script = Script::new([Do::Bytes(reply(401, ""))]).await;
    let error = script.client().listen(tools()).await.unwrap_err();
    assert!(matches!(error, ClientError::Status(_)), "{error}");
    let script = Script::new([Do::Hangup]).await;
    let error = script.client().listen(tools()).await.unwrap_err();
    assert!(matches!(error, ClientError::SubscriptionLost(_)), "{error}");
}

#[tokio::test]
async fn a_refused_version_is_replaced_when_listening_too() {
    let refused = Do::Error(
        400,
        json!({"code": -32022, "message": "v", "data": {"supported": ["2026-07-28"]}}),
    );
    let open = stream(&[acknowledged(
        &json!("$ID"),
        json!({"toolsListChanged": true}),
    )]);
    let script = Script::new([refused, Do::Cut(open)]).await;
    let client = script
        .builder()
        .versions(["2027-01-01", "2026-07-28"])
        .build()
        .unwrap();
    let _subscription = client.listen(tools()).await.unwrap();
    let version = |at: usize| {
        script.seen()[at]
            .header("mcp-protocol-version")
            .map(str::to_owned)
    };
    assert_eq!(version(0).as_deref(), Some("2027-01-01"));
    assert_eq!(version(1).as_deref(), Some("2026-07-28"));
}

#[tokio::test]
async fn changes_forget_what_is_kept_whether_they_are_read_or_not() {
    let id = json!("$ID");
    let note = |text: &str| {
        Do::Result(
            json!({"resultType": "complete", "ttlMs": 60_000, "cacheScope": "public",
            "contents": [{"uri": "note://a", "text": text}]}),
        )
    };
    let prompts = || {
        Do::Result(
            json!({"resultType": "complete", "ttlMs": 60_000, "cacheScope": "public",
            "prompts": []}),
        )
    };
    let messages = [
        acknowledged(&id, json!({"resourceSubscriptions": ["note://a"]})),
        told(&id, "resources/updated", json!({"uri": "note://a/part"})),
        told(&id, "tools/list_changed", json!({})),
    ];
    let steps = [
        note("a"),
        note("b"),
        prompts(),
        Do::Cut(stream(&messages)),
        note("a"),
    ];
    let script = Script::with_tools(
        [json!([]), json!([{"name": "t", "inputSchema": {}}])],
        steps,
    )
    .await;
    let client = script.client();
    let read = |uri: &'static str| {
        let client = client.clone();
        async move { client.read_resource(uri, &()).await.unwrap() }
    };
    read("note://a").await;
    read("note://b").await;
    client.list_prompts().await.unwrap();
    client.list_tools().await.unwrap();
    let mut subscription = client.listen(everything()).await.unwrap();
    // The change of the tools comes last.
    while next(&mut subscription).await != Change::Tools {}
    read("note://b").await;
    client.list_prompts().await.unwrap();
    assert_eq!(script.seen().len(), 4, "these did not change");
    read("note://a").await;
    assert_eq!(script.seen().len(), 5);
}

#[tokio::test]
async fn a_change_of_the_tools_makes_the_next_call_look_at_them_again() {
    let id = json!("$ID");
    let tool = |schema: Value| json!([{"name": "t", "inputSchema": {"properties": {"a": schema}}}]);
    let annotated = tool(json!({"type": "string", "x-mcp-header": "A"}));
    let plain = tool(json!({"type": "string"}));
    let done = || Do::Result(crate::support::done());
    let messages = [
        acknowledged(&id, json!({"toolsListChanged": true})),
        told(&id, "tools/list_changed", json!({})),
    ];
    let steps = [done(), Do::Cut(stream(&messages)), done()];
    let script = Script::with_tools([plain, annotated], steps).await;
    let client = script.client();
    let arguments = json!({"a": "x"});
    client.call_tool("t", &arguments, &()).await.unwrap();
    let mut subscription = client.listen(tools()).await.unwrap();
    assert_eq!(next(&mut subscription).await, Change::Tools);
    client.call_tool("t", &arguments, &()).await.unwrap();
    assert_eq!(script.seen()[0].header("mcp-param-a"), None);
    assert_eq!(script.seen()[2].header("mcp-param-a"), Some("x"));
}

/// A peer whose client listens under the id it returns.
async fn listening(wanted: SubscriptionFilter) -> (Peer, Client, Value, Subscription) {
    let (mut peer, builder) = Peer::new();
    let client = builder.build().unwrap();
    let server = tokio::spawn(async move {
        peer.discover().await;
        let request = peer.next().await.unwrap();
        assert_eq!(request["method"], "subscriptions/listen");
        let id = request["id"].clone();
        let granted = request["params"]["notifications"].clone();
        peer.say(told(&json!(999), "tools/list_changed", json!({})))
            .await;
        peer.say(acknowledged(&id, granted)).await;
        (peer, id)
    });
    let subscription = client.listen(wanted).await.unwrap();
    let (peer, id) = server.await.unwrap();
    (peer, client, id, subscription)
}

#[tokio::test(start_paused = true)]
async fn subscriptions_share_a_stream_and_are_told_apart_by_their_ids() {
    let (mut peer, client, one, mut first) = listening(tools()).await;
    let server = tokio::spawn(async move {
        let request = peer.next().await.unwrap();
        let two = request["id"].clone();
        let granted = request["params"]["notifications"].clone();
        peer.say(told(&one, "tools/list_changed", json!({}))).await;
        peer.say(acknowledged(&two, granted)).await;
        peer.say(told(&two, "prompts/list_changed", json!({})))
            .await;
        peer.say(ended(&two)).await;
        (peer, one)
    });
    let mut second = client
        .listen(filter(json!({"promptsListChanged": true})))
        .await
        .unwrap();
    let (mut peer, one) = server.await.unwrap();
    assert_eq!(next(&mut second).await, Change::Prompts);
    assert_eq!(second.next().await.unwrap(), None);
    assert_eq!(next(&mut first).await, Change::Tools);
    drop(second);
    peer.silence().await;
    drop(first);
    let cancelled = peer.next().await.unwrap();
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], one);
}

#[tokio::test(start_paused = true)]
async fn a_server_ends_a_subscription_over_a_stream_by_cancelling_it() {
    let (mut peer, _client, id, mut subscription) = listening(tools()).await;
    let params = json!({"requestId": id, "reason": "shutdown"});
    peer.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
        .await;
    peer.say(ended(&id)).await;
    assert_eq!(subscription.next().await.unwrap(), None);
    drop(subscription);
    peer.silence().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_goes_away_loses_its_subscriptions() {
    let (peer, _client, _, mut subscription) = listening(tools()).await;
    drop(peer);
    let error = subscription.next().await.unwrap_err();
    let ClientError::SubscriptionLost(lost) = &error else {
        panic!("{error}")
    };
    assert!(matches!(lost.loss, Loss::Closed { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn waiting_changes_are_told_once_each_and_bounded() {
    let (mut peer, client, id, mut subscription) = listening(everything()).await;
    let updated = |uri: String| told(&id, "resources/updated", json!({ "uri": uri }));
    for _ in 0..3 {
        peer.say(told(&id, "tools/list_changed", json!({}))).await;
        peer.say(updated("note://a".to_owned())).await;
    }
    // An answer that comes after them tells that they were read.
    let answered = |mut peer: Peer| async move {
        let request = peer.next().await.unwrap();
        peer.result(&request, crate::support::done()).await;
        peer
    };
    let server = tokio::spawn(answered(peer));
    client.call_tool("t", &json!({}), &()).await.unwrap();
    peer = server.await.unwrap();
    assert_eq!(next(&mut subscription).await, Change::Tools);
    let uri = "note://a".to_owned();
    assert_eq!(next(&mut subscription).await, Change::Resource { uri });
    let nothing = tokio::time::timeout(Duration::from_secs(60), subscription.next()).await;
    assert!(nothing.is_err(), "{nothing:?}");

    for at in 0..1025 {
        peer.say(updated(format!("note://a/{at}"))).await;
    }
    let server = tokio::spawn(answered(peer));
    client.call_tool("t", &json!({}), &()).await.unwrap();
    server.await.unwrap();
    for _ in 0..1024 {
        next(&mut subscription).await;
    }
    let error = subscription.next().await.unwrap_err();
    assert!(matches!(error, ClientError::SubscriptionLost(_)), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_acknowledge_is_given_up_and_told_so() {
    let (mut peer, builder) = Peer::new();
    let client = builder.build().unwrap();
    let server = tokio::spawn(async move {
        peer.discover().await;
        let request = peer.next().await.unwrap();
        let cancelled = peer.next().await.unwrap();
        assert_eq!(cancelled["params"]["requestId"], request["id"]);
    });
    let error = client.listen(tools()).await.unwrap_err();
    let ClientError::SubscriptionLost(lost) = &error else {
        panic!("{error}")
    };
    assert!(matches!(lost.loss, Loss::Timeout { .. }), "{error}");
    server.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_changed_while_its_request_was_under_way_is_not_kept() {
    let wanted = filter(json!({"promptsListChanged": true}));
    let (mut peer, client, id, _subscription) = listening(wanted).await;
    let server = tokio::spawn(async move {
        let page = json!({"resultType": "complete", "prompts": [], "ttlMs": 60_000,
            "cacheScope": "public"});
        for round in 0..2 {
            let request = peer.next().await.unwrap();
            assert_eq!(request["method"], "prompts/list");
            if round == 0 {
                peer.say(told(&id, "prompts/list_changed", json!({}))).await;
            }
            peer.result(&request, page.clone()).await;
        }
        peer
    });
    for _ in 0..3 {
        client.list_prompts().await.unwrap();
    }
    let server = tokio::time::timeout(Duration::from_secs(60), server).await;
    let mut peer = server.expect("the list is asked for again").unwrap();
    peer.silence().await;
}
