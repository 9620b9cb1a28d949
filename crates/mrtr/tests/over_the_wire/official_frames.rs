//! Every kind of frame a server sends, against the official schema. [`Peer`] checks each frame of
//! all tests here; this one makes sure that there is one of every kind, with everything in it.

use std::time::Duration;

use mrtr::form::FormContent;
use mrtr::server::{Json, Notify as _, Server, prompt, resource, resource_template, tool};
use mrtr::wire::{
    CacheScope, CallToolResult, CreateMessageRequest, GetPromptResult, Icon, LoggingLevel,
    ReadResourceResult, ToolAnnotations,
};
use mrtr::{Cx, Form, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{Case, Clock, Kind, Peer, Via, keyring};

over_both!(
    every_kind_of_frame_is_one_of_the_official_schema,
    every_kind_of_question_is_one_of_the_official_schema,
);

fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, ToolError> {
    Ok(serde_json::from_value(value)?)
}

fn blocks() -> Value {
    let annotations = json!({"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-07-28T00:00:00Z"});
    json!([
        {"type": "text", "text": "text", "annotations": annotations, "_meta": {"a/b": 1}},
        {"type": "image", "data": "aGk=", "mimeType": "image/png", "annotations": annotations},
        {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "proof://a", "name": "a", "title": "A", "size": 2},
        {"type": "resource", "resource": {"uri": "proof://a", "text": "a", "mimeType": "text/plain"}},
        {"type": "resource", "resource": {"uri": "proof://b", "blob": "aGk="}},
    ])
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Point {
    #[schemars(extend("x-mcp-header" = "X"))]
    x: i32,
    label: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Id {
    id: u32,
}

fn server() -> Server {
    let icon = || Icon::new("https://example.com/icon.png");
    let many = |cx: Cx, (): ()| async move {
        cx.progress(0.5, 1.0, "half");
        cx.log(LoggingLevel::Warning, "proof", &json!({"text": "careful"}));
        read::<CallToolResult>(json!({"content": blocks(), "_meta": {"own/member": true}}))
    };
    let point = |_: Cx, point: Point| async move { Ok::<_, ToolError>(Json(point)) };
    let talk = |_: Cx, _: Point| async move {
        let content = blocks().as_array().cloned().unwrap_or_default().into_iter();
        let message = |content| json!({"role": "assistant", "content": content});
        let messages: Vec<Value> = content.map(message).collect();
        read::<GetPromptResult>(json!({"description": "All blocks", "messages": messages}))
    };
    let both = |_: Cx, _: ()| async move {
        read::<ReadResourceResult>(json!({"contents": [
            {"uri": "proof://both", "text": "a", "mimeType": "text/plain", "_meta": {}},
            {"uri": "proof://both/more", "blob": "aGk="},
        ]}))
    };
    let by_id = |_: Cx, id: Id| async move { Ok::<_, ToolError>(vec![0_u8; id.id as usize]) };
    Server::builder("proof", "1.0.0")
        .title("Proof")
        .description("Sends everything")
        .website_url("https://example.com/")
        .icon(icon())
        .instructions("Call everything.")
        .keyring(keyring([1]))
        .runtime(Clock::new())
        .logging()
        .page_size(1)
        .list_cache(Duration::from_secs(1), CacheScope::Private)
        .tool(
            tool("many", many)
                .title("Many")
                .icon(icon())
                .annotations(ToolAnnotations::default()),
        )
        .tool(
            tool("point", point)
                .description("A point")
                .read_only()
                .idempotent(),
        )
        .prompt(
            prompt("talk", talk)
                .title("Talk")
                .description("Talks")
                .icon(icon()),
        )
        .prompt(prompt("hello", |_: Cx, _: ()| async {
            Ok::<_, ToolError>("Hello")
        }))
        .resource(
            resource("proof://both", both)
                .title("Both")
                .size(2)
                .icon(icon()),
        )
        .resource(resource("proof://one", |_: Cx, _: ()| async {
            Ok::<_, ToolError>("one")
        }))
        .resource_template(resource_template("proof://by/{id}", by_id).mime_type("image/png"))
        .build()
        .unwrap()
}

async fn every_kind_of_frame_is_one_of_the_official_schema(via: Via) {
    let mut peer = Peer::new(Case::new(via, Kind::Tool), &server()).await;
    for (method, entries) in [
        ("tools/list", 2),
        ("prompts/list", 2),
        ("resources/list", 2),
        ("resources/templates/list", 1),
    ] {
        let mut cursor = json!({});
        for page in 1.. {
            let request = peer.request(method, cursor);
            let answer = peer.send(&request).await;
            let Some(next) = answer.result().get("nextCursor") else {
                assert_eq!(page, entries, "{method}");
                break;
            };
            cursor = json!({"cursor": next});
        }
    }
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/call", json!({"name": "many"})),
        (
            "prompts/get",
            json!({"name": "talk", "arguments": {"x": "1"}}),
        ),
        ("prompts/get", json!({"name": "hello"})),
        ("resources/read", json!({"uri": "proof://both"})),
        ("resources/read", json!({"uri": "proof://one"})),
        ("resources/read", json!({"uri": "proof://by/3"})),
    ] {
        let request = peer.request(method, params);
        assert!(!peer.send(&request).await.is_error(), "{request}");
    }
    if via == Via::Stdio {
        // Over HTTP its argument would be in a header as well.
        let params = json!({"name": "point", "arguments": {"x": 1, "label": "a"}});
        let request = peer.request("tools/call", params);
        assert_eq!(
            peer.send(&request).await.result()["structuredContent"]["x"],
            1
        );
    }
    let mut request = peer.request("tools/call", json!({"name": "many"}));
    request["params"]["_meta"]["progressToken"] = json!("token");
    request["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("debug");
    let notices = peer.send(&request).await.notices;
    let methods: Vec<_> = notices.iter().map(|notice| &notice["method"]).collect();
    assert_eq!(methods, ["notifications/progress", "notifications/message"]);
}

#[derive(Form)]
struct Everything {
    /// A name.
    #[form(title = "Name", min_length = 1, max_length = 20, default = "Ann")]
    name: String,
    #[form(format = "email")]
    email: Option<String>,
    #[form(format = "date-time")]
    when: Option<String>,
    #[form(min = 1, max = 9, default = 2)]
    seats: u8,
    #[form(min = -1.5, max = 1.5)]
    tilt: Option<f64>,
    #[form(default = true)]
    window: bool,
    side: Side,
    #[form(min_items = 1, max_items = 2)]
    extras: Vec<Side>,
}

#[derive(Debug, Form)]
enum Side {
    Left,
    /// Right hand side
    #[form(title = "On the right")]
    Right,
}

async fn every_kind_of_question_is_one_of_the_official_schema(via: Via) {
    let ask = |cx: Cx, (): ()| async move {
        let request: CreateMessageRequest = read(json!({
            "messages": [
                {"role": "user", "content": {"type": "text", "text": "Weather?"}},
                {"role": "assistant", "content": {"type": "tool_use", "id": "u", "name": "w", "input": {}}},
                {"role": "user", "content": {"type": "tool_result", "toolUseId": "u", "content": [
                    {"type": "text", "text": "Sun"},
                ]}},
            ],
            "modelPreferences": {"hints": [{"name": "m"}], "costPriority": 0.1, "speedPriority": 0.2,
                "intelligencePriority": 0.3},
            "systemPrompt": "Be brief.", "includeContext": "thisServer", "temperature": 0.5,
            "maxTokens": 10, "stopSequences": ["END"], "metadata": {"a": 1},
            "tools": [{"name": "w", "inputSchema": {"type": "object"}}],
            "toolChoice": {"mode": "auto"},
        }))?;
        let ready = || async { Ok::<_, ToolError>(()) };
        let form = cx.elicit::<Everything>("form", "Everything?");
        let by_hand = cx.elicit_form("by hand", "Anything?", Everything::schema().clone());
        let confirm = cx.confirm("confirm", "Sure?");
        let url = cx.elicit_url("url", "Go there.", "https://example.com/?a=b#c", ready);
        let (sample, roots) = (cx.sample("sample", request), cx.roots("roots"));
        let Everything {
            name,
            email,
            when,
            seats,
            tilt,
            window,
            side,
            extras,
        } = form.await?;
        let other: FormContent = by_hand.await?;
        confirm.await?;
        url.await.map_err(|error| error.flatten())?;
        sample.await?;
        roots.await?;
        let rest = (
            name,
            email,
            when,
            seats,
            tilt,
            window,
            side,
            extras,
            other.len(),
        );
        Ok::<_, ToolError>(format!("{rest:?}"))
    };
    let server = Server::builder("proof", "1.0.0")
        .keyring(keyring([1]))
        .tool(tool("ask", ask));
    let mut peer = Peer::of(Case::new(via, Kind::Tool), server).await;
    let request = peer.request("tools/call", json!({"name": "ask"}));
    let asked = peer.send(&request).await;
    assert_eq!(
        asked.keys(),
        ["by hand", "confirm", "form", "roots", "sample", "url"]
    );
    let fields = asked.question("form")["requestedSchema"]["properties"]
        .as_object()
        .unwrap();
    assert_eq!(fields.len(), 8);
}
