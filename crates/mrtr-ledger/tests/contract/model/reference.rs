//! The contract as plain code: no stores, no bytes, one thing after the other.

use std::collections::BTreeMap;
use std::time::Duration;

use mrtr_core::ledger::{Claimed, Entered, Held, Recorded};

use super::operation::{Operation, Outcome, run_of};

/// What a ledger should remember.
#[derive(Clone, Default)]
pub(super) struct Reference {
    runs: BTreeMap<u8, Run>,
    onces: BTreeMap<u8, Once>,
    journals: BTreeMap<u8, (u8, u64)>,
}

#[derive(Clone, Copy)]
struct Run {
    attempt: u8,
    lease_ends: u64,
    gone: u64,
    pinned: bool,
    result: Option<u8>,
}

#[derive(Clone, Copy)]
struct Once {
    attempt: u8,
    lease_ends: u64,
    gone: u64,
    value: Option<u8>,
}

impl Reference {
    pub(super) fn perform(&mut self, operation: &Operation, now: u64) -> Outcome {
        self.runs.retain(|_, row| row.gone > now);
        self.onces.retain(|_, row| row.gone > now);
        self.journals.retain(|_, (_, gone)| *gone > now);
        match *operation {
            Operation::Claim {
                state,
                attempt,
                lease,
                keep,
            } => Outcome::Claimed(self.claim(state, attempt, now, lease, keep)),
            Operation::RenewRun {
                state,
                attempt,
                lease,
            } => match self.running(state, attempt) {
                Some(row) => {
                    row.lease_ends = now + lease;
                    Outcome::Held(Held::Held)
                }
                None => Outcome::Held(Held::Lost),
            },
            Operation::Finish {
                state,
                attempt,
                result,
            } => match self.runs.get_mut(&state) {
                Some(row) if row.attempt == attempt => {
                    if row.result.is_none() {
                        row.result = Some(result);
                    }
                    Outcome::Held(Held::Held)
                }
                _ => Outcome::Held(Held::Lost),
            },
            Operation::Release { state, attempt } => {
                if let Some(row) = self.running(state, attempt) {
                    row.lease_ends = now;
                }
                Outcome::Released
            }
            Operation::Enter {
                key,
                state,
                attempt,
                lease,
                keep,
            } => Outcome::Entered(self.enter(key, state, attempt, now, lease, keep)),
            Operation::RenewOnce {
                key,
                attempt,
                lease,
            } => match self.onces.get_mut(&key) {
                Some(row) if row.attempt == attempt && row.value.is_none() => {
                    row.lease_ends = now + lease;
                    Outcome::Held(Held::Held)
                }
                _ => Outcome::Held(Held::Lost),
            },
            Operation::Record { key, value } => Outcome::Recorded(self.record(key, value)),
            Operation::KeepJournal { key, journal, keep } => {
                let (_, gone) = self.journals.entry(key).or_insert((journal, 0));
                *gone = (*gone).max(now + keep);
                Outcome::Kept
            }
            Operation::Journal { key } => {
                Outcome::Journal(self.journals.get(&key).map(|(journal, _)| vec![*journal]))
            }
        }
    }

    fn running(&mut self, state: u8, attempt: u8) -> Option<&mut Run> {
        let row = self.runs.get_mut(&state)?;
        (row.attempt == attempt && row.result.is_none()).then_some(row)
    }

    fn claim(&mut self, state: u8, attempt: u8, now: u64, lease: u64, keep: u64) -> Claimed {
        let old = self.runs.get(&state).copied();
        let mine = self.running(state, attempt).is_some();
        if let Some(old) = old
            && !mine
        {
            let same = run_of(old.attempt) == run_of(attempt);
            match old.result {
                Some(result) if same => return Claimed::Done(vec![result]),
                Some(_) => return Claimed::Consumed,
                None if old.pinned && !same => return Claimed::Consumed,
                None if now < old.lease_ends => {
                    let left = Duration::from_millis(old.lease_ends - now);
                    return Claimed::Running { left };
                }
                None => {}
            }
        }
        let row = Run {
            attempt,
            lease_ends: now + lease,
            gone: now + keep,
            pinned: old.is_some_and(|old| old.pinned),
            result: None,
        };
        self.runs.insert(state, row);
        Claimed::Granted
    }

    fn enter(
        &mut self,
        key: u8,
        state: Option<u8>,
        attempt: u8,
        now: u64,
        lease: u64,
        keep: u64,
    ) -> Entered {
        if let Some(state) = state
            && self.running(state, attempt).is_none()
        {
            return Entered::Lost;
        }
        match self.onces.get(&key) {
            Some(Once {
                value: Some(value), ..
            }) => return Entered::Recorded(vec![*value]),
            Some(old) if old.attempt != attempt && now < old.lease_ends => {
                let left = Duration::from_millis(old.lease_ends - now);
                return Entered::Busy { left };
            }
            Some(old) if old.attempt != attempt => return Entered::Unknown,
            _ => {}
        }
        let row = Once {
            attempt,
            lease_ends: now + lease,
            gone: now + keep,
            value: None,
        };
        self.onces.insert(key, row);
        if let Some(run) = state.and_then(|state| self.running(state, attempt)) {
            run.pinned = true;
        }
        Entered::Begin
    }

    fn record(&mut self, key: u8, value: u8) -> Recorded {
        match self.onces.get_mut(&key) {
            None => Recorded::Gone,
            Some(Once {
                value: Some(first), ..
            }) if *first != value => Recorded::Already(vec![*first]),
            Some(row) => {
                row.value = Some(value);
                Recorded::Stored
            }
        }
    }
}
