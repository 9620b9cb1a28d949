//! Requests that were not delivered, or not answered.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use mrtr_core::exchange::{Reached, Target};

use super::BoxError;

/// The server cannot be reached: nothing of the request was delivered.
#[derive(Debug)]
pub struct Unreachable {
    reason: String,
    source: Option<BoxError>,
}

impl Unreachable {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            source: None,
        }
    }

    pub(crate) fn because(reason: impl Into<String>, source: impl Into<BoxError>) -> Self {
        Self {
            reason: reason.into(),
            source: Some(source.into()),
        }
    }

    /// What stood in the way.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server cannot be reached: {}", self.reason)?;
        let mut source = self
            .source
            .as_ref()
            .map(|source| source.as_ref() as &dyn StdError);
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}

impl StdError for Unreachable {}

/// Why an answer is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// The connection or the process went away.
    Closed {
        /// What is known of it.
        reason: String,
    },
    /// Nothing came in time. The request was given up and the server told so.
    Timeout {
        /// The [time for one request](crate::client::ClientLimits::leg).
        after: Duration,
    },
}

impl Loss {
    pub(crate) fn closed(reason: impl Into<String>) -> Self {
        Self::Closed {
            reason: reason.into(),
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed { reason } => f.write_str(reason),
            Self::Timeout { after } => write!(f, "no answer came within {after:?}"),
        }
    }
}

/// A request may have been delivered and no answer came: whether the server carried it out is not
/// known.
///
/// Sending it again is a new request and may do its work twice. It never happens by itself: check
/// with the server, then decide with [`Call::send_again`](crate::client::Call::send_again).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AmbiguousDelivery {
    /// The server.
    pub target: Target,
    /// The method of the request.
    pub method: String,
    /// Why there is no answer.
    pub loss: Loss,
    /// Where in the call it happened.
    pub reached: Reached,
}

impl fmt::Display for AmbiguousDelivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            target,
            method,
            loss,
            reached,
        } = self;
        write!(
            f,
            "no answer to `{method}` from {target}: {loss}; the server may have carried it out \
             ({reached}), so it was not sent again"
        )
    }
}

impl StdError for AmbiguousDelivery {}

/// A subscription ended and nobody said so: changes may have been missed.
///
/// It is not renewed by itself: [listen](crate::client::Client::listen) again, and read anew what may
/// have changed in between.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SubscriptionLost {
    /// The server.
    pub target: Target,
    /// How it was lost.
    pub loss: Loss,
}

impl fmt::Display for SubscriptionLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { target, loss } = self;
        write!(
            f,
            "the subscription to changes at {target} was lost: {loss}; listen again, and read anew \
             what may have changed"
        )
    }
}

impl StdError for SubscriptionLost {}

/// An HTTP status instead of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpStatus {
    /// The server.
    pub target: Target,
    /// The status.
    pub status: u16,
    /// The `WWW-Authenticate` header of a 401 or 403.
    pub www_authenticate: Option<String>,
    /// Where a redirection points to. It is not followed: credentials and answers would go along.
    pub location: Option<String>,
    /// The beginning of the body.
    pub body: String,
}

impl HttpStatus {
    /// Whether the request was turned away: it was certainly not carried out.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        (300..500).contains(&self.status) && self.status != 408
    }
}

impl fmt::Display for HttpStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} answered with HTTP status {}",
            self.target, self.status
        )?;
        match self.status {
            300..400 => {
                let location = self.location.as_deref().unwrap_or("nowhere");
                write!(
                    f,
                    ", a redirection to {location} that is not followed; use the final URL"
                )
            }
            401 => f.write_str(": credentials are missing or no longer valid"),
            403 => f.write_str(": these credentials may not do this"),
            400 | 404 | 405 => f.write_str(
                " and without an MCP error: the URL is not an MCP endpoint, or its server speaks \
                 an earlier revision of MCP (with `initialize`), which this client does not",
            ),
            429 => f.write_str(": too many requests; try again later"),
            408 | 500.. => f.write_str("; the request may have been carried out"),
            409..500 => Ok(()),
            _ => f.write_str(", which is no answer; the request may have been carried out"),
        }?;
        if !self.body.is_empty() {
            write!(f, " (it says: {})", self.body)?;
        }
        Ok(())
    }
}

impl StdError for HttpStatus {}

/// The server answered, and the answer cannot be read. The request may have been carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadReply {
    reason: String,
}

impl BadReply {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }

    /// What is wrong with it.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for BadReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = &self.reason;
        write!(
            f,
            "the server's answer cannot be read: {reason}; the request may have been carried out"
        )
    }
}

impl StdError for BadReply {}
