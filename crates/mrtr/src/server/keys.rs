//! Where a server's keys come from.

use std::fmt;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use mrtr_core::state::{Keyring, KeyringError, Secret};

/// The variable a server reads its keys from when it is given none.
pub(crate) const KEYS_VARIABLE: &str = "MRTR_KEYS";

/// Far more than any keyring needs.
const MOST_BYTES: u64 = 1024 * 1024;

/// Keys could not be read or kept: the fault of whoever runs the server.
#[derive(Debug)]
#[non_exhaustive]
pub enum KeysError {
    /// The file could not be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The text holds no usable keys.
    Invalid {
        /// The file, or `None` for the environment variable.
        path: Option<PathBuf>,
        /// What is wrong with the text.
        error: KeyringError,
    },
    /// Other users of the machine may read the file.
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The environment names no folder for the state of programs.
    NoStateFolder,
    /// The server was not given a key file, so there is none to read again.
    NoKeyFile,
}

impl fmt::Display for KeysError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(f, "key file {}: {error}", path.display()),
            Self::Invalid {
                path: Some(path),
                error,
            } => write!(f, "key file {}: {error}", path.display()),
            Self::Invalid { path: None, error } => write!(f, "{KEYS_VARIABLE}: {error}"),
            Self::Exposed { path, mode } => write!(
                f,
                "key file {} may be read by others (mode {mode:o}); run `chmod 600` on it",
                path.display()
            ),
            Self::NoStateFolder => {
                f.write_str("neither XDG_STATE_HOME nor HOME says where to keep a key file")
            }
            Self::NoKeyFile => f.write_str(
                "the server has no key file; give it one with `key_file` when building it",
            ),
        }
    }
}

impl std::error::Error for KeysError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            Self::Invalid { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// The keys in the text of the environment variable, when it is set.
pub(crate) fn from_environment(text: Option<&str>) -> Result<Option<Keyring>, KeysError> {
    text.map(Keyring::parse)
        .transpose()
        .map_err(|error| KeysError::Invalid { path: None, error })
}

/// The keys in a file its operator takes care of.
pub(crate) fn from_file(path: &Path) -> Result<Keyring, KeysError> {
    let mut text = String::new();
    fs::File::open(path)
        .and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text))
        .map_err(|error| io_error(path, error))?;
    Keyring::parse(&text).map_err(|error| KeysError::Invalid {
        path: Some(path.to_owned()),
        error,
    })
}

/// The file that keeps the keys of the server `name` for this user.
pub(crate) fn state_file(
    name: &str,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Result<PathBuf, KeysError> {
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    let folder = absolute("XDG_STATE_HOME")
        .or_else(|| absolute("LOCALAPPDATA"))
        .or_else(|| Some(absolute("HOME")?.join(".local").join("state")))
        .ok_or(KeysError::NoStateFolder)?;
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') {
            c
        } else {
            '_'
        }
    };
    let name: String = name.chars().map(plain).collect();
    Ok(folder.join("mrtr").join(format!("{name}.keys")))
}

/// The keys in the file at `path`, which is created with a new key when there
/// is none: mode 0600, and whole or not at all, so that two processes that
/// start at once end up with the same key.
pub(crate) fn from_private_file(path: &Path, random: [u8; 32]) -> Result<Keyring, KeysError> {
    match private_mode(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create(path, random).map_err(|error| io_error(path, error))?;
        }
        Err(error) => return Err(io_error(path, error)),
        Ok(mode) if mode & 0o077 != 0 => {
            return Err(KeysError::Exposed {
                path: path.to_owned(),
                mode,
            });
        }
        Ok(_) => {}
    }
    from_file(path)
}

fn create(path: &Path, random: [u8; 32]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;

    let secret = Secret::generate(random);
    let draft = path.with_extension(format!("{}.new", secret.id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    let written = file
        .write_all(format!("{}\n", &*secret.expose()).as_bytes())
        .and_then(|()| file.sync_all())
        // A link, as a rename would replace the file of a process that came first.
        .and_then(|()| match fs::hard_link(&draft, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            done => done,
        });
    fs::remove_file(&draft)?;
    written
}

/// The mode of the file at `path`; 0600 where there are none.
fn private_mode(path: &Path) -> io::Result<u32> {
    let metadata = fs::metadata(path)?;
    #[cfg(unix)]
    let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
    #[cfg(not(unix))]
    let mode = metadata.is_file().then_some(0o600).unwrap_or_default();
    Ok(mode)
}

fn io_error(path: &Path, error: io::Error) -> KeysError {
    KeysError::Io {
        path: path.to_owned(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    #[test]
    fn a_second_process_finds_the_key_of_the_first() {
        let folder = folder();
        let path = folder.path().join("a").join("travel.keys");
        let first = from_private_file(&path, [1; 32]).expect("created");
        let second = from_private_file(&path, [2; 32]).expect("read");
        assert_eq!(first.sealing_key(), second.sealing_key());
        let files = fs::read_dir(folder.path().join("a"))
            .expect("a folder")
            .count();
        assert_eq!(files, 1, "no draft stays behind");
    }

    #[test]
    fn the_loser_of_a_race_reads_the_key_of_the_winner() {
        let folder = folder();
        let path = folder.path().join("travel.keys");
        create(&path, [1; 32]).expect("created");
        create(&path, [2; 32]).expect("left alone");
        let keyring = from_file(&path).expect("read");
        assert_eq!(keyring.sealing_key(), Secret::generate([1; 32]).id());
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_for_its_owner_alone_and_refused_otherwise() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder();
        let path = folder.path().join("mrtr").join("travel.keys");
        from_private_file(&path, [1; 32]).expect("created");
        assert_eq!(private_mode(&path).expect("a mode"), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("changed");
        let error = from_private_file(&path, [1; 32]).expect_err("exposed");
        assert!(
            matches!(error, KeysError::Exposed { mode: 0o640, .. }),
            "{error}"
        );
        assert!(error.to_string().contains("chmod 600"));
    }

    #[test]
    fn the_file_is_named_after_the_server_in_the_users_state_folder() {
        let home = |name: &str| (name == "HOME").then(|| PathBuf::from("/home/a"));
        assert_eq!(
            state_file("../tr avel", home).expect("a folder"),
            Path::new("/home/a/.local/state/mrtr/___tr_avel.keys")
        );
        let both = |name: &str| match name {
            "XDG_STATE_HOME" => Some(PathBuf::from("/state")),
            "HOME" => Some(PathBuf::from("/home/a")),
            _ => None,
        };
        assert_eq!(
            state_file("t", both).expect("a folder"),
            Path::new("/state/mrtr/t.keys")
        );
        let relative = |name: &str| (name == "XDG_STATE_HOME").then(|| PathBuf::from("state"));
        assert!(matches!(
            state_file("t", relative),
            Err(KeysError::NoStateFolder)
        ));
    }

    #[test]
    fn an_error_names_the_place_and_never_a_key() {
        let error = from_environment(Some("c2hvcnQ"))
            .expect_err("too short")
            .to_string();
        assert!(error.starts_with("MRTR_KEYS: line 1"), "{error}");
        assert!(!error.contains("c2hvcnQ"), "{error}");
    }
}
