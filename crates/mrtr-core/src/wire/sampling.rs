//! Asking the client's model. Deprecated by this revision, still complete.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::object::object;
use super::raw::{JsonType, excerpt, json_type};
use super::tagged::{decode, tag_of};
use super::{
    AudioContent, ContentBlock, Decimal, ImageContent, RawObject, Role, TextContent, Tool,
};

object! {
    /// What the model is asked: the `params` of `sampling/createMessage`. Deprecated by this revision.
    ///
    /// Implements [`CreateMessageRequestParams`](https://modelcontextprotocol.io/specification/2026-07-28/schema#createmessagerequestparams).
    /// Call [`validate`](Self::validate) before sending it and before a model sees it.
    pub struct CreateMessageRequest {
        /// The conversation so far.
        req messages: Vec<SamplingMessage> = "messages",
        /// Which model is preferred; advisory.
        opt model_preferences: ModelPreferences = "modelPreferences",
        /// The system prompt; the client may change it.
        opt system_prompt: String = "systemPrompt",
        /// Context to include; all values but `none` are deprecated.
        opt include_context: IncludeContext = "includeContext",
        /// Sampling temperature.
        opt temperature: Decimal = "temperature",
        /// At most this many tokens.
        req max_tokens: u64 = "maxTokens",
        /// Texts that end the generation.
        opt stop_sequences: Vec<String> = "stopSequences",
        /// Settings for the provider of the model.
        opt metadata: RawObject = "metadata",
        /// Tools the model may use.
        opt tools: Vec<Tool> = "tools",
        /// How it uses them.
        opt tool_choice: ToolChoice = "toolChoice",
    }
}

/// Which context to include. All values but `None` are deprecated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IncludeContext {
    /// No additional context.
    None,
    /// Context of the asking server.
    ThisServer,
    /// Context of all servers.
    AllServers,
}

object! {
    /// How the model uses the tools. Deprecated by this revision.
    #[derive(Default)]
    pub struct ToolChoice {
        /// Automatic when absent.
        opt mode: ToolChoiceMode = "mode",
    }
}

/// Whether the model may, must or must not use tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolChoiceMode {
    /// The model decides.
    Auto,
    /// It must use at least one.
    Required,
    /// It must not use any.
    None,
}

object! {
    /// Which model is preferred; advisory. Deprecated by this revision.
    #[derive(Default)]
    pub struct ModelPreferences {
        /// Names, the most preferred first.
        opt hints: Vec<ModelHint> = "hints",
        /// How much cost matters, 0 to 1.
        opt cost_priority: Decimal = "costPriority",
        /// How much speed matters, 0 to 1.
        opt speed_priority: Decimal = "speedPriority",
        /// How much capability matters, 0 to 1.
        opt intelligence_priority: Decimal = "intelligencePriority",
    }
}

object! {
    /// Part of a model's name. Deprecated by this revision.
    #[derive(Default)]
    pub struct ModelHint {
        /// Such as `sonnet`.
        opt name: String = "name",
    }
}

object! {
    /// One message of a conversation with a model. Deprecated by this revision.
    pub struct SamplingMessage {
        /// Who says it.
        req role: Role = "role",
        /// What is said.
        req content: SamplingContent = "content",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

object! {
    /// What the model answered. Deprecated by this revision.
    ///
    /// Implements [`CreateMessageResult`](https://modelcontextprotocol.io/specification/2026-07-28/schema#createmessageresult).
    pub struct CreateMessageResult {
        /// Who says it.
        req role: Role = "role",
        /// What is said.
        req content: SamplingContent = "content",
        /// The model that was used.
        req model: String = "model",
        /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or anything else.
        opt stop_reason: String = "stopReason",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

object! {
    /// The model wants a tool to be used. Deprecated by this revision.
    pub struct ToolUseContent("type" = "tool_use") {
        /// Ties the result to this use.
        req id: String = "id",
        /// The tool.
        req name: String = "name",
        /// Its arguments.
        req input: RawObject = "input",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

object! {
    /// What a tool the model wanted gave. Deprecated by this revision.
    pub struct ToolResultContent("type" = "tool_result") {
        /// The use this is the result of.
        req tool_use_id: String = "toolUseId",
        /// The result.
        req content: Vec<ContentBlock> = "content",
        /// The result as data.
        opt structured_content: Box<RawValue> = "structuredContent",
        /// Whether the tool failed.
        opt is_error: bool = "isError",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

/// One piece of a message of a conversation with a model. Deprecated by this revision.
///
/// Implements [`SamplingMessageContentBlock`](https://modelcontextprotocol.io/specification/2026-07-28/schema#samplingmessagecontentblock).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SamplingBlock {
    /// Text.
    Text(TextContent),
    /// A picture.
    Image(ImageContent),
    /// A sound.
    Audio(AudioContent),
    /// The model wants a tool to be used.
    ToolUse(ToolUseContent),
    /// What the tool gave.
    ToolResult(ToolResultContent),
}

impl From<TextContent> for SamplingBlock {
    fn from(content: TextContent) -> Self {
        Self::Text(content)
    }
}

impl From<ToolUseContent> for SamplingBlock {
    fn from(content: ToolUseContent) -> Self {
        Self::ToolUse(content)
    }
}

impl From<ToolResultContent> for SamplingBlock {
    fn from(content: ToolResultContent) -> Self {
        Self::ToolResult(content)
    }
}

/// What a message says: one block or a list of blocks, written the way it was read.
#[derive(Clone, Debug, PartialEq)]
pub enum SamplingContent {
    /// A single block, written without a list.
    One(Box<SamplingBlock>),
    /// Any number of blocks, written as a list.
    Many(Vec<SamplingBlock>),
}

impl SamplingContent {
    /// One block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::One(Box::new(SamplingBlock::Text(TextContent::new(text))))
    }

    /// The blocks, in either form.
    #[must_use]
    pub fn blocks(&self) -> &[SamplingBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Many(blocks) => blocks,
        }
    }

    /// The text of all text blocks, joined by line ends.
    #[must_use]
    pub fn to_text(&self) -> String {
        let texts = self.blocks().iter().filter_map(|block| match block {
            SamplingBlock::Text(content) => Some(content.text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

impl Serialize for SamplingBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(content) => content.serialize(serializer),
            Self::Image(content) => content.serialize(serializer),
            Self::Audio(content) => content.serialize(serializer),
            Self::ToolUse(content) => content.serialize(serializer),
            Self::ToolResult(content) => content.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        match tag_of(&raw, "type").map_err(D::Error::custom)?.as_deref() {
            None => Err(D::Error::missing_field("type")),
            Some("text") => decode(&raw).map(Self::Text),
            Some("image") => decode(&raw).map(Self::Image),
            Some("audio") => decode(&raw).map(Self::Audio),
            Some("tool_use") => decode(&raw).map(Self::ToolUse),
            Some("tool_result") => decode(&raw).map(Self::ToolResult),
            Some(other) => Err(D::Error::custom(format_args!(
                "`{}` is no content of a sampling message",
                excerpt(other)
            ))),
        }
    }
}

impl Serialize for SamplingContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(block) => block.serialize(serializer),
            Self::Many(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        if json_type(&raw) == JsonType::Array {
            decode(&raw).map(Self::Many)
        } else {
            decode(&raw).map(|block| Self::One(Box::new(block)))
        }
    }
}
