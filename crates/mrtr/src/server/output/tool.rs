//! What tools return.

use std::borrow::Cow;

use mrtr_core::replay::ToolError;
use mrtr_core::wire::{CallToolResult, ContentBlock, RawObject};
use schemars::JsonSchema;
use serde::Serialize;

use super::Json;
use crate::server::schema::Schema;

/// A type that a tool can return: `String`, `&'static str`, `()`,
/// [`Json<T>`](Json), [`ContentBlock`], `Vec<ContentBlock>` and
/// [`CallToolResult`].
///
/// See [tool results](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result).
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "no result of a tool",
    note = "return `Result<T, ToolError>` where `T` is a text, `()`, `Json<..>`, `ContentBlock`, `Vec<ContentBlock>` or `CallToolResult`",
    note = "`Json<T>` gives structured content: `T` must derive `Serialize` and `JsonSchema`"
)]
pub trait ToolOutput {
    /// The `outputSchema` of the tool, where it has structured content.
    #[must_use]
    fn output_schema() -> Option<RawObject> {
        None
    }

    /// The result to send.
    ///
    /// # Errors
    /// When it cannot be written.
    fn into_result(self) -> Result<CallToolResult, ToolError>;
}

impl ToolOutput for CallToolResult {
    fn into_result(self) -> Result<CallToolResult, ToolError> {
        Ok(self)
    }
}

impl ToolOutput for () {
    fn into_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::default())
    }
}

impl ToolOutput for String {
    fn into_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::text(self))
    }
}

impl ToolOutput for &'static str {
    fn into_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::text(self))
    }
}

impl ToolOutput for Cow<'static, str> {
    fn into_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::text(self))
    }
}

impl ToolOutput for ContentBlock {
    fn into_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::new(vec![self]))
    }
}

impl ToolOutput for Vec<ContentBlock> {
    fn into_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::new(self))
    }
}

impl<T: Serialize + JsonSchema + 'static> ToolOutput for Json<T> {
    fn output_schema() -> Option<RawObject> {
        Schema::of_output::<T>().to_object().ok()
    }

    fn into_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::structured(&self.0)?)
    }
}
