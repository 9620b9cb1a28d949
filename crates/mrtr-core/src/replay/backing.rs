//! What a durable round relies on beside its state.

use std::time::Duration;

use crate::ledger::{Claim, Epoch, Fence, RunId, StateKey};

/// What this attempt is known by in the ledger.
pub(crate) struct Backing {
    pub(crate) epoch: Epoch,
    /// What the request consumes, and by which run; nothing in a first round.
    pub(crate) run: Option<(StateKey, RunId)>,
    pub(crate) fence: Fence,
    pub(crate) lease: Duration,
    /// For how long the exchange is remembered.
    pub(crate) keep: Duration,
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
}
