//! The file of keys, while it is changed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::MOST_BYTES;

/// A file of keys that nobody else changes meanwhile.
pub(super) struct KeyFile {
    /// Where it really is: a link to it stays a link.
    path: PathBuf,
    /// Locks the folder, as the file itself is replaced.
    _lock: Lock,
}

impl KeyFile {
    /// Waits until nobody else changes the file.
    pub(super) fn lock(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        let lock = Lock::of(&path)?;
        Ok(Self { path, _lock: lock })
    }

    pub(super) fn read(&self) -> io::Result<String> {
        let mut text = String::new();
        File::open(&self.path)?
            .take(MOST_BYTES)
            .read_to_string(&mut text)?;
        Ok(text)
    }

    /// Replaces the file in one step: nobody sees half of it, and after a crash
    /// it is the old or the new one.
    pub(super) fn replace(&self, text: &str) -> io::Result<()> {
        let draft = beside(&self.path, ".new");
        let replaced = self
            .write(&draft, text)
            .and_then(|()| fs::rename(&draft, &self.path))
            .and_then(|()| sync_folder(&self.path));
        if replaced.is_err() {
            let _ = fs::remove_file(&draft);
        }
        replaced
    }

    fn write(&self, draft: &Path, text: &str) -> io::Result<()> {
        match fs::remove_file(draft) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(draft)?;
        #[cfg(unix)]
        self.take_after(&file)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    }

    /// The server that reads the file may run as somebody else than whoever
    /// rotates.
    #[cfg(unix)]
    fn take_after(&self, draft: &File) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let (old, new) = (fs::metadata(&self.path)?, draft.metadata()?);
        if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
            fchown(draft, Some(old.uid()), Some(old.gid()))?;
        }
        Ok(())
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[cfg(unix)]
fn folder(path: &Path) -> io::Result<File> {
    File::open(path.parent().unwrap_or(Path::new("/")))
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    folder(path)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Held by one process at a time, and gone with it.
#[cfg(unix)]
struct Lock(#[allow(dead_code, reason = "held, not read")] File);

#[cfg(unix)]
impl Lock {
    fn of(path: &Path) -> io::Result<Self> {
        let folder = folder(path)?;
        rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive)?;
        Ok(Self(folder))
    }
}

/// A file that nobody else may make is a lock.
#[cfg(not(unix))]
struct Lock(PathBuf);

#[cfg(not(unix))]
impl Lock {
    fn of(path: &Path) -> io::Result<Self> {
        let lock = beside(path, ".lock");
        let made = OpenOptions::new().write(true).create_new(true).open(&lock);
        match made {
            Ok(_) => Ok(Self(lock)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(io::Error::other(format!(
                    "somebody else is changing it; if not, remove {}",
                    lock.display()
                )))
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(not(unix))]
impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
