//! The messages of the protocol, revision 2026-07-28.
//!
//! Two ways of reading. What a server reads on every request ([`Incoming`], [`Params`],
//! [`RequestMeta`], [`InputResponses`]) is borrowed from the body in one pass, in any order of
//! members, without a tree. Everything else is owned, and members this library does not know
//! survive in `extra` with their exact text, so that a relay loses nothing.
//!
//! What a message means never depends on a guess: `resultType` decides what a result is
//! ([`AnyResult`]), the method what an input request is ([`InputRequest`]), and what was asked
//! how its answer is read ([`InputResponse::decode`]). What a server says when it refuses is one
//! table, [`Cause`].

mod answer;
mod capability;
mod cause;
mod client_capabilities;
mod completion;
mod content;
mod conversation;
mod direct;
mod discover;
mod elicitation;
mod envelope;
mod error;
mod id;
mod implementation;
mod input;
mod input_required;
mod list;
mod logging;
mod message;
mod meta;
mod notification;
mod number;
mod object;
mod params;
mod prompts;
mod raw;
mod requests;
mod resources;
mod result;
mod roots;
mod sampling;
mod subscription;
mod tagged;
mod tools;

pub use answer::{AnswerLimits, InputResponse, InputResponses};
pub use capability::{Capabilities, Capability};
pub use cause::Cause;
pub use client_capabilities::{ClientCapabilities, ElicitationCapability, SamplingCapability};
pub use completion::{
    CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionContext,
    CompletionReference, PromptReference, ResourceReference,
};
pub use content::{
    Annotations, AudioContent, ContentBlock, EmbeddedResource, ImageContent, Role, TextContent,
};
pub use conversation::ConversationError;
pub use discover::{DiscoverResult, ListCapability, ResourcesCapability, ServerCapabilities};
pub use elicitation::{Action, ElicitForm, ElicitRequest, ElicitResult, ElicitUrl};
pub use envelope::{Incoming, Malformed, Notification, Request};
pub use error::{ErrorCode, ErrorObject};
pub use id::{InvalidId, ProgressToken, RequestId};
pub use implementation::{Icon, Implementation};
pub use input::{InputKind, InputRequest, InputRequests};
pub use input_required::InputRequiredResult;
pub use list::{
    CacheHints, CacheScope, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult,
};
pub use logging::LoggingLevel;
pub use message::{
    InvalidMessage, Response, ServerMessage, write_error, write_notification, write_request,
    write_result,
};
pub use meta::{ClientMeta, RequestMeta, meta_key};
pub use notification::{
    CancelledParams, ListChangedParams, LoggingMessageParams, ProgressParams,
    ResourceUpdatedParams, ServerNotification, SubscriptionAcknowledgedParams,
};
pub use number::Decimal;
pub use object::RawObject;
pub use params::Params;
pub use prompts::{GetPromptResult, Prompt, PromptArgument, PromptMessage};
pub use requests::{CallToolParams, GetPromptParams, ListParams, ReadResourceParams};
pub use resources::{
    BlobResourceContents, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
    TextResourceContents,
};
pub use result::{AnyResult, ResultError, Strictness};
pub use roots::{ListRootsRequest, ListRootsResult, Root};
pub use sampling::{
    CreateMessageRequest, CreateMessageResult, IncludeContext, ModelHint, ModelPreferences,
    SamplingBlock, SamplingContent, SamplingMessage, ToolChoice, ToolChoiceMode, ToolResultContent,
    ToolUseContent,
};
pub use subscription::{ListenParams, ListenResult, SubscriptionFilter, SubscriptionMeta};
pub use tools::{CallToolResult, Tool, ToolAnnotations};

/// The revision of the protocol this library speaks.
pub const PROTOCOL_VERSION: &str = "2026-07-28";

/// The revisions a server of this library accepts.
pub const SUPPORTED_VERSIONS: &[&str] = &[PROTOCOL_VERSION];
