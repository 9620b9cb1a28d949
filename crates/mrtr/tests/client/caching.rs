//! Which results a client keeps, for whom and until when.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::http::{Do, Script};
use crate::support::peer::Peer;
use crate::support::{asks, form, says_yes};
use mrtr::client::{Client, ClientLimits};
use serde_json::{Value, json};

fn note(text: &str, ttl: Value, scope: &str) -> Value {
    json!({"resultType": "complete", "ttlMs": ttl, "cacheScope": scope,
        "contents": [{"uri": "note://a", "text": text}]})
}

fn notes<const N: usize>(texts: [&str; N], ttl: i64, scope: &str) -> Vec<Do> {
    let note = |text| Do::Result(note(text, json!(ttl), scope));
    texts.map(note).into_iter().collect()
}

async fn read(client: &Client, uri: &str) -> String {
    let result = client.read_resource(uri, &says_yes()).await.unwrap();
    serde_json::to_value(&result.contents[0]).unwrap()["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn a_fresh_result_answers_the_same_request_and_no_other() {
    let script = Script::new(notes(["1", "2", "3", "4"], 60_000, "private")).await;
    let client = script.client();
    assert_eq!(read(&client, "note://a").await, "1");
    assert_eq!(read(&client, "note://a").await, "1");
    assert_eq!(read(&client, "note://b").await, "2");
    let other = client.read_resource("note://a", &()).await.unwrap();
    assert_ne!(
        serde_json::to_value(&other.contents[0]).unwrap()["text"],
        "1",
        "what may be asked is part of the request"
    );
    assert_eq!(script.seen().len(), 3);
    let mut call = client
        .resource("note://a")
        .unwrap()
        .declare(mrtr::client::Answerer::capabilities(&says_yes()))
        .anew();
    call.drive(&says_yes()).await.unwrap();
    assert_eq!(
        read(&client, "note://a").await,
        "4",
        "the kept one was replaced"
    );
    assert_eq!(script.seen().len(), 4);
}

#[tokio::test]
async fn without_a_time_to_live_nothing_is_kept() {
    let odd = [json!(0), json!(-1), json!(null), json!("60000"), json!(1.5)];
    let mut steps: Vec<_> = odd
        .iter()
        .map(|ttl| Do::Result(note("1", ttl.clone(), "public")))
        .collect();
    steps.push(Do::Result(note("1", json!(60_000), "everybody")));
    let count = steps.len();
    let script = Script::new(steps).await;
    let client = script.client();
    for _ in 0..count {
        // A time that cannot be read may be an error, but is never a long time.
        let _ = client.read_resource("note://a", &()).await;
    }
    assert_eq!(script.seen().len(), count);
}

#[tokio::test(start_paused = true)]
async fn a_result_is_stale_when_its_time_is_over() {
    let (mut peer, builder) = Peer::new();
    let client = builder.build().unwrap();
    let server = tokio::spawn(async move {
        peer.discover().await;
        for text in ["1", "2"] {
            let request = peer.next().await.unwrap();
            peer.result(&request, note(text, json!(1000), "private"))
                .await;
        }
    });
    assert_eq!(read(&client, "note://a").await, "1");
    tokio::time::advance(Duration::from_millis(999)).await;
    assert_eq!(read(&client, "note://a").await, "1");
    tokio::time::advance(Duration::from_millis(1)).await;
    assert_eq!(read(&client, "note://a").await, "2");
    server.await.unwrap();
}

#[tokio::test]
async fn neither_an_interim_result_nor_that_of_a_retry_is_kept() {
    let mut interim = asks(form());
    interim["ttlMs"] = json!(60_000);
    interim["cacheScope"] = json!("public");
    let steps = [
        interim.clone(),
        note("1", json!(60_000), "public"),
        interim,
        note("2", json!(60_000), "public"),
    ];
    let script = Script::new(steps.map(Do::Result)).await;
    let client = script.client();
    assert_eq!(read(&client, "note://a").await, "1");
    assert_eq!(read(&client, "note://a").await, "2");
    assert_eq!(script.seen().len(), 4);

    let waits = json!({"resultType": "input_required", "requestState": "S"});
    let steps = [
        waits,
        note("1", json!(60_000), "public"),
        note("2", json!(60_000), "public"),
    ];
    let script = Script::new(steps.map(Do::Result)).await;
    let client = script.client();
    assert_eq!(read(&client, "note://a").await, "1");
    assert_eq!(read(&client, "note://a").await, "2", "a state is enough");
    assert_eq!(read(&client, "note://a").await, "2");
}

#[tokio::test]
async fn private_results_stay_with_their_credentials_and_public_ones_do_not() {
    for (scope, seen) in [("private", 2), ("public", 1)] {
        let script = Script::new(notes(["1", "2"], 60_000, scope)).await;
        let user = Arc::new(Mutex::new("ann"));
        let token = Arc::clone(&user);
        let client = script
            .builder()
            .bearer_with(move || {
                let token = token.lock().unwrap().to_owned();
                async move { Ok::<_, std::io::Error>(token) }
            })
            .build()
            .unwrap();
        assert_eq!(read(&client, "note://a").await, "1");
        *user.lock().unwrap() = "bob";
        let expected = if seen == 2 { "2" } else { "1" };
        assert_eq!(read(&client, "note://a").await, expected, "{scope}");
        *user.lock().unwrap() = "ann";
        assert_eq!(read(&client, "note://a").await, "1", "{scope}");
        assert_eq!(script.seen().len(), seen);
    }
}

#[tokio::test]
async fn calls_of_tools_and_prompts_are_never_kept() {
    let tool = json!({"resultType": "complete", "content": [], "ttlMs": 60_000,
        "cacheScope": "public"});
    let prompt = json!({"resultType": "complete", "messages": [], "ttlMs": 60_000,
        "cacheScope": "public"});
    let steps = [tool.clone(), tool, prompt.clone(), prompt];
    let script = Script::new(steps.map(Do::Result)).await;
    let client = script.client();
    for _ in 0..2 {
        client.call_tool("t", &json!({}), &()).await.unwrap();
    }
    for _ in 0..2 {
        client.get_prompt("p", &json!({}), &()).await.unwrap();
    }
    assert_eq!(script.seen().len(), 4);
}

#[tokio::test]
async fn metadata_that_a_server_may_go_by_is_not_served_from_what_is_kept() {
    let script = Script::new(notes(["1", "2"], 60_000, "public")).await;
    let client = script.client();
    let raw = |text: &str| serde_json::value::RawValue::from_string(text.to_owned()).unwrap();
    client.read_resource("note://a", &()).await.unwrap();
    let mut traced = client
        .resource("note://a")
        .unwrap()
        .meta("traceparent", raw("\"00-1-1-00\""));
    traced.drive(&()).await.unwrap();
    assert_eq!(script.seen().len(), 1, "a trace changes nothing");
    let mut tenant = client
        .resource("note://a")
        .unwrap()
        .meta("com.example/tenant", raw("7"));
    tenant.drive(&()).await.unwrap();
    assert_eq!(script.seen().len(), 2);
}

fn page(names: &[&str], next: Option<&str>, ttl: i64) -> Do {
    let prompts: Vec<_> = names.iter().map(|name| json!({"name": name})).collect();
    let mut page = json!({"resultType": "complete", "prompts": prompts, "ttlMs": ttl,
        "cacheScope": "public"});
    if let Some(next) = next {
        page["nextCursor"] = json!(next);
    }
    Do::Result(page)
}

async fn prompts(client: &Client) -> Vec<String> {
    let prompts = client.list_prompts().await.unwrap();
    prompts.into_iter().map(|prompt| prompt.name).collect()
}

#[tokio::test]
async fn a_list_is_kept_as_a_whole_or_read_from_the_beginning() {
    let steps = [page(&["a"], Some("2"), 60_000), page(&["b"], None, 60_000)];
    let script = Script::new(steps).await;
    let client = script.client();
    for _ in 0..2 {
        assert_eq!(prompts(&client).await, ["a", "b"]);
    }
    assert_eq!(script.seen().len(), 2);

    let steps = [
        page(&["a"], Some("2"), 60_000),
        page(&["b"], None, 0),
        page(&["c"], None, 60_000),
    ];
    let script = Script::new(steps).await;
    let client = script.client();
    assert_eq!(prompts(&client).await, ["a", "b"]);
    assert_eq!(prompts(&client).await, ["c"], "no old cursor is used");
    assert_eq!(prompts(&client).await, ["c"]);
    assert_eq!(script.seen()[2].bare(), json!({}));
}

#[tokio::test]
async fn raw_requests_keep_nothing_and_discovery_is_kept() {
    let discovered = || {
        Do::Result(
            json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                "capabilities": {}, "ttlMs": 60_000, "cacheScope": "public"}),
        )
    };
    let script = Script::new([discovered(), discovered(), discovered()]).await;
    let client = script.client();
    client.discover().await.unwrap();
    client.discover().await.unwrap();
    assert_eq!(script.seen().len(), 1);
    for _ in 0..2 {
        client.request("server/discover", &json!({})).await.unwrap();
    }
    assert_eq!(script.seen().len(), 3);
}

