//! Ledgers: what the replicas of a server remember together, so that a state is
//! consumed once and a reply that was lost is given again.
//!
//! The rules are in the documentation of [`mrtr_core::ledger`]. All stores here
//! keep them and pass one suite of tests; they differ in what they survive.

mod limits;
mod memory;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "redis")]
mod redis;
#[cfg(any(feature = "postgres", feature = "redis"))]
mod remote;
mod rules;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use limits::MAX_VALUE;
pub use memory::MemoryLedger;
#[cfg(feature = "postgres")]
pub use postgres::{PostgresLedger, PostgresOptions};
#[cfg(feature = "redis")]
pub use redis::{RedisLedger, RedisOptions};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteLedger;
