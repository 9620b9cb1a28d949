//! Responses against the official schema, in the folder that `MRTR_SPEC_DIR`
//! names.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex};

use jsonschema::Validator;
use serde_json::{Value, json};

/// The schema, or a loud skip outside of CI.
static SCHEMA: LazyLock<Option<Value>> = LazyLock::new(|| {
    let Some(dir) = std::env::var_os("MRTR_SPEC_DIR").map(PathBuf::from) else {
        assert!(
            std::env::var_os("CI").is_none(),
            "CI must set MRTR_SPEC_DIR"
        );
        eprintln!("SKIPPED: set MRTR_SPEC_DIR to the folder with schema.json and examples");
        return None;
    };
    let text = fs::read_to_string(dir.join("schema.json")).expect("schema.json");
    Some(serde_json::from_str(&text).expect("JSON"))
});

static VALIDATORS: LazyLock<Mutex<HashMap<String, &'static Validator>>> =
    LazyLock::new(Mutex::default);

fn definition(name: &str) -> Option<&'static Validator> {
    let mut schema = SCHEMA.as_ref()?.clone();
    let mut validators = VALIDATORS
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let validator = validators.entry(name.to_owned()).or_insert_with(|| {
        schema["$ref"] = json!(format!("#/$defs/{name}"));
        Box::leak(Box::new(
            jsonschema::validator_for(&schema).expect("a schema"),
        ))
    });
    Some(validator)
}

pub(crate) fn assert_is(name: &str, value: &Value) {
    let Some(validator) = definition(name) else {
        return;
    };
    let problems: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(problems.is_empty(), "no {name}: {problems:?}\n{value:#}");
}

/// Checks a response to `method`.
pub(crate) fn check(method: &str, response: &Value) {
    if response.get("error").is_some() {
        assert_is("JSONRPCErrorResponse", response);
        match response["error"]["code"].as_i64() {
            Some(-32_020) => assert_is("HeaderMismatchError", response),
            Some(-32_021) => assert_is("MissingRequiredClientCapabilityError", response),
            Some(-32_022) => assert_is("UnsupportedProtocolVersionError", response),
            Some(-32_700) => assert_is("ParseError", &response["error"]),
            Some(-32_600) => assert_is("InvalidRequestError", &response["error"]),
            Some(-32_601) => assert_is("MethodNotFoundError", &response["error"]),
            Some(-32_602) => assert_is("InvalidParamsError", &response["error"]),
            Some(-32_603) => assert_is("InternalError", &response["error"]),
            code => panic!("a code that is none of this protocol: {code:?}"),
        }
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
        other => panic!("a result for {other}"),
    };
    assert_is(whole, response);
    let result = &response["result"];
    match result["resultType"].as_str() {
        Some("complete") => assert_is(complete, result),
        Some("input_required") => {
            assert!(
                matches!(method, "tools/call" | "prompts/get" | "resources/read"),
                "{method} asks"
            );
            assert_is("InputRequiredResult", result);
            assert!(result.get("inputRequests").is_some() || result.get("requestState").is_some());
            assert!(
                result.get("ttlMs").is_none() && result.get("cacheScope").is_none(),
                "{result}"
            );
        }
        other => panic!("resultType {other:?}"),
    }
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "travel"
    );
}

#[test]
fn the_official_schema_refuses_what_is_wrong() {
    let Some(validator) = definition("ListToolsResult") else {
        return;
    };
    assert!(!validator.is_valid(&json!({"resultType": "complete", "tools": [{}]})));
}
