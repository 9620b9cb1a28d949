//! Every check that a request passes before it is answered, over a real socket.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

mod transport_support;

use mrtr::server::{Server, prompt, resource, tool};
use mrtr::state::{Keyring, Secret};
use mrtr::{Cx, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use transport_support::{Post, Running, message, meta, run};

#[derive(Deserialize, JsonSchema)]
struct Trip {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: Option<String>,
    #[schemars(extend("x-mcp-header" = "Nights"))]
    nights: Option<i64>,
    #[schemars(extend("x-mcp-header" = "Window-Seat"))]
    window: Option<bool>,
    via: Option<Via>,
}

#[derive(Deserialize, JsonSchema)]
struct Via {
    #[schemars(extend("x-mcp-header" = "Via-City"))]
    city: Option<String>,
}

async fn book(_: Cx, trip: Trip) -> Result<String, ToolError> {
    let Trip {
        region,
        nights,
        window,
        via,
    } = trip;
    Ok(format!(
        "{region:?} {nights:?} {window:?} {:?}",
        via.and_then(|via| via.city)
    ))
}

async fn text(_: Cx, (): ()) -> Result<String, ToolError> {
    Ok("text".to_owned())
}

async fn server() -> Running {
    let server = Server::builder("checks", "1.0.0")
        .keyring(Keyring::new([Secret::generate([7; 32])]).unwrap())
        .tool(tool("book", book))
        .prompt(prompt("p", text))
        .resource(resource("a:b", text))
        .build()
        .unwrap();
    run(server.http().body_limit(4096)).await
}

struct Case {
    rule: &'static str,
    post: Post,
    status: u16,
    /// The code of the error; none for success and for replies without a body.
    code: Option<i64>,
    /// Whether the error carries the id of the request.
    id: bool,
}

fn refused(rule: &'static str, post: Post, status: u16, code: i64) -> Case {
    let (code, id) = (Some(code), false);
    Case {
        rule,
        post,
        status,
        code,
        id,
    }
}

fn answered(rule: &'static str, post: Post, status: u16, code: i64) -> Case {
    let (code, id) = (Some(code), true);
    Case {
        rule,
        post,
        status,
        code,
        id,
    }
}

fn passes(rule: &'static str, post: Post) -> Case {
    let (code, id) = (None, true);
    Case {
        rule,
        post,
        status: 200,
        code,
        id,
    }
}

fn ok() -> Post {
    Post::discover()
}

fn nested(depth: usize) -> String {
    let nest = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    message("server/discover", json!({"x": 0}))
        .to_string()
        .replace(":0", &format!(":{nest}"))
}

fn admission() -> Vec<Case> {
    vec![
        passes("a correct request", ok()),
        passes(
            "the host may be any loopback name",
            ok().with("Host", "127.0.0.1:4000"),
        ),
        refused(
            "a foreign host",
            ok().with("Host", "evil.example"),
            403,
            -32600,
        ),
        refused("no host", ok().without("Host"), 403, -32600),
        refused("two hosts", ok().and("Host", "evil.example"), 403, -32600),
        refused(
            "a target of a foreign host",
            ok().target("http://evil.example/mcp"),
            403,
            -32600,
        ),
        passes(
            "a loopback origin",
            ok().with("Origin", "http://localhost:3000"),
        ),
        refused(
            "a foreign origin",
            ok().with("Origin", "https://evil.example"),
            403,
            -32600,
        ),
        refused("an opaque origin", ok().with("Origin", "null"), 403, -32600),
        refused("GET", ok().verb("GET"), 405, -32600),
        refused("DELETE", ok().verb("DELETE"), 405, -32600),
        refused("OPTIONS", ok().verb("OPTIONS"), 405, -32600),
        refused(
            "a foreign origin comes before the verb",
            ok().verb("GET").with("Origin", "http://e.example"),
            403,
            -32600,
        ),
        refused("no content type", ok().without("Content-Type"), 415, -32600),
        refused(
            "a foreign content type",
            ok().with("Content-Type", "text/plain"),
            415,
            -32600,
        ),
        refused(
            "a foreign charset",
            ok().with("Content-Type", "application/json;charset=latin1"),
            415,
            -32600,
        ),
        refused(
            "a compressed body",
            ok().with("Content-Encoding", "gzip"),
            415,
            -32600,
        ),
        passes(
            "a content type with charset",
            ok().with("Content-Type", "application/json; charset=utf-8"),
        ),
        refused("no Accept", ok().without("Accept"), 406, -32600),
        refused(
            "Accept without events",
            ok().with("Accept", "application/json"),
            406,
            -32600,
        ),
        refused(
            "Accept without JSON",
            ok().with("Accept", "text/event-stream"),
            406,
            -32600,
        ),
        passes("Accept anything", ok().with("Accept", "*/*")),
        passes(
            "Accept in two headers",
            ok().with("Accept", "text/event-stream")
                .and("Accept", "application/json"),
        ),
        refused(
            "the body is too large",
            ok().body(vec![b' '; 4097]),
            413,
            -32600,
        ),
        refused("another path", ok().target("/other"), 404, 0),
        passes("a query", ok().target("/mcp?x=1")),
    ]
}

fn bodies() -> Vec<Case> {
    let member = |name: &'static str, value: Value| ok().edit(move |m| m[name] = value);
    vec![
        refused("no body", ok().body(""), 400, -32700),
        refused("no JSON", ok().body("{\"jsonrpc\":"), 400, -32700),
        refused(
            "no UTF-8",
            ok().body(b"{\"jsonrpc\":\"\xff\"}".to_vec()),
            400,
            -32700,
        ),
        refused(
            "two messages",
            ok().body([ok().body, ok().body].concat()),
            400,
            -32700,
        ),
        passes("nested as deep as allowed", ok().body(nested(62))),
        refused(
            "nested deeper than allowed",
            ok().body(nested(63)),
            400,
            -32600,
        ),
        refused(
            "a batch",
            ok().edit(|m| *m = json!([m.clone()])),
            400,
            -32600,
        ),
        refused("an empty batch", ok().body("[]"), 400, -32600),
        refused("no object", ok().body("7"), 400, -32600),
        refused("the id is null", member("id", Value::Null), 400, -32600),
        refused(
            "the id is a fraction",
            member("id", json!(1.5)),
            400,
            -32600,
        ),
        refused("the id is an object", member("id", json!({})), 400, -32600),
        answered(
            "another JSON-RPC",
            member("jsonrpc", json!("1.0")),
            400,
            -32600,
        ),
        answered("no method", member("method", Value::Null), 400, -32600),
        answered(
            "a response",
            ok().body(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            400,
            -32600,
        ),
        answered(
            "an error response",
            ok().body(r#"{"jsonrpc":"2.0","id":1,"error":{}}"#),
            400,
            -32600,
        ),
        answered(
            "params is a list",
            member("params", json!([1])),
            400,
            -32602,
        ),
    ]
}

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

async fn check(cases: Vec<Case>) {
    let server = server().await;
    for Case {
        rule,
        post,
        status,
        code,
        id,
    } in cases
    {
        let answer = server.send(&post).await;
        assert_eq!(answer.status, status, "{rule}: {answer:?}");
        assert_eq!(answer.header("mcp-session-id"), None, "{rule}");
        if code == Some(0) {
            assert!(answer.body.is_empty(), "{rule}");
            continue;
        }
        let allow = (status == 405).then_some("POST");
        assert_eq!(answer.header("allow"), allow, "{rule}");
        assert_eq!(
            answer.header("content-type"),
            Some("application/json"),
            "{rule}"
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{rule}");
        let body = answer.json();
        assert_eq!(answer.code(), code, "{rule}: {body}");
        assert_eq!(
            body.get("result").is_some(),
            code.is_none(),
            "{rule}: {body}"
        );
        assert_eq!(body.get("id"), id.then_some(&json!(1)), "{rule}: {body}");
        assert_eq!(body["jsonrpc"], "2.0", "{rule}");
    }
}

#[tokio::test]
async fn admission_rules_and_their_statuses() {
    check(admission()).await;
}

#[tokio::test]
async fn body_rules_and_their_statuses() {
    check(bodies()).await;
}

#[tokio::test]
async fn header_rules_and_their_statuses() {
    check(headers()).await;
}

#[tokio::test]
async fn arguments_mirrored_in_headers_and_their_statuses() {
    check(mirrored_arguments()).await;
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

#[tokio::test]
async fn a_legacy_initialize_is_told_the_versions_spoken_here() {
    let initialize = json!({"jsonrpc": "2.0", "id": "0", "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}
    }});
    let post = Post::discover()
        .body(initialize.to_string())
        .without("MCP-Protocol-Version")
        .without("Mcp-Method");
    let answer = server().await.send(&post).await;
    assert_eq!(answer.status, 400);
    let body = answer.json();
    assert_eq!(body["id"], "0");
    assert!(
        body["error"]["message"]
            .as_str()
            .unwrap()
            .contains("2026-07-28"),
        "{body}"
    );
    assert_eq!(body["error"]["data"]["supported"], json!(["2026-07-28"]));
    assert_eq!(body["error"]["data"]["requested"], "2025-06-18");
}

#[tokio::test]
async fn initialize_as_a_modern_request_is_an_unknown_method() {
    let answer = server()
        .await
        .send(&Post::new("initialize", json!({})))
        .await;
    assert_eq!((answer.status, answer.code()), (404, Some(-32601)));
}

#[tokio::test]
async fn notifications_are_accepted_without_a_body_whatever_their_headers() {
    let server = server().await;
    for method in ["notifications/cancelled", "notifications/unheard/of"] {
        let body = json!({"jsonrpc": "2.0", "method": method, "params": {"requestId": 1}});
        let post = Post::discover()
            .body(body.to_string())
            .without("MCP-Protocol-Version")
            .without("Mcp-Method");
        let answer = server.send(&post).await;
        assert_eq!((answer.status, answer.body.len()), (202, 0));
        assert_eq!(answer.header("content-type"), None);
    }
}

#[tokio::test]
async fn ids_are_echoed_exactly() {
    let server = server().await;
    for id in [
        "0",
        "-1",
        "18446744073709551616",
        "\"007\"",
        "\"\\u0041\\n\"",
        "1.0",
        "\"\"",
    ] {
        let body = format!(
            r#"{{"params":{{"_meta":{}}},"method":"server/discover","jsonrpc":"2.0","id":{id}}}"#,
            meta()
        );
        let answer = server.send(&Post::discover().body(body)).await;
        let text = String::from_utf8(answer.body).unwrap();
        assert!(text.contains(&format!("\"id\":{id},")), "{id}: {text}");
    }
}

#[tokio::test]
async fn a_body_announced_too_large_is_refused_before_it_is_sent() {
    let server = server().await;
    let mut connection = transport_support::Connection::open(server.address).await;
    let head = Post::discover().with("Content-Length", "4097").head();
    connection.write(head.as_bytes()).await;
    assert_eq!(connection.answer().await.status, 413);
}

#[tokio::test]
async fn a_client_that_sends_far_too_much_gets_to_read_why_it_is_refused() {
    let server = server().await;
    for post in [
        Post::discover(),
        Post::discover().with("Content-Type", "text/plain"),
    ] {
        let status = if post.headers.iter().any(|(_, value)| value == "text/plain") {
            415
        } else {
            413
        };
        let mut connection = transport_support::Connection::open(server.address).await;
        // All of it is sent before the reply is looked at.
        connection
            .write(&post.body(vec![b' '; 16 << 20]).bytes())
            .await;
        assert_eq!(connection.answer().await.status, status);
        assert!(connection.is_closed().await);
    }
}

#[tokio::test]
async fn a_body_is_asked_for_only_when_it_is_wanted() {
    let server = server().await;
    let expecting = Post::discover().with("Expect", "100-continue");
    let mut connection = transport_support::Connection::open(server.address).await;
    connection.write(expecting.head().as_bytes()).await;
    assert_eq!(connection.answer_head().await.status, 100);
    connection.write(&expecting.body).await;
    assert_eq!(connection.answer().await.status, 200);
    for (refused, status) in [
        (expecting.clone().with("Origin", "http://evil.example"), 403),
        (expecting.clone().with("Content-Length", "4097"), 413),
    ] {
        let mut connection = transport_support::Connection::open(server.address).await;
        connection.write(refused.head().as_bytes()).await;
        assert_eq!(connection.answer().await.status, status);
    }
}

#[tokio::test]
async fn a_chunked_body_is_bounded_as_it_arrives() {
    let server = server().await;
    let chunked = |size: usize| {
        let mut body = Post::discover().body;
        body.resize(size, b' ');
        let mut encoded = Vec::new();
        for chunk in body.chunks(1000) {
            encoded.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            encoded.extend_from_slice(chunk);
            encoded.extend_from_slice(b"\r\n");
        }
        encoded.extend_from_slice(b"0\r\n\r\n");
        Post::discover()
            .with("Transfer-Encoding", "chunked")
            .body(encoded)
    };
    assert_eq!(server.send(&chunked(4096)).await.status, 200);
    assert_eq!(server.send(&chunked(4097)).await.status, 413);
}
