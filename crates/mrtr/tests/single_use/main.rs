//! Single use where something goes wrong: replies that are lost, clients that leave, runners that
//! die, ledgers that are away, a crowd at the door.
//!
//! What a client sees when all goes well is tested in `over_the_wire`, for every method and over
//! both transports.

#![cfg(all(feature = "server", feature = "client"))]
#![allow(clippy::unwrap_used)]

#[path = "../transport_support/mod.rs"]
mod transport_support;

mod cost;
mod crowd;
mod ledger_away;
mod line;
mod lost_replies;
mod once;
mod shop;
mod takeover;
