//! A ledger in Redis.

mod error;
mod link;
mod options;
mod safety;

use std::fmt;

use mrtr_core::ledger::LedgerError;
use redis::Script;

use self::link::Link;
pub use self::options::RedisOptions;
use crate::remote::{Argument, Function, Kind, Remote, Reply, ledger_of_remote};

const RULES: &str = include_str!("rules.lua");
/// The version of the rows.
const VERSION: u32 = 1;

/// A ledger in Redis: for servers on any number of machines.
///
/// What it has confirmed survives crashes and loss of power, if Redis is set up
/// for it: `appendonly yes`, `appendfsync always`, `no-appendfsync-on-rewrite
/// no`, and `maxmemory-policy noeviction`. That is checked for each connection,
/// and a Redis set up otherwise is refused, unless the loss was
/// [accepted](RedisOptions::accept_loss).
///
/// **Not safe across a failover**: replication is asynchronous, a replica that
/// takes over may never have heard of what was confirmed, and does not know.
/// Empty it before it serves, so that the exchanges concerned are refused; or
/// use PostgreSQL.
///
/// Each operation is a script, so that it happens at once. Times are by the
/// clock of the server. Rows that are gone are removed by Redis. Needs Redis 5
/// or later, or Valkey, and no cluster. There is no TLS of its own: across an
/// untrusted network, connect through a tunnel.
///
/// Futures need a tokio runtime with I/O and time.
#[derive(Clone)]
pub struct RedisLedger {
    link: Link,
    prefix: String,
    script: Script,
}

impl RedisLedger {
    /// Connects to `redis://user:password@host:port/database`, with the usual
    /// [options](RedisOptions).
    ///
    /// # Errors
    ///
    /// As for [`RedisOptions::connect`].
    pub async fn connect(url: &str) -> Result<Self, LedgerError> {
        Self::options().connect(url).await
    }

    /// How to connect.
    pub fn options() -> RedisOptions {
        RedisOptions::new()
    }
}

impl Remote for RedisLedger {
    async fn call(
        &self,
        function: Function,
        arguments: &[Argument<'_>],
    ) -> Result<Reply, LedgerError> {
        let mut call = self.script.key(link::store_key(&self.prefix));
        call.arg(name(function));
        for argument in arguments {
            match argument {
                Argument::Row(kind, Some(key)) => {
                    let kind = kind_name(*kind);
                    let key = u128::from_be_bytes(**key);
                    call.key(format!("{}:{kind}:{key:032x}", self.prefix));
                }
                Argument::Row(_, None) => {}
                Argument::Bytes(bytes) => {
                    call.arg(*bytes);
                }
                Argument::Millis(millis) => {
                    call.arg(*millis);
                }
            }
        }
        let (answer, left, value) = self.link.invoke(&call).await?;
        Ok(Reply {
            answer,
            left,
            value,
        })
    }
}

ledger_of_remote!(RedisLedger);

fn name(function: Function) -> &'static str {
    match function {
        Function::Epoch => "epoch",
        Function::Claim => "claim",
        Function::RenewRun | Function::RenewOnce => "renew",
        Function::Finish => "finish",
        Function::Release => "release",
        Function::Enter => "enter",
        Function::Record => "record",
        Function::KeepJournal => "keep_journal",
        Function::Journal => "journal",
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Run => "run",
        Kind::Once => "once",
        Kind::Journal => "journal",
    }
}

impl fmt::Debug for RedisLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisLedger")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}
