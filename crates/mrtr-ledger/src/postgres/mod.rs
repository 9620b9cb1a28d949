//! A ledger in PostgreSQL.

mod connections;
mod error;
mod options;
mod schema;

use std::fmt;
use std::time::Duration;

use deadpool::managed::Pool;
use mrtr_core::ledger::LedgerError;
use tokio_postgres::types::Type;

use self::connections::{Connector, Parameter};
pub use self::options::PostgresOptions;
use self::schema::Schema;
use crate::limits;
use crate::remote::{Argument, Function, Remote, Reply, ledger_of_remote};

/// A ledger in PostgreSQL: for servers on any number of machines.
///
/// What it has confirmed survives crashes and loss of power
/// (`synchronous_commit` is set on for its sessions, and a server with `fsync`
/// off is refused). It survives a failover where the standby was synchronous,
/// or where nothing was lost; where something was lost, empty the table before
/// the new primary serves, so that the exchanges concerned are refused.
///
/// Each operation is one statement, and so a transaction that no client can
/// hold open. Times are by the clock of the server. The table and the functions
/// are in the schema `mrtr` and are made on first use, for which the right to
/// create a schema is needed, or one that is there already and belongs to the
/// user. Rows that are gone are removed a few at a time, by later writes.
///
/// Connects directly or through a pooler that keeps sessions. There is no TLS
/// of its own: across an untrusted network, connect through a tunnel.
///
/// Futures need a tokio runtime with I/O and time.
#[derive(Clone)]
pub struct PostgresLedger {
    pool: Pool<Connector>,
    schema: Schema,
    timeout: Duration,
}

impl PostgresLedger {
    /// Connects to `postgres://user:password@host:port/database`, with the
    /// usual [options](PostgresOptions).
    ///
    /// # Errors
    ///
    /// As for [`PostgresOptions::connect`].
    pub async fn connect(url: &str) -> Result<Self, LedgerError> {
        Self::options().connect(url).await
    }

    /// How to connect.
    pub fn options() -> PostgresOptions {
        PostgresOptions::new()
    }
}

impl Remote for PostgresLedger {
    async fn call(
        &self,
        function: Function,
        arguments: &[Argument<'_>],
    ) -> Result<Reply, LedgerError> {
        let places: Vec<String> = (1..=arguments.len()).map(|n| format!("${n}")).collect();
        let sql = format!(
            "SELECT answer, remaining, sealed FROM {}.{}({})",
            self.schema,
            name(function),
            places.join(", ")
        );
        let keys: Vec<Option<&[u8]>> = arguments.iter().map(key).collect();
        let parameters: Vec<Parameter<'_>> = arguments
            .iter()
            .zip(&keys)
            .map(|(argument, key)| match argument {
                Argument::Row(..) => (key as _, Type::BYTEA),
                Argument::Bytes(bytes) => (bytes as _, Type::BYTEA),
                Argument::Millis(millis) => (millis as _, Type::INT8),
            })
            .collect();
        let query = connections::query(&self.pool, &sql, &parameters);
        let row = limits::in_time(self.timeout, query).await?;
        let reply = || {
            Ok(Reply {
                answer: row.try_get(0)?,
                left: row.try_get(1)?,
                value: row.try_get(2)?,
            })
        };
        reply().map_err(|failed| error::of(&failed))
    }
}

ledger_of_remote!(PostgresLedger);

fn name(function: Function) -> &'static str {
    match function {
        Function::Epoch => "epoch",
        Function::Claim => "claim",
        Function::RenewRun => "renew_run",
        Function::Finish => "finish",
        Function::Release => "release",
        Function::Enter => "enter",
        Function::RenewOnce => "renew_once",
        Function::Record => "record",
        Function::KeepJournal => "keep_journal",
        Function::Journal => "journal",
    }
}

fn key<'a>(argument: &Argument<'a>) -> Option<&'a [u8]> {
    match argument {
        Argument::Row(_, key) => key.map(<[u8; 16]>::as_slice),
        _ => None,
    }
}

impl fmt::Debug for PostgresLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresLedger")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
