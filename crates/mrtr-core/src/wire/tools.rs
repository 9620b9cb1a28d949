//! Tools: what a model can call.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::object::object;
use super::{ContentBlock, Icon, RawObject};

object! {
    /// A tool, as a list of tools describes it.
    ///
    /// Implements [`Tool`](https://modelcontextprotocol.io/specification/2026-07-28/schema#tool).
    pub struct Tool {
        /// The name for programs.
        req name: String = "name",
        /// The name for people.
        opt title: String = "title",
        /// What it does, for the model.
        opt description: String = "description",
        /// JSON Schema of the arguments: an object schema, as it came.
        req input_schema: RawObject = "inputSchema",
        /// JSON Schema of the structured result, as it came.
        opt output_schema: RawObject = "outputSchema",
        /// Hints on its behaviour; not to be trusted.
        opt annotations: ToolAnnotations = "annotations",
        /// Pictures of it.
        opt icons: Vec<Icon> = "icons",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

impl Tool {
    /// A tool with this name and JSON Schema of its arguments.
    #[must_use]
    pub fn new(name: impl Into<String>, input_schema: RawObject) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema,
            output_schema: None,
            annotations: None,
            icons: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// Hints on what a tool does. Never decide on them when the server is not trusted.
    ///
    /// Implements [`ToolAnnotations`](https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations).
    #[derive(Default)]
    pub struct ToolAnnotations {
        /// The name for people.
        opt title: String = "title",
        /// It changes nothing. Default false.
        opt read_only_hint: bool = "readOnlyHint",
        /// It may destroy something. Default true.
        opt destructive_hint: bool = "destructiveHint",
        /// Calling it again with the same arguments changes nothing more. Default false.
        opt idempotent_hint: bool = "idempotentHint",
        /// It deals with the outside world. Default true.
        opt open_world_hint: bool = "openWorldHint",
    }
}

object! {
    /// What a tool gives.
    ///
    /// Implements [`CallToolResult`](https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolresult).
    ///
    /// ```
    /// use mrtr_core::wire::CallToolResult;
    ///
    /// let result = CallToolResult::error("No seats left.");
    /// assert_eq!(
    ///     serde_json::to_string(&result)?,
    ///     r#"{"resultType":"complete","content":[{"type":"text","text":"No seats left."}],"isError":true}"#
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(Default)]
    pub struct CallToolResult(lenient "resultType" = "complete") {
        /// The result for people and models.
        req content: Vec<ContentBlock> = "content",
        /// The result for programs: any JSON value.
        opt structured_content: Box<RawValue> = "structuredContent",
        /// Whether the tool failed.
        opt is_error: bool = "isError",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

impl CallToolResult {
    /// A result of these blocks.
    #[must_use]
    pub fn new(content: Vec<ContentBlock>) -> Self {
        Self {
            content,
            ..Self::default()
        }
    }

    /// A result of one text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(vec![ContentBlock::text(text)])
    }

    /// A failure, in words that let a model do better.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            is_error: Some(true),
            ..Self::text(text)
        }
    }

    /// A result for programs, with the same JSON as text for those that read text only.
    ///
    /// # Errors
    /// When `value` cannot be written as JSON.
    pub fn structured(value: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        let raw = to_raw_value(value)?;
        Ok(Self {
            structured_content: Some(raw.clone()),
            ..Self::text(raw.get())
        })
    }

    /// Whether the tool failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.is_error == Some(true)
    }
}
