//! Rules between the messages of a conversation with a model.

use std::collections::HashSet;
use std::fmt;

use super::raw::excerpt;
use super::{
    Capabilities, Capability, ContentBlock, CreateMessageRequest, CreateMessageResult,
    IncludeContext, ModelPreferences, RawObject, Role, SamplingBlock, SamplingContent,
    SamplingMessage, ToolResultContent, ToolUseContent,
};

/// A rule that the messages of a conversation break.
///
/// Implements [message content constraints](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#message-content-constraints).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConversationError {
    /// Message `index` mixes tool results with other content.
    MixedResults {
        /// Which message, counted from 0.
        index: usize,
    },
    /// Message `index` has a tool result although the user does not say it, or a tool use although
    /// the model does not.
    WrongRole {
        /// Which message, counted from 0.
        index: usize,
    },
    /// A tool use of message `index` has no result in the message after it.
    Unanswered {
        /// Which message, counted from 0.
        index: usize,
        /// The id of the tool use.
        id: String,
    },
    /// Message `index` has a result for a tool use that the message before it does not have.
    UnknownUse {
        /// Which message, counted from 0.
        index: usize,
        /// The id the result names.
        id: String,
    },
    /// Message `index` uses an id twice.
    RepeatedId {
        /// Which message, counted from 0.
        index: usize,
        /// The id.
        id: String,
    },
    /// Message `index` has a block inside a tool result that is no content block.
    UnknownBlock {
        /// Which message, counted from 0.
        index: usize,
    },
}

impl fmt::Display for ConversationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MixedResults { index } => {
                write!(f, "message {index} mixes tool results with other content")
            }
            Self::WrongRole { index } => {
                write!(
                    f,
                    "message {index} has a tool use that is not the assistant's or a tool result that is not the user's"
                )
            }
            Self::Unanswered { index, id } => {
                write!(
                    f,
                    "tool use `{}` of message {index} has no result in the next message",
                    excerpt(id)
                )
            }
            Self::UnknownUse { index, id } => {
                write!(
                    f,
                    "message {index} has a result for `{}`, which the message before does not use",
                    excerpt(id)
                )
            }
            Self::RepeatedId { index, id } => write!(
                f,
                "message {index} has the tool use id `{}` twice",
                excerpt(id)
            ),
            Self::UnknownBlock { index } => {
                write!(f, "message {index} has an unknown block in a tool result")
            }
        }
    }
}

impl std::error::Error for ConversationError {}

/// The tool uses and results of one message, checked on their own.
struct Tools<'a> {
    uses: Vec<&'a str>,
    results: Vec<&'a str>,
}

fn tools(
    index: usize,
    role: Role,
    content: &SamplingContent,
) -> Result<Tools<'_>, ConversationError> {
    let blocks = content.blocks();
    let mut tools = Tools {
        uses: Vec::new(),
        results: Vec::new(),
    };
    for block in blocks {
        match block {
            SamplingBlock::ToolUse(tool_use) if role == Role::Assistant => {
                tools.uses.push(&tool_use.id)
            }
            SamplingBlock::ToolResult(result) if role == Role::User => {
                if result
                    .content
                    .iter()
                    .any(|block| matches!(block, ContentBlock::Other(_)))
                {
                    return Err(ConversationError::UnknownBlock { index });
                }
                tools.results.push(&result.tool_use_id);
            }
            SamplingBlock::ToolUse(_) | SamplingBlock::ToolResult(_) => {
                return Err(ConversationError::WrongRole { index });
            }
            _ => {}
        }
    }
    if !tools.results.is_empty() && tools.results.len() < blocks.len() {
        return Err(ConversationError::MixedResults { index });
    }
    for ids in [&tools.uses, &tools.results] {
        let mut seen = HashSet::new();
        if let Some(id) = ids.iter().find(|id| !seen.insert(**id)) {
            return Err(ConversationError::RepeatedId {
                index,
                id: (*id).to_owned(),
            });
        }
    }
    Ok(tools)
}