#[tokio::test]
async fn what_is_kept_is_bounded_and_the_longest_unused_goes_first() {
    let read = |client: Client, uri: &'static str| async move {
        client.read_resource(uri, &()).await.unwrap();
    };
    let bounded = |edit: fn(&mut ClientLimits)| {
        let mut limits = ClientLimits::default();
        edit(&mut limits);
        limits
    };
    let script = Script::new(notes([""; 4], 60_000, "public")).await;
    let limits = bounded(|limits| limits.cache_entries = 2);
    let client = script.builder().limits(limits).build().unwrap();
    for uri in ["note://a", "note://b", "note://a", "note://c", "note://a"] {
        read(client.clone(), uri).await;
    }
    assert_eq!(script.seen().len(), 3, "`b` made room");
    read(client.clone(), "note://b").await;
    assert_eq!(script.seen().len(), 4);

    let script = Script::new(notes([""; 2], 60_000, "public")).await;
    let limits = bounded(|limits| limits.cache_entries = 0);
    let client = script.builder().limits(limits).build().unwrap();
    read(client.clone(), "note://a").await;
    read(client, "note://a").await;
    assert_eq!(script.seen().len(), 2);

    let large = "x".repeat(600);
    let script = Script::new(notes([&large, &large, &large], 60_000, "public")).await;
    let limits = bounded(|limits| limits.cache_bytes = 1000);
    let client = script.builder().limits(limits).build().unwrap();
    for uri in ["note://a", "note://b", "note://b", "note://a"] {
        read(client.clone(), uri).await;
    }
    assert_eq!(script.seen().len(), 3, "two do not fit");
}

