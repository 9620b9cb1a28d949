//! What prompts return.

use std::borrow::Cow;

use mrtr_core::replay::ToolError;
use mrtr_core::wire::{GetPromptResult, PromptMessage};

/// A type that a prompt can return: `String` or `&'static str` for one
/// message of the user, [`PromptMessage`], `Vec<PromptMessage>` and
/// [`GetPromptResult`].
///
/// See [prompt messages](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#promptmessage).
#[diagnostic::on_unimplemented(
    message = "a prompt cannot return `{Self}`",
    label = "no result of a prompt",
    note = "return `Result<T, ToolError>` where `T` is a text, `PromptMessage`, `Vec<PromptMessage>` or `GetPromptResult`"
)]
pub trait PromptOutput {
    /// The result to send.
    ///
    /// # Errors
    /// When it cannot be written.
    fn into_result(self) -> Result<GetPromptResult, ToolError>;
}

impl PromptOutput for GetPromptResult {
    fn into_result(self) -> Result<GetPromptResult, ToolError> {
        Ok(self)
    }
}

impl PromptOutput for Vec<PromptMessage> {
    fn into_result(self) -> Result<GetPromptResult, ToolError> {
        Ok(GetPromptResult::new(self))
    }
}

impl PromptOutput for PromptMessage {
    fn into_result(self) -> Result<GetPromptResult, ToolError> {
        Ok(GetPromptResult::new(vec![self]))
    }
}

impl PromptOutput for String {
    fn into_result(self) -> Result<GetPromptResult, ToolError> {
        PromptMessage::user(self).into_result()
    }
}

impl PromptOutput for &'static str {
    fn into_result(self) -> Result<GetPromptResult, ToolError> {
        PromptMessage::user(self).into_result()
    }
}

impl PromptOutput for Cow<'static, str> {
    fn into_result(self) -> Result<GetPromptResult, ToolError> {
        PromptMessage::user(self).into_result()
    }
}
