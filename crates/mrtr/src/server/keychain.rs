//! The keys of a running server, which can be exchanged.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use mrtr_core::round::Rounds;
use mrtr_core::state::{KeyId, Keyring, KeyringError, Secret};

use super::keys::{self, KEYS_VARIABLE, KeysError};
use super::{Runtime, Server};

/// The rounds of a server, sealed with whatever keys it has now.
pub(super) struct Keychain {
    /// Absent until the server is given keys or needs some.
    rounds: RwLock<Option<Rounds>>,
    audience: Arc<str>,
    revision: Option<Arc<str>>,
    file: Option<PathBuf>,
    /// The keys that the file held when it was last read. Locked while it is
    /// read, so that an older reading never takes the place of a newer one.
    last_read: Mutex<Vec<KeyId>>,
    on_new_keys: Option<Box<OnNewKeys>>,
}

/// Hears of keys that take the place of others.
pub(super) type OnNewKeys = dyn Fn(&Keyring) + Send + Sync;

impl Keychain {
    pub(super) fn new(
        keyring: Option<Keyring>,
        audience: &str,
        revision: Option<String>,
        file: Option<PathBuf>,
        on_new_keys: Option<Box<OnNewKeys>>,
    ) -> Self {
        let keychain = Self {
            rounds: RwLock::new(None),
            audience: audience.into(),
            revision: revision.map(Into::into),
            file,
            last_read: Mutex::default(),
            on_new_keys,
        };
        if let Some(keyring) = keyring {
            *keychain.last_read() = keyring.key_ids().collect();
            keychain.set(keyring);
        }
        keychain
    }

    fn set(&self, keyring: Keyring) {
        let rounds = self.sealed_with(keyring);
        *self.rounds.write().unwrap_or_else(PoisonError::into_inner) = Some(rounds);
    }

    pub(super) const fn file(&self) -> Option<&PathBuf> {
        self.file.as_ref()
    }

    /// The ids of the keys, the sealing one first; none where none was needed yet.
    pub(super) fn key_ids(&self) -> Vec<KeyId> {
        self.get()
            .map_or_else(Vec::new, |rounds| rounds.keyring().key_ids().collect())
    }

    /// Sets the keys of the key file, unless they are the ones in use.
    pub(super) fn reload(&self) -> Result<(), KeysError> {
        self.read(|_| true)
    }

    /// As [`reload`](Self::reload), when the file has changed since it was last
    /// read: keys that were set since stay otherwise.
    pub(super) fn follow(&self) -> Result<(), KeysError> {
        self.read(|has_changed| has_changed)
    }

    fn read(&self, wanted: impl FnOnce(bool) -> bool) -> Result<(), KeysError> {
        let path = self.file.as_deref().ok_or(KeysError::NoKeyFile)?;
        let mut last_read = self.last_read();
        let keyring = keys::from_file(path)?;
        let read: Vec<_> = keyring.key_ids().collect();
        let has_changed = *last_read != read;
        if wanted(has_changed) && self.key_ids() != read {
            self.replace(keyring);
        }
        *last_read = read;
        Ok(())
    }

    fn last_read(&self) -> MutexGuard<'_, Vec<KeyId>> {
        self.last_read
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn replace(&self, keyring: Keyring) {
        tracing::warn!(server = %self.audience, keys = ?keyring, "the keys were replaced; the first one seals");
        match &self.on_new_keys {
            Some(heard) => {
                self.set(keyring.clone());
                heard(&keyring);
            }
            None => self.set(keyring),
        }
    }

    fn sealed_with(&self, keyring: Keyring) -> Rounds {
        let rounds = Rounds::new(Arc::new(keyring), self.audience.clone());
        match &self.revision {
            Some(revision) => rounds.with_revision(revision.clone()),
            None => rounds,
        }
    }

    fn get(&self) -> Option<Rounds> {
        self.rounds
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The rounds of now; with a key made up on the spot where there is none.
    pub(super) fn rounds(&self, runtime: &dyn Runtime) -> Result<Rounds, KeyringError> {
        if let Some(rounds) = self.get() {
            return Ok(rounds);
        }
        let mut slot = self.rounds.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(rounds) = &*slot {
            return Ok(rounds.clone());
        }
        tracing::warn!(
            server = %self.audience,
            "no keys given: a random key is used, so exchanges end with this process and no other instance can \
             continue them; set {KEYS_VARIABLE} to the output of `mrtr keys new`"
        );
        let keyring = Keyring::new([Secret::generate(runtime.random())])?;
        Ok(slot.insert(self.sealed_with(keyring)).clone())
    }
}

impl Server {
    /// Replaces the keys: the first seals from now on, all of them open.
    ///
    /// To rotate on a running server, put the new key first and keep the old
    /// one until the last state sealed with it has expired; several instances
    /// need [three steps](mrtr_core::state::KeyText). A server that has a key file
    /// keeps these keys until the file changes.
    pub fn set_keyring(&self, keyring: Keyring) {
        self.inner.keychain.replace(keyring);
    }

    /// Reads the [key file](super::ServerBuilder::key_file) again now, on a
    /// signal for example. When it cannot be read the keys stay as they are.
    ///
    /// # Errors
    /// When the server has no key file, or the file holds no usable keys.
    pub fn reload_keys(&self) -> Result<(), KeysError> {
        self.key_file_read(self.inner.keychain.reload())
    }

    /// Takes over what changed in the key file.
    pub(super) fn follow_keys(&self) -> Result<(), KeysError> {
        self.key_file_read(self.inner.keychain.follow())
    }

    fn key_file_read(&self, read: Result<(), KeysError>) -> Result<(), KeysError> {
        read.inspect_err(|_| self.inner.metrics.bad_key_file())
    }

    /// Makes up a key and says so, unless the server has keys: for transports
    /// to call when they start, so that the warning comes then.
    pub(crate) fn ensure_keys(&self) {
        if let Err(error) = self.inner.keychain.rounds(&*self.inner.runtime) {
            tracing::error!(%error, "a random key cannot be used");
        }
    }

    /// Takes the key of this server in the user's state folder, made when
    /// there is none, unless the server has keys. So a process that is started
    /// anew by its client opens the states of the one before.
    pub(crate) fn ensure_keys_of_user(&self) {
        if self.inner.keychain.get().is_some() {
            return;
        }
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let random = self.inner.runtime.random();
        let keyring = keys::state_file(&self.inner.keychain.audience, variable)
            .and_then(|path| keys::from_private_file(&path, random));
        match keyring {
            Ok(keyring) => self.inner.keychain.set(keyring),
            Err(error) => {
                tracing::warn!(%error, "the key file of this server cannot be used");
                self.ensure_keys();
            }
        }
    }
}
