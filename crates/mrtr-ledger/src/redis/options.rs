//! How to connect to Redis.

use std::time::Duration;

use mrtr_core::ledger::{Ledger, LedgerError};
use redis::{Client, Script};

use super::link::Link;
use super::{RULES, RedisLedger};
use crate::limits;

/// How to connect to Redis; made by [`RedisLedger::options`].
#[derive(Clone, Debug)]
#[must_use]
pub struct RedisOptions {
    prefix: String,
    timeout: Duration,
    accept_loss: bool,
}

impl RedisOptions {
    pub(super) fn new() -> Self {
        Self {
            prefix: "mrtr".to_owned(),
            timeout: limits::TIMEOUT,
            accept_loss: false,
        }
    }

    /// What the keys begin with, before a colon. `mrtr` unless set.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// How long an operation may take, connecting included. Five seconds unless
    /// set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Takes a Redis that may lose what it has confirmed, and warns with each
    /// connection. What it loses happens again: a result is lost, a `once` body
    /// runs twice.
    pub fn accept_loss(mut self) -> Self {
        self.accept_loss = true;
        self
    }

    /// Connects to `redis://user:password@host:port/database`.
    ///
    /// # Errors
    ///
    /// When the server cannot be reached or does not let this user in, when it
    /// is not set up to keep what it is told, and when the rows were made by a
    /// later version. No error names the password.
    pub async fn connect(self, url: &str) -> Result<RedisLedger, LedgerError> {
        // the parser's own error may repeat what it could not read
        let client = Client::open(url).map_err(|_| {
            LedgerError::not_safe(
                "the address is not of the form redis://user:password@host:port/database",
            )
        })?;
        let ledger = RedisLedger {
            link: Link::new(client, self.prefix.clone(), self.timeout, self.accept_loss),
            prefix: self.prefix,
            script: Script::new(RULES),
        };
        ledger.epoch().await?;
        Ok(ledger)
    }
}
