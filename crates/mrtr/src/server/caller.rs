//! Who sends a request.

use std::sync::Arc;

use mrtr_core::state::Principal;

/// Who sends a request, as the transport established it: never what the
/// client says of itself.
///
/// A sealed state opens only for the principal it was sealed for, and
/// [limits](super::Limiter) are counted per principal.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Caller {
    /// The authenticated principal; `None` on a server without authentication.
    pub principal: Option<Arc<Principal>>,
}

impl Caller {
    /// Somebody who did not authenticate: the only caller of a stdio server.
    #[must_use]
    pub const fn anonymous() -> Self {
        Self { principal: None }
    }
}

impl From<Principal> for Caller {
    fn from(principal: Principal) -> Self {
        Self {
            principal: Some(Arc::new(principal)),
        }
    }
}

impl From<Arc<Principal>> for Caller {
    fn from(principal: Arc<Principal>) -> Self {
        Self {
            principal: Some(principal),
        }
    }
}
