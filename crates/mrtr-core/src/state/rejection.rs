//! Why a presented state was not accepted.

use std::fmt;

use super::codec::DecodeError;
use super::key_id::KeyId;
use crate::Timestamp;
use crate::json::canonical::ArgumentsError;

/// A `requestState` that does not open for this request.
///
/// The peer learns nothing but one fixed answer: every reason leads to the
/// same error. The reason, and the [`Display`](fmt::Display) text made from
/// it, are for the log of whoever runs the server.
///
/// <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    reason: RejectionReason,
}

impl Rejection {
    /// What was wrong. Never send this to the peer.
    #[must_use]
    pub const fn reason(&self) -> &RejectionReason {
        &self.reason
    }

    /// What was wrong, for keeps.
    #[must_use]
    pub fn into_reason(self) -> RejectionReason {
        self.reason
    }
}

impl From<RejectionReason> for Rejection {
    fn from(reason: RejectionReason) -> Self {
        Self { reason }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl std::error::Error for Rejection {}

/// What was wrong with a presented state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RejectionReason {
    /// The member is neither a string nor `null`.
    NotAString,
    /// The text is longer than this server ever makes it.
    TooLong {
        /// Bytes presented.
        bytes: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// The text does not begin as this format does.
    UnknownFormat,
    /// The text is not the one base64url encoding of its bytes, or holds too
    /// few of them.
    NotCanonical,
    /// The key it was sealed with is not in the keyring.
    UnknownKey(KeyId),
    /// The key is there, but the text was altered or made by somebody else.
    Forged,
    /// The text is genuine, but its content is not in this version's layout.
    Layout(DecodeError),
    /// The time to answer this round is over.
    Expired {
        /// The first instant at which it no longer opens.
        at: Timestamp,
    },
    /// The time of the whole exchange is over.
    DeadlinePassed {
        /// The first instant at which it no longer opens.
        at: Timestamp,
    },
    /// It was sealed further in the future than clocks may differ.
    IssuedInFuture {
        /// When it says it was sealed.
        at: Timestamp,
    },
    /// It was sealed for another principal, or for none.
    Principal,
    /// It was sealed for another method.
    Method,
    /// It was sealed for another tool, prompt or resource.
    Target,
    /// It was sealed for another server.
    Audience,
    /// It was sealed for another revision of the server.
    Revision,
    /// It was sealed for other arguments.
    Arguments,
    /// The request's arguments differ byte for byte from the sealed ones and
    /// have no canonical form to compare.
    ArgumentsUnreadable(ArgumentsError),
    /// It was sealed before its tool, prompt or resource was of single use, so
    /// it may have been used already.
    NotSingleUse,
}

impl fmt::Display for RejectionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAString => f.write_str("the state is not a string"),
            Self::TooLong { bytes, limit } => {
                write!(
                    f,
                    "the state has {bytes} bytes, more than the {limit} allowed"
                )
            }
            Self::UnknownFormat => f.write_str("the state is not in the format of this server"),
            Self::NotCanonical => f.write_str("the state is not canonical base64url, or too short"),
            Self::UnknownKey(id) => write!(
                f,
                "the state was sealed with key {id}, which is not in the keyring: \
                 another instance uses other keys, or the key was removed too early"
            ),
            Self::Forged => f.write_str("the state was altered, or not sealed by this server"),
            Self::Layout(error) => write!(
                f,
                "the state is genuine but of another layout, perhaps of another version: {error}"
            ),
            Self::Expired { at } => write!(f, "the state expired at {at}"),
            Self::DeadlinePassed { at } => write!(f, "the exchange's deadline passed at {at}"),
            Self::IssuedInFuture { at } => write!(
                f,
                "the state was sealed at {at}, in the future: the clocks of two instances differ"
            ),
            Self::Principal => f.write_str("the state was sealed for another principal"),
            Self::Method => f.write_str("the state was sealed for another method"),
            Self::Target => f.write_str("the state was sealed for another target"),
            Self::Audience => f.write_str("the state was sealed for another server"),
            Self::Revision => f.write_str("the state was sealed for another revision"),
            Self::Arguments => f.write_str("the state was sealed for other arguments"),
            Self::ArgumentsUnreadable(error) => {
                write!(f, "the state was sealed for other arguments: {error}")
            }
            Self::NotSingleUse => {
                f.write_str("the state was sealed when it could be used more than once")
            }
        }
    }
}
