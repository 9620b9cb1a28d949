//! The rules of multi round-trip requests, as a peer sees them: over HTTP and over pipes, for
//! tools, prompts and resources.
//!
//! Every frame that the server sends here is checked against the official schema, see
//! [`support::peer`].

#![allow(clippy::unwrap_used)]

#[macro_use]
mod support;
#[path = "../transport_support/mod.rs"]
mod transport_support;

mod requirements_server;
