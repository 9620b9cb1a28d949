//! Multi Round-Trip Requests for MCP servers and clients: tools, prompts and
//! resources that ask, on a server that remembers nothing.
//!
//! A handler is a plain `async fn`. Where it asks, the server answers with the
//! question and a sealed `requestState`; when the client comes back with the
//! answer, whichever instance receives it runs the handler again up to where it
//! was. Implements the pattern of
//! [the 2026-07-28 revision](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).
//!
//! ```no_run
//! use mrtr::server::{Server, tool};
//! use mrtr::{Cx, Form, ToolError};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Trip {
//!     /// Where to.
//!     to: String,
//! }
//!
//! #[derive(Form)]
//! struct Seat {
//!     /// Which row?
//!     #[form(min = 1, max = 40)]
//!     row: u8,
//! }
//!
//! async fn book(cx: Cx, trip: Trip) -> Result<String, ToolError> {
//!     let seat: Seat = cx.elicit("seat", "Where would you like to sit?").await?;
//!     cx.confirm("pay", format!("Pay for a trip to {}?", trip.to)).await?;
//!     Ok(format!("Booked row {} to {}.", seat.row, trip.to))
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
//! - [`server`]: registers handlers, serves over HTTP and stdio.
//! - [`client`]: calls tools, answers questions, saves and resumes calls.
//! - [`replay`]: the rule by which handlers run again, and what [`Cx`] offers.
//! - [`form`]: forms, by `#[derive(Form)]` or by hand.
//! - [`flow`]: handlers as explicit state machines.
//! - [`harness`]: plays handlers against scripted answers, for tests.
//! - [`state`], [`round`], [`exchange`], [`wire`]: the parts, without any I/O.
//!
//! Features: `server` and `client`, both on by default.

#[cfg(test)]
extern crate self as mrtr;

pub use mrtr_core::form::Form;
pub use mrtr_core::replay::{Cx, Refused, ToolError};
pub use mrtr_core::{Timestamp, exchange, flow, form, harness, json, replay, round, state, wire};
pub use mrtr_derive::Form;

#[cfg(feature = "client")]
pub mod client;
#[cfg(any(feature = "client", feature = "server"))]
mod headers;
#[cfg(feature = "server")]
pub mod server;

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
