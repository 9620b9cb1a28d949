//! The rest of a client over HTTP: versions, lists, traces, going away.

use std::sync::{Arc, Mutex};

use crate::support::done;
use crate::support::http::{Do, Script};
use mrtr::client::{Client, ClientError, ClientLimits, Delivery, Direction, Turn};
use mrtr::exchange::{Blame, ExchangeError};
use serde_json::{Value, json};

#[tokio::test]
async fn a_request_that_was_turned_away_goes_on_with_better_credentials() {
    let refused = "HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n";
    let broken = "HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n";
    let steps = [
        Do::Bytes(refused.into()),
        Do::Bytes(broken.into()),
        Do::Result(done()),
    ];
    let script = Script::new(steps).await;
    let mut call = script.client().tool("t", &json!({})).unwrap();
    let error = call.advance().await.unwrap_err();
    assert!(matches!(error, ClientError::Status(status) if status.status == 401));
    let error = call.advance().await.unwrap_err();
    assert!(matches!(error, ClientError::Status(status) if status.status == 503));
    let error = call.advance().await.unwrap_err();
    assert!(
        matches!(error, ClientError::Exchange(ExchangeError::Lost(_))),
        "{error}"
    );
    call.send_again().unwrap();
    assert!(matches!(call.advance().await.unwrap(), Turn::Done(_)));
    assert_eq!(script.seen().len(), 3);
}

