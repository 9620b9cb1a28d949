//! How replies over HTTP are read.

use std::sync::{Arc, Mutex};

use crate::support::http::{Do, Script, event, events, reply};
use crate::support::{asks, done, form, says_yes};
use mrtr::client::{BoxError, ClientError, ClientLimits, Delivery, Turn};
use mrtr::exchange::{Blame, ExchangeError};
use mrtr::wire::{LoggingLevel, ServerNotification};
use serde_json::json;

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
