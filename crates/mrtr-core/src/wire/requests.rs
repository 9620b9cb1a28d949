//! The parameters of requests as a client writes them. Servers read [`Params`](super::Params).

use serde_json::value::RawValue;

use super::object::object;
use super::{ClientMeta, RawObject};

object! {
    /// The `params` of `tools/call`.
    ///
    /// Implements [calling tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools).
    pub struct CallToolParams {
        /// Metadata every request carries.
        req meta: ClientMeta = "_meta",
        /// The tool.
        req name: String = "name",
        /// Its arguments: an object, as it is.
        opt arguments: Box<RawValue> = "arguments",
        /// Answers, on a retry.
        opt input_responses: Box<RawValue> = "inputResponses",
        /// The state of the result this is the retry of.
        opt request_state: String = "requestState",
    }
}

object! {
    /// The `params` of `prompts/get`.
    ///
    /// Implements [getting a prompt](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt).
    pub struct GetPromptParams {
        /// Metadata every request carries.
        req meta: ClientMeta = "_meta",
        /// The prompt.
        req name: String = "name",
        /// Its arguments: an object of strings, as it is.
        opt arguments: Box<RawValue> = "arguments",
        /// Answers, on a retry.
        opt input_responses: Box<RawValue> = "inputResponses",
        /// The state of the result this is the retry of.
        opt request_state: String = "requestState",
    }
}

object! {
    /// The `params` of `resources/read`.
    ///
    /// Implements [reading resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources).
    pub struct ReadResourceParams {
        /// Metadata every request carries.
        req meta: ClientMeta = "_meta",
        /// The resource.
        req uri: String = "uri",
        /// Answers, on a retry.
        opt input_responses: Box<RawValue> = "inputResponses",
        /// The state of the result this is the retry of.
        opt request_state: String = "requestState",
    }
}

object! {
    /// The `params` of a list request, and of `server/discover`, which has no cursor.
    ///
    /// Implements [pagination](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination).
    pub struct ListParams {
        /// Metadata every request carries.
        req meta: ClientMeta = "_meta",
        /// Where the page starts; absent for the first one.
        opt cursor: String = "cursor",
    }
}

impl CallToolParams {
    /// A first call of the tool `name`; `arguments` must be an object.
    #[must_use]
    pub fn new(
        meta: ClientMeta,
        name: impl Into<String>,
        arguments: Option<Box<RawValue>>,
    ) -> Self {
        Self {
            meta,
            name: name.into(),
            arguments,
            input_responses: None,
            request_state: None,
            extra: RawObject::new(),
        }
    }
}

impl GetPromptParams {
    /// A first request for the prompt `name`; `arguments` must be an object of strings.
    #[must_use]
    pub fn new(
        meta: ClientMeta,
        name: impl Into<String>,
        arguments: Option<Box<RawValue>>,
    ) -> Self {
        Self {
            meta,
            name: name.into(),
            arguments,
            input_responses: None,
            request_state: None,
            extra: RawObject::new(),
        }
    }
}

impl ReadResourceParams {
    /// A first request for the resource at `uri`.
    #[must_use]
    pub fn new(meta: ClientMeta, uri: impl Into<String>) -> Self {
        Self {
            meta,
            uri: uri.into(),
            input_responses: None,
            request_state: None,
            extra: RawObject::new(),
        }
    }
}

impl ListParams {
    /// A request for the page that starts at `cursor`, or the first one.
    #[must_use]
    pub const fn new(meta: ClientMeta, cursor: Option<String>) -> Self {
        Self {
            meta,
            cursor,
            extra: RawObject::new(),
        }
    }
}
