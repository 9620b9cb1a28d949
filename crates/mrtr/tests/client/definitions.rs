//! Tool definitions: which are left out, and what becomes of their schemas and headers.

use std::io::Write;
use std::sync::{Arc, Mutex};

use crate::support::http::{Do, Script};
use crate::support::peer::Peer;
use crate::support::{asks, done, form, says_yes};
use mrtr::client::{Client, ClientError};
use serde_json::{Value, json};

fn schema(name: &str, schema: Value) -> Value {
    json!({"name": name, "inputSchema": schema})
}

async fn names(client: &Client) -> Vec<String> {
    let tools = client.list_tools().await.unwrap();
    tools.into_iter().map(|tool| tool.name).collect()
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn one_malformed_definition_takes_no_other_with_it_and_is_logged() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let deep = (0..200).fold(json!({}), |inner, _| json!({"properties": {"p": inner}}));
    let tools = json!([
        schema("good", json!({"type": "object"})),
        schema("no-object", json!(7)),
        {"name": "no-schema"},
        {"inputSchema": {}},
        7,
        schema("too-deep", deep),
        schema("bad-header", json!({"properties": {"p": {"type": "number", "x-mcp-header": "P"}}})),
        schema("better", json!({"$schema": "https://example.com/dialect", "$ref": "https://example.com/s"})),
    ]);
    let script = Script::with_tools([tools], []).await;
    let client = script.client();
    assert_eq!(names(&client).await, ["good", "better"]);
    for bad in ["too-deep", "bad-header"] {
        let error = client.call_tool(bad, &json!({}), &()).await.unwrap_err();
        assert!(matches!(error, ClientError::ToolDefinition(_)), "{error}");
    }
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    for left_out in [
        "no-object",
        "no-schema",
        "without a name",
        "too-deep",
        "bad-header",
    ] {
        assert!(log.contains(left_out), "{left_out}: {log}");
    }
    assert!(!log.contains("good") && !log.contains("better"), "{log}");
}

#[tokio::test]
async fn over_a_stream_annotations_do_not_matter() {
    let (mut peer, builder) = Peer::new();
    let client = builder.build().unwrap();
    let server = tokio::spawn(async move {
        peer.discover().await;
        let request = peer.next().await.unwrap();
        let annotated = json!({"properties": {"p": {"type": "number", "x-mcp-header": "P"}}});
        let tools = json!([schema("t", annotated), schema("u", json!([]))]);
        peer.result(&request, json!({"resultType": "complete", "tools": tools}))
            .await;
    });
    assert_eq!(names(&client).await, ["t"]);
    server.await.unwrap();
}

#[tokio::test]
async fn schemas_are_handed_out_as_they_came_and_nothing_is_fetched() {
    let script = Script::new([]).await;
    let canary = script.url.clone();
    let text = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"id": {"$anchor": "id", "type": "string"}},
        "properties": {"z": {"$ref": "#/$defs/id"}, "a": {"$ref": canary}},
        "allOf": [{"anyOf": [{"required": ["z"]}]}],
        "if": {"required": ["a"]}, "then": {}, "else": {},
        "additionalProperties": false
    });
    let lists =
        Script::with_tools([json!([schema("t", text.clone())])], [Do::Result(done())]).await;
    let client = lists.client();
    let tools = client.list_tools().await.unwrap();
    assert_eq!(
        serde_json::to_string(&tools[0].input_schema).unwrap(),
        text.to_string(),
        "byte for byte"
    );
    let arguments = json!({"z": "1", "a": {}});
    client.call_tool("t", &arguments, &()).await.unwrap();
    assert!(script.all().is_empty(), "the reference was not followed");
}

fn mirrored() -> Value {
    json!([schema(
        "sql",
        json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "deep": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}}}})
    )])
}

#[tokio::test]
async fn b15_every_leg_has_the_headers_of_its_arguments_computed_anew() {
    let refused_version = Do::Error(
        400,
        json!({"code": -32022, "message": "v", "data": {"supported": ["2026-07-28"]}}),
    );
    let mismatch = Do::Error(400, json!({"code": -32020, "message": "Header mismatch"}));
    let later = json!({"resultType": "input_required", "requestState": "S"});
    let steps = [
        refused_version,
        Do::Result(asks(form())),
        mismatch,
        Do::Result(later),
        Do::Result(asks(form())),
        Do::Result(done()),
    ];
    let plain = json!([schema("sql", json!({"type": "object"}))]);
    let script = Script::with_tools([plain, mirrored()], steps).await;
    let client = script.client();
    let arguments = json!({"region": "Zürich", "deep": {"n": 7}});
    client
        .call_tool("sql", &arguments, &says_yes())
        .await
        .unwrap();
    let headers: Vec<_> = script
        .seen()
        .iter()
        .map(|leg| {
            assert_eq!(leg.header("mcp-name"), Some("sql"));
            let header = |name| leg.header(name).map(str::to_owned);
            (header("mcp-param-region"), header("mcp-param-n"))
        })
        .collect();
    let none = (None, None);
    let both = (
        Some("=?base64?WsO8cmljaA==?=".to_owned()),
        Some("7".to_owned()),
    );
    // The definition is known from the mismatch on.
    let expected = [&none, &none, &none, &both, &both, &both];
    assert_eq!(headers.iter().collect::<Vec<_>>(), expected);
}
