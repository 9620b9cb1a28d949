//! What can become of a request, a state and an exchange.

use mrtr_core::state::{Method, RejectionReason};
use mrtr_core::wire::Cause;

use super::label::{Label, label};

label! {
    /// What became of a request.
    Outcome = "outcome" {
        Complete = "complete",
        InputRequired = "input_required",
        /// Given again from the ledger.
        Replayed = "replayed",
        /// The person said no.
        Refused = "refused",
        /// The handler failed in a way it meant to.
        Failed = "failed",
        /// The client's fault.
        Invalid = "invalid",
        BadState = "bad_state",
        MissingCapability = "missing_capability",
        RateLimited = "rate_limited",
        TooManyRounds = "too_many_rounds",
        Deadline = "deadline",
        Busy = "busy",
        Unavailable = "unavailable",
        Fault = "fault",
        /// The client went away.
        Cancelled = "cancelled",
    }
}

impl From<&Cause> for Outcome {
    fn from(cause: &Cause) -> Self {
        match cause {
            Cause::InvalidRequestState => Self::BadState,
            Cause::MissingCapability(_) => Self::MissingCapability,
            Cause::Refused { .. } => Self::Refused,
            Cause::TooManyRounds { .. } => Self::TooManyRounds,
            Cause::Deadline => Self::Deadline,
            Cause::TooManyRequests { .. } => Self::RateLimited,
            Cause::Busy => Self::Busy,
            Cause::Unavailable => Self::Unavailable,
            Cause::Fault => Self::Fault,
            _ => Self::Invalid,
        }
    }
}

label! {
    /// Whether a round came with a state.
    Round = "round" {
        First = "first",
        Later = "later",
    }
}

label! {
    /// How an exchange of several rounds ended.
    End = "outcome" {
        Complete = "complete",
        Refused = "refused",
        Failed = "failed",
    }
}

label! {
    /// Why a state did not open.
    BadState = "reason" {
        NotAString = "not_a_string",
        TooLong = "too_long",
        UnknownFormat = "unknown_format",
        NotCanonical = "not_canonical",
        UnknownKey = "unknown_key",
        Forged = "forged",
        Layout = "layout",
        Expired = "expired",
        Deadline = "deadline",
        InFuture = "in_future",
        Principal = "principal",
        Method = "method",
        Target = "target",
        Audience = "audience",
        Revision = "revision",
        Arguments = "arguments",
        NotSingleUse = "not_single_use",
        /// Used with other answers before.
        Consumed = "consumed",
        /// The ledger has lost what it knew of it.
        Forgotten = "forgotten",
        Other = "other",
    }
}

impl From<&RejectionReason> for BadState {
    fn from(reason: &RejectionReason) -> Self {
        match reason {
            RejectionReason::NotAString => Self::NotAString,
            RejectionReason::TooLong { .. } => Self::TooLong,
            RejectionReason::UnknownFormat => Self::UnknownFormat,
            RejectionReason::NotCanonical => Self::NotCanonical,
            RejectionReason::UnknownKey(_) => Self::UnknownKey,
            RejectionReason::Forged => Self::Forged,
            RejectionReason::Layout(_) => Self::Layout,
            RejectionReason::Expired { .. } => Self::Expired,
            RejectionReason::DeadlinePassed { .. } => Self::Deadline,
            RejectionReason::IssuedInFuture { .. } => Self::InFuture,
            RejectionReason::Principal => Self::Principal,
            RejectionReason::Method => Self::Method,
            RejectionReason::Target => Self::Target,
            RejectionReason::Audience => Self::Audience,
            RejectionReason::Revision => Self::Revision,
            RejectionReason::Arguments | RejectionReason::ArgumentsUnreadable(_) => Self::Arguments,
            RejectionReason::NotSingleUse => Self::NotSingleUse,
            _ => Self::Other,
        }
    }
}

label! {
    /// The status of a request that was refused before its message was read.
    Refusal = "status" {
        BadRequest = "400",
        Forbidden = "403",
        NotFound = "404",
        MethodNotAllowed = "405",
        NotAcceptable = "406",
        Timeout = "408",
        TooLarge = "413",
        UnsupportedMediaType = "415",
    }
}

impl From<http::StatusCode> for Refusal {
    fn from(status: http::StatusCode) -> Self {
        let same = |refusal: &&Self| refusal.text() == status.as_str();
        Self::ALL
            .iter()
            .find(same)
            .copied()
            .unwrap_or(Self::BadRequest)
    }
}

/// The methods that run handlers.
impl Label for Method {
    const NAME: &'static str = "method";
    const ALL: &'static [Self] = &[Self::ToolsCall, Self::PromptsGet, Self::ResourcesRead];

    fn place(self) -> usize {
        match self {
            Self::ToolsCall => 0,
            Self::PromptsGet => 1,
            Self::ResourcesRead => 2,
        }
    }

    fn text(self) -> &'static str {
        self.as_str()
    }
}