#[tokio::test]
async fn a_refused_version_is_replaced_by_a_mutual_one_that_is_kept() {
    let refused = |supported: Value| {
        Do::Error(
            400,
            json!({"code": -32022, "message": "Unsupported protocol version",
            "data": {"supported": supported, "requested": "2027-01-01"}}),
        )
    };
    let steps = [
        refused(json!(["2025-11-25", "2026-07-28"])),
        Do::Result(json!({"resultType": "complete", "contents": []})),
        Do::Result(json!({"resultType": "complete", "contents": []})),
    ];
    let script = Script::new(steps).await;
    let client = script
        .builder()
        .versions(["2027-01-01", "2026-07-28"])
        .build()
        .unwrap();
    client.read_resource("a://b", &()).await.unwrap();
    client.read_resource("a://b", &()).await.unwrap();
    let versions: Vec<_> = script
        .seen()
        .iter()
        .map(|seen| {
            let meta = &seen.params()["_meta"]["io.modelcontextprotocol/protocolVersion"];
            assert_eq!(seen.header("mcp-protocol-version"), meta.as_str());
            meta.as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(versions, ["2027-01-01", "2026-07-28", "2026-07-28"]);

    for supported in [json!(["2025-11-25"]), json!(null)] {
        let script = Script::new([refused(supported)]).await;
        let error = script
            .client()
            .read_resource("a://b", &())
            .await
            .unwrap_err();
        let ClientError::NoCommonVersion(versions) = &error else {
            panic!("{error}")
        };
        assert_eq!(versions.client, ["2026-07-28"]);
        assert_eq!(
            script.seen().len(),
            1,
            "the refused version is not tried again"
        );
    }
}

#[tokio::test]
async fn a_refused_version_that_the_server_names_is_tried_once_more() {
    let refused = || {
        let data = json!({"supported": ["2026-07-28"], "requested": "2026-07-28"});
        let message = "Unsupported protocol version";
        Do::Error(
            400,
            json!({"code": -32022, "message": message, "data": data}),
        )
    };
    let script = Script::new([refused(), Do::Result(done())]).await;
    script
        .client()
        .call_tool("t", &json!({}), &())
        .await
        .unwrap();
    let seen = script.seen();
    assert_ne!(seen[0].body["id"], seen[1].body["id"]);
    assert_eq!(seen[1].header("mcp-protocol-version"), Some("2026-07-28"));

    let script = Script::new([refused(), refused()]).await;
    let client = script.client();
    let error = client.call_tool("t", &json!({}), &()).await.unwrap_err();
    assert!(matches!(error, ClientError::NoCommonVersion(_)), "{error}");
    assert!(error.to_string().contains("yet says"), "{error}");
    assert_eq!(script.seen().len(), 2);
}

#[tokio::test]
async fn the_trace_sees_both_directions() {
    let script = Script::new([Do::Result(done())]).await;
    let traced = Arc::new(Mutex::new(Vec::new()));
    let trace = Arc::clone(&traced);
    let client = script
        .builder()
        .trace(move |message| {
            let method = message.headers.and_then(|h| h.get("mcp-method")).cloned();
            let entry = (
                message.direction,
                message.text.to_owned(),
                message.status,
                method,
            );
            trace.lock().unwrap().push(entry);
        })
        .build()
        .unwrap();
    client.call_tool("t", &json!({}), &()).await.unwrap();
    let traced = traced.lock().unwrap();
    let calls: Vec<_> = traced
        .iter()
        .filter(|entry| !entry.1.contains("\"tools"))
        .collect();
    assert_eq!(traced.len(), 4);
    assert_eq!(traced[2].0, Direction::Sent);
    assert_eq!(traced[2].1, script.seen()[0].text);
    assert_eq!(traced[2].3.as_ref().unwrap(), "tools/call");
    assert_eq!((traced[3].0, traced[3].2), (Direction::Received, Some(200)));
    assert!(calls.iter().any(|entry| entry.1.contains("done")));
}

#[tokio::test]
async fn dropping_the_call_closes_the_stream() {
    for held in [
        "",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: wait\n\n",
    ] {
        let mut script = Script::new([Do::Hold(held.to_owned())]).await;
        let client = script.client();
        let mut call = client.tool("t", &json!({})).unwrap();
        tokio::select! {
            turn = call.advance() => panic!("{turn:?}"),
            () = script.arrived() => {}
        }
        script.closed().await;
        assert_eq!(script.seen().len(), 1, "and sends no notification");
        let error = call.advance().await.unwrap_err();
        assert!(
            matches!(error, ClientError::Exchange(ExchangeError::Lost(_))),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_can_be_called_later() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let client = Client::http(format!("http://{address}/mcp"))
        .build()
        .unwrap();
    let mut call = client.resource("a://b").unwrap();
    let error = call.advance().await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable(_)), "{error}");
    assert_eq!(
        (error.blame(), error.delivery()),
        (Blame::Transport, Delivery::NotDelivered)
    );
    let error = call.advance().await.unwrap_err();
    assert!(
        matches!(error, ClientError::Unreachable(_)),
        "not delivered, so it may be sent: {error}"
    );
}

#[tokio::test]
async fn lists_have_all_pages_and_an_end() {
    let page = |names: &[&str], cursor: Value| {
        let prompts: Vec<_> = names.iter().map(|name| json!({"name": name})).collect();
        let mut page = json!({"resultType": "complete", "prompts": prompts});
        page.as_object_mut()
            .unwrap()
            .insert("nextCursor".into(), cursor);
        Do::Result(page)
    };
    let steps = [
        page(&["a"], json!("")),
        page(&[], json!("c 2")),
        page(&["b"], json!(null)),
    ];
    let script = Script::new(steps).await;
    let names: Vec<_> = script
        .client()
        .list_prompts()
        .await
        .unwrap()
        .into_iter()
        .map(|p| p.name)
        .collect();
    assert_eq!(names, ["a", "b"]);
    let cursors: Vec<_> = script.seen().iter().map(|seen| seen.bare()).collect();
    assert_eq!(
        cursors,
        [json!({}), json!({"cursor": ""}), json!({"cursor": "c 2"})]
    );

    let script = Script::new((0..3).map(|_| page(&["a"], json!("again")))).await;
    let mut limits = ClientLimits::default();
    limits.pages = 3;
    let client = script.builder().limits(limits).build().unwrap();
    let error = client.list_prompts().await.unwrap_err();
    assert!(matches!(error, ClientError::TooManyPages(_)), "{error}");
    assert_eq!(error.blame(), Blame::Limit);
}

#[tokio::test]
async fn the_pages_of_a_list_are_bounded_together() {
    let page = |cursor: Value| {
        let prompts = json!([{"name": "a", "description": "x".repeat(400)}]);
        Do::Result(json!({"resultType": "complete", "prompts": prompts, "nextCursor": cursor}))
    };
    let script = Script::new([page(json!("2")), page(json!("3")), page(json!(null))]).await;
    let client = |message| {
        let mut limits = ClientLimits::default();
        limits.message = message;
        script.builder().limits(limits).build().unwrap()
    };
    let error = client(1200).list_prompts().await.unwrap_err();
    let ClientError::TooManyPages(error) = error else {
        panic!("{error}");
    };
    assert_eq!(error.pages, 3, "each of them fits");
}

#[tokio::test]
async fn what_a_client_cannot_do_is_said_when_it_is_built() {
    let build = |url: &str| Client::http(url).build().map(drop);
    for url in [
        "mcp.example.com",
        "ftp://h/",
        "http://user:password@h/",
        "http://",
    ] {
        let error = build(url).unwrap_err();
        assert!(matches!(error, ClientError::Usage(_)), "{url}");
        assert!(!error.to_string().contains("password@"), "{error}");
    }
    let tls = build("https://mcp.example.com/");
    assert_eq!(tls.is_ok(), cfg!(feature = "tls"));
    assert!(Client::command("x", [""; 0]).bearer("t").build().is_err());
    assert!(Client::http("http://h/").versions([""; 0]).build().is_err());
    let client = Client::http("http://h/").build().unwrap();
    assert!(matches!(client.tool("t", &7), Err(ClientError::Usage(_))));
    let own = json!({"_meta": {}});
    assert!(client.request("tools/call", &json!({})).await.is_err());
    assert!(client.request("completion/complete", &own).await.is_err());
}

#[tokio::test]
async fn other_methods_can_be_requested() {
    let result = json!({"resultType": "complete", "completion": {"values": []}});
    let script = Script::new([Do::Result(result)]).await;
    let client = script.client();
    let params = json!({"ref": {"type": "ref/prompt", "name": "p"}});
    let raw = client
        .request("completion/complete", &params)
        .await
        .unwrap();
    assert!(raw.get().contains("completion"));
    assert_eq!(script.seen()[0].bare(), params);
    assert_eq!(script.seen()[0].header("mcp-name"), None);
}
