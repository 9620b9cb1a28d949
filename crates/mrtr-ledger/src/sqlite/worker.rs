//! The thread that has the file: it does what waits in one transaction, since
//! what takes time is to get a transaction onto the disk.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use mrtr_core::Timestamp;
use mrtr_core::ledger::{LedgerError, LedgerErrorKind};
use tokio::sync::{mpsc, oneshot};

use super::file::{self, File};
use super::table::Table;

/// How many operations share a transaction at most.
const BATCH: usize = 256;
/// How often a file that was replaced meanwhile is opened again.
const REPLACED: usize = 3;

/// One operation, and who waits for it.
pub(super) trait Job: Send {
    /// Whether somebody still waits.
    fn is_wanted(&self) -> bool;
    /// Does it, within a transaction; may be done again in another one. `Err`
    /// when the transaction cannot go on.
    fn perform(&mut self, table: &Table<'_>, now: Timestamp) -> rusqlite::Result<()>;
    /// Answers, when the transaction is on the disk or has failed.
    fn answer(self: Box<Self>, transaction: Result<(), LedgerError>);
}

/// A [`Job`] made of a function.
pub(super) struct Work<T, F> {
    pub(super) operation: F,
    pub(super) outcome: Option<rusqlite::Result<T>>,
    pub(super) reply: oneshot::Sender<Result<T, LedgerError>>,
}

impl<T, F> Job for Work<T, F>
where
    T: Send,
    F: FnMut(&Table<'_>, Timestamp) -> rusqlite::Result<T> + Send,
{
    fn is_wanted(&self) -> bool {
        !self.reply.is_closed()
    }

    fn perform(&mut self, table: &Table<'_>, now: Timestamp) -> rusqlite::Result<()> {
        match (self.operation)(table, now) {
            Err(error) if !file::is_of_a_row(&error) => Err(error),
            outcome => {
                self.outcome = Some(outcome);
                Ok(())
            }
        }
    }

    fn answer(self: Box<Self>, transaction: Result<(), LedgerError>) {
        let Self { outcome, reply, .. } = *self;
        let answer = transaction.and_then(|()| match outcome {
            Some(outcome) => outcome.map_err(file::error),
            None => Err(LedgerError::broken("a transaction without this operation")),
        });
        // who does not wait any more learns nothing, as after a lost reply
        let _ = reply.send(answer);
    }
}

/// The file, and how to get it back.
pub(super) struct Worker {
    pub(super) path: PathBuf,
    pub(super) timeout: Duration,
    pub(super) file: Option<File>,
}

impl Worker {
    /// Works until nobody has the ledger any more.
    pub(super) fn run(mut self, mut jobs: mpsc::Receiver<Box<dyn Job>>) {
        while let Some(first) = jobs.blocking_recv() {
            let mut batch = vec![first];
            while batch.len() < BATCH
                && let Ok(next) = jobs.try_recv()
            {
                batch.push(next);
            }
            batch.retain(|job| job.is_wanted());
            if batch.is_empty() {
                continue;
            }
            let done = self.transact(&mut batch);
            if done.is_err() {
                self.file = None;
            }
            for job in batch {
                job.answer(done.as_ref().copied().map_err(again));
            }
        }
    }

    fn transact(&mut self, batch: &mut [Box<dyn Job>]) -> Result<(), LedgerError> {
        let deadline = Instant::now() + self.timeout;
        for _ in 0..REPLACED {
            let file = match self.file.take() {
                Some(file) => file,
                None => File::open(&self.path, deadline)?,
            };
            file.begin(deadline)?;
            if !file.is_in_place() {
                continue;
            }
            match perform(&file, batch) {
                Ok(()) if file.is_in_place() => {
                    self.file = Some(file);
                    return Ok(());
                }
                Err(error) if !file::is_of_the_schema(&error) => return Err(file::error(error)),
                _ => {}
            }
        }
        Err(LedgerError::unavailable(
            "the file or its table is removed again and again",
        ))
    }
}

fn perform(file: &File, batch: &mut [Box<dyn Job>]) -> rusqlite::Result<()> {
    let connection = &file.connection;
    let table = Table(connection);
    let now = now();
    let before = connection.total_changes();
    for job in batch {
        job.perform(&table, now)?;
    }
    let written = connection.total_changes() - before;
    if written > 0 {
        table.sweep(written, now)?;
    }
    connection.prepare_cached("COMMIT")?.execute([])?;
    Ok(())
}

/// What the clock of this machine says, which is the store's.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Timestamp::from_millis(0) + since.unwrap_or_default()
}

/// The same error for the next who waits.
fn again(error: &LedgerError) -> LedgerError {
    let source = std::error::Error::source(error).map(ToString::to_string);
    let source = source.unwrap_or_default();
    match error.kind() {
        LedgerErrorKind::Unavailable => LedgerError::unavailable(source),
        LedgerErrorKind::Unsafe => LedgerError::not_safe(source),
        _ => LedgerError::broken(source),
    }
}
