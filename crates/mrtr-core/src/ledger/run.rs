//! The row of a run: who answers a request that goes on from a state.

use std::time::Duration;

use super::{Epoch, Fence, RunId, StateKey};

/// A wish to do a run, passed to [`Ledger::claim`](super::Ledger::claim).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The memory the state was sealed under.
    pub epoch: Epoch,
    /// The state that is to be consumed.
    pub state: StateKey,
    /// What was sent with it.
    pub run: RunId,
    /// The attempt that claims.
    pub fence: Fence,
    /// For how long nobody else may take over, unless renewed.
    pub lease: Duration,
    /// For how long the row is kept from now on.
    pub keep: Duration,
}

/// What became of a [`Claim`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// The run is the claimer's to do: nobody has it, its last runner's lease
    /// has ended, or the same attempt has claimed it before.
    Granted,
    /// Somebody is at it, with the same run or another one of the same state.
    /// Come back, at the latest when what is `left` of the lease has passed.
    Running {
        /// What is left of the lease.
        left: Duration,
    },
    /// The same run was done, with this result, sealed.
    Done(Vec<u8>),
    /// Another run of the state was done or has entered a `once`: this one can
    /// never be.
    Consumed,
    /// The store does not have the memory that the state was sealed under.
    Forgotten,
}

/// Whether whoever asked still has what it had claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Held {
    /// It has, and what it asked for was done.
    Held,
    /// Somebody else took over, or the row is gone; nothing was changed.
    Lost,
}
