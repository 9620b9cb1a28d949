//! Streamable HTTP as a client speaks it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod client_support;

use std::sync::{Arc, Mutex};

use client_support::http::{Do, Script, event, events, reply};
use client_support::{asks, done, form, says_yes};
use mrtr::client::{BoxError, Client, ClientError, ClientLimits, Delivery, Direction, Turn};
use mrtr::exchange::{Blame, ExchangeError};
use mrtr::wire::{Implementation, LoggingLevel, ServerNotification};
use serde_json::{Value, json};

fn sql(region: Value) -> Value {
    json!([{"name": "sql", "inputSchema": {"type": "object", "properties": {
        "region": region, "query": {"type": "string"}}}}])
}

fn mirrored() -> Value {
    sql(json!({"type": "string", "x-mcp-header": "Region"}))
}

fn mismatch() -> Do {
    Do::Error(
        400,
        json!({"code": -32020, "message": "Header mismatch: Mcp-Param-Region"}),
    )
}

#[tokio::test]
async fn every_request_has_the_headers_and_metadata_of_the_page() {
    let steps = [asks(form()), done()].map(Do::Result);
    let script = Script::with_tools([mirrored()], steps).await;
    let client = script
        .builder()
        .info(Implementation::new("me", "2"))
        .build()
        .unwrap();
    let arguments = json!({"region": "us-west1", "query": "SELECT 1"});
    client
        .call_tool("sql", &arguments, &says_yes())
        .await
        .unwrap();
    let all = script.all();
    let methods: Vec<_> = all.iter().map(|seen| seen.method().to_owned()).collect();
    assert_eq!(
        methods,
        ["tools/list", "tools/call", "tools/call"],
        "known before the first leg"
    );
    for seen in &all {
        assert!(
            seen.head.starts_with("POST /mcp HTTP/1.1\r\n"),
            "{}",
            seen.head
        );
        assert_eq!(seen.header("content-type"), Some("application/json"));
        assert_eq!(
            seen.header("accept"),
            Some("application/json, text/event-stream")
        );
        assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(seen.header("mcp-method"), Some(seen.method()));
        let meta = &seen.params()["_meta"];
        assert_eq!(
            meta["io.modelcontextprotocol/protocolVersion"],
            "2026-07-28"
        );
        assert_eq!(
            meta["io.modelcontextprotocol/clientInfo"],
            json!({"name": "me", "version": "2"})
        );
        assert!(meta["io.modelcontextprotocol/clientCapabilities"].is_object());
    }
    assert_eq!(
        (all[0].header("mcp-name"), all[0].header("mcp-param-region")),
        (None, None)
    );
    for leg in &all[1..] {
        assert_eq!(leg.header("mcp-name"), Some("sql"));
        assert_eq!(
            leg.header("mcp-param-region"),
            Some("us-west1"),
            "on both legs"
        );
    }
}

#[tokio::test]
async fn names_that_no_header_can_carry_take_the_base64_form() {
    let prompt = json!({"resultType": "complete", "messages": []});
    let resource = json!({"resultType": "complete", "contents": []});
    let script = Script::new([prompt, resource].map(Do::Result)).await;
    let client = script.client();
    client.get_prompt(" höflich", &(), &()).await.unwrap();
    client.read_resource("note://a/b", &()).await.unwrap();
    let seen = script.seen();
    assert_eq!(seen[0].header("mcp-name"), Some("=?base64?IGjDtmZsaWNo?="));
    assert_eq!(seen[0].bare(), json!({"name": " höflich"}), "no arguments");
    assert_eq!(seen[1].header("mcp-name"), Some("note://a/b"));
}

#[tokio::test]
async fn the_tools_are_listed_once_for_many_calls() {
    let script = Script::with_tools([mirrored()], [done(), done()].map(Do::Result)).await;
    let client = script.client();
    for _ in 0..2 {
        client
            .call_tool("sql", &json!({"region": "é"}), &())
            .await
            .unwrap();
    }
    assert_eq!(script.all().len(), 3);
    assert_eq!(
        script.seen()[1].header("mcp-param-region"),
        Some("=?base64?w6k=?=")
    );
}

