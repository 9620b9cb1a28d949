//! Handlers of all types behind one.

use std::pin::Pin;

use mrtr_core::replay::{Context, ToolError};
use mrtr_core::round::OpenRound;
use mrtr_core::wire::{CallToolResult, GetPromptResult, ReadResourceResult};
use serde_json::value::RawValue;

use super::args::BadArguments;
use super::args::text::Texts;

/// A handler that runs.
pub(crate) type Running<T> = Pin<Box<dyn Future<Output = Result<T, ToolError>> + Send>>;

/// Reads the arguments and starts a tool.
pub(crate) type ToolHandler = Box<
    dyn Fn(&OpenRound, Option<&RawValue>) -> Result<Running<CallToolResult>, BadArguments>
        + Send
        + Sync,
>;

/// Reads the arguments and starts a prompt.
pub(crate) type PromptHandler = Box<
    dyn Fn(&OpenRound, &Texts<'_>) -> Result<Running<GetPromptResult>, BadArguments> + Send + Sync,
>;

/// Reads the variables of the template, which are none for a plain resource,
/// and starts reading the URI.
pub(crate) type ResourceHandler = Box<
    dyn Fn(&OpenRound, &str, &Texts<'_>) -> Result<Running<ReadResourceResult>, BadArguments>
        + Send
        + Sync,
>;

/// Starts a handler with the context it takes.
pub(crate) fn start<C, T, F>(round: &OpenRound, handler: impl FnOnce(C) -> F) -> Running<T>
where
    C: Context,
    F: Future<Output = Result<T, ToolError>> + Send + 'static,
{
    match round.context() {
        Some(cx) => Box::pin(handler(cx)),
        // `build` lets no such handler pass.
        None => Box::pin(async { Err("the round has no ledger".into()) }),
    }
}
