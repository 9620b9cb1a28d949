//! The file of a saved call.

use std::error::Error as StdError;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use mrtr_core::exchange::{Pending, ResumeError};

use super::error::BoxError;

/// A saved call's file, locked against other processes.
pub(crate) struct Store {
    path: PathBuf,
    lock_path: PathBuf,
    _lock: File,
}

impl Store {
    /// Locks `path`, which need not exist.
    pub(crate) fn open(path: &Path) -> Result<Self, SaveError> {
        let mut lock_path = path.as_os_str().to_owned();
        lock_path.push(".lock");
        let lock_path = PathBuf::from(lock_path);
        let lock = lock(&lock_path).map_err(|error| SaveError::file(path, "lock", error))?;
        let lock = lock.ok_or_else(|| SaveError::in_use(path))?;
        Ok(Self {
            path: path.to_owned(),
            lock_path,
            _lock: lock,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn read(&self) -> Result<Vec<u8>, SaveError> {
        read(&self.path)
    }

    /// Replaces the file in one step: it is never seen half written.
    pub(crate) fn write(&self, text: &str) -> Result<(), SaveError> {
        let mut temporary = self.path.as_os_str().to_owned();
        temporary.push(".tmp");
        let temporary = PathBuf::from(temporary);
        let write = || {
            let _ = fs::remove_file(&temporary);
            let mut file = private().write(true).create_new(true).open(&temporary)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&temporary, &self.path)
        };
        write().map_err(|error| {
            let _ = fs::remove_file(&temporary);
            SaveError::file(&self.path, "write", error)
        })
    }

    /// The call is over.
    pub(crate) fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Whoever waits for this file notices that it is gone and makes a new one.
        let _ = fs::remove_file(&self.lock_path);
    }
}

/// Reads a saved call without going on with it, to see what it is and which server it belongs to.
///
/// # Errors
/// [`SaveError`] when the file cannot be read or is no saved call.
pub fn saved_call(path: impl AsRef<Path>) -> Result<Pending, SaveError> {
    Pending::from_json(&read(path.as_ref())?).map_err(SaveError::document)
}

fn read(path: &Path) -> Result<Vec<u8>, SaveError> {
    let read = || {
        let mut bytes = Vec::new();
        let most = Pending::MAX_BYTES as u64 + 1;
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error| SaveError::file(path, "read", error))
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
}

/// `None` when another process has the lock.
#[cfg(unix)]
fn lock(path: &Path) -> io::Result<Option<File>> {
    use std::os::unix::fs::MetadataExt as _;

    use rustix::fs::{FlockOperation, flock};

    loop {
        let file = private()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        // Its last owner may have removed the file between opening and locking it.
        let (ours, there) = (file.metadata()?, fs::metadata(path));
        if there.is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino())) {
            return Ok(Some(file));
        }
    }
}

/// A file that nobody else may open is a lock.
#[cfg(windows)]
fn lock(path: &Path) -> io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt as _;

    const SHARING_VIOLATION: i32 = 32;
    match private()
        .write(true)
        .create(true)
        .truncate(false)
        .share_mode(0)
        .open(path)
    {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(not(any(unix, windows)))]
fn lock(path: &Path) -> io::Result<Option<File>> {
    private()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map(Some)
}

/// A call cannot be saved or resumed.
#[derive(Debug)]
pub struct SaveError {
    what: String,
    source: Option<BoxError>,
}

impl SaveError {
    fn file(path: &Path, action: &str, error: io::Error) -> Self {
        let what = format!("cannot {action} {}", path.display());
        Self {
            what,
            source: Some(error.into()),
        }
    }

    fn in_use(path: &Path) -> Self {
        let path = path.display();
        let what = format!("{path} is in use: another process is going on with this call");
        Self { what, source: None }
    }

    pub(crate) fn document(error: impl fmt::Display) -> Self {
        Self {
            what: error.to_string(),
            source: None,
        }
    }

    pub(crate) fn resume(error: ResumeError) -> Self {
        Self {
            what: error.to_string(),
            source: Some(error.into()),
        }
    }

    /// Why a saved call must not go on as asked, when that is the reason.
    #[must_use]
    pub fn resume_error(&self) -> Option<&ResumeError> {
        self.source.as_ref()?.downcast_ref()
    }
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.source {
            Some(source) if self.resume_error().is_none() => write!(f, ": {source}"),
            _ => Ok(()),
        }
    }
}

impl StdError for SaveError {}