#[tokio::test]
async fn a_header_mismatch_refreshes_the_definition_once() {
    let plain = sql(json!({"type": "string"}));
    let steps = [mismatch(), Do::Result(done())];
    let script = Script::with_tools([plain.clone(), mirrored()], steps).await;
    let client = script.client();
    client
        .call_tool("sql", &json!({"region": "r"}), &())
        .await
        .unwrap();
    let seen = script.seen();
    assert_eq!(seen[0].header("mcp-param-region"), None);
    assert_eq!(seen[1].header("mcp-param-region"), Some("r"));
    assert_ne!(seen[0].body["id"], seen[1].body["id"]);
    assert_eq!(seen[0].bare(), seen[1].bare());

    let script = Script::with_tools([plain, mirrored()], [mismatch(), mismatch()]).await;
    let error = script
        .client()
        .call_tool("sql", &json!({"region": "r"}), &())
        .await
        .unwrap_err();
    let ClientError::Exchange(ExchangeError::Rejected(rejected)) = &error else {
        panic!("{error}")
    };
    assert_eq!(rejected.error.code.0, -32020);
    assert_eq!(script.seen().len(), 2, "once");

    let script = Script::with_tools([mirrored()], [mismatch()]).await;
    let error = script
        .client()
        .call_tool("sql", &json!({"region": "r"}), &())
        .await
        .unwrap_err();
    assert_eq!(error.blame(), Blame::Peer);
    assert_eq!(
        script.seen().len(),
        1,
        "an unchanged definition is no reason to try again"
    );
}

#[tokio::test]
async fn a_tool_with_invalid_annotations_is_neither_listed_nor_called() {
    let mut tools = sql(json!({"type": "number", "x-mcp-header": "Region"}));
    tools
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "good", "inputSchema": {"type": "object"}}));
    let script = Script::with_tools([tools], []).await;
    let client = script.client();
    let names: Vec<_> = client
        .list_tools()
        .await
        .unwrap()
        .into_iter()
        .map(|t| t.name)
        .collect();
    assert_eq!(names, ["good"]);
    let error = client
        .call_tool("sql", &json!({"region": 1}), &())
        .await
        .unwrap_err();
    let ClientError::ToolDefinition(definition) = &error else {
        panic!("{error}")
    };
    assert_eq!(definition.tool, "sql");
    assert_eq!(error.delivery(), Delivery::NotDelivered);
    assert!(script.seen().is_empty());
}

#[tokio::test]
async fn an_integer_that_headers_cannot_carry_is_the_callers_fault() {
    let tools = sql(json!({"type": "integer", "x-mcp-header": "Region"}));
    let script = Script::with_tools([tools], []).await;
    let arguments = json!({"region": 9_007_199_254_740_993_i64});
    let error = script
        .client()
        .call_tool("sql", &arguments, &())
        .await
        .unwrap_err();
    assert!(matches!(error, ClientError::Usage(_)), "{error}");
    assert!(error.to_string().contains("`region`"), "{error}");
    assert!(script.seen().is_empty());
}

#[tokio::test]
async fn a_server_without_a_list_of_tools_can_be_called() {
    let unknown = json!({"code": -32601, "message": "Method not found"});
    let script = Script::with_tools([unknown], [done(), done()].map(Do::Result)).await;
    let client = script.client();
    for _ in 0..2 {
        client.call_tool("t", &json!({}), &()).await.unwrap();
    }
    assert_eq!(script.all().len(), 3, "the list is not asked for again");
    let error = client.list_tools().await.unwrap_err();
    let ClientError::Exchange(ExchangeError::Rejected(rejected)) = &error else {
        panic!("{error}")
    };
    assert_eq!(
        rejected.error.code.0, -32601,
        "an error beside 404 is an answer"
    );
}

