//! A ledger in the memory of one process.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mrtr_core::Timestamp;
use mrtr_core::ledger::{
    Answer, Claim, Claimed, Entered, Entry, Epoch, Fence, Held, JournalKey, Ledger, LedgerError,
    OnceKey, Recorded, StateKey,
};

use crate::limits::check_length;
use crate::rules::{Once, Run};

/// A ledger in the memory of one process, for tests and for a server of which
/// there is only one.
///
/// It forgets everything when the process ends, and says so: the next one has
/// another [`Epoch`], and what was begun under this one cannot go on. Clones
/// share one memory. Rows whose time has passed are removed by later writes.
///
/// ```
/// use std::time::Duration;
/// use mrtr_core::ledger::{Claim, Claimed, Fence, Ledger, RunId, StateKey};
/// use mrtr_ledger::MemoryLedger;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let ledger = MemoryLedger::new();
/// let claim = Claim {
///     epoch: ledger.epoch().await?,
///     state: StateKey::from_bytes([1; 16]),
///     run: RunId::from_bytes([2; 16]),
///     fence: Fence::from_bytes([3; 16]),
///     lease: Duration::from_secs(15),
///     keep: Duration::from_secs(3600),
/// };
/// assert_eq!(ledger.claim(&claim).await?, Claimed::Granted);
/// let again = Claim { fence: Fence::from_bytes([4; 16]), ..claim };
/// assert!(matches!(ledger.claim(&again).await?, Claimed::Running { .. }));
/// # Ok::<_, mrtr_core::ledger::LedgerError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct MemoryLedger {
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    memory: Arc<Mutex<Memory>>,
}

impl MemoryLedger {
    /// An empty one, with a clock that never goes back.
    #[must_use]
    pub fn new() -> Self {
        let start = Instant::now();
        Self::with_clock(move || Timestamp::from_millis(0) + start.elapsed())
    }

    /// An empty one with this clock.
    #[must_use]
    pub fn with_clock(clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self {
            clock: Arc::new(clock),
            memory: Arc::new(Mutex::new(Memory::new())),
        }
    }

    /// Loses everything, as the end of the process does. For tests.
    pub fn forget(&self) {
        *self.memory() = Memory::new();
    }

    /// How many rows are kept, those included that are gone and not removed yet.
    #[must_use]
    pub fn rows(&self) -> usize {
        let memory = self.memory();
        memory.runs.len() + memory.onces.len() + memory.journals.len()
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does an operation, all of it at once.
    fn at_once<'a, T>(
        &'a self,
        operation: impl FnOnce(&mut Memory, Timestamp) -> Result<T, LedgerError> + Send + 'a,
    ) -> Answer<'a, T> {
        Box::pin(async move { operation(&mut self.memory(), (self.clock)()) })
    }
}

impl Default for MemoryLedger {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryLedger").finish_non_exhaustive()
    }
}

