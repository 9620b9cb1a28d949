//! Ledgers: what the replicas of a server remember together, so that a state is
//! consumed once and a reply that was lost is given again.
//!
//! The rules are in the documentation of [`mrtr_core::ledger`]. All stores keep
//! them and pass one suite of tests; they differ in who shares them and in what
//! they survive.
//!
//! | ledger | feature | for | the process crashes | power is lost | another machine takes over |
//! | --- | --- | --- | --- | --- | --- |
//! | [`MemoryLedger`] | | one process, tests | forgets, and knows | forgets, and knows | |
//! | `SqliteLedger` | `sqlite` | the processes of one machine | keeps all | keeps all | |
//! | `PostgresLedger` | `postgres` | any | keeps all | keeps all | keeps all where the standby is synchronous |
//! | `RedisLedger` | `redis` | any | keeps all | keeps all | **may forget without knowing** |
//!
//! "Keeps all" is what was confirmed; what was not is an error, and asking again
//! is safe. "Knows" means that the store has another
//! [`Epoch`](mrtr_core::ledger::Epoch) from then on: what relies on the old one
//! is refused, and nothing is done twice. A store that is brought back from a
//! copy, or whose clock is put forward by more than exchanges last, forgets
//! without knowing; so empty it when a copy is brought back.
//!
//! The features `postgres` and `redis` compile no C; `sqlite` compiles SQLite.
//!
//! [`open`] opens any of them from an address:
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let ledger = mrtr_ledger::open("memory:").await?;
//! # Ok::<_, mrtr_ledger::OpenError>(())
//! # }).unwrap();
//! ```

mod limits;
mod memory;
mod open;
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
pub use open::{OpenError, open};
#[cfg(feature = "postgres")]
pub use postgres::{PostgresLedger, PostgresOptions};
#[cfg(feature = "redis")]
pub use redis::{RedisLedger, RedisOptions};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteLedger;
