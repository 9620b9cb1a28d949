//! Handlers of all types behind one.

use std::pin::Pin;

use mrtr_core::replay::{Cx, ToolError};
use mrtr_core::wire::{CallToolResult, GetPromptResult, ReadResourceResult};
use serde_json::value::RawValue;

use super::args::BadArguments;
use super::args::text::Texts;

/// A handler that runs.
pub(crate) type Running<T> = Pin<Box<dyn Future<Output = Result<T, ToolError>> + Send>>;

/// Reads the arguments and starts a tool.
pub(crate) type ToolHandler = Box<
    dyn Fn(Cx, Option<&RawValue>) -> Result<Running<CallToolResult>, BadArguments> + Send + Sync,
>;

/// Reads the arguments and starts a prompt.
pub(crate) type PromptHandler =
    Box<dyn Fn(Cx, &Texts<'_>) -> Result<Running<GetPromptResult>, BadArguments> + Send + Sync>;

/// Reads the variables of the template, which are none for a plain resource,
/// and starts reading the URI.
pub(crate) type ResourceHandler = Box<
    dyn Fn(Cx, &str, &Texts<'_>) -> Result<Running<ReadResourceResult>, BadArguments> + Send + Sync,
>;
