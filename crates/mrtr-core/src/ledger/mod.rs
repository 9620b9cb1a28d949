//! What a fleet must remember together: which states were consumed, with what
//! result, and which side effects were begun.
//!
//! A server for which a state may be consumed once only has to say so to a
//! [`Ledger`], a store that all its replicas share. The promise is: handlers
//! are at-least-once; a `once` body is attempted at most once per exchange;
//! when its outcome is not known the caller is told so, unless the author's
//! lookup settles it. A request that is sent again gets the result that was
//! lost on its way.
//!
//! # The rows
//!
//! A **run** row belongs to a state and goes
//!
//! ```text
//! free -> running { run, fence, lease, pinned } -> done { run, fence, result }
//! ```
//!
//! A row that is running and whose lease has ended may be taken over: by the
//! same run always, by another run of the same state only if the row is not
//! *pinned*, which it is as soon as its run enters a `once`.
//!
//! A **once** row belongs to a body and goes
//!
//! ```text
//! absent -> entered { fence, lease } -> recorded { value }
//! ```
//!
//! and never back. A **journal** row holds a journal that is too large to
//! travel.
//!
//! # The rules of an implementation
//!
//! - Each operation happens at once or not at all, also beside others on the
//!   same rows, from any number of processes.
//! - Times are those of the store's own clock; callers give durations only.
//!   A lease of zero has ended when it begins. A row is gone when its time to
//!   be kept has passed, whether or not it was removed.
//! - Every operation may be repeated by the same attempt after an error and
//!   then gives what it would have given.
//! - What is not certain is an error. An implementation never guesses, and
//!   what it has confirmed survives its own crash.
//!
//! Implements the single use that
//! [multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow)
//! leave to the server.

mod error;
mod id;
mod once;
mod run;
mod shared;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

pub use error::{LedgerError, LedgerErrorKind};
pub use id::{Epoch, Fence, JournalKey, OnceKey, RunId, StateKey};
pub use once::{Entered, Entry, Recorded};
pub use run::{Claim, Claimed, Held};

/// The answer of a [`Ledger`], in time.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, LedgerError>> + Send + 'a>>;

/// A store that all replicas of a server share; the rules are in the
/// [module's documentation](self).
///
/// Every method fails with a [`LedgerError`] when the store cannot be reached
/// or answers what it never should.
pub trait Ledger: Send + Sync {
    /// The memory the store has now, made when it has none.
    fn epoch(&self) -> Answer<'_, Epoch>;

    /// Claims a run.
    ///
    /// In this order: another epoch gives `Forgotten`. Without a row, or where
    /// the row is running under the same fence, the claim is granted with the
    /// lease and the time to be kept that it asks for. A row that is done gives
    /// `Done` to the same run and `Consumed` to any other. A row that is
    /// running and pinned by another run gives `Consumed`; one whose lease has
    /// not ended gives `Running`; any other is taken over, and stays pinned if
    /// it was.
    fn claim<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Claimed>;

    /// Lets the lease of a claimed run end `lease` from now: `Held` where the
    /// row is running under this fence, even if the lease had ended.
    fn renew_run(&self, state: StateKey, fence: Fence, lease: Duration) -> Answer<'_, Held>;

    /// Ends a run with its sealed result: `Held` where the row is running
    /// under this fence, or was done under it before.
    fn finish<'a>(&'a self, state: StateKey, fence: Fence, result: &'a [u8]) -> Answer<'a, Held>;

    /// Ends the lease of a claimed run at once, so that it can be claimed
    /// again. The row stays, and stays pinned if it was. Does nothing where it
    /// is not running under this fence.
    fn release(&self, state: StateKey, fence: Fence) -> Answer<'_, ()>;

    /// Begins a body, if it never was.
    ///
    /// In this order: another epoch gives `Forgotten`. Where the entry names a
    /// state whose row is not running under the entry's fence: `Lost`. A row
    /// that is recorded gives `Recorded`. Without a row one is made, entered,
    /// the row of the state is pinned, and it gives `Begin`; a row that was
    /// entered under the same fence gives `Begin` again, with the lease and the
    /// time to be kept that it asks for. Any other is `Busy` until its lease
    /// ends and `Unknown` from then on.
    fn enter<'a>(&'a self, entry: &'a Entry) -> Answer<'a, Entered>;

    /// Lets the lease of an entered body end `lease` from now: `Held` where
    /// the row was entered under this fence and is not recorded.
    fn renew_once(&self, key: OnceKey, fence: Fence, lease: Duration) -> Answer<'_, Held>;

    /// Records the sealed value of a body that was entered, by whatever
    /// attempt and however late; the first value stays. Recording the very same
    /// value again gives `Stored` again.
    fn record<'a>(&'a self, key: OnceKey, value: &'a [u8]) -> Answer<'a, Recorded>;

    /// Keeps a sealed journal for this long. Keeping the same key again
    /// replaces nothing; of the two times the later one counts.
    fn keep_journal<'a>(
        &'a self,
        key: JournalKey,
        journal: &'a [u8],
        keep: Duration,
    ) -> Answer<'a, ()>;

    /// A journal that is kept; `None` when it is gone.
    fn journal(&self, key: JournalKey) -> Answer<'_, Option<Vec<u8>>>;
}
