//! Multi Round-Trip Requests for MCP servers and clients: straight-line async handlers on a server
//! that remembers nothing.
//!
//! In MCP 2026-07-28 a server cannot call its client. When it needs something from the person while it
//! works on a `tools/call`, `prompts/get` or `resources/read`, it answers with questions and an opaque
//! `requestState`; the client gathers the answers and sends the request again with both. With this
//! crate the handler reads as if it had simply waited:
//!
//! ```no_run
//! use mrtr::server::{Server, tool};
//! use mrtr::{Cx, Form, ToolError};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Trip {
//!     /// The city to go to.
//!     to: String,
//! }
//!
//! #[derive(Form)]
//! struct Seat {
//!     #[form(min = 1, max = 30)]
//!     row: u8,
//! }
//!
//! async fn book(cx: Cx, trip: Trip) -> Result<String, ToolError> {
//!     let price = cx.step("price", look_up_price).await?; // remembered in the sealed state
//!     let seat: Seat = cx.elicit("seat", "Which row?").await?; // the round ends here
//!     cx.confirm("pay", format!("Pay {price} EUR?")).await?; // a refusal returns through `?`
//!     Ok(format!("Booked row {} to {}.", seat.row, trip.to))
//! }
//!
//! async fn look_up_price() -> Result<u32, std::io::Error> {
//!     Ok(420)
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let server = Server::builder("travel", "1.0.0")
//!         .tool(tool("book", book).description("Books a trip"))
//!         .build()?;
//!     server.http().serve("127.0.0.1:8080".parse()?).await?;
//!     Ok(())
//! }
//! ```
//!
//! and nothing of it stays on the server between the rounds: what is known travels through the client,
//! encrypted and bound to the person, the request and the server.
//!
//! # Where to look
//!
//! | to | see |
//! | --- | --- |
//! | write handlers | [`Cx`], and [`replay`] for the rule and what a handler must do |
//! | ask for forms | [`Form`](derive@Form) and [`form`] |
//! | serve over HTTP or stdio | [`server`] |
//! | call servers, and answer what they ask | [`client`] |
//! | test handlers | [`harness`] |
//! | write a state machine instead | [`flow`] |
//! | run servers that share their calls | [`state::Keyring`] and [`server::ServerBuilder::keyring`] |
//! | build another transport | [`server::Server::respond`], [`round`] and [`exchange`] |
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `server` | yes | [`server`] |
//! | `client` | yes | [`client`] |
//! | `json-schema` | yes | schemas of tools written by hand, and checks of all that a schema says, in the client too |
//! | `tls` | no | `https` URLs for the client; needs a C compiler |
//!
//! Without any of them the crate is the core and the derive: no I/O, no runtime.

#[cfg(test)]
extern crate self as mrtr;

pub use mrtr_core::form::Form;
pub use mrtr_core::replay::{Cx, Durable, Refused, ToolError};
pub use mrtr_core::{
    Timestamp, exchange, flow, form, harness, json, ledger, replay, round, state, trace, wire,
};
pub use mrtr_derive::Form;

#[cfg(feature = "client")]
pub mod client;
#[cfg(any(feature = "client", feature = "server"))]
mod headers;
#[cfg(feature = "server")]
pub mod server;

/// Compiles and runs the code in the documents.
#[cfg(all(doctest, feature = "server", feature = "client"))]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;

    #[doc = include_str!("../../../README.zh-CN.md")]
    struct ReadmeInChinese;

    #[doc = include_str!("../../../docs/authors.md")]
    struct Authors;
}

#[cfg(test)]
mod tests {
    use crate::Form;

    #[derive(Form)]
    struct Seats {
        #[form(min = 1, max = 9)]
        seats: u8,
    }

    #[test]
    fn the_derive_finds_this_crate_by_itself() {
        let content = serde_json::from_str(r#"{"seats":3}"#).expect("JSON");
        assert_eq!(
            Seats::from_answer(Some(content)).map(|form| form.seats),
            Ok(3)
        );
    }
}
