//! What the wire says, by cause: the one table of error codes and HTTP statuses.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::elicitation::Action;
use super::raw::excerpt;
use super::{Capabilities, ErrorCode, ErrorObject, SUPPORTED_VERSIONS};

/// Why a request is answered with a JSON-RPC error, and what the answer says.
///
/// | cause | code | HTTP | `data` |
/// | --- | --- | --- | --- |
/// | [`ParseError`](Self::ParseError) | -32700 | 400 | |
/// | [`InvalidRequest`](Self::InvalidRequest) | -32600 | 400 | |
/// | [`MethodNotFound`](Self::MethodNotFound) | -32601 | 404 | |
/// | [`InvalidParams`](Self::InvalidParams) | -32602 | 400 | |
/// | [`MissingMeta`](Self::MissingMeta) | -32602 | 400 | |
/// | [`InvalidRequestState`](Self::InvalidRequestState) | -32602 | 400 | `reason: "invalid_request_state"` |
/// | [`UnsupportedVersion`](Self::UnsupportedVersion) | -32022 | 400 | `supported`, `requested` |
/// | [`LegacyInitialize`](Self::LegacyInitialize) | -32022 | 400 | `supported`, `requested` |
/// | [`HeaderMismatch`](Self::HeaderMismatch) | -32020 | 400 | |
/// | [`MissingCapability`](Self::MissingCapability) | -32021 | 400 | `requiredCapabilities` |
/// | [`UnknownTool`](Self::UnknownTool) | -32602 | 200 | |
/// | [`UnknownPrompt`](Self::UnknownPrompt) | -32602 | 200 | |
/// | [`ResourceNotFound`](Self::ResourceNotFound) | -32602 | 200 | `uri` |
/// | [`InvalidArguments`](Self::InvalidArguments) | -32602 | 200 | |
/// | [`InvalidCursor`](Self::InvalidCursor) | -32602 | 200 | |
/// | [`Refused`](Self::Refused) | -32602 | 200 | `reason: "declined"` or `"cancelled"`, `key` |
/// | [`TooManyRounds`](Self::TooManyRounds) | -32603 | 200 | `reason: "too_many_rounds"` |
/// | [`Deadline`](Self::Deadline) | -32603 | 200 | `reason: "deadline"` |
/// | [`TooManyRequests`](Self::TooManyRequests) | -32603 | 200 | `reason: "rate_limited"`, `retryAfterMs` |
/// | [`Busy`](Self::Busy) | -32603 | 200 | `reason: "busy"` |
/// | [`Unavailable`](Self::Unavailable) | -32603 | 200 | `reason: "unavailable"` |
/// | [`Fault`](Self::Fault) | -32603 | 200 | |
///
/// The statuses 400 and 404 for header, version, capability, missing `_meta` and unknown method are
/// the specification's. Where it is silent: a message that is malformed (the sender's code is
/// wrong) is 400, a well-formed request that fails is 200, since clients in the field read error
/// bodies of these two only.
///
/// Never errors, and so not here: tool arguments that fail the tool's input schema and asks
/// declined during `tools/call`. They are results with `isError: true`, which a model can read.
///
/// Implements the [error codes](https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes)
/// and the [HTTP statuses](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http).
///
/// ```
/// use mrtr_core::wire::{Capability, Cause, ErrorCode};
///
/// let cause = Cause::MissingCapability(Capability::ElicitationUrl.into());
/// assert_eq!(cause.http_status(), 400);
/// let error = cause.error();
/// assert_eq!(error.code, ErrorCode::MISSING_CLIENT_CAPABILITY);
/// assert_eq!(error.data.unwrap().get(), r#"{"requiredCapabilities":{"elicitation":{"url":{}}}}"#);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cause {
    /// The body is not JSON.
    ParseError,
    /// The body is JSON but no single JSON-RPC request or notification; says what is wrong.
    InvalidRequest(Cow<'static, str>),
    /// The server does not implement this method.
    MethodNotFound {
        /// The method that was called.
        method: String,
    },
    /// A member of `params` is missing or has the wrong JSON type, or an input response is
    /// malformed; says which.
    InvalidParams(Cow<'static, str>),
    /// A required member of `_meta` is missing; names it.
    MissingMeta(&'static str),
    /// A `requestState` that does not open for this request. The true reason is for the log only.
    InvalidRequestState,
    /// The request uses a protocol version this server does not speak.
    UnsupportedVersion {
        /// The version the client asked for.
        requested: String,
    },
    /// An `initialize` handshake of a revision before 2026-07-28.
    LegacyInitialize {
        /// The version the client asked for, if it said one.
        requested: Option<String>,
    },
    /// HTTP headers are missing, malformed or differ from the body; says which.
    HeaderMismatch(Cow<'static, str>),
    /// The request cannot be served without these capabilities, which the client did not declare.
    MissingCapability(Capabilities),
    /// There is no such tool.
    UnknownTool {
        /// The name in the request.
        name: String,
    },
    /// There is no such prompt.
    UnknownPrompt {
        /// The name in the request.
        name: String,
    },
    /// There is no such resource.
    ResourceNotFound {
        /// The address in the request.
        uri: String,
    },
    /// Prompt or completion arguments that are missing or wrong; says which.
    InvalidArguments(Cow<'static, str>),
    /// A list cursor this server did not hand out.
    InvalidCursor,
    /// The user refused something a prompt or a resource needs.
    Refused {
        /// What was asked.
        key: String,
        /// Declined or cancelled.
        action: Action,
    },
    /// The call asked more often than is allowed.
    TooManyRounds {
        /// How many rounds are allowed.
        limit: u16,
    },
    /// The request took longer than the server allows.
    Deadline,
    /// The caller reads prompts or resources more often than is allowed.
    TooManyRequests {
        /// When the next request will be served.
        retry_after: Duration,
    },
    /// The same request, sent before, is still being worked on. Sending it again is safe.
    Busy,
    /// The server cannot do now what it must be sure of: the store that its replicas share is away.
    /// Sending the same request again is safe.
    Unavailable,
    /// The server failed; the reason is for the log only.
    Fault,
}

impl Cause {
    /// The error object to answer with.
    #[must_use]
    pub fn error(&self) -> ErrorObject {
        let error = ErrorObject::new(self.code(), self.message());
        match self {
            Self::InvalidRequestState => error.with_data(&Reason {
                reason: "invalid_request_state",
                key: None,
            }),
            Self::UnsupportedVersion { requested }
            | Self::LegacyInitialize {
                requested: Some(requested),
            } => error.with_data(&Versions {
                supported: SUPPORTED_VERSIONS,
                requested,
            }),
            Self::LegacyInitialize { requested: None } => error.with_data(&Versions {
                supported: SUPPORTED_VERSIONS,
                requested: "unknown",
            }),
            Self::MissingCapability(missing) => error.with_data(&Required {
                required_capabilities: *missing,
            }),
            Self::ResourceNotFound { uri } => error.with_data(&Uri { uri }),
            Self::Refused { key, action } => {
                let reason = if *action == Action::Cancel {
                    "cancelled"
                } else {
                    "declined"
                };
                error.with_data(&Reason {
                    reason,
                    key: Some(key),
                })
            }
            Self::TooManyRounds { .. } => error.with_data(&Reason {
                reason: "too_many_rounds",
                key: None,
            }),
            Self::TooManyRequests { retry_after } => error.with_data(&RateLimited {
                reason: "rate_limited",
                retry_after_ms: u64::try_from(retry_after.as_millis()).unwrap_or(u64::MAX),
            }),
            Self::Deadline => error.with_data(&Reason {
                reason: "deadline",
                key: None,
            }),
            Self::Busy => error.with_data(&Reason {
                reason: "busy",
                key: None,
            }),
            Self::Unavailable => error.with_data(&Reason {
                reason: "unavailable",
                key: None,
            }),
            _ => error,
        }
    }

    /// The code of the error.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::ParseError => ErrorCode::PARSE_ERROR,
            Self::InvalidRequest(_) => ErrorCode::INVALID_REQUEST,
            Self::MethodNotFound { .. } => ErrorCode::METHOD_NOT_FOUND,
            Self::InvalidParams(_)
            | Self::MissingMeta(_)
            | Self::InvalidRequestState
            | Self::UnknownTool { .. }
            | Self::UnknownPrompt { .. }
            | Self::ResourceNotFound { .. }
            | Self::InvalidArguments(_)
            | Self::InvalidCursor
            | Self::Refused { .. } => ErrorCode::INVALID_PARAMS,
            Self::UnsupportedVersion { .. } | Self::LegacyInitialize { .. } => {
                ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
            }
            Self::HeaderMismatch(_) => ErrorCode::HEADER_MISMATCH,
            Self::MissingCapability(_) => ErrorCode::MISSING_CLIENT_CAPABILITY,
            Self::TooManyRounds { .. }
            | Self::Deadline
            | Self::TooManyRequests { .. }
            | Self::Busy
            | Self::Unavailable
            | Self::Fault => ErrorCode::INTERNAL_ERROR,
        }
    }

    /// The status of the HTTP response that carries the error.
    #[must_use]
    pub const fn http_status(&self) -> u16 {
        match self {
            Self::MethodNotFound { .. } => 404,
            Self::ParseError
            | Self::InvalidRequest(_)
            | Self::InvalidParams(_)
            | Self::MissingMeta(_)
            | Self::InvalidRequestState
            | Self::UnsupportedVersion { .. }
            | Self::LegacyInitialize { .. }
            | Self::HeaderMismatch(_)
            | Self::MissingCapability(_) => 400,
            Self::UnknownTool { .. }
            | Self::UnknownPrompt { .. }
            | Self::ResourceNotFound { .. }
            | Self::InvalidArguments(_)
            | Self::InvalidCursor
            | Self::Refused { .. }
            | Self::TooManyRounds { .. }
            | Self::Deadline
            | Self::TooManyRequests { .. }
            | Self::Busy
            | Self::Unavailable
            | Self::Fault => 200,
        }
    }

    fn message(&self) -> Cow<'static, str> {
        match self {
            Self::ParseError => "Parse error: Invalid JSON".into(),
            Self::InvalidRequest(what) => format!("Invalid request: {what}").into(),
            Self::MethodNotFound { method } if method == "initialize" => {
                format!("Method not found: {}", no_handshake()).into()
            }
            Self::MethodNotFound { method } => {
                format!("Method not found: {}", excerpt(method)).into()
            }
            Self::InvalidParams(what) => format!("Invalid params: {what}").into(),
            Self::MissingMeta(member) => {
                format!("Invalid params: `_meta` must have `{member}`").into()
            }
            Self::InvalidRequestState => "Invalid or expired requestState".into(),
            Self::UnsupportedVersion { .. } => "Unsupported protocol version".into(),
            Self::LegacyInitialize { .. } => no_handshake().into(),
            Self::HeaderMismatch(what) => format!("Header mismatch: {what}").into(),
            Self::MissingCapability(missing) => {
                format!("This request needs client capabilities that were not declared: {missing}")
                    .into()
            }
            Self::UnknownTool { name } => format!("Unknown tool: {}", excerpt(name)).into(),
            Self::UnknownPrompt { name } => format!("Unknown prompt: {}", excerpt(name)).into(),
            Self::ResourceNotFound { .. } => "Resource not found".into(),
            Self::InvalidArguments(what) => what.clone(),
            Self::InvalidCursor => "Invalid cursor".into(),
            Self::Refused {
                action: Action::Cancel,
                ..
            } => "The user cancelled a question this request needs answered".into(),
            Self::Refused { .. } => {
                "The user declined a question this request needs answered".into()
            }
            Self::TooManyRounds { limit } => {
                format!("The call did not finish within {limit} rounds of questions").into()
            }
            Self::Deadline => "The request took too long".into(),
            Self::TooManyRequests { retry_after } => format!(
                "Too many requests; try again in {} seconds",
                retry_after.as_millis().div_ceil(1_000).max(1)
            )
            .into(),
            Self::Busy => "The same request is still being worked on; send it again later".into(),
            Self::Unavailable => "Temporarily unavailable; send the same request again".into(),
            Self::Fault => "Internal error".into(),
        }
    }
}

fn no_handshake() -> String {
    format!(
        "This server has no initialize handshake; it speaks protocol version {}, where every request carries its version",
        SUPPORTED_VERSIONS.join(", ")
    )
}

impl From<Cause> for ErrorObject {
    fn from(cause: Cause) -> Self {
        cause.error()
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message(), self.code())
    }
}

impl std::error::Error for Cause {}

#[derive(Serialize)]
struct Reason<'a> {
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RateLimited {
    reason: &'static str,
    retry_after_ms: u64,
}

#[derive(Serialize)]
struct Versions<'a> {
    supported: &'static [&'static str],
    requested: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Required {
    required_capabilities: Capabilities,
}

#[derive(Serialize)]
struct Uri<'a> {
    uri: &'a str,
}
