//! The file: opened, set up, and still the one at its path.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mrtr_core::ledger::LedgerError;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::table::SCHEMA;

/// Marks the file as a ledger, in its header: "mrtr".
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"mrtr");
/// The version of the schema.
const VERSION: i32 = 1;
/// How long to wait before asking again for a lock that somebody has.
const LOCK_PAUSE: Duration = Duration::from_millis(1);

/// A connection to a file that is set up.
pub(super) struct File {
    pub(super) connection: Connection,
    path: PathBuf,
    identity: Option<Identity>,
}

impl File {
    /// Opens the file, makes it where there is none, and sets it up.
    pub(super) fn open(path: &Path, deadline: Instant) -> Result<Self, LedgerError> {
        let new = !path.exists();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(error)?;
        if new {
            for_the_owner_only(path)?;
        }
        let file = Self {
            connection,
            path: path.to_owned(),
            identity: Identity::of(path),
        };
        file.set_up(deadline)?;
        Ok(file)
    }

    fn set_up(&self, deadline: Instant) -> Result<(), LedgerError> {
        // waiting is done here, with a deadline and short pauses
        self.connection
            .busy_timeout(Duration::ZERO)
            .map_err(error)?;
        self.begin(deadline)?;
        let made = self.make_or_check();
        let end = if made.is_ok() { "COMMIT" } else { "ROLLBACK" };
        // before there is a log, whoever reads holds up the end of a transaction
        patiently(deadline, || self.connection.execute_batch(end))?;
        made?;
        let mode: String = patiently(deadline, || {
            self.connection
                .query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
        })?;
        if mode != "wal" {
            return Err(LedgerError::not_safe(
                "the file system cannot have a write-ahead log",
            ));
        }
        let pragmas = "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; \
                       PRAGMA checkpoint_fullfsync = ON";
        self.connection.execute_batch(pragmas).map_err(error)
    }

    fn make_or_check(&self) -> Result<(), LedgerError> {
        let number = |sql| {
            self.connection
                .query_row(sql, [], |row| row.get::<_, i32>(0))
        };
        let application = number("PRAGMA application_id").map_err(error)?;
        let version = number("PRAGMA user_version").map_err(error)?;
        let tables = number("SELECT count(*) FROM sqlite_schema").map_err(error)?;
        match (application, version) {
            (APPLICATION_ID, VERSION) => self.connection.execute_batch(SCHEMA).map_err(error),
            (APPLICATION_ID, _) => Err(LedgerError::broken(format!(
                "the file has version {version} of the schema, this program knows {VERSION}"
            ))),
            (0, 0) if tables == 0 => {
                let mark = format!(
                    "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
                );
                let made = self.connection.execute_batch(&(mark + SCHEMA));
                made.map_err(error)
            }
            _ => Err(LedgerError::broken(
                "the file is a database of something else",
            )),
        }
    }

    /// Begins a transaction that writes, when nobody else is at it.
    pub(super) fn begin(&self, deadline: Instant) -> Result<(), LedgerError> {
        patiently(deadline, || {
            self.connection
                .prepare_cached("BEGIN IMMEDIATE")?
                .execute([])
        })?;
        Ok(())
    }

    /// Whether the path still leads to this file. Where it does not, what is
    /// written here is seen by nobody.
    pub(super) fn is_in_place(&self) -> bool {
        Identity::of(&self.path) == self.identity
    }
}

/// Repeats what is refused because somebody else has a lock.
fn patiently<T>(
    deadline: Instant,
    mut attempt: impl FnMut() -> rusqlite::Result<T>,
) -> Result<T, LedgerError> {
    loop {
        match attempt() {
            Err(refused) if is_locked(&refused) && Instant::now() < deadline => {
                std::thread::sleep(LOCK_PAUSE);
            }
            other => return other.map_err(error),
        }
    }
}

fn is_locked(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Whether the table is not there.
pub(super) fn is_of_the_schema(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::Unknown)
}

/// Whether it is the fault of one row.
pub(super) fn is_of_a_row(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code().is_none()
}

pub(super) fn error(error: rusqlite::Error) -> LedgerError {
    match error.sqlite_error_code() {
        None | Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            LedgerError::broken(error)
        }
        Some(_) => LedgerError::unavailable(error),
    }
}

/// Which file it is, whatever its name. Elsewhere than on Unix an open file
/// cannot be replaced.
#[derive(PartialEq, Eq)]
struct Identity(u64, u64);

impl Identity {
    fn of(path: &Path) -> Option<Self> {
        Self::read(&path.metadata().ok()?)
    }

    #[cfg(unix)]
    fn read(file: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self(file.dev(), file.ino()))
    }

    #[cfg(not(unix))]
    fn read(_file: &Metadata) -> Option<Self> {
        Some(Self(0, 0))
    }
}

/// Named by its path and not opened: closing it would drop SQLite's locks.
#[cfg(unix)]
fn for_the_owner_only(path: &Path) -> Result<(), LedgerError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(path, mode).map_err(LedgerError::unavailable)
}

#[cfg(not(unix))]
fn for_the_owner_only(_path: &Path) -> Result<(), LedgerError> {
    Ok(())
}
