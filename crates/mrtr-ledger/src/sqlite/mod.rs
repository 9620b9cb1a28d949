//! A ledger in a file.

mod file;
mod table;
mod worker;

use std::fmt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use mrtr_core::Timestamp;
use mrtr_core::ledger::{
    Answer, Claim, Claimed, Entered, Entry, Epoch, Fence, Held, JournalKey, Ledger, LedgerError,
    OnceKey, Recorded, StateKey,
};
use tokio::sync::{mpsc, oneshot};

use self::file::File;
use self::table::Table;
use self::worker::{Job, Work, Worker};
use crate::limits::{self, check_length};
use crate::rules::{Once, Run};

/// How many operations wait for the file at most; more wait for a place.
const QUEUE: usize = 1024;

/// A ledger in an SQLite file: for a server on one machine, with any number of
/// processes.
///
/// What it has confirmed survives crashes of the process, of the system, and
/// loss of power (write-ahead log, `synchronous=FULL`); operations that wait
/// for the disk share a transaction. Its clock is the machine's. Each ledger has
/// a thread, which ends when the last clone is dropped. A process that is
/// stopped in the middle of a transaction holds up the others, whose operations
/// then fail in time.
///
/// The file must be on a local disk: the locks of network file systems do not
/// hold. A file that is removed or replaced while it is in use is noticed, and
/// opened or made anew. Do not put an older copy of it back: it would not know
/// that it forgot something. Remove the file instead.
///
/// Futures need a tokio runtime with time.
#[derive(Clone)]
pub struct SqliteLedger {
    jobs: mpsc::Sender<Box<dyn Job>>,
    path: PathBuf,
    timeout: Duration,
}

impl SqliteLedger {
    /// Opens the ledger in this file; makes the file if there is none, for its
    /// owner only. Operations may take five seconds.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened or written, is a database of something
    /// else, or was written by a later version.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        Self::open_with_timeout(path, limits::TIMEOUT).await
    }

    /// As [`open`](Self::open), with another time that operations may take.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub async fn open_with_timeout(
        path: impl AsRef<Path>,
        timeout: Duration,
    ) -> Result<Self, LedgerError> {
        let path = std::path::absolute(path).map_err(LedgerError::unavailable)?;
        let (jobs, waiting) = mpsc::channel(QUEUE);
        let (ready, opened) = oneshot::channel();
        let to_open = path.clone();
        let run = move || {
            let file = match File::open(&to_open, Instant::now() + timeout) {
                Ok(file) => Some(file),
                Err(error) => return drop(ready.send(Err(error))),
            };
            let worker = Worker {
                path: to_open,
                timeout,
                file,
            };
            if ready.send(Ok(())).is_ok() {
                worker.run(waiting);
            }
        };
        thread::Builder::new()
            .name("mrtr-ledger".into())
            .spawn(run)
            .map_err(LedgerError::unavailable)?;
        opened.await.map_err(LedgerError::unavailable)??;
        Ok(Self {
            jobs,
            path,
            timeout,
        })
    }

    /// Lets the thread do an operation.
    fn ask<'a, T: Send + 'static>(
        &'a self,
        operation: impl FnMut(&Table<'_>, Timestamp) -> rusqlite::Result<T> + Send + 'static,
    ) -> Answer<'a, T> {
        Box::pin(limits::in_time(self.timeout, async move {
            let (reply, answer) = oneshot::channel();
            let work = Work {
                operation,
                outcome: None,
                reply,
            };
            let gone = || LedgerError::unavailable("the thread of the file has ended");
            self.jobs.send(Box::new(work)).await.map_err(|_| gone())?;
            answer.await.map_err(|_| gone())?
        }))
    }
}

