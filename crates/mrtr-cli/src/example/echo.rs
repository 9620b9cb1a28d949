//! `echo`: a plain tool that asks nothing.

use mrtr::server::{Tool, tool};
use mrtr::{Cx, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What to say
    text: String,
}

async fn echo(_: Cx, echo: Echo) -> Result<String, ToolError> {
    Ok(echo.text)
}

pub(super) fn register() -> Tool {
    tool("echo", echo)
        .title("Echo")
        .description("Says what it is told. Asks nothing.")
        .read_only()
        .idempotent()
        .open_world(false)
}
