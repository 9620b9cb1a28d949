//! Why a call ended without a result, and whose doing it was.

use std::fmt;
use std::time::Duration;

use crate::wire::{Capabilities, ErrorObject, InputKind, ResultError};

/// A call ended, or was driven wrongly. [`blame`](Self::blame) says whose doing it was.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExchangeError {
    /// The server broke the protocol. Nothing was retried.
    Protocol(ProtocolError),
    /// The server answered with a JSON-RPC error.
    Rejected(Rejected),
    /// A bound of [`ExchangeLimits`](super::ExchangeLimits) was reached.
    Limit(LimitReached),
    /// A leg was sent and no reply came: it is unknown whether the server carried it out.
    Lost(Lost),
    /// The method does not fit what the exchange is doing; the exchange is as it was.
    Misuse(Misuse),
}

/// Whose doing an [`ExchangeError`] was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Blame {
    /// The server.
    Peer,
    /// The program that drives the exchange.
    Caller,
    /// Nobody: a bound that the caller set.
    Limit,
    /// The connection.
    Transport,
}

impl ExchangeError {
    /// Whose doing it was.
    #[must_use]
    pub fn blame(&self) -> Blame {
        match self {
            Self::Protocol(_) | Self::Rejected(_) => Blame::Peer,
            Self::Limit(_) => Blame::Limit,
            Self::Lost(_) => Blame::Transport,
            Self::Misuse(_) => Blame::Caller,
        }
    }
}

impl fmt::Display for ExchangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol(error) => error.fmt(f),
            Self::Rejected(error) => error.fmt(f),
            Self::Limit(error) => error.fmt(f),
            Self::Lost(error) => error.fmt(f),
            Self::Misuse(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExchangeError {}

impl From<Misuse> for ExchangeError {
    fn from(misuse: Misuse) -> Self {
        Self::Misuse(misuse)
    }
}

/// Where in a call something happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reached {
    /// Results with questions so far.
    pub rounds: u32,
    /// Results without questions (state only) so far.
    pub waits: u32,
    /// Whether the last interim result carried a `requestState`.
    pub state: bool,
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::default() {
            return f.write_str("in the first request");
        }
        let rounds = Count(self.rounds, "round");
        let waits = Count(self.waits, "state-only result");
        let state = if self.state { "with" } else { "without" };
        write!(
            f,
            "after {rounds} and {waits}, the last result {state} a state"
        )
    }
}

struct Count(u32, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0 == 1 { "" } else { "s" };
        write!(f, "{} {}{plural}", self.0, self.1)
    }
}

/// The server's result breaks the protocol.
#[derive(Debug)]
pub struct ProtocolError {
    /// What is wrong with the result.
    pub kind: Violation,
    /// Where in the call it came.
    pub reached: Reached,
}

/// How a result breaks the protocol.
#[derive(Debug)]
#[non_exhaustive]
pub enum Violation {
    /// The result cannot be read: an unknown `resultType`, neither `inputRequests` nor
    /// `requestState`, an embedded method that is none of the three, a member of the wrong type.
    Result(ResultError),
    /// An interim result on a method that must not have one.
    InterimResult {
        /// The method that was called.
        method: String,
    },
    /// A question that needs a capability the client did not declare.
    Undeclared {
        /// The question's key.
        key: String,
        /// What was asked.
        kind: InputKind,
        /// The capabilities that were not declared.
        missing: Capabilities,
    },
    /// The messages of a sampling question break the rules for tool use.
    Sampling {
        /// The question's key.
        key: String,
        /// The broken rule.
        reason: String,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Result(error) => error.fmt(f),
            Self::InterimResult { method } => {
                write!(
                    f,
                    "the server asked for input, which an answer to `{method}` must not do"
                )
            }
            Self::Undeclared { key, kind, missing } => write!(
                f,
                "the server asked `{key}` ({kind}) without the client having declared {missing}"
            ),
            Self::Sampling { key, reason } => {
                write!(
                    f,
                    "the server sent an invalid sampling request `{key}`: {reason}"
                )
            }
        }
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "protocol error: {} ({})", self.kind, self.reached)
    }
}

impl std::error::Error for ProtocolError {}

