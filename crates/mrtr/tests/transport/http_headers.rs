//! Whether headers say what the body says, rule by rule.

use crate::cases::{Case, answered, check, ok, passes, server};
use crate::support::Post;
use serde_json::{Value, json};

fn headers() -> Vec<Case> {
    let call = || Post::call("book", json!({}));
    let version = |version: &'static str| {
        ok().edit(|m| {
            m["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(version)
        })
    };
    let meta_without = |name: &'static str| {
        ok().edit(move |m| {
            m["params"]["_meta"].as_object_mut().unwrap().remove(name);
        })
    };
    vec![
        answered(
            "no version header",
            ok().without("MCP-Protocol-Version"),
            400,
            -32020,
        ),
        answered(
            "two version headers",
            ok().and("MCP-Protocol-Version", "2026-07-28"),
            400,
            -32020,
        ),
        answered(
            "the version header differs from the body",
            ok().with("MCP-Protocol-Version", "2025-11-25"),
            400,
            -32020,
        ),
        answered(
            "the body differs from the version header",
            version("1900-01-01"),
            400,
            -32020,
        ),
        answered(
            "a version nobody speaks",
            version("1900-01-01").with("MCP-Protocol-Version", "1900-01-01"),
            400,
            -32022,
        ),
        answered(
            "a legacy version without _meta",
            ok().edit(|m| m["params"] = json!({}))
                .with("MCP-Protocol-Version", "2025-11-25"),
            400,
            -32022,
        ),
        answered(
            "an unsupported version comes before other headers",
            version("2030-01-01")
                .with("MCP-Protocol-Version", "2030-01-01")
                .without("Mcp-Method"),
            400,
            -32022,
        ),
        answered(
            "no _meta",
            ok().edit(|m| m["params"] = json!({})),
            400,
            -32602,
        ),
        answered(
            "no params",
            ok().edit(|m| drop(m.as_object_mut().unwrap().remove("params"))),
            400,
            -32602,
        ),
        answered(
            "no version in _meta",
            meta_without("io.modelcontextprotocol/protocolVersion"),
            400,
            -32602,
        ),
        answered(
            "no capabilities in _meta",
            meta_without("io.modelcontextprotocol/clientCapabilities"),
            400,
            -32602,
        ),
        passes(
            "no client info in _meta",
            meta_without("io.modelcontextprotocol/clientInfo"),
        ),
        answered("no method header", ok().without("Mcp-Method"), 400, -32020),
        answered(
            "two method headers",
            ok().and("Mcp-Method", "server/discover"),
            400,
            -32020,
        ),
        answered(
            "another method in the header",
            ok().with("Mcp-Method", "tools/list"),
            400,
            -32020,
        ),
        answered(
            "header values keep their case",
            ok().with("Mcp-Method", "Server/Discover"),
            400,
            -32020,
        ),
        passes(
            "header names have no case",
            ok().without("Mcp-Method")
                .with("MCP-METHOD", "server/discover"),
        ),
        passes(
            "white space around a value is no part of it",
            ok().with("Mcp-Method", "  server/discover \t"),
        ),
        passes(
            "a name header nobody asked for",
            ok().with("Mcp-Name", "anything"),
        ),
        passes(
            "a session header is ignored",
            ok().with("Mcp-Session-Id", "abc"),
        ),
        passes(
            "a resumption header is ignored",
            ok().with("Last-Event-ID", "7"),
        ),
        passes("the name of a tool", call()),
        passes(
            "the name of a prompt",
            Post::new("prompts/get", json!({"name": "p"})),
        ),
        passes(
            "the URI of a resource",
            Post::new("resources/read", json!({"uri": "a:b"})),
        ),
        passes(
            "white space around a name is no part of it",
            call().with("Mcp-Name", "  book  "),
        ),
        passes(
            "a name in Base64",
            call().with("Mcp-Name", "=?base64?Ym9vaw==?="),
        ),
        answered(
            "the name is checked before the tool is looked for",
            Post::call("none", json!({})).with("Mcp-Name", "book"),
            400,
            -32020,
        ),
        answered(
            "no name in header and body",
            Post::new("tools/call", json!({"arguments": {}})),
            400,
            -32020,
        ),
        answered(
            "a name in the header only",
            Post::new("tools/call", json!({"arguments": {}})).with("Mcp-Name", "book"),
            400,
            -32602,
        ),
        answered(
            "an unknown tool",
            Post::call("none", json!({})),
            200,
            -32602,
        ),
        answered("no name header", call().without("Mcp-Name"), 400, -32020),
        answered(
            "two name headers",
            call().and("Mcp-Name", "book"),
            400,
            -32020,
        ),
        answered(
            "another name in the header",
            call().with("Mcp-Name", "cancel"),
            400,
            -32020,
        ),
        answered(
            "another case in the name header",
            call().with("Mcp-Name", "Book"),
            400,
            -32020,
        ),
        answered(
            "Base64 of another name",
            call().with("Mcp-Name", "=?base64?Y2FuY2Vs?="),
            400,
            -32020,
        ),
        answered(
            "Base64 without padding",
            call().with("Mcp-Name", "=?base64?Ym9vaw?="),
            400,
            -32020,
        ),
        answered(
            "Base64 that is none",
            call().with("Mcp-Name", "=?base64?b!ok?="),
            400,
            -32020,
        ),
        answered(
            "Base64 of no UTF-8",
            call().with("Mcp-Name", "=?base64?/w==?="),
            400,
            -32020,
        ),
        answered(
            "a name that is not ASCII",
            call()
                .edit(|m| m["params"]["name"] = json!("bük"))
                .with("Mcp-Name", "bük"),
            400,
            -32020,
        ),
        answered(
            "no name header for a prompt",
            Post::new("prompts/get", json!({"name": "p"})).without("Mcp-Name"),
            400,
            -32020,
        ),
        answered(
            "another URI in the header",
            Post::new("resources/read", json!({"uri": "a:b"})).with("Mcp-Name", "a:c"),
            400,
            -32020,
        ),
        answered(
            "a resource is named by its URI only",
            Post::new("resources/read", json!({"uri": "a:b", "name": "n"})).with("Mcp-Name", "n"),
            400,
            -32020,
        ),
        answered(
            "no such method",
            Post::new("no/such", json!({})),
            404,
            -32601,
        ),
        answered(
            "a method of earlier revisions",
            Post::new("ping", json!({})),
            404,
            -32601,
        ),
    ]
}

#[tokio::test]
async fn header_rules_and_their_statuses() {
    check(headers()).await;
}

#[tokio::test]
async fn a_name_in_base64_is_decoded_before_it_is_compared() {
    let server = server().await;
    for (name, header) in [
        ("book", "=?base64?Ym9vaw==?="),
        ("日本", "=?base64?5pel5pys?="),
        ("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="),
    ] {
        let post = Post::call(name, json!({})).with("Mcp-Name", header);
        let answer = server.send(&post).await;
        // The name of no tool but one: what matters is that it got past the headers.
        let code = (name != "book").then_some(-32602);
        assert_eq!(
            (answer.status, answer.code()),
            (200, code),
            "{name}: {answer:?}"
        );
    }
}

#[tokio::test]
async fn an_unsupported_version_names_what_is_supported_and_what_was_asked() {
    let version = |m: &mut Value| {
        m["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("1900-01-01");
    };
    let post = Post::discover()
        .edit(version)
        .with("MCP-Protocol-Version", "1900-01-01");
    let data = server().await.send(&post).await.json()["error"]["data"].clone();
    assert_eq!(
        data,
        json!({"supported": ["2026-07-28"], "requested": "1900-01-01"})
    );
}
