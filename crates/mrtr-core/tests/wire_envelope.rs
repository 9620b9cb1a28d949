//! What a server accepts as a message, and what it answers to everything else.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::borrow::Cow;

use mrtr_core::wire::*;

fn request(body: &str) -> Request<'_> {
    match Incoming::parse(body.as_bytes()) {
        Ok(Incoming::Request(request)) => request,
        other => panic!("{body} was read as {other:?}"),
    }
}

fn refused(body: &str) -> (i64, Option<String>) {
    let malformed = Incoming::parse(body.as_bytes()).unwrap_err();
    assert_eq!(malformed.cause.http_status(), 400);
    (
        malformed.error().code.0,
        malformed.id.map(|id| id.to_string()),
    )
}

#[test]
fn ids_are_echoed_exactly_as_they_came() {
    for id in [
        "1",
        "0",
        "-7",
        "-0",
        "1.0",
        "9007199254740993",
        "18446744073709551616",
        "-170141183460469231731687303715884105729",
        r#""007""#,
        r#""""#,
        r#""\u0061\/""#,
        r#""\ud83d\ude00""#,
        "\"\u{e9}\u{7f}\"",
        r#"" \"x\" ""#,
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        let request = request(&body);
        assert_eq!(request.id.to_string(), id);
        let answer = write_result(&request.id, &CallToolResult::default()).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        assert!(
            answer.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"#)),
            "{answer}"
        );
    }
}

