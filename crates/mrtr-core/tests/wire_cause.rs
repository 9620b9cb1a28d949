//! What the wire says, by cause.

#![allow(clippy::unwrap_used, reason = "tests")]

use mrtr_core::wire::*;

fn every_cause() -> Vec<(Cause, i64, u16, Option<&'static str>)> {
    let name = || "n".to_owned();
    vec![
        (Cause::ParseError, -32700, 400, None),
        (Cause::InvalidRequest("x".into()), -32600, 400, None),
        (Cause::MethodNotFound { method: name() }, -32601, 404, None),
        (Cause::InvalidParams("x".into()), -32602, 400, None),
        (Cause::MissingMeta("m"), -32602, 400, None),
        (
            Cause::InvalidRequestState,
            -32602,
            400,
            Some(r#"{"reason":"invalid_request_state"}"#),
        ),
        (
            Cause::UnsupportedVersion {
                requested: "1900-01-01".into(),
            },
            -32022,
            400,
            Some(r#"{"supported":["2026-07-28"],"requested":"1900-01-01"}"#),
        ),
        (
            Cause::LegacyInitialize {
                requested: Some("2025-11-25".into()),
            },
            -32022,
            400,
            Some(r#"{"supported":["2026-07-28"],"requested":"2025-11-25"}"#),
        ),
        (Cause::HeaderMismatch("x".into()), -32020, 400, None),
        (
            Cause::MissingCapability(Capability::Roots.into()),
            -32021,
            400,
            Some(r#"{"requiredCapabilities":{"roots":{}}}"#),
        ),
        (Cause::UnknownTool { name: name() }, -32602, 200, None),
        (Cause::UnknownPrompt { name: name() }, -32602, 200, None),
        (
            Cause::ResourceNotFound { uri: "a:b".into() },
            -32602,
            200,
            Some(r#"{"uri":"a:b"}"#),
        ),
        (Cause::InvalidArguments("x".into()), -32602, 200, None),
        (Cause::InvalidCursor, -32602, 200, None),
        (
            Cause::Refused {
                key: "k".into(),
                action: Action::Decline,
            },
            -32602,
            200,
            Some(r#"{"reason":"declined","key":"k"}"#),
        ),
        (
            Cause::Refused {
                key: "k".into(),
                action: Action::Cancel,
            },
            -32602,
            200,
            Some(r#"{"reason":"cancelled","key":"k"}"#),
        ),
        (
            Cause::TooManyRounds { limit: 10 },
            -32603,
            200,
            Some(r#"{"reason":"too_many_rounds"}"#),
        ),
        (
            Cause::Deadline,
            -32603,
            200,
            Some(r#"{"reason":"deadline"}"#),
        ),
        (Cause::Busy, -32603, 200, Some(r#"{"reason":"busy"}"#)),
        (
            Cause::Unavailable,
            -32603,
            200,
            Some(r#"{"reason":"unavailable"}"#),
        ),
        (Cause::Fault, -32603, 200, None),
    ]
}

#[test]
fn every_cause_has_its_code_status_and_data() {
    for (cause, code, status, data) in every_cause() {
        let error = cause.error();
        assert_eq!(
            (error.code.0, cause.http_status()),
            (code, status),
            "{cause}"
        );
        assert_eq!(
            error.data.as_deref().map(|data| data.get()),
            data,
            "{cause}"
        );
        assert!(
            !error.message.is_empty() && error.message.len() < 200,
            "{}",
            error.message
        );
        let text = write_error(Some(&"i".into()), &error);
        let Ok(ServerMessage::Response(response)) = ServerMessage::parse(&text) else {
            panic!("{cause}")
        };
        assert_eq!(response.outcome.unwrap_err(), error);
    }
}

#[test]
fn codes_of_earlier_revisions_are_never_sent() {
    for (cause, ..) in every_cause() {
        assert!(
            ![-32002, -32003, -32042].contains(&cause.code().0),
            "{cause}"
        );
    }
}

#[test]
fn the_rejection_of_a_state_is_one_fixed_answer() {
    let text = write_error(Some(&7.into()), &Cause::InvalidRequestState.error());
    assert_eq!(
        std::str::from_utf8(&text).unwrap(),
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid or expired requestState","data":{"reason":"invalid_request_state"}}}"#
    );
}

#[test]
fn an_earlier_client_is_told_the_version() {
    let message = Cause::LegacyInitialize { requested: None }.error().message;
    assert!(message.contains(PROTOCOL_VERSION), "{message}");
}

#[test]
fn a_peers_text_is_cut() {
    let long = "\u{e9}".repeat(10_000);
    for cause in [
        Cause::UnknownTool { name: long.clone() },
        Cause::UnknownPrompt { name: long.clone() },
        Cause::MethodNotFound { method: long },
    ] {
        assert!(cause.error().message.len() < 200, "{cause}");
    }
}
