//! What the schemas of a tool say beyond the types of its handler.

use mrtr::server::{BuildError, Json, ServerBuilder, Tool, tool};
use mrtr::wire::{CallToolResult, RawObject};
use mrtr::{Cx, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{Peer, builder, text};

const WRITTEN: &str = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"there","type":"object","properties":{"zip":{"pattern":"^[0-9]{5}$"}}}},
"properties":{"z":{"$ref":"#/$defs/address"},"a":{"type":"string"},"phone":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"required":["z"]},"then":{"required":["a"]},"additionalProperties":false}"##;

fn written() -> RawObject {
    serde_json::from_str(WRITTEN).expect("an object")
}

async fn echo(_: Cx, arguments: Value) -> Result<String, ToolError> {
    Ok(arguments.to_string())
}

async fn list(peer: &Peer) -> Value {
    let list = peer.result("tools/list", json!({})).await;
    list["tools"][0].clone()
}

#[tokio::test]
async fn a_schema_written_by_hand_is_listed_as_it_is_written() {
    let peer = Peer::of(builder().tool(tool("echo", echo).input_schema(&written())));
    let request = peer.request("tools/list", json!({})).to_string();
    let answer = peer
        .server
        .respond(request.as_bytes(), &peer.caller)
        .await
        .expect("an answer");
    let answer = String::from_utf8(answer.to_vec()).expect("UTF-8");
    let on_one_line = WRITTEN.replace('\n', " ").replace(", \"", ",\"");
    assert!(
        answer.replace(", \"", ",\"").contains(&on_one_line),
        "{answer}"
    );
}

