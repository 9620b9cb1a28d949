//! The person said no.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// The person (or their client) refused what was asked.
///
/// An answer of its own, not a failure of the exchange: it is remembered like
/// any other answer, and the question is not asked again. With `?` it ends the
/// handler; [`ToolError`](super::ToolError) finds it again even inside another
/// error, so that the client is told of a refusal and not of a fault.
///
/// See [response actions](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#response-actions).
///
/// ```
/// use mrtr_core::replay::Refused;
///
/// fn newsletter(answer: Result<String, Refused>) -> Option<String> {
///     match answer {
///         Ok(address) => Some(address),
///         Err(Refused::Declined(_)) => None,
///         Err(Refused::Cancelled(_)) => None,
///     }
/// }
/// # assert_eq!(newsletter(Err(Refused::declined("newsletter"))), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Refused {
    /// Explicitly no.
    Declined(Refusal),
    /// Dismissed without a choice.
    Cancelled(Refusal),
}

impl Refused {
    /// A decline of the question asked under `key`.
    #[must_use]
    pub fn declined(key: impl Into<Arc<str>>) -> Self {
        Self::Declined(Refusal {
            key: key.into(),
            cancelled: false,
        })
    }

    /// A cancellation of the question asked under `key`.
    #[must_use]
    pub fn cancelled(key: impl Into<Arc<str>>) -> Self {
        Self::Cancelled(Refusal {
            key: key.into(),
            cancelled: true,
        })
    }

    /// The key of the question.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.refusal().key
    }

    const fn refusal(&self) -> &Refusal {
        match self {
            Self::Declined(refusal) | Self::Cancelled(refusal) => refusal,
        }
    }

    /// Looks for a refusal in an error and all its sources.
    #[must_use]
    pub fn find(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(refused) = error.downcast_ref::<Self>() {
                return Some(refused.clone());
            }
            if let Some(refusal) = error.downcast_ref::<Refusal>() {
                return Some(refusal.clone().into());
            }
            next = error.source();
        }
        None
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the question `{}` was refused", self.key())
    }
}

/// Its source is the [`Refusal`]: wrappers that hide an error's own type but
/// forward its source still show what happened.
impl Error for Refused {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.refusal())
    }
}

/// Which question was refused, and how.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Refusal {
    key: Arc<str>,
    cancelled: bool,
}

impl Refusal {
    /// The key of the question.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        if refusal.cancelled {
            Self::Cancelled(refusal)
        } else {
            Self::Declined(refusal)
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.cancelled {
            "cancelled by the user"
        } else {
            "declined by the user"
        })
    }
}

impl Error for Refusal {}
