//! The rules of rows as functions: what a store that can hold a row still
//! answers, and what it writes.
//!
//! They are given rows that are there and whose time has not passed.

use mrtr_core::Timestamp;
use mrtr_core::ledger::{Claim, Claimed, Entered, Entry, Fence, Held, Recorded, RunId};

/// The row of a run.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) run: RunId,
    pub(crate) fence: Fence,
    /// When the lease ends.
    pub(crate) lease: Timestamp,
    pub(crate) pinned: bool,
    /// Present once the run is done.
    pub(crate) result: Option<Vec<u8>>,
    /// When the row is gone.
    pub(crate) until: Timestamp,
}

impl Run {
    /// The answer to a claim, and the row as it is from then on if it changes.
    pub(crate) fn claim(
        row: Option<&Self>,
        claim: &Claim,
        now: Timestamp,
    ) -> (Claimed, Option<Self>) {
        let pinned = match row {
            None => false,
            Some(row) => {
                let same = row.run == claim.run;
                if let Some(result) = &row.result {
                    let answer = if same {
                        Claimed::Done(result.clone())
                    } else {
                        Claimed::Consumed
                    };
                    return (answer, None);
                }
                if row.fence != claim.fence {
                    if row.pinned && !same {
                        return (Claimed::Consumed, None);
                    }
                    if row.lease > now {
                        let left = row.lease.since(now);
                        return (Claimed::Running { left }, None);
                    }
                }
                row.pinned
            }
        };
        let row = Self {
            run: claim.run,
            fence: claim.fence,
            lease: now + claim.lease,
            pinned,
            result: None,
            until: now + claim.keep,
        };
        (Claimed::Granted, Some(row))
    }

    /// Whether it is running under this fence.
    pub(crate) fn held_by(&self, fence: Fence) -> bool {
        self.fence == fence && self.result.is_none()
    }

    /// The answer to the end of a run; it is to be written when held.
    pub(crate) fn finish(&mut self, fence: Fence, result: &[u8]) -> Held {
        if self.fence != fence {
            return Held::Lost;
        }
        self.result.get_or_insert_with(|| result.to_vec());
        Held::Held
    }
}

/// The row of a `once` body.
#[derive(Clone, Debug)]
pub(crate) struct Once {
    pub(crate) fence: Fence,
    /// When the lease ends.
    pub(crate) lease: Timestamp,
    /// Present once the body is recorded.
    pub(crate) value: Option<Vec<u8>>,
    /// When the row is gone.
    pub(crate) until: Timestamp,
}

impl Once {
    /// The answer to an entry, and the row as it is from then on if it changes;
    /// then the row of the state is pinned.
    pub(crate) fn enter(
        row: Option<&Self>,
        entry: &Entry,
        now: Timestamp,
    ) -> (Entered, Option<Self>) {
        if let Some(row) = row {
            if let Some(value) = &row.value {
                return (Entered::Recorded(value.clone()), None);
            }
            if row.fence != entry.fence {
                if row.lease > now {
                    let left = row.lease.since(now);
                    return (Entered::Busy { left }, None);
                }
                return (Entered::Unknown, None);
            }
        }
        let row = Self {
            fence: entry.fence,
            lease: now + entry.lease,
            value: None,
            until: now + entry.keep,
        };
        (Entered::Begin, Some(row))
    }

    /// Whether it is entered under this fence.
    pub(crate) fn held_by(&self, fence: Fence) -> bool {
        self.fence == fence && self.value.is_none()
    }

    /// The answer to a value; the row is to be written when it was stored.
    pub(crate) fn record(&mut self, value: &[u8]) -> Recorded {
        match &self.value {
            Some(first) if first != value => Recorded::Already(first.clone()),
            _ => {
                self.value = Some(value.to_vec());
                Recorded::Stored
            }
        }
    }
}