#[test]
fn ids_are_equal_when_their_values_are() {
    let id = |text: &str| serde_json::from_str::<RequestId>(text).unwrap();
    assert_eq!(id(r#""\u0061""#), id(r#""a""#));
    assert_eq!(id("1.0"), RequestId::from(1));
    assert_eq!(id("-0"), id("0"));
    assert_eq!(id("18446744073709551615"), RequestId::from(u64::MAX));
    assert_ne!(id("7"), id(r#""7""#));
    assert_ne!(id("18446744073709551616"), id("18446744073709551617"));
    assert_ne!(
        id("340282366920938463463374607431768211456"),
        id("340282366920938463463374607431768211457")
    );
    assert_ne!(id(r#""007""#), id(r#""7""#));
    assert_eq!(
        (id("12").as_i64(), id(r#""x""#).as_str()),
        (Some(12), Some("x"))
    );
}

#[test]
fn an_id_that_is_no_string_and_no_integer_is_left_out_of_the_answer() {
    for id in ["null", "1.5", "1e3", "true", "{}", "[]", r#""\ud800""#] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        assert_eq!(refused(&body), (-32600, None), "{body}");
    }
    let malformed = Incoming::parse(br#"{"jsonrpc":"2.0","id":null,"method":"m"}"#).unwrap_err();
    let answer = String::from_utf8(write_error(malformed.id.as_ref(), &malformed.error())).unwrap();
    assert!(!answer.contains("id\":"), "{answer}");
}

#[test]
fn an_id_or_a_progress_token_beyond_its_bound_is_refused() {
    let of = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));
    let (longest, longer) = (of(RequestId::MAX_BYTES), of(RequestId::MAX_BYTES + 1));
    let body = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
    assert_eq!(request(&body(&longest)).id.to_string(), longest);
    assert_eq!(refused(&body(&longer)), (-32600, None));
    assert_eq!(refused(&body(&"9".repeat(1025))), (-32600, None));
    let members = |token: &str| format!(r#"{{{VERSION},{CAPABILITIES},"progressToken":{token}}}"#);
    assert!(meta(&members(&longest)).is_ok());
    let cause = meta(&members(&longer)).unwrap_err();
    assert!(matches!(cause, Cause::InvalidParams(_)), "{cause}");
}

#[test]
fn what_is_not_json_is_a_parse_error() {
    for body in [
        "",
        " ",
        "{",
        "{}}",
        "nope",
        r#"{"a":01}"#,
        r#"{"a":1,}"#,
        "{'a':1}",
        r#"{"id":1"#,
        "\u{feff}{}",
    ] {
        assert_eq!(refused(body), (-32700, None), "{body}");
    }
    assert_eq!(
        Incoming::parse(b"{\"a\":\"\xff\"}").unwrap_err().cause,
        Cause::ParseError
    );
}

#[test]
fn batches_responses_and_other_json_are_invalid_requests() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#;
    for body in [&format!("[{ping}]"), "[]", "7", "null", r#""x""#, "true"] {
        assert_eq!(refused(body), (-32600, None), "{body}");
    }
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#,
        r#"{"jsonrpc":2.0,"id":1,"method":"m"}"#,
        r#"{"id":1,"method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","method":7,"id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","method":"n"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":"a","name":"b"}}"#,
        r#"{"jsonrpc":"2.0","method":"m","params":{"n\u0061me":"a","name":"b"},"id":1}"#,
    ] {
        assert_eq!(refused(body), (-32600, Some("1".into())), "{body}");
    }
    for unreadable in [
        r#"{"jsonrpc":"2.0","id":1,"method":"m","id":2}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{},"\ud800":1}"#,
    ] {
        assert_eq!(refused(unreadable), (-32600, None), "{unreadable}");
    }
}

#[test]
fn params_of_the_wrong_type_are_answered_with_the_id() {
    for params in [
        "[]",
        "7",
        "-1",
        "1.5",
        r#""x""#,
        "true",
        r#"["a",{"b":[]}]"#,
    ] {
        let body =
            format!(r#"{{"params":{params},"jsonrpc":"2.0","id":"x","method":"tools/call"}}"#);
        let request = request(&body);
        let cause = request.params.name().unwrap_err();
        assert_eq!(
            (cause.code(), cause.http_status()),
            (ErrorCode::INVALID_PARAMS, 400),
            "{body}"
        );
        assert!(request.params.check().is_err());
    }
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
    ] {
        assert!(request(body).params.check().is_ok());
    }
}

#[test]
fn a_wrong_type_matters_only_where_the_member_is_used() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{
        "name":7,"uri":[],"arguments":"x","cursor":{},"ref":1e999,"requestId":{},"reason":7}}"#;
    let params = request(body).params;
    assert!(params.check().is_ok());
    for cause in [
        params.name().unwrap_err(),
        params.uri().unwrap_err(),
        params.arguments().unwrap_err(),
        params.cursor().unwrap_err(),
        params.request_id().unwrap_err(),
        params
            .decode::<CompletionReference>("ref", params.reference)
            .unwrap_err(),
    ] {
        assert_eq!(cause.code(), ErrorCode::INVALID_PARAMS);
    }
    assert_eq!(params.reason(), None);
    assert_eq!(params.request_state(), Ok(None));
}

#[test]
fn null_arguments_are_no_arguments() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":null}}"#;
    assert!(request(body).params.arguments().unwrap().is_none());
}

#[test]
fn text_is_borrowed_from_the_body() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book","requestState":"abc","uri":"\u0061"}}"#;
    let request = request(body);
    let range = body.as_bytes().as_ptr_range();
    let name = request.params.name().unwrap();
    let state = request.params.request_state().unwrap().unwrap();
    for text in [&request.method, &name, &state] {
        assert!(
            matches!(text, Cow::Borrowed(_)) && range.contains(&text.as_ptr()),
            "{text} was copied"
        );
    }
    assert_eq!(request.params.uri().unwrap(), "a");
}

#[test]
fn a_message_without_id_is_a_notification() {
    let body = br#"{"method":"notifications/cancelled","params":{"requestId":"7","reason":"gone"},"jsonrpc":"2.0"}"#;
    let Ok(Incoming::Notification(notification)) = Incoming::parse(body) else {
        panic!()
    };
    assert_eq!(notification.method, "notifications/cancelled");
    assert_eq!(notification.params.request_id(), Ok("7".into()));
    assert_eq!(notification.params.reason().as_deref(), Some("gone"));
}

const VERSION: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
const CAPABILITIES: &str = r#""io.modelcontextprotocol/clientCapabilities":{}"#;

fn meta(text: &str) -> Result<RequestMeta<'_>, Cause> {
    RequestMeta::parse(Some(serde_json::from_str(text).unwrap()))
}

#[test]
fn missing_meta_members_are_told_apart() {
    let version = Cause::MissingMeta("io.modelcontextprotocol/protocolVersion");
    let capabilities = Cause::MissingMeta("io.modelcontextprotocol/clientCapabilities");
    assert_eq!(RequestMeta::parse(None).unwrap_err(), version);
    assert_eq!(meta("null").unwrap_err(), version);
    assert_eq!(meta("{}").unwrap_err(), version);
    assert_eq!(meta(&format!("{{{CAPABILITIES}}}")).unwrap_err(), version);
    assert_eq!(meta(&format!("{{{VERSION}}}")).unwrap_err(), capabilities);
    assert_eq!(version.http_status(), 400);
    assert!(version.error().message.contains("protocolVersion"));
    assert!(meta(&format!("{{{VERSION},{CAPABILITIES}}}")).is_ok());
}

#[test]
fn meta_members_of_the_wrong_type_are_invalid_params() {
    for text in [
        "[]".to_owned(),
        r#""x""#.to_owned(),
        format!(r#"{{"io.modelcontextprotocol/protocolVersion":7,{CAPABILITIES}}}"#),
        format!(r#"{{{VERSION},"io.modelcontextprotocol/clientCapabilities":[]}}"#),
        format!(r#"{{{VERSION},{CAPABILITIES},"progressToken":{{}}}}"#),
        format!(r#"{{{VERSION},{CAPABILITIES},"progressToken":1.5}}"#),
        format!(r#"{{{VERSION},{CAPABILITIES},"io.modelcontextprotocol/logLevel":"loud"}}"#),
        format!(r#"{{{VERSION},{CAPABILITIES},"io.modelcontextprotocol/logLevel":3}}"#),
        format!(r#"{{{VERSION},{CAPABILITIES},"io.modelcontextprotocol/clientInfo":"x"}}"#),
        format!(r#"{{{VERSION},{CAPABILITIES},{VERSION}}}"#),
    ] {
        let cause = meta(&text).unwrap_err();
        assert!(matches!(cause, Cause::InvalidParams(_)), "{text}: {cause}");
    }
}

#[test]
fn optional_meta_members_are_read() {
    let text = format!(
        r#"{{{VERSION},{CAPABILITIES},"progressToken":18446744073709551616,"traceparent":"00-a","tracestate":7,
            "io.modelcontextprotocol/logLevel":"warning","com.example/other":{{}},
            "io.modelcontextprotocol/clientInfo":{{"name":"c","version":"1","x":1.0}}}}"#
    );
    let meta = meta(&text).unwrap();
    assert_eq!(
        meta.progress_token.map(|token| token.get()),
        Some("18446744073709551616")
    );
    assert_eq!(meta.log_level, Some(LoggingLevel::Warning));
    assert_eq!(meta.traceparent.as_deref(), Some("00-a"));
    assert_eq!(meta.tracestate, None);
    assert_eq!(meta.client_info().unwrap().name, "c");
}

#[test]
fn messages_of_a_server_have_exactly_one_meaning() {
    let parse =
        |text: &str| ServerMessage::parse(text.as_bytes()).map(|message| format!("{message:?}"));
    for text in [
        "",
        "[]",
        "7",
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"method":"m"}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
        r#"{"id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":7}"#,
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
    // Other servers write `null` where this library leaves the id out.
    let text = br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m","data":{"a":1.0},"x":1}}"#;
    let Ok(ServerMessage::Response(response)) = ServerMessage::parse(text) else {
        panic!()
    };
    assert_eq!(response.id, None);
    assert_eq!(
        response.outcome.unwrap_err().data.unwrap().get(),
        r#"{"a":1.0}"#
    );
    let legacy = br#"{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{}}"#;
    assert!(matches!(
        ServerMessage::parse(legacy),
        Ok(ServerMessage::Request { .. })
    ));
}
