//! The rules of multi round-trip requests, as a peer sees them: over HTTP and over pipes, for
//! tools, prompts and resources.
//!
//! Every frame that the server sends here is checked against the official schema, see
//! [`support::peer`].

#![allow(clippy::unwrap_used)]

#[macro_use]
mod support;
#[path = "../client/support/mod.rs"]
mod client_support;
#[path = "../official_schema/mod.rs"]
mod official_schema;
#[path = "../transport_support/mod.rs"]
mod transport_support;

mod answers;
mod causes;
mod completion;
mod error_handling;
mod fleet;
mod messages;
mod official_frames;
mod requirements_capabilities;
mod requirements_client;
mod requirements_server;
mod requirements_state;
mod single_use;
mod state;