impl fmt::Debug for SqliteLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteLedger")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Ledger for SqliteLedger {
    fn epoch(&self) -> Answer<'_, Epoch> {
        self.ask(|table, _| {
            if let Some(epoch) = table.epoch()? {
                return Ok(epoch);
            }
            let epoch = Epoch::from_bytes(rand::random());
            table.put_epoch(epoch)?;
            Ok(epoch)
        })
    }

    fn claim<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Claimed> {
        let claim = *claim;
        self.ask(move |table, now| {
            if table.epoch()? != Some(claim.epoch) {
                return Ok(Claimed::Forgotten);
            }
            let row = table.run(claim.state, now)?;
            let (answer, changed) = Run::claim(row.as_ref(), &claim, now);
            if let Some(row) = changed {
                table.put_run(claim.state, &row)?;
            }
            Ok(answer)
        })
    }

    fn renew_run(&self, state: StateKey, fence: Fence, lease: Duration) -> Answer<'_, Held> {
        self.ask(move |table, now| {
            Ok(match table.run(state, now)? {
                Some(mut row) if row.held_by(fence) => {
                    row.lease = now + lease;
                    table.put_run(state, &row)?;
                    Held::Held
                }
                _ => Held::Lost,
            })
        })
    }

    fn finish<'a>(&'a self, state: StateKey, fence: Fence, result: &'a [u8]) -> Answer<'a, Held> {
        if let Err(error) = check_length(result) {
            return Box::pin(async { Err(error) });
        }
        let result = result.to_vec();
        self.ask(move |table, now| {
            let Some(mut row) = table.run(state, now)? else {
                return Ok(Held::Lost);
            };
            let running = row.held_by(fence);
            let answer = row.finish(fence, &result);
            if running {
                table.put_run(state, &row)?;
            }
            Ok(answer)
        })
    }

    fn release(&self, state: StateKey, fence: Fence) -> Answer<'_, ()> {
        self.ask(move |table, now| {
            if let Some(mut row) = table.run(state, now)?
                && row.held_by(fence)
            {
                row.lease = now;
                table.put_run(state, &row)?;
            }
            Ok(())
        })
    }

    fn enter<'a>(&'a self, entry: &'a Entry) -> Answer<'a, Entered> {
        let entry = *entry;
        self.ask(move |table, now| {
            if table.epoch()? != Some(entry.epoch) {
                return Ok(Entered::Forgotten);
            }
            let mut run = None;
            if let Some(state) = entry.state {
                match table.run(state, now)? {
                    Some(row) if row.held_by(entry.fence) => run = Some((state, row)),
                    _ => return Ok(Entered::Lost),
                }
            }
            let row = table.once(entry.key, now)?;
            let (answer, changed) = Once::enter(row.as_ref(), &entry, now);
            if let Some(row) = changed {
                table.put_once(entry.key, &row)?;
                if let Some((state, mut run)) = run {
                    run.pinned = true;
                    table.put_run(state, &run)?;
                }
            }
            Ok(answer)
        })
    }

    fn renew_once(&self, key: OnceKey, fence: Fence, lease: Duration) -> Answer<'_, Held> {
        self.ask(move |table, now| {
            Ok(match table.once(key, now)? {
                Some(mut row) if row.held_by(fence) => {
                    row.lease = now + lease;
                    table.put_once(key, &row)?;
                    Held::Held
                }
                _ => Held::Lost,
            })
        })
    }

    fn record<'a>(&'a self, key: OnceKey, value: &'a [u8]) -> Answer<'a, Recorded> {
        if let Err(error) = check_length(value) {
            return Box::pin(async { Err(error) });
        }
        let value = value.to_vec();
        self.ask(move |table, now| {
            let Some(mut row) = table.once(key, now)? else {
                return Ok(Recorded::Gone);
            };
            let entered = row.value.is_none();
            let answer = row.record(&value);
            if entered {
                table.put_once(key, &row)?;
            }
            Ok(answer)
        })
    }

    fn keep_journal<'a>(
        &'a self,
        key: JournalKey,
        journal: &'a [u8],
        keep: Duration,
    ) -> Answer<'a, ()> {
        if let Err(error) = check_length(journal) {
            return Box::pin(async { Err(error) });
        }
        let journal = journal.to_vec();
        self.ask(move |table, now| table.keep_journal(key, &journal, now + keep, now))
    }

    fn journal(&self, key: JournalKey) -> Answer<'_, Option<Vec<u8>>> {
        self.ask(move |table, now| table.journal(key, now))
    }
}
