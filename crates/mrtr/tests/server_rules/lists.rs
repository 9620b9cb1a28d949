//! Discovery and lists.

use std::time::Duration;

use mrtr::server::{prompt, resource, resource_template, tool};
use mrtr::wire::{CacheScope, Icon};
use mrtr::{Cx, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Peer, builder};

async fn nothing(_: Cx, _: ()) -> Result<String, ToolError> {
    Ok(String::new())
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Id {
    id: String,
}

async fn of_id(_: Cx, _: Id) -> Result<String, ToolError> {
    Ok(String::new())
}

const LISTS: [&str; 4] = [
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
];

#[tokio::test]
async fn discover_tells_versions_capabilities_and_instructions() {
    let peer = Peer::of(
        builder()
            .title("Travel")
            .instructions("Book first.")
            .tool(tool("a", nothing))
            .resource(resource("x:a", nothing)),
    );
    let result = peer.result("server/discover", json!({})).await;
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(
        result["capabilities"],
        json!({"tools": {}, "resources": {}})
    );
    assert_eq!(result["instructions"], "Book first.");
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["title"],
        "Travel"
    );
    assert_eq!(
        (&result["ttlMs"], &result["cacheScope"]),
        (&json!(300_000), &json!("public"))
    );
}

#[tokio::test]
async fn logging_is_declared_only_when_switched_on() {
    let result = Peer::of(builder().logging())
        .result("server/discover", json!({}))
        .await;
    assert_eq!(result["capabilities"], json!({"logging": {}}));
}

#[tokio::test]
async fn methods_of_what_is_not_declared_are_not_found() {
    let peer = Peer::of(builder());
    for method in LISTS
        .into_iter()
        .chain(["tools/call", "prompts/get", "resources/read"])
    {
        assert_eq!(
            peer.error(method, json!({"name": "a", "uri": "x:a"})).await["code"],
            -32_601,
            "{method}"
        );
    }
    let tools = Peer::of(builder().tool(tool("a", nothing)));
    assert_eq!(
        tools.error("prompts/list", json!({})).await["code"],
        -32_601
    );
    let templates = Peer::of(builder().resource_template(resource_template("x:{id}", of_id)));
    assert_eq!(
        templates.result("resources/list", json!({})).await["resources"],
        json!([])
    );
}

#[tokio::test]
async fn definitions_carry_all_they_were_given_in_the_order_of_registration() {
    let peer = Peer::of(
        builder()
            .tool(
                tool("z", nothing)
                    .title("Z")
                    .description("Does z")
                    .read_only()
                    .open_world(false),
            )
            .tool(tool("a", of_id).icon(Icon::new("https://example.com/a.png")))
            .prompt(prompt("p", nothing).description("A prompt"))
            .resource(
                resource("x:a", nothing)
                    .name("A")
                    .size(7)
                    .mime_type("text/plain"),
            )
            .resource_template(resource_template("x://{id}", of_id).title("By id")),
    );
    let tools = peer.result("tools/list", json!({})).await;
    assert_eq!(
        tools["tools"][0],
        json!({
            "name": "z", "title": "Z", "description": "Does z",
            "inputSchema": {"type": "object", "additionalProperties": false},
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        })
    );
    assert_eq!(
        tools["tools"][1]["inputSchema"],
        json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]})
    );
    assert_eq!(
        tools["tools"][1]["icons"][0]["src"],
        "https://example.com/a.png"
    );
    assert_eq!(
        peer.result("prompts/list", json!({})).await["prompts"][0]["description"],
        "A prompt"
    );
    assert_eq!(
        peer.result("resources/list", json!({})).await["resources"],
        json!([{"uri": "x:a", "name": "A", "size": 7, "mimeType": "text/plain"}])
    );
    assert_eq!(
        peer.result("resources/templates/list", json!({})).await["resourceTemplates"],
        json!([{"uriTemplate": "x://{id}", "name": "{id}", "title": "By id"}])
    );
}

#[tokio::test]
async fn every_list_may_be_kept_for_five_minutes_unless_configured() {
    let with = |builder: mrtr::server::ServerBuilder| {
        Peer::of(
            builder
                .tool(tool("a", nothing))
                .prompt(prompt("a", nothing))
                .resource(resource("x:a", nothing)),
        )
    };
    let own = builder().list_cache(Duration::from_secs(2), CacheScope::Private);
    for (peer, ttl, scope) in [
        (with(builder()), 300_000, "public"),
        (with(own), 2_000, "private"),
    ] {
        for method in LISTS.into_iter().chain(["server/discover"]) {
            let result = peer.result(method, json!({})).await;
            assert_eq!(
                (&result["ttlMs"], &result["cacheScope"]),
                (&json!(ttl), &json!(scope)),
                "{method}"
            );
        }
    }
}

#[tokio::test]
async fn pages_are_followed_by_their_cursors_and_others_are_refused() {
    let peer = Peer::of(
        builder()
            .page_size(2)
            .tool(tool("a", nothing))
            .tool(tool("b", nothing))
            .tool(tool("c", nothing)),
    );
    let first = peer.result("tools/list", json!({})).await;
    let names = |page: &Value| {
        page["tools"]
            .as_array()
            .expect("tools")
            .iter()
            .map(|t| t["name"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&first), ["a", "b"]);
    let second = peer
        .result("tools/list", json!({"cursor": first["nextCursor"]}))
        .await;
    assert_eq!(names(&second), ["c"]);
    assert!(second.get("nextCursor").is_none());
    for bad in [json!(""), json!("nonsense"), json!(2)] {
        assert_eq!(
            peer.error("tools/list", json!({"cursor": bad})).await["code"],
            -32_602
        );
    }
}

#[tokio::test]
async fn a13_members_of_rounds_are_ignored_by_other_methods() {
    let peer = Peer::of(builder().tool(tool("a", nothing)));
    for extra in [
        json!({"requestState": "S"}),
        json!({"requestState": 7, "inputResponses": []}),
    ] {
        assert_eq!(
            peer.result("tools/list", extra.clone()).await["tools"][0]["name"],
            "a"
        );
        assert_eq!(
            peer.result("server/discover", extra).await["resultType"],
            "complete"
        );
    }
}
