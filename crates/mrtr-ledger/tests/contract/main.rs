//! The contract of [`mrtr_core::ledger`], sentence by sentence, for every store.
//!
//! No test sleeps: a lease of zero has ended when it begins, and a row that is
//! kept for no time is gone.

#![allow(clippy::unwrap_used, reason = "tests")]

#[macro_use]
mod rules;
mod journal;
mod loss;
mod model;
mod once;
#[macro_use]
#[cfg(any(feature = "postgres", feature = "redis"))]
mod outage;
#[cfg(any(feature = "postgres", feature = "redis"))]
mod proxy;
mod races;
mod run;
mod stores;

contract!(memory, crate::stores::memory::store);
#[cfg(feature = "postgres")]
contract!(postgres, crate::stores::postgres::store);
#[cfg(feature = "redis")]
contract!(redis, crate::stores::redis::store);
#[cfg(feature = "sqlite")]
contract!(sqlite, crate::stores::sqlite::store);
