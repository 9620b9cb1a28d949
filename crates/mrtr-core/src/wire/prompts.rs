//! Prompts: messages a person picks for a model.

use super::object::object;
use super::{ContentBlock, Icon, RawObject, Role};

object! {
    /// A prompt, as a list of prompts describes it.
    ///
    /// Implements [`Prompt`](https://modelcontextprotocol.io/specification/2026-07-28/schema#prompt).
    pub struct Prompt {
        /// The name for programs.
        req name: String = "name",
        /// The name for people.
        opt title: String = "title",
        /// What it is for.
        opt description: String = "description",
        /// What can be filled in.
        opt arguments: Vec<PromptArgument> = "arguments",
        /// Pictures of it.
        opt icons: Vec<Icon> = "icons",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

impl Prompt {
    /// A prompt with this name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            arguments: None,
            icons: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// Something that can be filled in: always text.
    ///
    /// Implements [`PromptArgument`](https://modelcontextprotocol.io/specification/2026-07-28/schema#promptargument).
    pub struct PromptArgument {
        /// The name for programs.
        req name: String = "name",
        /// The name for people.
        opt title: String = "title",
        /// What it means.
        opt description: String = "description",
        /// Whether it must be filled in.
        opt required: bool = "required",
    }
}

impl PromptArgument {
    /// An argument with this name.
    #[must_use]
    pub fn new(name: impl Into<String>, required: bool) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            required: Some(required),
            extra: RawObject::new(),
        }
    }
}

object! {
    /// One message of a prompt.
    ///
    /// Implements [`PromptMessage`](https://modelcontextprotocol.io/specification/2026-07-28/schema#promptmessage).
    pub struct PromptMessage {
        /// Who says it.
        req role: Role = "role",
        /// What is said.
        req content: ContentBlock = "content",
    }
}

impl PromptMessage {
    /// A message.
    #[must_use]
    pub const fn new(role: Role, content: ContentBlock) -> Self {
        Self {
            role,
            content,
            extra: RawObject::new(),
        }
    }

    /// A text of the user.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, ContentBlock::text(text))
    }

    /// A text of the assistant.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, ContentBlock::text(text))
    }
}

object! {
    /// A prompt, filled in.
    ///
    /// Implements [`GetPromptResult`](https://modelcontextprotocol.io/specification/2026-07-28/schema#getpromptresult).
    #[derive(Default)]
    pub struct GetPromptResult(lenient "resultType" = "complete") {
        /// What it is for.
        opt description: String = "description",
        /// The messages.
        req messages: Vec<PromptMessage> = "messages",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

impl GetPromptResult {
    /// These messages.
    #[must_use]
    pub fn new(messages: Vec<PromptMessage>) -> Self {
        Self {
            messages,
            ..Self::default()
        }
    }
}
