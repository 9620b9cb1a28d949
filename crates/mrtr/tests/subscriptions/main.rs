//! `subscriptions/listen` over real sockets and over pipes.

#![cfg(all(feature = "server", feature = "client"))]
#![allow(clippy::unwrap_used)]

mod offer;
#[path = "../official_schema/mod.rs"]
mod official;
#[path = "../transport_support/mod.rs"]
mod support;

mod capabilities;
mod http;
mod http_end;
mod stdio;
