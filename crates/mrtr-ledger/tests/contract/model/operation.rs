//! What attempts do, and what they get.

use std::time::Duration;

use mrtr_core::ledger::{
    Claim, Claimed, Entered, Entry, Epoch, Fence, Held, JournalKey, Ledger, OnceKey, Recorded,
    RunId, StateKey,
};
use proptest::prelude::*;

/// How many attempts there are; each has its run.
const ATTEMPTS: u8 = 5;
const RUNS: u8 = 2;

/// One operation; times in milliseconds.
#[derive(Clone, Debug)]
pub(super) enum Operation {
    Claim {
        state: u8,
        attempt: u8,
        lease: u64,
        keep: u64,
    },
    RenewRun {
        state: u8,
        attempt: u8,
        lease: u64,
    },
    Finish {
        state: u8,
        attempt: u8,
        result: u8,
    },
    Release {
        state: u8,
        attempt: u8,
    },
    Enter {
        key: u8,
        state: Option<u8>,
        attempt: u8,
        lease: u64,
        keep: u64,
    },
    RenewOnce {
        key: u8,
        attempt: u8,
        lease: u64,
    },
    Record {
        key: u8,
        value: u8,
    },
    KeepJournal {
        key: u8,
        journal: u8,
        keep: u64,
    },
    Journal {
        key: u8,
    },
}

/// What one gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Claimed(Claimed),
    Held(Held),
    Released,
    Entered(Entered),
    Recorded(Recorded),
    Kept,
    Journal(Option<Vec<u8>>),
}

impl Outcome {
    /// For clocks that differ: leases end or last, however long.
    pub(super) fn without_left(self) -> Self {
        let left = Duration::MAX;
        match self {
            Self::Claimed(Claimed::Running { left: some }) if !some.is_zero() => {
                Self::Claimed(Claimed::Running { left })
            }
            Self::Entered(Entered::Busy { left: some }) if !some.is_zero() => {
                Self::Entered(Entered::Busy { left })
            }
            other => other,
        }
    }
}

/// The run of an attempt: some attempts are at the same one.
pub(super) fn run_of(attempt: u8) -> u8 {
    attempt % RUNS
}

/// Few rows and attempts, so that they meet; and these times.
pub(super) fn operation(times: &'static [u64]) -> impl Strategy<Value = Operation> {
    let time = move || prop::sample::select(times);
    let row = || 0..2_u8;
    let attempt = || 0..ATTEMPTS;
    let byte = || 0..3_u8;
    prop_oneof![
        4 => (row(), attempt(), time(), time()).prop_map(|(state, attempt, lease, keep)| {
            Operation::Claim { state, attempt, lease, keep }
        }),
        1 => (row(), attempt(), time())
            .prop_map(|(state, attempt, lease)| Operation::RenewRun { state, attempt, lease }),
        2 => (row(), attempt(), byte())
            .prop_map(|(state, attempt, result)| Operation::Finish { state, attempt, result }),
        1 => (row(), attempt()).prop_map(|(state, attempt)| Operation::Release { state, attempt }),
        4 => (row(), prop::option::of(row()), attempt(), time(), time()).prop_map(
            |(key, state, attempt, lease, keep)| {
                Operation::Enter { key, state, attempt, lease, keep }
            }
        ),
        1 => (row(), attempt(), time())
            .prop_map(|(key, attempt, lease)| Operation::RenewOnce { key, attempt, lease }),
        2 => (row(), byte()).prop_map(|(key, value)| Operation::Record { key, value }),
        1 => (row(), byte(), time())
            .prop_map(|(key, journal, keep)| Operation::KeepJournal { key, journal, keep }),
        1 => row().prop_map(|key| Operation::Journal { key }),
    ]
}

/// Makes a row of each kind that is not one of [`operation`]'s.
pub(super) fn one_write_of_each_kind() -> [Operation; 3] {
    let (lease, keep) = (0, 1);
    [
        Operation::Claim {
            state: 9,
            attempt: 0,
            lease,
            keep,
        },
        Operation::Enter {
            key: 9,
            state: None,
            attempt: 0,
            lease,
            keep,
        },
        Operation::KeepJournal {
            key: 9,
            journal: 0,
            keep,
        },
    ]
}

/// Where operations happen: rows of their own for each `salt`.
pub(super) struct World {
    pub(super) epoch: Epoch,
    pub(super) salt: u8,
}

impl World {
    pub(super) async fn of(ledger: &dyn Ledger, salt: u8) -> Self {
        let epoch = ledger.epoch().await.unwrap();
        Self { epoch, salt }
    }

    fn id(&self, n: u8) -> [u8; 16] {
        let mut id = [self.salt; 16];
        id[15] = n;
        id
    }

    pub(super) async fn perform(&self, ledger: &dyn Ledger, operation: &Operation) -> Outcome {
        let state_key = |n| StateKey::from_bytes(self.id(n));
        let once_key = |n| OnceKey::from_bytes(self.id(n));
        let fence = |n| Fence::from_bytes(self.id(n));
        let epoch = self.epoch;
        let millis = Duration::from_millis;
        match *operation {
            Operation::Claim {
                state,
                attempt,
                lease,
                keep,
            } => {
                let claim = Claim {
                    epoch,
                    state: state_key(state),
                    run: RunId::from_bytes(self.id(run_of(attempt))),
                    fence: fence(attempt),
                    lease: millis(lease),
                    keep: millis(keep),
                };
                Outcome::Claimed(ledger.claim(&claim).await.unwrap())
            }
            Operation::RenewRun {
                state,
                attempt,
                lease,
            } => {
                let held = ledger.renew_run(state_key(state), fence(attempt), millis(lease));
                Outcome::Held(held.await.unwrap())
            }
            Operation::Finish {
                state,
                attempt,
                result,
            } => {
                let result = [result];
                let held = ledger.finish(state_key(state), fence(attempt), &result);
                Outcome::Held(held.await.unwrap())
            }
            Operation::Release { state, attempt } => {
                let released = ledger.release(state_key(state), fence(attempt));
                released.await.unwrap();
                Outcome::Released
            }
            Operation::Enter {
                key,
                state,
                attempt,
                lease,
                keep,
            } => {
                let entry = Entry {
                    epoch,
                    key: once_key(key),
                    state: state.map(state_key),
                    fence: fence(attempt),
                    lease: millis(lease),
                    keep: millis(keep),
                };
                Outcome::Entered(ledger.enter(&entry).await.unwrap())
            }
            Operation::RenewOnce {
                key,
                attempt,
                lease,
            } => {
                let held = ledger.renew_once(once_key(key), fence(attempt), millis(lease));
                Outcome::Held(held.await.unwrap())
            }
            Operation::Record { key, value } => {
                Outcome::Recorded(ledger.record(once_key(key), &[value]).await.unwrap())
            }
            Operation::KeepJournal { key, journal, keep } => {
                let key = JournalKey::from_bytes(self.id(key));
                let journal = [journal];
                let kept = ledger.keep_journal(key, &journal, millis(keep));
                kept.await.unwrap();
                Outcome::Kept
            }
            Operation::Journal { key } => {
                let key = JournalKey::from_bytes(self.id(key));
                Outcome::Journal(ledger.journal(key).await.unwrap())
            }
        }
    }
}
