//! Why a ledger did not answer.

use std::error::Error;
use std::fmt;

/// The ledger did not do what it was asked: nobody may go on as if it had.
///
/// The fault of neither the client nor the handler's author. Its text is for
/// the log; the client learns that the request may be sent again.
#[derive(Debug)]
pub struct LedgerError {
    kind: LedgerErrorKind,
    source: Box<dyn Error + Send + Sync>,
}

/// What a [`LedgerError`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LedgerErrorKind {
    /// The store cannot be reached, or did not answer in time. Whether it did
    /// what was asked is not known; asking again is safe.
    Unavailable,
    /// The store answered what it never should: another version of the schema,
    /// a row that cannot be read.
    Broken,
    /// The store is not set up to keep what it is told.
    Unsafe,
    /// A result, value or journal is larger than the store takes. Asking again
    /// does not help.
    TooLarge,
}

impl LedgerError {
    /// The store cannot be reached, or did not answer in time.
    #[must_use]
    pub fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            kind: LedgerErrorKind::Unavailable,
            source: source.into(),
        }
    }

    /// The store answered what it never should.
    #[must_use]
    pub fn broken(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            kind: LedgerErrorKind::Broken,
            source: source.into(),
        }
    }

    /// The store is not set up to keep what it is told.
    #[must_use]
    pub fn not_safe(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            kind: LedgerErrorKind::Unsafe,
            source: source.into(),
        }
    }

    /// A result, value or journal is larger than the store takes.
    #[must_use]
    pub fn too_large(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            kind: LedgerErrorKind::TooLarge,
            source: source.into(),
        }
    }

    /// What it is about.
    #[must_use]
    pub const fn kind(&self) -> LedgerErrorKind {
        self.kind
    }
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            LedgerErrorKind::Unavailable => "the ledger cannot be reached",
            LedgerErrorKind::Broken => "the ledger answered what it never should",
            LedgerErrorKind::Unsafe => "the ledger's store is not set up to keep what it is told",
            LedgerErrorKind::TooLarge => "larger than the ledger takes",
        };
        write!(f, "{what}: {}", self.source)
    }
}

impl Error for LedgerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.source)
    }
}