/// The server answered a leg with a JSON-RPC error.
#[derive(Debug)]
pub struct Rejected {
    /// The error as it came.
    pub error: ErrorObject,
    /// Where in the call it came.
    pub reached: Reached,
}

impl Rejected {
    /// Whether the server says that the leg's `requestState` does not open (it expired, or its key is
    /// gone). The call can be started anew from its original parameters; nothing of this exchange
    /// helps then.
    #[must_use]
    pub fn is_state_rejected(&self) -> bool {
        let reason: Option<String> = self.error.data_member("reason");
        reason.as_deref() == Some("invalid_request_state")
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server answered with an error: {}", self.error)?;
        write!(f, " ({})", self.reached)?;
        if self.is_state_rejected() {
            f.write_str("; start the call anew")?;
        }
        Ok(())
    }
}

impl std::error::Error for Rejected {}

/// A bound of [`ExchangeLimits`](super::ExchangeLimits).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// [`max_rounds`](super::ExchangeLimits::max_rounds).
    Rounds(u32),
    /// [`max_waits`](super::ExchangeLimits::max_waits).
    Waits(u32),
    /// [`total`](super::ExchangeLimits::total).
    Total(Duration),
}

/// A call reached a bound and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitReached {
    /// The bound and its value.
    pub limit: Limit,
    /// Where in the call it was reached.
    pub reached: Reached,
    /// Whether a leg was in flight: the server may have carried it out.
    pub in_flight: bool,
}

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.limit {
            Limit::Rounds(max) => write!(
                f,
                "the server asks again beyond the cap of {} (max_rounds)",
                Count(max, "round")
            )?,
            Limit::Waits(max) => write!(
                f,
                "the server is still not ready beyond the cap of {} (max_waits)",
                Count(max, "state-only result")
            )?,
            Limit::Total(total) => write!(f, "the call's time of {total:?} (total) is over")?,
        }
        write!(f, ": {}", self.reached)?;
        if self.in_flight {
            f.write_str("; a request was in flight and may have been carried out")?;
        }
        Ok(())
    }
}

impl std::error::Error for LimitReached {}

/// A leg was sent and its reply was lost: the server may or may not have carried it out.
///
/// Sending it again is a new request. It can do the work twice, so it is never done silently: see
/// [`send_again`](super::Exchange::send_again).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Where in the call it happened.
    pub reached: Reached,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the connection was lost before the reply: the server may have carried the request out \
             ({}); check before sending it again",
            self.reached
        )
    }
}

impl std::error::Error for Lost {}

/// A method was called that does not fit what the exchange is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misuse {
    pub(super) call: &'static str,
    pub(super) phase: Phase,
}

/// What an exchange is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// A leg is ready to be sent.
    Ready,
    /// A leg was handed out and its result is awaited.
    Sent,
    /// Questions are waiting for their answers.
    Asked,
    /// The call is over.
    Ended,
}

impl Misuse {
    /// What the exchange is doing.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let next = match self.phase {
            Phase::Ready => "a leg is ready: call `request`",
            Phase::Sent => "a leg is in flight: call `receive` with its result",
            Phase::Asked => "questions are open: call `answer` or `refuse`",
            Phase::Ended => "the call is over: start a new exchange",
        };
        write!(f, "`{}` does not fit here; {next}", self.call)
    }
}

impl std::error::Error for Misuse {}

/// A question was refused by the client, which ended the call: nothing was sent.
///
/// A person who says no to an elicitation is not this; that is an answer (`decline` or `cancel`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The question's key.
    pub key: String,
    /// What was asked.
    pub kind: InputKind,
    /// The client's reason.
    pub reason: String,
    /// Where in the call it was refused.
    pub reached: Reached,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            key,
            kind,
            reason,
            reached,
        } = self;
        write!(
            f,
            "the call ended here because question `{key}` ({kind}) was refused: {reason} ({reached})"
        )
    }
}

impl std::error::Error for Refusal {}

/// What a cancellation asks of the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Cancelled {
    /// A leg is in flight: tell the server in the transport's way (close the HTTP response, or send
    /// `notifications/cancelled` with that leg's id).
    InFlight,
    /// Nothing is in flight, so nothing may be sent: no notification, no answer, no retry.
    Idle,
}
