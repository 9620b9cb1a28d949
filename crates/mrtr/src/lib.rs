//! Multi Round-Trip Requests for MCP servers and clients.

#[cfg(test)]
extern crate self as mrtr;

pub use mrtr_core::form::Form;
pub use mrtr_core::replay::{Cx, Refused, ToolError};
pub use mrtr_core::{Timestamp, exchange, form, json, replay, round, state, wire};
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
