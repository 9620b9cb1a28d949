//! How to connect to PostgreSQL.

use std::str::FromStr;
use std::time::Duration;

use mrtr_core::ledger::LedgerError;
use tokio_postgres::Config;

use super::PostgresLedger;
use super::connections::Connector;
use super::schema::Schema;
use crate::limits;

/// How to connect to PostgreSQL; made by [`PostgresLedger::options`].
#[derive(Clone, Debug)]
#[must_use]
pub struct PostgresOptions {
    schema: String,
    connections: usize,
    timeout: Duration,
    accept_loss: bool,
}

impl PostgresOptions {
    pub(super) fn new() -> Self {
        Self {
            schema: "mrtr".to_owned(),
            connections: 8,
            timeout: limits::TIMEOUT,
            accept_loss: false,
        }
    }

    /// The schema that holds the table: lower case letters, digits and
    /// underscores. `mrtr` unless set.
    pub fn schema(mut self, name: impl Into<String>) -> Self {
        self.schema = name.into();
        self
    }

    /// How many connections are kept at most; more operations wait. 8 unless
    /// set, and at least one.
    pub fn connections(mut self, most: usize) -> Self {
        self.connections = most.max(1);
        self
    }

    /// How long an operation may take, waiting for a connection included. Five
    /// seconds unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Takes a server that loses what it has confirmed when it crashes (`fsync`
    /// or `full_page_writes` off), and warns. For tests.
    pub fn accept_loss(mut self) -> Self {
        self.accept_loss = true;
        self
    }

    /// Connects to `postgres://user:password@host:port/database`, and makes the
    /// table and the functions if they are not there.
    ///
    /// # Errors
    ///
    /// When the server cannot be reached or does not let this user in, when it
    /// is not set up to keep what it is told, and when the schema was made by a
    /// later version. No error names the password.
    pub async fn connect(self, url: &str) -> Result<PostgresLedger, LedgerError> {
        // the parser's own error may repeat what it could not read
        let mut config = Config::from_str(url).map_err(|_| {
            LedgerError::not_safe(
                "the address is not of the form postgres://user:password@host:port/database",
            )
        })?;
        let schema = Schema::named(&self.schema).ok_or_else(|| {
            LedgerError::not_safe(
                "the name of the schema has other characters than a-z, 0-9 and _, or more than 63",
            )
        })?;
        if config.get_application_name().is_none() {
            config.application_name("mrtr");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(self.timeout);
        }
        let connector = Connector {
            config,
            schema: schema.clone(),
            timeout: self.timeout,
            accept_loss: self.accept_loss,
        };
        let ledger = PostgresLedger {
            pool: connector.pool(self.connections)?,
            schema,
            timeout: self.timeout,
        };
        mrtr_core::ledger::Ledger::epoch(&ledger).await?;
        Ok(ledger)
    }
}
