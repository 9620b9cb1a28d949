//! The Multi Round-Trip Requests pattern of MCP 2026-07-28 as a deterministic library: no I/O, no
//! clock, no runtime, no source of randomness.
//!
//! Servers and clients are built on it; most people want the crate `mrtr`, which adds HTTP, stdio and
//! a registry of tools, and re-exports the modules below. Use this crate alone to build another
//! transport, to add the pattern to a server that exists, or to test handlers without either.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`wire`] | the messages of the protocol, decoded without a tree of values, and the one table of errors |
//! | [`form`] | the forms that a server asks a person to fill in, and the check of what comes back |
//! | [`state`] | the sealed `requestState`: keys, claims, and what a state is bound to |
//! | [`replay`] | handlers as straight-line code: [`Cx`](replay::Cx), questions, steps, and the rule that ends a round |
//! | [`flow`] | handlers as explicit state machines, for questions that are data |
//! | [`round`] | one request on the server's side: open the state, run the handler, close with a result |
//! | [`exchange`] | one call on the client's side, over all its rounds, and its saved form |
//! | [`harness`] | playing a handler against scripted answers, for its author's tests |
//! | [`ledger`] | what the replicas of a server remember together: the trait of a store for single use |
//! | [`trace`] | W3C trace context, carried over all rounds of an exchange |
//! | [`json`] | what must be known of JSON text without decoding it: depth, exact numbers, digests of arguments |
//!
//! Time and randomness are arguments ([`Timestamp`], [`RoundEnv`](round::RoundEnv)): the same
//! arguments give the same bytes, so that every run can be repeated and no test has to sleep. What
//! waits is given a [`Timer`](replay::Timer).
//!
//! A whole round trip without any transport is in the documentation of [`round`], a call seen from the
//! client in that of [`exchange`].
//!
//! Implements [multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).

pub mod exchange;
pub mod flow;
pub mod form;
pub mod harness;
pub mod json;
pub mod ledger;
pub mod replay;
pub mod round;
pub mod state;
mod time;
pub mod trace;
pub mod wire;

pub use time::Timestamp;
