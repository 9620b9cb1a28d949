//! `--trace`, headers and tokens.

use serde_json::json;

use crate::program::{mrtr, run, run_with, stdio_server};
use crate::scripted::{Scripted, form};

#[test]
fn a_trace_shows_every_message_and_no_credential() {
    let server = Scripted::asking(json!({ "q": form("Go?", json!({}), &[]) }));
    let args = [
        "call",
        "--trace",
        &*server.url,
        "t",
        "--bearer",
        "bearer-secret",
        "--header",
        "X-Key: key-secret",
        "--answer",
        "q=accept",
    ];
    let ran = run(args).expect(0);
    for request in server.seen() {
        assert!(
            request.headers.contains("Bearer bearer-secret"),
            "{}",
            request.headers
        );
        assert!(
            request.headers.contains("key-secret"),
            "{}",
            request.headers
        );
    }
    for part in [
        "--> POST",
        "mcp-method: tools/call",
        "<-- HTTP 200",
        r#""inputRequests":{"q""#,
        r#""inputResponses":{"q":{"action":"accept","content":{}}}"#,
        r#""requestState":"S1""#,
        "set-cookie: [not shown]",
    ] {
        assert!(
            ran.stderr.contains(part),
            "{part} is missing in {}",
            ran.stderr
        );
    }
    assert!(!ran.stderr.contains("-secret"), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("mcp-method: tools/call").count(), 2);
}

#[test]
fn a_token_comes_from_the_environment_too() {
    let server = Scripted::asking(json!({ "q": form("Go?", json!({}), &[]) }));
    let mut command = mrtr(["call", &*server.url, "t", "--answer", "q=accept"]);
    command.env("MRTR_TOKEN", "from-the-environment");
    run_with(command, "").expect(0);
    assert!(
        server.seen()[1]
            .headers
            .contains("Bearer from-the-environment")
    );
}

#[test]
fn headers_that_cannot_be_sent_are_refused_without_repeating_them() {
    let server = Scripted::asking(json!({}));
    for header in [
        "no colon hidden",
        "Mcp-Method: hidden",
        "X-Key: hidden\nX: hidden",
        "a b: hidden",
    ] {
        let ran = run(["call", &*server.url, "t", "--header", header]).expect(2);
        assert!(!ran.stderr.contains("hidden"), "{}", ran.stderr);
    }
    assert!(server.seen().is_empty());
}

#[test]
fn over_stdio_lines_and_the_servers_stderr_are_traced() {
    let args = [
        "call",
        "--trace",
        "--command",
        &stdio_server(),
        "echo",
        "text=hi",
    ];
    let ran = run(args).expect(0);
    assert!(
        ran.stderr.contains(r#"--> {"jsonrpc":"2.0""#),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains(r#"<-- {"jsonrpc":"2.0""#),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("stderr: serving on stdin"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.stdout, "hi\n");
}

#[test]
fn the_trace_it_was_started_in_goes_with_every_request() {
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for (given, sent) in [
        (Some(parent), Some(parent)),
        (Some("nonsense"), None),
        (None, None),
    ] {
        let server = Scripted::asking(json!({ "q": form("Go?", json!({}), &[]) }));
        let mut command = mrtr(["call", &*server.url, "t", "--answer", "q=accept"]);
        command.env("TRACESTATE", "vendor=1");
        if let Some(given) = given {
            command.env("TRACEPARENT", given);
        }
        run_with(command, "").expect(0);
        let calls = server
            .seen()
            .into_iter()
            .filter(|request| request.body["method"] == "tools/call");
        let mut metas = calls.map(|request| request.body["params"]["_meta"].clone());
        for _ in 0..2 {
            let meta = metas.next().expect("two requests");
            assert_eq!(meta["traceparent"].as_str(), sent, "{given:?}");
            assert_eq!(
                meta["tracestate"].as_str(),
                sent.map(|_| "vendor=1"),
                "{given:?}"
            );
        }
    }
}