#[tokio::test]
async fn event_streams_carry_progress_and_then_the_answer() {
    let progress = |progress: u64, token: &str| {
        json!({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": token, "progress": progress, "message": "m"}})
    };
    let log = json!({"jsonrpc": "2.0", "method": "notifications/message",
        "params": {"level": "info", "data": "hello"}});
    let unknown = json!({"jsonrpc": "2.0", "method": "notifications/novel"});
    let answer = json!({"jsonrpc": "2.0", "id": "$ID", "result": done()});
    let stream = [
        ":\r\n\r\n".to_owned(),
        event(&progress(1, "$ID")),
        "event: ping\ndata: x\n\n".to_owned(),
        event(&log),
        event(&unknown),
        event(&progress(7, "another")),
        event(&progress(2, "$ID")),
        event(&answer),
    ]
    .concat();
    let script = Script::new([Do::Cut(events(&stream))]).await;
    let logged = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&logged);
    let client = script
        .builder()
        .on_notification(move |notification| log.lock().unwrap().push(notification))
        .build()
        .unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hear = Arc::clone(&heard);
    let mut call = client
        .tool("t", &json!({}))
        .unwrap()
        .log_level(LoggingLevel::Info)
        .on_progress(move |progress| {
            hear.lock().unwrap().push(progress.progress.to_string());
        });
    assert!(matches!(call.advance().await.unwrap(), Turn::Done(_)));
    assert_eq!(*heard.lock().unwrap(), ["1", "2"]);
    assert!(matches!(
        &logged.lock().unwrap()[..],
        [ServerNotification::Message(_)]
    ));
    let seen = script.seen();
    let meta = &seen[0].params()["_meta"];
    assert_eq!(meta["progressToken"], seen[0].body["id"]);
    assert_eq!(meta["io.modelcontextprotocol/logLevel"], "info");
}

#[tokio::test]
async fn progress_is_asked_for_only_when_somebody_listens() {
    let script = Script::new([Do::Result(done())]).await;
    script
        .client()
        .call_tool("t", &json!({}), &())
        .await
        .unwrap();
    assert_eq!(
        script.seen()[0].params()["_meta"].get("progressToken"),
        None
    );
}

#[tokio::test]
async fn a_stream_may_be_large_while_its_events_are_not() {
    let answer = json!({"jsonrpc": "2.0", "id": "$ID", "result": done()});
    let stream = format!(
        "{}{}",
        format!(": {}\n\n", "x".repeat(200)).repeat(20),
        event(&answer)
    );
    let mut limits = ClientLimits::default();
    limits.message = 512;
    let large = json!({"jsonrpc": "2.0", "id": "$ID", "result": "x".repeat(600)}).to_string();
    for (step, fits) in [
        (Do::Cut(events(&stream)), true),
        (Do::Cut(events(&format!("data: {large}\n\n"))), false),
        (Do::Cut(events(&format!(": {}", "x".repeat(600)))), false),
        (Do::Bytes(reply(200, &large)), false),
        (
            Do::Cut(format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{large}"
            )),
            false,
        ),
    ] {
        let script = Script::new([step]).await;
        let client = script.builder().limits(limits).build().unwrap();
        let result = client.resource("a://b").unwrap().advance().await;
        match result {
            Ok(_) => assert!(fits),
            Err(error) => {
                assert!(!fits, "{error}");
                assert!(matches!(error, ClientError::BadReply(_)), "{error}");
                assert!(error.to_string().contains("512"), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_no_answer_is_told_apart() {
    let json_reply = |body: &str| Do::Bytes(reply(200, body));
    let typed = |kind: &str| {
        let body = r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","contents":[]}}"#;
        Do::Cut(format!("HTTP/1.1 200 OK\r\n{kind}\r\n{body}"))
    };
    for (step, says) in [
        (json_reply("hello"), "invalid message"),
        (json_reply("[]"), "invalid message"),
        (
            json_reply(r#"{"jsonrpc":"2.0","id":999,"result":{}}"#),
            "request 999",
        ),
        (
            json_reply(r#"{"jsonrpc":"2.0","id":"1","result":{}}"#),
            r#"request "1""#,
        ),
        (
            json_reply(r#"{"jsonrpc":"2.0","method":"x"}"#),
            "a request or a notification",
        ),
        (typed("Content-Type: text/html\r\n"), "text/html"),
        (typed(""), "content type"),
        (
            typed("Content-Type: application/json\r\nContent-Encoding: gzip\r\n"),
            "compressed",
        ),
        (
            Do::Cut(events(&event(
                &json!({"jsonrpc": "2.0", "id": 1, "method": "roots/list"}),
            ))),
            "roots/list",
        ),
        (Do::Cut(events("data: nonsense\n\n")), "invalid message"),
    ] {
        let script = Script::new([step]).await;
        let error = script
            .client()
            .resource("a://b")
            .unwrap()
            .advance()
            .await
            .unwrap_err();
        assert!(matches!(error, ClientError::BadReply(_)), "{error}");
        assert_eq!(
            (error.blame(), error.delivery()),
            (Blame::Peer, Delivery::Answered)
        );
        assert!(error.to_string().contains(says), "{error}");
    }
    let fine = typed("Content-Type: Application/JSON; charset=utf-8\r\n");
    let script = Script::new([fine]).await;
    assert!(
        script
            .client()
            .resource("a://b")
            .unwrap()
            .advance()
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn an_error_without_an_id_is_an_answer() {
    let body = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#;
    let script = Script::new([Do::Bytes(reply(400, body))]).await;
    let error = script
        .client()
        .resource("a://b")
        .unwrap()
        .advance()
        .await
        .unwrap_err();
    let ClientError::Exchange(ExchangeError::Rejected(rejected)) = &error else {
        panic!("{error}")
    };
    assert_eq!(rejected.error.code.0, -32700);
}

#[tokio::test]
async fn http_statuses_without_an_answer_say_what_to_do() {
    let plain = |status: u16, headers: &str| {
        Do::Cut(format!(
            "HTTP/1.1 {status} X\r\n{headers}Content-Length: 3\r\n\r\nno\n"
        ))
    };
    let challenge = "WWW-Authenticate: Bearer resource_metadata=\"u\"\r\n";
    for (step, status, says, delivery) in [
        (
            plain(401, challenge),
            401,
            "credentials",
            Delivery::NotDelivered,
        ),
        (plain(403, ""), 403, "credentials", Delivery::NotDelivered),
        (
            plain(404, ""),
            404,
            "earlier revision",
            Delivery::NotDelivered,
        ),
        (plain(400, ""), 400, "initialize", Delivery::NotDelivered),
        (plain(429, ""), 429, "later", Delivery::NotDelivered),
        (
            plain(502, ""),
            502,
            "may have been carried out",
            Delivery::Unknown,
        ),
        (plain(202, ""), 202, "no answer", Delivery::Unknown),
    ] {
        let script = Script::new([step]).await;
        let error = script
            .client()
            .call_tool("t", &json!({}), &())
            .await
            .unwrap_err();
        let ClientError::Status(found) = &error else {
            panic!("{error}")
        };
        assert_eq!(found.status, status);
        assert_eq!(found.body, "no");
        assert_eq!(found.www_authenticate.is_some(), status == 401);
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!(error.delivery(), delivery);
    }
}

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
async fn redirections_are_not_followed() {
    let aim = Script::new([]).await;
    let head = format!(
        "HTTP/1.1 307 X\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n",
        aim.url
    );
    let script = Script::new([Do::Bytes(head)]).await;
    let client = script.builder().bearer("secret").build().unwrap();
    let error = client
        .call_tool("t", &json!({"a": 1}), &())
        .await
        .unwrap_err();
    let ClientError::Status(status) = &error else {
        panic!("{error}")
    };
    assert_eq!(status.location.as_deref(), Some(&*aim.url));
    assert!(error.to_string().contains("not followed"), "{error}");
    assert!(aim.all().is_empty());
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

    for supported in [json!(["2025-11-25"]), json!(["2026-07-28"]), json!(null)] {
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
async fn bearer_tokens_go_to_the_server_and_nowhere_else() {
    let script = Script::new([Do::Result(done()), Do::Result(done()), Do::Hangup]).await;
    let traced = Arc::new(Mutex::new(String::new()));
    let trace = Arc::clone(&traced);
    let count = Arc::new(Mutex::new(0));
    let client = script
        .builder()
        .bearer_with(move || {
            let mut count = count.lock().unwrap();
            *count += 1;
            let token = if *count < 4 {
                Ok(format!("secret-{count}"))
            } else {
                Err("expired")
            };
            async move { token }
        })
        .trace(move |message| trace.lock().unwrap().push_str(&format!("{message:?}")))
        .build()
        .unwrap();
    client.call_tool("t", &json!({}), &()).await.unwrap();
    client.call_tool("t", &json!({}), &()).await.unwrap();
    let tokens: Vec<_> = script
        .all()
        .iter()
        .map(|s| s.header("authorization").map(str::to_owned))
        .collect();
    let expected = ["Bearer secret-1", "Bearer secret-2", "Bearer secret-3"];
    assert_eq!(tokens, expected.map(|token| Some(token.to_owned())));
    let error = client.call_tool("t", &json!({}), &()).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable(_)), "{error}");
    assert_eq!(error.delivery(), Delivery::NotDelivered);
    assert_eq!(script.all().len(), 3, "nothing is sent without credentials");
    assert!(!traced.lock().unwrap().contains("secret"));
    assert!(!format!("{client:?}{error:?}").contains("secret"));

    let bad = script.builder().bearer("a\r\nb").build().unwrap();
    let error = bad.list_tools().await.unwrap_err();
    assert!(!error.to_string().contains("a\r\nb"), "{error}");
    assert_eq!(script.all().len(), 3);
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

#[tokio::test]
async fn an_expired_state_is_recognised() {
    let error = json!({"code": -32602, "message": "Invalid or expired requestState",
        "data": {"reason": "invalid_request_state"}});
    let script = Script::new([Do::Result(asks(form())), Do::Error(400, error)]).await;
    let error = script
        .client()
        .call_tool("t", &json!({}), &says_yes())
        .await
        .unwrap_err();
    let ClientError::Exchange(ExchangeError::Rejected(rejected)) = &error else {
        panic!("{error}")
    };
    assert!(rejected.is_state_rejected());
    let _: BoxError = error.into();
}
