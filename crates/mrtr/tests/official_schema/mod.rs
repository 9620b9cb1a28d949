//! What servers send against the official schema, in the folder that `MRTR_SPEC_DIR` names.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::{Value, json};

/// The schema, or a loud skip outside of CI.
static SCHEMA: LazyLock<Option<Value>> = LazyLock::new(|| {
    let Some(dir) = std::env::var_os("MRTR_SPEC_DIR").map(PathBuf::from) else {
        assert!(
            std::env::var_os("CI").is_none(),
            "CI must set MRTR_SPEC_DIR"
        );
        eprintln!("SKIPPED: set MRTR_SPEC_DIR to the folder with schema.json to check all frames");
        return None;
    };
    let text = fs::read_to_string(dir.join("schema.json")).expect("schema.json");
    Some(serde_json::from_str(&text).expect("JSON"))
});

static VALIDATORS: LazyLock<Mutex<HashMap<String, &'static Validator>>> =
    LazyLock::new(Mutex::default);

fn definition(name: &str) -> Option<&'static Validator> {
    let schema = SCHEMA.as_ref()?;
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let validator = validators.entry(name.to_owned()).or_insert_with(|| {
        let mut schema = schema.clone();
        schema["$ref"] = json!(format!("#/$defs/{name}"));
        Box::leak(Box::new(
            jsonschema::validator_for(&schema).expect("a schema"),
        ))
    });
    Some(validator)
}

/// What makes `value` something else than the definition `name`.
fn problems(name: &str, value: &Value) -> Vec<String> {
    let Some(validator) = definition(name) else {
        return Vec::new();
    };
    validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

fn assert_is(name: &str, value: &Value) {
    let problems = problems(name, value);
    assert!(problems.is_empty(), "no {name}: {problems:?}\n{value:#}");
}

/// Checks a frame that is no response.
pub(crate) fn check_notification(frame: &Value) {
    assert!(
        frame.get("id").is_none(),
        "a server sends no requests: {frame}"
    );
    assert_is("JSONRPCNotification", frame);
    let definition = match frame["method"].as_str().expect("a method") {
        "notifications/progress" => "ProgressNotification",
        "notifications/message" => "LoggingMessageNotification",
        "notifications/subscriptions/acknowledged" => "SubscriptionsAcknowledgedNotification",
        "notifications/tools/list_changed" => "ToolListChangedNotification",
        "notifications/prompts/list_changed" => "PromptListChangedNotification",
        "notifications/resources/list_changed" => "ResourceListChangedNotification",
        "notifications/resources/updated" => "ResourceUpdatedNotification",
        "notifications/cancelled" => "CancelledNotification",
        other => panic!("no notification of a server: {other}"),
    };
    assert_is(definition, frame);
}

/// Checks the response to a request of `method`.
pub(crate) fn check(method: &str, response: &Value) {
    if response.get("error").is_some() {
        check_error(response);
        return;
    }
    let (whole, complete) = match method {
        "server/discover" => ("DiscoverResultResponse", "DiscoverResult"),
        "tools/list" => ("ListToolsResultResponse", "ListToolsResult"),
        "tools/call" => ("CallToolResultResponse", "CallToolResult"),
        "prompts/list" => ("ListPromptsResultResponse", "ListPromptsResult"),
        "prompts/get" => ("GetPromptResultResponse", "GetPromptResult"),
        "resources/list" => ("ListResourcesResultResponse", "ListResourcesResult"),
        "resources/templates/list" => (
            "ListResourceTemplatesResultResponse",
            "ListResourceTemplatesResult",
        ),
        "resources/read" => ("ReadResourceResultResponse", "ReadResourceResult"),
        "completion/complete" => ("CompleteResultResponse", "CompleteResult"),
        "subscriptions/listen" => (
            "SubscriptionsListenResultResponse",
            "SubscriptionsListenResult",
        ),
        other => panic!("a result for {other}: {response}"),
    };
    assert_is(whole, response);
    let result = &response["result"];
    match result["resultType"].as_str() {
        Some("complete") => assert_is(complete, result),
        Some("input_required") => check_interim(method, result),
        other => panic!("resultType {other:?}"),
    }
    let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_is("Implementation", server);
}

/// What the schema cannot say: which methods may ask, and that something is asked.
fn check_interim(method: &str, result: &Value) {
    assert!(
        matches!(method, "tools/call" | "prompts/get" | "resources/read"),
        "{method} asks"
    );
    assert_is("InputRequiredResult", result);
    assert!(
        result.get("inputRequests").is_some() || result.get("requestState").is_some(),
        "{result}"
    );
    for member in [
        "content",
        "structuredContent",
        "isError",
        "messages",
        "contents",
        "ttlMs",
        "cacheScope",
    ] {
        assert!(result.get(member).is_none(), "{member} in {result}");
    }
}

fn check_error(response: &Value) {
    assert_is("JSONRPCErrorResponse", response);
    assert!(response.get("result").is_none(), "{response}");
    assert_ne!(
        response.get("id"),
        Some(&Value::Null),
        "an id is left out, never null"
    );
    let error = &response["error"];
    match error["code"].as_i64() {
        Some(-32_020) => assert_is("HeaderMismatchError", response),
        Some(-32_021) => assert_is("MissingRequiredClientCapabilityError", response),
        Some(-32_022) => assert_is("UnsupportedProtocolVersionError", response),
        Some(-32_700) => assert_is("ParseError", error),
        Some(-32_600) => assert_is("InvalidRequestError", error),
        Some(-32_601) => assert_is("MethodNotFoundError", error),
        Some(-32_602) => assert_is("InvalidParamsError", error),
        Some(-32_603) => assert_is("InternalError", error),
        code => panic!("no code of this protocol: {code:?}"),
    }
}

/// Without the schema, the checks of every frame would say nothing.
#[test]
fn the_official_schema_refuses_what_is_wrong() {
    if SCHEMA.is_some() {
        let no_tool = json!({"resultType": "complete", "tools": [{}]});
        assert!(!problems("ListToolsResult", &no_tool).is_empty());
    }
}
