//! The people the example knows, and how it recognises them.
//!
//! A person's code stands for whatever a real service has: it is the access token of requests and
//! what the person types to log in on the page. Codes and logins are sealed with the server's keys,
//! so all instances with the same keys accept them and none of them has to remember any.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use mrtr::state::{Keyring, Principal};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const CODE: &str = "mrtr-example code";
const LOGIN: &str = "mrtr-example login";
/// How long a browser stays logged in.
pub(super) const LOGIN_FOR: Duration = Duration::from_secs(12 * 60 * 60);

/// Somebody the example knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Person {
    Ada,
    Bob,
}

impl Person {
    pub(crate) const ALL: [Self; 2] = [Self::Ada, Self::Bob];

    fn name(self) -> &'static str {
        match self {
            Self::Ada => "ada",
            Self::Bob => "bob",
        }
    }

    /// Who a request comes from, as the authentication layer tells the server.
    pub(super) fn principal(self) -> Principal {
        Principal::new(super::NAME, self.name())
    }

    pub(super) fn of(principal: &Principal) -> Option<Self> {
        let known = |person: &Self| person.name() == principal.subject();
        Self::ALL.into_iter().find(known)
    }
}

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Recognises people, and seals what is given to browsers.
pub(crate) struct People {
    keyring: RwLock<Arc<Keyring>>,
}

/// What is sealed: a value that is good until a time.
#[derive(Serialize, Deserialize)]
struct Sealed<T> {
    value: T,
    /// Milliseconds since 1970; absent for what does not expire.
    until: Option<u64>,
}

impl People {
    pub(crate) fn new(keyring: Keyring) -> Self {
        Self {
            keyring: RwLock::new(Arc::new(keyring)),
        }
    }

    /// Uses other keys from now on.
    pub(crate) fn set_keyring(&self, keyring: Keyring) {
        *self.keyring.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keyring);
    }

    /// A person's access token, which is also what the person logs in with.
    pub(crate) fn code(&self, person: Person) -> Result<String> {
        self.seal(CODE, person, None)
    }

    pub(super) fn by_code(&self, code: &str) -> Option<Person> {
        self.open(CODE, code)
    }

    /// What a browser that is logged in keeps as a cookie.
    pub(super) fn login(&self, person: Person) -> Result<String> {
        self.seal(LOGIN, person, Some(LOGIN_FOR))
    }

    pub(super) fn by_login(&self, login: &str) -> Option<Person> {
        self.open(LOGIN, login)
    }

    pub(super) fn seal<T: Serialize>(
        &self,
        purpose: &str,
        value: T,
        good_for: Option<Duration>,
    ) -> Result<String> {
        let until = good_for.map(|time| now().saturating_add(millis(time)));
        let sealed = serde_json::to_vec(&Sealed { value, until })?;
        Ok(self
            .keyring()
            .seal_bytes(purpose, &sealed, rand::random())?)
    }

    pub(super) fn open<T: DeserializeOwned>(&self, purpose: &str, text: &str) -> Option<T> {
        let sealed = match self.keyring().open_bytes(purpose, text) {
            Ok(sealed) => sealed,
            Err(rejection) => {
                tracing::info!(purpose, %rejection, "refused");
                return None;
            }
        };
        let sealed: Sealed<T> = serde_json::from_slice(&sealed).ok()?;
        let good = sealed.until.is_none_or(|until| now() < until);
        good.then_some(sealed.value)
    }

    fn keyring(&self) -> Arc<Keyring> {
        self.keyring
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

fn now() -> u64 {
    millis(
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default(),
    )
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
