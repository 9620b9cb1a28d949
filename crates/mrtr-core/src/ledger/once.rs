//! The row of a `once` body: whether it was ever begun, and what came of it.

use std::time::Duration;

use super::{Epoch, Fence, OnceKey, StateKey};

/// A wish to begin a body, passed to [`Ledger::enter`](super::Ledger::enter).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The memory the exchange relies on.
    pub epoch: Epoch,
    /// The body.
    pub key: OnceKey,
    /// The state whose run wants to begin it; absent before the first state.
    pub state: Option<StateKey>,
    /// The attempt that wants to begin it.
    pub fence: Fence,
    /// For how long the body counts as being worked on, unless renewed.
    pub lease: Duration,
    /// For how long the row is kept from now on.
    pub keep: Duration,
}

/// What became of an [`Entry`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entered {
    /// The body was never begun, or by this very attempt: begin it.
    Begin,
    /// Another attempt is at it. Come back, at the latest when what is `left`
    /// of its lease has passed.
    Busy {
        /// What is left of the lease.
        left: Duration,
    },
    /// It was begun, and whoever did so is gone without a word.
    Unknown,
    /// It was done, with this value, sealed.
    Recorded(Vec<u8>),
    /// The run was taken over by another attempt; nothing was changed.
    Lost,
    /// The store does not have the memory that the exchange relies on.
    Forgotten,
}

/// What became of a value passed to [`Ledger::record`](super::Ledger::record).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It is the value of the row now.
    Stored,
    /// The row has this value already and keeps it.
    Already(Vec<u8>),
    /// The row is gone.
    Gone,
}
