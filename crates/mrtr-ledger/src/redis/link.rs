//! The connection to Redis: checked when it is made, made again when it broke.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mrtr_core::ledger::LedgerError;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, FromRedisValue, ScriptInvocation};
use tokio::time::{Instant, timeout_at};

use super::{VERSION, error, safety};

/// How often a script is tried when another connection may do better.
const ATTEMPTS: usize = 3;

/// The key of what is said of the store as a whole.
pub(super) fn store_key(prefix: &str) -> String {
    format!("{prefix}:store")
}

/// A connection that all operations share.
#[derive(Clone)]
pub(super) struct Link(Arc<Inner>);

struct Inner {
    client: Client,
    prefix: String,
    timeout: Duration,
    accept_loss: bool,
    current: Mutex<Current>,
    /// Held by whoever connects, for all that wait.
    connecting: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Current {
    connection: Option<MultiplexedConnection>,
    /// Counts connections, so that one that broke is dropped once.
    number: u64,
}

impl Link {
    pub(super) fn new(
        client: Client,
        prefix: String,
        timeout: Duration,
        accept_loss: bool,
    ) -> Self {
        Self(Arc::new(Inner {
            client,
            prefix,
            timeout,
            accept_loss,
            current: Mutex::default(),
            connecting: tokio::sync::Mutex::default(),
        }))
    }

    /// Runs a script, on another connection if this one is broken.
    pub(super) async fn invoke<T: FromRedisValue>(
        &self,
        script: &ScriptInvocation<'_>,
    ) -> Result<T, LedgerError> {
        let deadline = Instant::now() + self.0.timeout;
        let late = |_| LedgerError::unavailable(format!("no answer within {:?}", self.0.timeout));
        let mut attempt = 1;
        loop {
            let connected = timeout_at(deadline, self.connection()).await;
            let (mut connection, number) = connected.map_err(late)??;
            let answer = timeout_at(deadline, script.invoke_async(&mut connection)).await;
            match answer {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(failed)) if error::is_of_the_connection(&failed) => {
                    self.drop_connection(number);
                    if attempt == ATTEMPTS {
                        return Err(error::of(&failed));
                    }
                    attempt += 1;
                }
                Ok(Err(failed)) => return Err(error::of(&failed)),
                Err(elapsed) => {
                    self.drop_connection(number);
                    return Err(late(elapsed));
                }
            }
        }
    }

    async fn connection(&self) -> Result<(MultiplexedConnection, u64), LedgerError> {
        if let Some(open) = self.current().open() {
            return Ok(open);
        }
        let _connecting = self.0.connecting.lock().await;
        if let Some(open) = self.current().open() {
            return Ok(open);
        }
        let connection = self.0.connect().await?;
        let mut current = self.current();
        current.number += 1;
        current.connection = Some(connection.clone());
        Ok((connection, current.number))
    }

    fn drop_connection(&self, number: u64) {
        let mut current = self.current();
        if current.number == number {
            current.connection = None;
        }
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        let current = self.0.current.lock();
        current.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Current {
    fn open(&self) -> Option<(MultiplexedConnection, u64)> {
        let connection = self.connection.clone()?;
        Some((connection, self.number))
    }
}

impl Inner {
    async fn connect(&self) -> Result<MultiplexedConnection, LedgerError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.timeout))
            .set_response_timeout(Some(self.timeout));
        let connected = self
            .client
            .get_multiplexed_async_connection_with_config(&config)
            .await;
        let mut connection = connected.map_err(|failed| error::of(&failed))?;
        safety::check(&mut connection, self.accept_loss).await?;
        let version: Option<u32> = redis::cmd("HGET")
            .arg(store_key(&self.prefix))
            .arg("version")
            .query_async(&mut connection)
            .await
            .map_err(|failed| error::of(&failed))?;
        match version {
            None | Some(VERSION) => Ok(connection),
            Some(version) => Err(LedgerError::broken(format!(
                "the rows have version {version}, this program knows {VERSION}"
            ))),
        }
    }
}
