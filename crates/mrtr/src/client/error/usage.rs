//! What came from the caller's side.

use std::error::Error as StdError;
use std::fmt;

use mrtr_core::exchange::Refusal;

use super::BoxError;

/// What the caller gave cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    reason: String,
}

impl Usage {
    pub(crate) fn new(reason: impl fmt::Display) -> Self {
        Self {
            reason: reason.to_string(),
        }
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl StdError for Usage {}

/// An answerer refused a question, or failed at it. The call ended and nothing was sent: a refusal is
/// never turned into an answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Refused {
    /// Which question, and where in the call.
    pub refusal: Refusal,
    /// The answerer's error.
    pub error: BoxError,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.refusal.fmt(f)
    }
}

impl StdError for Refused {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(self.error.as_ref())
    }
}
