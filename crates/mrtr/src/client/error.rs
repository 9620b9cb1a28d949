//! Why a client has no result: whose doing it was, and what to do next.

use std::error::Error as StdError;
use std::fmt;

use mrtr_core::exchange::{AnswerError, Blame, ExchangeError};

use super::store::SaveError;

mod delivery;
mod output;
mod server;
mod usage;

pub use delivery::{AmbiguousDelivery, BadReply, HttpStatus, Loss, SubscriptionLost, Unreachable};
pub use output::OutputMismatch;
pub use server::{NoCommonVersion, OlderServer, TooManyPages, ToolDefinition};
pub use usage::{Refused, Usage};

/// A boxed error of somebody else.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// A request or a whole call has no result. [`blame`](Self::blame) says whose doing it was,
/// [`delivery`](Self::delivery) whether the server may have carried something out.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The server broke the protocol or answered with an error, or a bound of the call was reached.
    Exchange(ExchangeError),
    /// The server cannot be reached. Nothing was delivered; the call can go on later.
    Unreachable(Unreachable),
    /// A request may have been delivered and no answer came. It is never sent again silently.
    Ambiguous(AmbiguousDelivery),
    /// A subscription ended and nobody said so. Nothing renews it but the caller.
    SubscriptionLost(SubscriptionLost),
    /// An HTTP status instead of an answer.
    Status(Box<HttpStatus>),
    /// The server answered, and the answer cannot be read.
    BadReply(BadReply),
    /// The server speaks an earlier revision of the protocol, with an `initialize` handshake.
    OlderServer(OlderServer),
    /// Server and client have no protocol version in common.
    NoCommonVersion(NoCommonVersion),
    /// The definition of the tool breaks the rules for `x-mcp-header`, so it must not be called.
    ToolDefinition(ToolDefinition),
    /// A tool has run, and its structured content does not fit its output schema. Only where the feature
    /// `json-schema` is on and the tool's definition is known: over HTTP it always is, over stdio once
    /// the tools were listed.
    Output(Box<OutputMismatch>),
    /// A list has more pages than the client reads.
    TooManyPages(TooManyPages),
    /// What the caller gave cannot be sent.
    Usage(Usage),
    /// An answerer refused a question, or failed at it. The call has ended and nothing was sent.
    Refused(Refused),
    /// The answers do not fit the questions, which stay open.
    Answer(AnswerError),
    /// A call cannot be saved or resumed.
    Save(SaveError),
}

/// Whether the server has the request that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delivery {
    /// It does not: nothing of it was sent, or it was turned away as a whole.
    NotDelivered,
    /// It is not known.
    Unknown,
    /// It does, and answered.
    Answered,
}

impl ClientError {
    /// Whose doing it was.
    #[must_use]
    pub fn blame(&self) -> Blame {
        match self {
            Self::Exchange(error) => error.blame(),
            Self::Unreachable(_) | Self::Ambiguous(_) | Self::SubscriptionLost(_) => {
                Blame::Transport
            }
            Self::Status(_) | Self::BadReply(_) | Self::OlderServer(_) => Blame::Peer,
            Self::NoCommonVersion(_) | Self::ToolDefinition(_) | Self::Output(_) => Blame::Peer,
            Self::TooManyPages(_) => Blame::Limit,
            Self::Usage(_) | Self::Refused(_) | Self::Answer(_) | Self::Save(_) => Blame::Caller,
        }
    }

    /// Whether the server has the request that failed.
    #[must_use]
    pub fn delivery(&self) -> Delivery {
        match self {
            Self::Exchange(ExchangeError::Lost(_)) | Self::Ambiguous(_) => Delivery::Unknown,
            Self::Exchange(ExchangeError::Limit(limit)) if limit.in_flight => Delivery::Unknown,
            Self::Exchange(ExchangeError::Limit(_) | ExchangeError::Misuse(_)) => {
                Delivery::NotDelivered
            }
            Self::Status(status) if status.is_refusal() => Delivery::NotDelivered,
            Self::Status(_) | Self::SubscriptionLost(_) => Delivery::Unknown,
            Self::Exchange(_) | Self::BadReply(_) | Self::Output(_) => Delivery::Answered,
            Self::OlderServer(_) | Self::NoCommonVersion(_) | Self::TooManyPages(_) => {
                Delivery::Answered
            }
            Self::Unreachable(_) | Self::ToolDefinition(_) | Self::Usage(_) => {
                Delivery::NotDelivered
            }
            Self::Refused(_) | Self::Answer(_) | Self::Save(_) => Delivery::NotDelivered,
        }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exchange(error) => error.fmt(f),
            Self::Unreachable(error) => error.fmt(f),
            Self::Ambiguous(error) => error.fmt(f),
            Self::SubscriptionLost(error) => error.fmt(f),
            Self::Status(error) => error.fmt(f),
            Self::BadReply(error) => error.fmt(f),
            Self::OlderServer(error) => error.fmt(f),
            Self::NoCommonVersion(error) => error.fmt(f),
            Self::ToolDefinition(error) => error.fmt(f),
            Self::Output(error) => error.fmt(f),
            Self::TooManyPages(error) => error.fmt(f),
            Self::Usage(error) => error.fmt(f),
            Self::Refused(error) => error.fmt(f),
            Self::Answer(error) => error.fmt(f),
            Self::Save(error) => error.fmt(f),
        }
    }
}

impl StdError for ClientError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Unreachable(error) => error.source(),
            Self::Refused(error) => error.source(),
            Self::Save(error) => error.source(),
            _ => None,
        }
    }
}

impl From<OutputMismatch> for ClientError {
    fn from(error: OutputMismatch) -> Self {
        Self::Output(Box::new(error))
    }
}

macro_rules! from {
    ($($variant:ident($error:ty)),* $(,)?) => {$(
        impl From<$error> for ClientError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        }
    )*};
}
from!(
    Exchange(ExchangeError),
    Unreachable(Unreachable),
    Ambiguous(AmbiguousDelivery),
    SubscriptionLost(SubscriptionLost),
    BadReply(BadReply),
    OlderServer(OlderServer),
    NoCommonVersion(NoCommonVersion),
    ToolDefinition(ToolDefinition),
    TooManyPages(TooManyPages),
    Usage(Usage),
    Refused(Refused),
    Answer(AnswerError),
    Save(SaveError),
);
