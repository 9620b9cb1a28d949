//! Which protocol version a client speaks with its server.

use std::sync::{Mutex, PoisonError};

/// The versions that a client speaks, and the one in use.
///
/// Implements [protocol version negotiation](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#protocol-version-negotiation).
pub(crate) struct Versions {
    spoken: Vec<String>,
    current: Mutex<usize>,
}

impl Versions {
    /// The preferred version comes first. There must be one.
    pub(crate) fn new(spoken: Vec<String>) -> Self {
        Self {
            spoken,
            current: Mutex::new(0),
        }
    }

    pub(crate) fn spoken(&self) -> &[String] {
        &self.spoken
    }

    pub(crate) fn current(&self) -> String {
        let index = *self.current.lock().unwrap_or_else(PoisonError::into_inner);
        self.spoken.get(index).cloned().unwrap_or_default()
    }

    /// Goes over to the preferred one of the versions that both sides speak, other than the one just
    /// refused. `false` when there is none.
    ///
    /// A server that names the very version it refused may have another instance behind the same
    /// address that speaks it, so that version is kept when there is no other.
    pub(crate) fn switch(&self, refused: &str, supported: &[String]) -> bool {
        let mutual = |version: &String| supported.contains(version);
        let other = |version: &String| version != refused && mutual(version);
        let index = self.spoken.iter().position(other);
        let Some(index) = index.or_else(|| self.spoken.iter().position(mutual)) else {
            return false;
        };
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = index;
        true
    }
}
