//! Tools whose schemas say something special.

use mrtr::server::{ServerBuilder, tool};
use mrtr::{Cx, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// An argument that proxies can route by without reading the body.
#[derive(Deserialize, JsonSchema)]
struct Query {
    /// Where to run the query.
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: Option<String>,
    /// What to run.
    #[serde(default)]
    query: String,
}

async fn execute(_: Cx, query: Query) -> Result<String, ToolError> {
    let region = query.region.as_deref().unwrap_or("the default region");
    Ok(format!("Ran `{}` in {region}.", query.query))
}

async fn contact(_: Cx, contact: Value) -> Result<String, ToolError> {
    Ok(format!("Noted: {contact}"))
}

/// A schema beyond what Rust types say.
fn contact_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

pub(crate) fn register(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(tool("test_custom_header", execute).description("Mirrors an argument in a header"))
        .tool(
            tool("json_schema_2020_12_tool", contact)
                .description("Tool with JSON Schema 2020-12 features")
                .input_schema(&contact_schema()),
        )
}
