//! Connections to PostgreSQL that are set up, and statements on them.

use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{self, Metrics, Pool, PoolError, RecycleError, RecycleResult};
use mrtr_core::ledger::LedgerError;
use tokio::task::JoinHandle;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, Error, NoTls, Row};

use super::error;
use super::schema::Schema;

/// How often a statement is tried when another connection may do better.
const ATTEMPTS: usize = 4;

/// A parameter of a statement.
pub(super) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// How connections are made.
pub(super) struct Connector {
    pub(super) config: Config,
    pub(super) schema: Schema,
    pub(super) timeout: Duration,
    pub(super) accept_loss: bool,
}

/// One connection.
pub(super) struct Connection {
    client: Client,
    task: JoinHandle<()>,
    /// A statement was begun and not waited for to its end.
    busy: bool,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Connector {
    pub(super) fn pool(self, connections: usize) -> Result<Pool<Self>, LedgerError> {
        Pool::builder(self)
            .max_size(connections)
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(LedgerError::unavailable)
    }

    /// What is set for each connection, whatever the server's defaults are.
    async fn set_up(&self, client: &mut Client) -> Result<(), LedgerError> {
        let settings = format!(
            "SET search_path = pg_catalog; \
             SET default_transaction_isolation = 'read committed'; \
             SET statement_timeout = {}; \
             SELECT set_config('synchronous_commit', 'on', false) \
             WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')",
            self.timeout.as_millis().clamp(1, i32::MAX as u128)
        );
        let safe = "SELECT current_setting('fsync')::boolean \
                    AND current_setting('full_page_writes')::boolean";
        let ask = async {
            client.batch_execute(&settings).await?;
            client.query_one(safe, &[]).await?.try_get(0)
        };
        let safe: bool = ask.await.map_err(|failed| error::of(&failed))?;
        if !safe {
            const UNSAFE: &str = "fsync or full_page_writes is off: set both on";
            if !self.accept_loss {
                return Err(LedgerError::not_safe(UNSAFE));
            }
            tracing::warn!("the ledger loses what it confirmed when PostgreSQL crashes: {UNSAFE}");
        }
        self.schema.set_up(client).await
    }
}

impl managed::Manager for Connector {
    type Type = Connection;
    type Error = LedgerError;

    async fn create(&self) -> Result<Connection, LedgerError> {
        let connected = self.config.connect(NoTls).await;
        let (client, connection) = connected.map_err(|failed| error::of(&failed))?;
        let task = tokio::spawn(async move {
            // its end is seen by whoever uses the client
            let _ = connection.await;
        });
        let mut connection = Connection {
            client,
            task,
            busy: false,
        };
        self.set_up(&mut connection.client).await?;
        Ok(connection)
    }

    async fn recycle(
        &self,
        connection: &mut Connection,
        _: &Metrics,
    ) -> RecycleResult<LedgerError> {
        if connection.busy || connection.client.is_closed() {
            return Err(RecycleError::message("it is closed, or its answer is lost"));
        }
        Ok(())
    }
}

/// The one row that a statement answers.
pub(super) async fn query(
    pool: &Pool<Connector>,
    sql: &str,
    parameters: &[Parameter<'_>],
) -> Result<Row, LedgerError> {
    let mut attempt = 1;
    loop {
        let mut connection = pool.get().await.map_err(|failed| match failed {
            PoolError::Backend(error) => error,
            other => LedgerError::unavailable(other),
        })?;
        connection.busy = true;
        let answer = connection.client.query_typed_one(sql, parameters).await;
        connection.busy = answer.as_ref().is_err_and(|failed| failed.code().is_none());
        match answer {
            Err(failed) if attempt < ATTEMPTS && is_passing(&failed) => {
                if error::is_of_the_schema(&failed) {
                    let schema = &pool.manager().schema;
                    connection.busy = true;
                    schema.make(&mut connection.client).await?;
                    connection.busy = false;
                }
                attempt += 1;
            }
            other => return other.map_err(|failed| error::of(&failed)),
        }
    }
}

fn is_passing(failed: &Error) -> bool {
    error::is_of_the_connection(failed) || error::is_of_the_schema(failed)
}
