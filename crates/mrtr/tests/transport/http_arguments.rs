//! Whether `Mcp-Param-*` headers say what the arguments of the call say, rule by rule.

use serde_json::json;

use crate::cases::{Case, answered, check, passes};
use crate::support::Post;

fn mirrored_arguments() -> Vec<Case> {
    let arguments =
        json!({"region": "us-west1", "nights": 7, "window": true, "via": {"city": "Z\u{fc}rich"}});
    let all = || {
        Post::call("book", arguments.clone())
            .with("Mcp-Param-Region", "us-west1")
            .with("Mcp-Param-Nights", "7")
            .with("Mcp-Param-Window-Seat", "true")
            .with("Mcp-Param-Via-City", "=?base64?WsO8cmljaA==?=")
    };
    let region = |value: &str, header: &str| {
        Post::call("book", json!({"region": value})).with("Mcp-Param-Region", header)
    };
    let raw = |arguments: &str| {
        let call = Post::call("book", json!({"ARGUMENTS": 0}));
        let body = String::from_utf8(call.body.clone()).unwrap();
        call.body(body.replace("{\"ARGUMENTS\":0}", arguments))
    };
    let mut cases = vec![
        passes("every header says what its argument says", all()),
        passes(
            "header names have no case",
            all()
                .without("Mcp-Param-Region")
                .with("MCP-PARAM-REGION", "us-west1"),
        ),
        passes(
            "integers are compared as numbers",
            all().with("Mcp-Param-Nights", "7.0"),
        ),
        passes("no argument, no header", Post::call("book", json!({}))),
        passes(
            "null is no argument",
            Post::call("book", json!({"region": null, "via": null})),
        ),
        passes(
            "a header no argument is mirrored in",
            Post::call("book", json!({})).with("Mcp-Param-Other", "x"),
        ),
        passes(
            "text that looks like Base64 is literal",
            region("SGVsbG8=", "SGVsbG8="),
        ),
        passes(
            "text that begins like the marker is literal",
            region("=?base64?SGVsbG8=", "=?base64?SGVsbG8="),
        ),
        passes("text in Base64", region("Hello", "=?base64?SGVsbG8=?=")),
        passes("empty text", region("", "")),
        passes(
            "integers beyond 2^53 are exact",
            raw(r#"{"nights":9007199254740993}"#).with("Mcp-Param-Nights", "9007199254740993"),
        ),
        answered(
            "a neighbour beyond 2^53",
            raw(r#"{"nights":9007199254740993}"#).with("Mcp-Param-Nights", "9007199254740992"),
            400,
            -32020,
        ),
        answered(
            "Base64 without padding",
            region("Hello", "=?base64?SGVsbG8?="),
            400,
            -32020,
        ),
        answered(
            "Base64 that is none",
            region("Hello", "=?base64?SGVs!!!bG8=?="),
            400,
            -32020,
        ),
        answered(
            "text that is not ASCII",
            region("Z\u{fc}rich", "Z\u{fc}rich"),
            400,
            -32020,
        ),
        answered(
            "a header without its argument",
            Post::call("book", json!({})).with("Mcp-Param-Region", "x"),
            400,
            -32020,
        ),
        answered(
            "a header for null",
            Post::call("book", json!({"region": null})).with("Mcp-Param-Region", "null"),
            400,
            -32020,
        ),
        answered(
            "a header twice",
            region("x", "x").and("Mcp-Param-Region", "x"),
            400,
            -32020,
        ),
        answered(
            "an argument twice",
            raw(r#"{"region":"a","region":"b"}"#).with("Mcp-Param-Region", "b"),
            400,
            -32020,
        ),
    ];
    for (name, wrong) in [
        ("Region", "us-east1"),
        ("Nights", "8"),
        ("Window-Seat", "false"),
        ("Via-City", "Zurich"),
    ] {
        let name = format!("Mcp-Param-{name}");
        cases.push(answered(
            "another value",
            all().with(&name, wrong),
            400,
            -32020,
        ));
        cases.push(answered(
            "the header is missing",
            all().without(&name),
            400,
            -32020,
        ));
    }
    cases
}

#[tokio::test]
async fn arguments_mirrored_in_headers_and_their_statuses() {
    check(mirrored_arguments()).await;
}
