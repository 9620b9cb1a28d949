//! The rows in the file.

use mrtr_core::Timestamp;
use mrtr_core::ledger::{Epoch, Fence, JournalKey, OnceKey, RunId, StateKey};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, OptionalExtension, Result, ToSql, params};

use crate::rules::{Once, Run};

/// One table for everything, so that whoever empties it empties the epoch with it.
pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS ledger (
    kind   TEXT    NOT NULL CHECK (kind IN ('epoch', 'run', 'once', 'journal')),
    key    BLOB    NOT NULL CHECK (length(key) = 16),
    run    BLOB    CHECK (length(run) = 16),
    fence  BLOB    CHECK (length(fence) = 16),
    lease  INTEGER,
    pinned INTEGER,
    value  BLOB,
    until  INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT;
CREATE INDEX IF NOT EXISTS ledger_until ON ledger (until);
";

/// How many rows that are gone are removed for each that is written.
const SWEEP: i64 = 4;

/// The table, within a transaction. What fails because of a row has written nothing before.
pub(super) struct Table<'a>(pub(super) &'a Connection);

impl Table<'_> {
    pub(super) fn epoch(&self) -> Result<Option<Epoch>> {
        let sql = "SELECT value FROM ledger WHERE kind = 'epoch'";
        let mut select = self.0.prepare_cached(sql)?;
        let value = select.query_row([], |row| row.get(0)).optional()?;
        Ok(value.map(Epoch::from_bytes))
    }

    pub(super) fn put_epoch(&self, epoch: Epoch) -> Result<()> {
        let sql = "INSERT INTO ledger (kind, key, value, until) VALUES ('epoch', ?, ?, ?)";
        let key = [0_u8; 16];
        self.0
            .prepare_cached(sql)?
            .execute(params![key, epoch.as_bytes(), i64::MAX])?;
        Ok(())
    }

    pub(super) fn run(&self, state: StateKey, now: Timestamp) -> Result<Option<Run>> {
        let sql = "SELECT run, fence, lease, pinned, value, until FROM ledger \
                   WHERE kind = 'run' AND key = ? AND until > ?";
        let mut select = self.0.prepare_cached(sql)?;
        let row = select.query_row(params![state.as_bytes(), Millis(now)], |row| {
            Ok(Run {
                run: RunId::from_bytes(row.get(0)?),
                fence: Fence::from_bytes(row.get(1)?),
                lease: row.get::<_, Millis>(2)?.0,
                pinned: row.get(3)?,
                result: row.get(4)?,
                until: row.get::<_, Millis>(5)?.0,
            })
        });
        row.optional()
    }

    pub(super) fn put_run(&self, state: StateKey, row: &Run) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO ledger \
                   (kind, key, run, fence, lease, pinned, value, until) \
                   VALUES ('run', ?, ?, ?, ?, ?, ?, ?)";
        self.0.prepare_cached(sql)?.execute(params![
            state.as_bytes(),
            row.run.as_bytes(),
            row.fence.as_bytes(),
            Millis(row.lease),
            row.pinned,
            row.result,
            Millis(row.until),
        ])?;
        Ok(())
    }

    pub(super) fn once(&self, key: OnceKey, now: Timestamp) -> Result<Option<Once>> {
        let sql = "SELECT fence, lease, value, until FROM ledger \
                   WHERE kind = 'once' AND key = ? AND until > ?";
        let mut select = self.0.prepare_cached(sql)?;
        let row = select.query_row(params![key.as_bytes(), Millis(now)], |row| {
            Ok(Once {
                fence: Fence::from_bytes(row.get(0)?),
                lease: row.get::<_, Millis>(1)?.0,
                value: row.get(2)?,
                until: row.get::<_, Millis>(3)?.0,
            })
        });
        row.optional()
    }

    pub(super) fn put_once(&self, key: OnceKey, row: &Once) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO ledger (kind, key, fence, lease, value, until) \
                   VALUES ('once', ?, ?, ?, ?, ?)";
        self.0.prepare_cached(sql)?.execute(params![
            key.as_bytes(),
            row.fence.as_bytes(),
            Millis(row.lease),
            row.value,
            Millis(row.until),
        ])?;
        Ok(())
    }

    pub(super) fn journal(&self, key: JournalKey, now: Timestamp) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT value FROM ledger WHERE kind = 'journal' AND key = ? AND until > ?";
        let mut select = self.0.prepare_cached(sql)?;
        let row = select.query_row(params![key.as_bytes(), Millis(now)], |row| row.get(0));
        row.optional()
    }

    pub(super) fn keep_journal(
        &self,
        key: JournalKey,
        journal: &[u8],
        until: Timestamp,
        now: Timestamp,
    ) -> Result<()> {
        let sql = "INSERT INTO ledger (kind, key, value, until) VALUES ('journal', ?1, ?2, ?3) \
                   ON CONFLICT DO UPDATE SET until = max(until, ?3), \
                   value = CASE WHEN until > ?4 THEN value ELSE ?2 END";
        self.0.prepare_cached(sql)?.execute(params![
            key.as_bytes(),
            journal,
            Millis(until),
            Millis(now)
        ])?;
        Ok(())
    }

    /// Removes some of the rows that are gone, when some have been written.
    pub(super) fn sweep(&self, written: u64, now: Timestamp) -> Result<()> {
        let sql = "DELETE FROM ledger WHERE rowid IN \
                   (SELECT rowid FROM ledger WHERE until <= ? ORDER BY until LIMIT ?)";
        let limit = i64::try_from(written)
            .unwrap_or(i64::MAX)
            .saturating_mul(SWEEP);
        self.0
            .prepare_cached(sql)?
            .execute(params![Millis(now), limit])?;
        Ok(())
    }
}

/// A time as milliseconds since the Unix epoch.
struct Millis(Timestamp);

impl ToSql for Millis {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        let millis = i64::try_from(self.0.as_millis()).unwrap_or(i64::MAX);
        Ok(ToSqlOutput::Owned(Value::Integer(millis)))
    }
}

impl FromSql for Millis {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let millis = value.as_i64()?;
        let millis = u64::try_from(millis).map_err(|_| FromSqlError::OutOfRange(millis))?;
        Ok(Self(Timestamp::from_millis(millis)))
    }
}