impl Ledger for MemoryLedger {
    fn epoch(&self) -> Answer<'_, Epoch> {
        self.at_once(move |memory, _| Ok(memory.epoch))
    }

    fn claim<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Claimed> {
        self.at_once(move |memory, now| {
            if memory.epoch != claim.epoch {
                return Ok(Claimed::Forgotten);
            }
            let (answer, changed) = Run::claim(memory.runs.get(claim.state, now), claim, now);
            if let Some(row) = changed {
                memory.runs.put(claim.state, row, now);
            }
            Ok(answer)
        })
    }

    fn renew_run(&self, state: StateKey, fence: Fence, lease: Duration) -> Answer<'_, Held> {
        self.at_once(move |memory, now| {
            Ok(match memory.runs.get_mut(state, now) {
                Some(row) if row.held_by(fence) => {
                    row.lease = now + lease;
                    Held::Held
                }
                _ => Held::Lost,
            })
        })
    }

    fn finish<'a>(&'a self, state: StateKey, fence: Fence, result: &'a [u8]) -> Answer<'a, Held> {
        self.at_once(move |memory, now| {
            check_length(result)?;
            Ok(match memory.runs.get_mut(state, now) {
                Some(row) => row.finish(fence, result),
                None => Held::Lost,
            })
        })
    }

    fn release(&self, state: StateKey, fence: Fence) -> Answer<'_, ()> {
        self.at_once(move |memory, now| {
            if let Some(row) = memory.runs.get_mut(state, now)
                && row.held_by(fence)
            {
                row.lease = now;
            }
            Ok(())
        })
    }

    fn enter<'a>(&'a self, entry: &'a Entry) -> Answer<'a, Entered> {
        self.at_once(move |memory, now| {
            if memory.epoch != entry.epoch {
                return Ok(Entered::Forgotten);
            }
            let mut run = None;
            if let Some(state) = entry.state {
                match memory.runs.get_mut(state, now) {
                    Some(row) if row.held_by(entry.fence) => run = Some(row),
                    _ => return Ok(Entered::Lost),
                }
            }
            let (answer, changed) = Once::enter(memory.onces.get(entry.key, now), entry, now);
            if let Some(row) = changed {
                if let Some(run) = run {
                    run.pinned = true;
                }
                memory.onces.put(entry.key, row, now);
            }
            Ok(answer)
        })
    }

    fn renew_once(&self, key: OnceKey, fence: Fence, lease: Duration) -> Answer<'_, Held> {
        self.at_once(move |memory, now| {
            Ok(match memory.onces.get_mut(key, now) {
                Some(row) if row.held_by(fence) => {
                    row.lease = now + lease;
                    Held::Held
                }
                _ => Held::Lost,
            })
        })
    }

    fn record<'a>(&'a self, key: OnceKey, value: &'a [u8]) -> Answer<'a, Recorded> {
        self.at_once(move |memory, now| {
            check_length(value)?;
            Ok(match memory.onces.get_mut(key, now) {
                Some(row) => row.record(value),
                None => Recorded::Gone,
            })
        })
    }

    fn keep_journal<'a>(
        &'a self,
        key: JournalKey,
        journal: &'a [u8],
        keep: Duration,
    ) -> Answer<'a, ()> {
        self.at_once(move |memory, now| {
            check_length(journal)?;
            let until = now + keep;
            let journal = match memory.journals.get(key, now) {
                Some(row) if row.until >= until => return Ok(()),
                Some(row) => Arc::clone(&row.journal),
                None => journal.into(),
            };
            memory.journals.put(key, Journal { journal, until }, now);
            Ok(())
        })
    }

    fn journal(&self, key: JournalKey) -> Answer<'_, Option<Vec<u8>>> {
        self.at_once(move |memory, now| {
            Ok(memory
                .journals
                .get(key, now)
                .map(|row| row.journal.to_vec()))
        })
    }
}

struct Memory {
    epoch: Epoch,
    runs: Rows<StateKey, Run>,
    onces: Rows<OnceKey, Once>,
    journals: Rows<JournalKey, Journal>,
}

impl Memory {
    fn new() -> Self {
        Self {
            epoch: Epoch::from_bytes(rand::random()),
            runs: Rows::new(),
            onces: Rows::new(),
            journals: Rows::new(),
        }
    }
}

struct Journal {
    journal: Arc<[u8]>,
    until: Timestamp,
}

/// A row that is gone at some time.
trait Kept {
    fn until(&self) -> Timestamp;
}

impl Kept for Run {
    fn until(&self) -> Timestamp {
        self.until
    }
}

impl Kept for Once {
    fn until(&self) -> Timestamp {
        self.until
    }
}

impl Kept for Journal {
    fn until(&self) -> Timestamp {
        self.until
    }
}

/// Rows of one kind, with those that are gone first in front.
struct Rows<K, V> {
    rows: HashMap<K, V>,
    ends: BTreeSet<(Timestamp, K)>,
}

impl<K: Copy + Ord + Hash, V: Kept> Rows<K, V> {
    fn new() -> Self {
        Self {
            rows: HashMap::new(),
            ends: BTreeSet::new(),
        }
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn get(&self, key: K, now: Timestamp) -> Option<&V> {
        self.rows.get(&key).filter(|row| row.until() > now)
    }

    /// For changes that leave the row's time alone.
    fn get_mut(&mut self, key: K, now: Timestamp) -> Option<&mut V> {
        self.rows.get_mut(&key).filter(|row| row.until() > now)
    }

    fn put(&mut self, key: K, row: V, now: Timestamp) {
        while let Some(&(until, gone)) = self.ends.first()
            && until <= now
        {
            self.ends.pop_first();
            self.rows.remove(&gone);
        }
        let until = row.until();
        if let Some(old) = self.rows.insert(key, row) {
            self.ends.remove(&(old.until(), key));
        }
        self.ends.insert((until, key));
    }
}