/// The first of these ids that is not among the others. A peer decides how
/// many there are.
fn first_without<'a>(ids: &[&'a str], others: &[&str]) -> Option<&'a str> {
    let others: HashSet<&str> = others.iter().copied().collect();
    ids.iter().copied().find(|id| !others.contains(id))
}

impl CreateMessageRequest {
    /// A conversation of these messages, answered with at most `max_tokens` tokens.
    #[must_use]
    pub fn new(messages: Vec<SamplingMessage>, max_tokens: u64) -> Self {
        Self {
            messages,
            model_preferences: None,
            system_prompt: None,
            include_context: None,
            temperature: None,
            max_tokens,
            stop_sequences: None,
            metadata: None,
            tools: None,
            tool_choice: None,
            extra: RawObject::new(),
        }
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = Some(prompt.into());
        self
    }

    /// Sets the preferences for a model.
    #[must_use]
    pub fn model_preferences(mut self, preferences: ModelPreferences) -> Self {
        self.model_preferences = Some(preferences);
        self
    }

    /// What the client must have declared to be asked this: `tools` and `toolChoice` need
    /// `sampling.tools`, `includeContext` other than `none` needs `sampling.context`.
    #[must_use]
    pub fn required_capabilities(&self) -> Capabilities {
        let mut required = Capabilities::from(Capability::Sampling);
        if self.tools.is_some() || self.tool_choice.is_some() {
            required.insert(Capability::SamplingTools);
        }
        if self
            .include_context
            .is_some_and(|context| context != IncludeContext::None)
        {
            required.insert(Capability::SamplingContext);
        }
        required
    }

    /// Checks the rules between messages: each tool use of the assistant is answered by the next
    /// message, which is the user's and holds the results of all of them and nothing else.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn validate(&self) -> Result<(), ConversationError> {
        let mut open: Vec<&str> = Vec::new();
        for (index, message) in self.messages.iter().enumerate() {
            let tools = tools(index, message.role, &message.content)?;
            if let Some(id) = first_without(&open, &tools.results) {
                return Err(ConversationError::Unanswered {
                    index: index - 1,
                    id: id.to_owned(),
                });
            }
            if let Some(id) = first_without(&tools.results, &open) {
                return Err(ConversationError::UnknownUse {
                    index,
                    id: id.to_owned(),
                });
            }
            open = tools.uses;
        }
        match open.first() {
            Some(id) => Err(ConversationError::Unanswered {
                index: self.messages.len() - 1,
                id: (*id).to_owned(),
            }),
            None => Ok(()),
        }
    }
}

impl CreateMessageResult {
    /// An answer of the assistant.
    #[must_use]
    pub fn new(content: SamplingContent, model: impl Into<String>) -> Self {
        Self {
            role: Role::Assistant,
            content,
            model: model.into(),
            stop_reason: None,
            meta: None,
            extra: RawObject::new(),
        }
    }

    /// Checks what the types do not say: tool results stand alone, and who says what.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn validate(&self) -> Result<(), ConversationError> {
        tools(0, self.role, &self.content).map(drop)
    }

    /// The answer as a message of the next request.
    #[must_use]
    pub fn into_message(self) -> SamplingMessage {
        SamplingMessage {
            role: self.role,
            content: self.content,
            meta: self.meta,
            extra: RawObject::new(),
        }
    }
}

impl SamplingMessage {
    /// A text of the user.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, SamplingContent::text(text))
    }

    /// A text of the assistant.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, SamplingContent::text(text))
    }

    /// Any message.
    #[must_use]
    pub const fn new(role: Role, content: SamplingContent) -> Self {
        Self {
            role,
            content,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl ToolUseContent {
    /// A wish to use the tool `name`.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: RawObject) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl ToolResultContent {
    /// The result of the tool use `id`.
    #[must_use]
    pub fn new(id: impl Into<String>, content: Vec<ContentBlock>) -> Self {
        Self {
            tool_use_id: id.into(),
            content,
            structured_content: None,
            is_error: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}