#[tokio::test]
async fn arguments_are_checked_against_a_schema_written_by_hand() {
    let peer = Peer::of(builder().tool(tool("echo", echo).input_schema(&written())));
    let good = json!({"phone": "1", "a": "x", "z": {"zip": "12345"}});
    let result = peer.tool("echo", good.clone()).await;
    assert_eq!(text(&result), good.to_string());
    for (arguments, said) in [
        (
            json!({"phone": "1", "z": {}}),
            "\"a\" is a required property",
        ),
        (json!({"phone": 1}), "`phone`: 1 is not of type \"string\""),
        (
            json!({"phone": "1", "a": "x", "z": {"zip": "1"}}),
            "`z.zip`: \"1\" does not match",
        ),
        (json!({"a": "x"}), "is not valid under any of the schemas"),
        (
            json!({"phone": "1", "b": 1}),
            "Additional properties are not allowed",
        ),
        (json!({}), "is not valid under any of the schemas"),
    ] {
        let result = peer.tool("echo", arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        assert!(text(&result).starts_with("Invalid arguments for the tool `echo`: "));
        assert!(text(&result).contains(said), "{result}");
    }
}

#[derive(Deserialize, JsonSchema)]
struct Parcel {
    #[schemars(regex(pattern = "^[A-Z]{2}[0-9]{3}$"))]
    code: String,
}

async fn track(_: Cx, parcel: Parcel) -> Result<String, ToolError> {
    Ok(parcel.code)
}

#[tokio::test]
async fn keywords_that_no_type_ensures_are_checked_for_typed_arguments_too() {
    let peer = Peer::of(builder().tool(tool("track", track)));
    assert_eq!(
        text(&peer.tool("track", json!({"code": "AB123"})).await),
        "AB123"
    );
    let result = peer.tool("track", json!({"code": "AB12"})).await;
    assert_eq!(result["isError"], true);
    assert!(
        text(&result).contains("`code`: \"AB12\" does not match"),
        "{result}"
    );
}

/// Gives as result what it is given as argument.
fn mirror() -> Tool {
    tool("mirror", |_: Cx, result: Value| async move {
        Ok::<CallToolResult, ToolError>(serde_json::from_value(result)?)
    })
    .input_schema(&json!({"type": "object"}))
    .output_schema(&json!({"type": "array", "items": {"type": "integer", "minimum": 1}}))
}

#[tokio::test]
async fn structured_content_keeps_to_a_schema_written_by_hand() {
    let peer = Peer::of(builder().tool(mirror()));
    assert_eq!(
        list(&peer).await["outputSchema"],
        json!({"items": {"minimum": 1, "type": "integer"}, "type": "array"})
    );
    for good in [
        json!({"content": [], "structuredContent": [1, 2]}),
        json!({"content": [], "structuredContent": []}),
        // A tool that failed owes nothing.
        json!({"content": [{"type": "text", "text": "no"}], "isError": true}),
        json!({"content": [], "isError": true, "structuredContent": "why"}),
    ] {
        let result = peer.tool("mirror", good.clone()).await;
        for (name, value) in good.as_object().expect("an object") {
            assert_eq!(&result[name], value);
        }
    }
    for bad in [
        json!({"content": [], "structuredContent": [0]}),
        json!({"content": [], "structuredContent": {"a": 1}}),
        json!({"content": [], "structuredContent": null}),
        json!({"content": [{"type": "text", "text": "[1]"}]}),
    ] {
        let call = json!({"name": "mirror", "arguments": bad});
        let error = peer.error("tools/call", call).await;
        assert_eq!(
            error,
            json!({"code": -32_603, "message": "Internal error"}),
            "{bad}"
        );
    }
}

#[derive(Serialize, JsonSchema)]
struct Weather {
    #[schemars(range(max = 60))]
    celsius: i32,
    #[schemars(length(min = 1))]
    sky: Vec<&'static str>,
}

#[tokio::test]
async fn bounds_of_a_result_type_are_kept_too() {
    let weather = |celsius| {
        tool("weather", move |_: Cx, (): ()| async move {
            let sky = vec!["clear"];
            Ok::<_, ToolError>(Json(Weather { celsius, sky }))
        })
    };
    let peer = Peer::of(builder().tool(weather(21)));
    let result = peer.tool("weather", json!({})).await;
    assert_eq!(result["structuredContent"]["celsius"], 21);
    let peer = Peer::of(builder().tool(weather(100)));
    let error = peer.error("tools/call", json!({"name": "weather"})).await;
    assert_eq!(error["code"], -32_603, "{error}");
}

fn problem(builder: ServerBuilder) -> String {
    let error: BuildError = builder.build().expect_err("a mistake");
    assert_eq!(error.problems().len(), 1, "{error}");
    error.problems()[0].to_string()
}

#[test]
fn schemas_that_cannot_be_kept_are_found_by_build() {
    let input = |schema: Value| problem(builder().tool(tool("echo", echo).input_schema(&schema)));
    assert_eq!(
        input(json!({"properties": {}})),
        "tool `echo`: the schema of arguments must say `\"type\": \"object\"`"
    );
    assert!(input(json!([])).starts_with("tool `echo`: no JSON Schema: "));
    assert!(
        input(json!({"type": "object", "required": "a"}))
            .starts_with("tool `echo`: no valid JSON Schema: ")
    );
    let remote = json!({"type": "object", "$ref": "https://example.com/schema"});
    assert!(input(remote).contains("https://example.com/schema"));
    let output = builder().tool(mirror().output_schema(&json!({"type": "strnig"})));
    assert!(problem(output).starts_with("tool `mirror`: no valid JSON Schema: "));
    // A handler that takes anything needs a schema written by hand.
    assert!(problem(builder().tool(tool("echo", echo))).contains("not described by an object"));
}

#[tokio::test]
async fn headers_follow_a_schema_written_by_hand() {
    let query = tool("query", echo).input_schema(&json!({
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    }));
    let peer = Peer::of(builder().tool(query));
    let region = &list(&peer).await["inputSchema"]["properties"]["region"];
    assert_eq!(region["x-mcp-header"], "Region");
    let wrong = tool("query", echo).input_schema(&json!({
        "type": "object",
        "properties": {"region": {"type": "number", "x-mcp-header": "Region"}},
    }));
    assert!(problem(builder().tool(wrong)).contains("x-mcp-header"));
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Shares {
    each: f64,
    last: Option<f64>,
    #[schemars(range(max = 9))]
    people: u32,
}

async fn share(_: Cx, shares: Shares) -> Result<Json<Shares>, ToolError> {
    let each = shares.each / f64::from(shares.people);
    Ok(Json(Shares { each, ..shares }))
}

#[tokio::test]
async fn a_number_that_json_has_not_is_no_null_in_structured_content() {
    let peer = Peer::of(builder().tool(tool("share", share)));
    let arguments = |each, people| json!({"each": each, "last": null, "people": people});
    let result = peer.tool("share", arguments(1.0, 2)).await;
    assert_eq!(
        result["structuredContent"],
        json!({"each": 0.5, "last": null, "people": 2})
    );
    for each in [0.0, 1.0] {
        let call = json!({"name": "share", "arguments": arguments(each, 0)});
        let response = peer.send("tools/call", call).await;
        assert_eq!(response["error"]["code"], -32603, "{response}");
    }
}

#[derive(Deserialize, JsonSchema)]
struct Amount {
    #[schemars(extend("multipleOf" = 0.1))]
    amount: f64,
    #[schemars(extend("multipleOf" = 2))]
    pairs: i64,
}

async fn pay(_: Cx, amount: Amount) -> Result<String, ToolError> {
    Ok(format!("{} {}", amount.amount, amount.pairs))
}

#[tokio::test]
async fn multiples_are_told_from_others_although_floats_are_inexact() {
    let peer = Peer::of(builder().tool(tool("pay", pay)));
    for (amount, pairs, fits) in [
        (json!(0.3), json!(2), true),
        (json!(-0.7), json!(-4), true),
        (json!(1e15), json!(0), true),
        (json!(0.35), json!(2), false),
        (json!(0.1), json!(9_007_199_254_740_992_i64), true),
        (json!(0.1), json!(9_007_199_254_740_993_i64), false),
    ] {
        let result = peer
            .tool("pay", json!({"amount": amount, "pairs": pairs}))
            .await;
        assert_eq!(
            result["isError"] != true,
            fits,
            "{amount} {pairs}: {result}"
        );
    }
}
