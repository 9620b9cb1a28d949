//! Keys that make a repeated side effect recognisable to others.

use std::fmt;
use std::sync::Arc;

use super::fault::FaultKind;
use super::shared::{About, Shared};

/// A key to hand to an external service, so that it does the same thing once
/// however often it is asked; made by
/// [`Cx::idempotency_key`](super::Cx::idempotency_key).
///
/// Its text is 32 hexadecimal digits. Without a [scope](Self::scope) it is
/// stable within the exchange from the first token on, that is after the first
/// question. Before there is one, a client that repeats its request starts
/// another exchange, and the same effect would get another key: making the
/// text is then a fault that ends the run at that very place.
#[derive(Clone)]
#[must_use]
pub struct IdempotencyKey {
    shared: Arc<Shared>,
    label: String,
    scope: Option<String>,
}

impl IdempotencyKey {
    pub(crate) fn new(shared: &Arc<Shared>, label: String) -> Self {
        Self {
            shared: shared.clone(),
            label,
            scope: None,
        }
    }

    /// Makes the key of what `scope` names (an order number, a path) instead
    /// of the exchange: the same principal calling the same target with the
    /// same scope gets the same key, in this exchange and in any other.
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scope = Some(scope.into());
        self
    }

    /// The key as bytes.
    ///
    /// # Panics
    /// Unwinds, without the panic hook, when the key is not stable yet (see
    /// above). The round reports the fault; nothing after this call runs. In
    /// a destructor that a panic runs there is no such way out: the key of
    /// this run is given.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 16] {
        let about = &self.shared.about;
        if self.scope.is_none() && !about.has_token {
            self.not_stable();
        }
        digest(
            "mrtr 2026-07-28 idempotency key",
            about,
            &self.label,
            self.scope.as_deref(),
        )
    }

    fn not_stable(&self) {
        let fault = FaultKind::NoTokenYet(self.label.clone());
        let told = fault.to_string();
        self.shared.fault(fault);
        // The side effect this key is for must not run. Where unwinding would
        // abort the process the fault alone must do.
        if cfg!(panic = "unwind") && !std::thread::panicking() {
            std::panic::resume_unwind(Box::new(told));
        }
    }
}

/// What names `label` within its scope, or else within the exchange.
pub(super) fn digest(context: &str, about: &About, label: &str, scope: Option<&str>) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new_derive_key(context);
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    part(label.as_bytes());
    match scope {
        Some(scope) => {
            part(scope.as_bytes());
            part(about.audience.as_bytes());
            part(about.method.as_str().as_bytes());
            part(about.target.as_bytes());
            if let Some(principal) = &about.principal {
                part(principal.issuer().as_bytes());
                part(principal.subject().as_bytes());
            }
        }
        None => part(about.exchange.as_bytes()),
    }
    let mut key = [0; 16];
    hasher.finalize_xof().fill(&mut key);
    key
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.to_bytes()))
    }
}

impl From<IdempotencyKey> for String {
    fn from(key: IdempotencyKey) -> Self {
        key.to_string()
    }
}

/// Names the label and scope, never the key.
impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdempotencyKey")
            .field("label", &self.label)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}
