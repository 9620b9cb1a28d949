//! What resources return.

use std::borrow::Cow;

use bytes::Bytes;
use mrtr_core::replay::ToolError;
use mrtr_core::wire::{ReadResourceResult, ResourceContents};
use serde::Serialize;

use super::Json;

/// A type that a resource can return: `String` or `&'static str` for text,
/// `Vec<u8>` or [`Bytes`] for binary data, [`Json<T>`](Json),
/// [`ResourceContents`], `Vec<ResourceContents>` and [`ReadResourceResult`].
///
/// The first ones get the URI that was read. Contents of that URI without a
/// MIME type get the one the resource was registered with.
///
/// See [resource contents](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-contents).
#[diagnostic::on_unimplemented(
    message = "a resource cannot return `{Self}`",
    label = "no result of a resource",
    note = "return `Result<T, ToolError>` where `T` is a text, bytes, `Json<..>`, `ResourceContents`, `Vec<ResourceContents>` or `ReadResourceResult`"
)]
pub trait ResourceOutput {
    /// The result to send for the resource at `uri`.
    ///
    /// # Errors
    /// When it cannot be written.
    fn into_result(self, uri: &str) -> Result<ReadResourceResult, ToolError>;
}

impl ResourceOutput for ReadResourceResult {
    fn into_result(self, _: &str) -> Result<ReadResourceResult, ToolError> {
        Ok(self)
    }
}

impl ResourceOutput for Vec<ResourceContents> {
    fn into_result(self, _: &str) -> Result<ReadResourceResult, ToolError> {
        Ok(ReadResourceResult::new(self))
    }
}

impl ResourceOutput for ResourceContents {
    fn into_result(self, _: &str) -> Result<ReadResourceResult, ToolError> {
        Ok(ReadResourceResult::new(vec![self]))
    }
}

impl ResourceOutput for String {
    fn into_result(self, uri: &str) -> Result<ReadResourceResult, ToolError> {
        ResourceContents::text(uri, self).into_result(uri)
    }
}

impl ResourceOutput for &'static str {
    fn into_result(self, uri: &str) -> Result<ReadResourceResult, ToolError> {
        ResourceContents::text(uri, self).into_result(uri)
    }
}

impl ResourceOutput for Cow<'static, str> {
    fn into_result(self, uri: &str) -> Result<ReadResourceResult, ToolError> {
        ResourceContents::text(uri, self).into_result(uri)
    }
}

impl ResourceOutput for Vec<u8> {
    fn into_result(self, uri: &str) -> Result<ReadResourceResult, ToolError> {
        let blob = base64_simd::STANDARD.encode_to_string(self);
        ResourceContents::blob(uri, blob).into_result(uri)
    }
}

impl ResourceOutput for Bytes {
    fn into_result(self, uri: &str) -> Result<ReadResourceResult, ToolError> {
        let blob = base64_simd::STANDARD.encode_to_string(self);
        ResourceContents::blob(uri, blob).into_result(uri)
    }
}

impl<T: Serialize> ResourceOutput for Json<T> {
    fn into_result(self, uri: &str) -> Result<ReadResourceResult, ToolError> {
        let text = serde_json::to_string(&self.0)?;
        ResourceContents::text(uri, text)
            .mime_type("application/json")
            .into_result(uri)
    }
}
