//! The type of the arguments lacks `Deserialize` or `JsonSchema`.

use mrtr::server::tool;
use mrtr::{Cx, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize)]
struct NoSchema {
    path: String,
}

#[derive(JsonSchema)]
struct NoDeserialize {
    path: String,
}

async fn first(_: Cx, arguments: NoSchema) -> Result<String, ToolError> {
    Ok(arguments.path)
}

async fn second(_: Cx, arguments: NoDeserialize) -> Result<String, ToolError> {
    Ok(arguments.path)
}

fn main() {
    let _ = tool("first", first);
    let _ = tool("second", second);
}
