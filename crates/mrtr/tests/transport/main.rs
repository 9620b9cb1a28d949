//! The transports of a server, over real sockets and over pipes.

#![cfg(all(feature = "server", feature = "client"))]
#![allow(clippy::unwrap_used)]

mod cases;
mod gate;
mod replies;
#[path = "../transport_support/mod.rs"]
mod support;

mod http_admission;
mod http_arguments;
mod http_axum;
mod http_bearer;
mod http_clients;
mod http_headers;
mod http_health;
mod http_listener;
mod http_messages;
mod http_metrics;
mod http_replies;
mod shielded;
mod shielded_process;
mod stdio_messages;
mod stdio_requests;