#[tokio::test]
async fn credentials_are_asked_for_once_for_each_request() {
    let script = Script::new(notes(["1"], 60_000, "private")).await;
    let count = Arc::new(AtomicU32::new(0));
    let asked = Arc::clone(&count);
    let client = script
        .builder()
        .bearer_with(move || {
            asked.fetch_add(1, Ordering::Relaxed);
            async { Ok::<_, std::io::Error>("t".to_owned()) }
        })
        .build()
        .unwrap();
    read(&client, "note://a").await;
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn kept_pages_of_different_times_are_never_put_together() {
    let page = |name: &str, next: Option<&str>, ttl: u32| {
        let mut page = json!({"resultType": "complete", "prompts": [{"name": name}],
            "ttlMs": ttl, "cacheScope": "public"});
        if let Some(next) = next {
            page["nextCursor"] = json!(next);
        }
        Do::Result(page)
    };
    let script = Script::new([
        page("old", Some("2"), 0),
        page("old too", None, 60_000),
        page("new", Some("2"), 60_000),
        Do::Error(200, json!({"code": -32603, "message": "not now"})),
        page("new", Some("2"), 60_000),
        page("new too", None, 60_000),
    ])
    .await;
    let client = script.client();
    let names = || async {
        let prompts = client.list_prompts().await.ok()?;
        Some(prompts.into_iter().map(|prompt| prompt.name).collect())
    };
    let list = |first: &str, second: &str| Some(vec![first.to_owned(), second.to_owned()]);
    assert_eq!(names().await, list("old", "old too"));
    assert_eq!(names().await, None);
    assert_eq!(names().await, list("new", "new too"));
    assert_eq!(names().await, list("new", "new too"), "from what is kept");
    assert_eq!(script.seen().len(), 6);
}
