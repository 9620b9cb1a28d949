//! What a durable round relies on beside its state.

use std::sync::Arc;
use std::time::Duration;

use crate::ledger::{Claim, Epoch, Fence, Ledger, OnceKey, RunId, StateKey};
use crate::state::{Keyring, Rejection, SealError};

/// The ledger, and what this attempt is known by there.
pub(crate) struct Backing {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) epoch: Epoch,
    /// What the request consumes, and by which run; nothing in a first round.
    pub(crate) run: Option<(StateKey, RunId)>,
    pub(crate) fence: Fence,
    pub(crate) lease: Duration,
    /// For how long the exchange is remembered.
    pub(crate) keep: Duration,
    /// Of this round only.
    pub(crate) random: [u8; 32],
}

impl Backing {
    pub(crate) fn claim(&self) -> Option<Claim> {
        let (state, run) = self.run?;
        Some(Claim {
            epoch: self.epoch,
            state,
            run,
            fence: self.fence,
            lease: self.lease,
            keep: self.keep,
        })
    }

    /// Seals the value of a body for its row and no other.
    pub(super) fn seal(&self, key: OnceKey, value: &str) -> Result<String, SealError> {
        let mut nonce = blake3::Hasher::new_derive_key("mrtr 2026-07-28 nonce of a once value");
        nonce.update(&self.random);
        nonce.update(key.as_bytes());
        let mut bytes = [0; 12];
        nonce.finalize_xof().fill(&mut bytes);
        self.keyring
            .seal_bytes(&purpose(key), value.as_bytes(), bytes)
    }

    /// Opens what [`seal`](Self::seal) made, in this round or in another.
    pub(super) fn open(&self, key: OnceKey, sealed: &[u8]) -> Result<Box<str>, Unopened> {
        let text = std::str::from_utf8(sealed).map_err(|_| Unopened::NotText)?;
        let value = self
            .keyring
            .open_bytes(&purpose(key), text)
            .map_err(Unopened::Rejected)?;
        let value = String::from_utf8(value).map_err(|_| Unopened::NotText)?;
        Ok(value.into())
    }
}

fn purpose(key: OnceKey) -> String {
    format!("once {key}")
}

/// Why a value that was recorded does not open.
#[derive(Debug)]
pub(super) enum Unopened {
    NotText,
    Rejected(Rejection),
}

impl std::fmt::Display for Unopened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotText => f.write_str("it is not what this library writes"),
            Self::Rejected(rejection) => rejection.fmt(f),
        }
    }
}
