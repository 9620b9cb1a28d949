//! The client against scripted servers, over real sockets, real child processes and streams in
//! memory, and against the server of this crate.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

mod answers;
mod caching;
#[cfg(unix)]
mod child_calls;
#[cfg(unix)]
mod child_life;
mod definitions;
mod http_client;
mod http_headers;
mod http_replies;
mod interim;
#[cfg(feature = "json-schema")]
mod output;
mod retry;
mod saved;
mod subscriptions;
mod time;
mod trace_context;
mod with_changes;
mod with_server;
