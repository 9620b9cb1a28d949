//! The client side of one call, without I/O.
//!
//! An [`Exchange`] carries one request over all its round trips. The driver (an HTTP client, a stdio
//! client, a test) sends what [`request`](Exchange::request) hands out under a fresh JSON-RPC id,
//! feeds the result to [`receive`](Exchange::receive) and does what it says: the call is
//! [done](Next::Done), [questions](Next::Ask) need answers, or the server wants [time](Next::Wait).
//!
//! It implements the [client requirements] of the Multi Round-Trip Requests page:
//!
//! - every leg is the original parameters, byte for byte, plus the answers of *this* round and the
//!   state of the *last* result, exactly as it came and absent if that result had none;
//! - nothing of a round outlives it: a result replaces questions, answers and state as one;
//! - answers are checked against the form, and sampling against its rules, before anything is sent;
//! - an answer is only what was given. A refused sampling or roots request ends the call
//!   ([`refuse`](Exchange::refuse)); `decline` and `cancel` are answers of a person.
//!
//! Time is an argument, and the only clock is the driver's. A call that has to outlive its
//! process is saved as a [`Pending`].
//!
//! ```
//! use mrtr_core::exchange::{Exchange, ExchangeLimits, Next};
//! use mrtr_core::Timestamp;
//! use mrtr_core::wire::{InputKind, InputResponse};
//! use serde_json::value::RawValue;
//!
//! let raw = |text: &str| RawValue::from_string(text.to_owned());
//! let now = Timestamp::from_secs(1_785_000_000);
//! let params = raw(r#"{"name":"book","arguments":{"to":"Kyoto"}}"#)?;
//! let mut call = Exchange::new("tools/call", params, ExchangeLimits::default())?;
//! assert_eq!(call.request(now)?, r#"{"name":"book","arguments":{"to":"Kyoto"}}"#);
//!
//! let asked = raw(r#"{"resultType":"input_required","requestState":"S1","inputRequests":{
//!     "seat":{"method":"elicitation/create","params":{"message":"Which seat?","requestedSchema":{
//!         "type":"object","properties":{"row":{"type":"integer"}},"required":["row"]}}}}}"#)?;
//! let Next::Ask(questions) = call.receive(&asked, now)? else { unreachable!() };
//! assert!(questions.get("seat").is_some());
//!
//! let answer = raw(r#"{"action":"accept","content":{"row":7}}"#)?;
//! let answer = InputResponse::decode(InputKind::ElicitForm, &answer)?;
//! call.answer(vec![("seat".to_owned(), answer)], now)?;
//! assert_eq!(
//!     call.request(now)?,
//!     concat!(
//!         r#"{"name":"book","arguments":{"to":"Kyoto"},"inputResponses":{"seat":"#,
//!         r#"{"action":"accept","content":{"row":7}}},"requestState":"S1"}"#
//!     )
//! );
//!
//! let done = raw(r#"{"resultType":"complete","content":[]}"#)?;
//! assert!(matches!(call.receive(&done, now)?, Next::Done(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [client requirements]: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow

mod answers;
mod call;
mod document;
mod ending;
mod error;
mod interim;
mod limits;
mod params;
mod pending;
mod target;

pub use answers::AnswerError;
pub use call::{Exchange, Next};
pub use document::PendingError;
pub use error::{
    Blame, Cancelled, ExchangeError, Limit, LimitReached, Lost, Misuse, Phase, ProtocolError,
    Reached, Refusal, Rejected, Violation,
};
pub use limits::{Backoff, ExchangeLimits};
pub use params::ParamsError;
pub use pending::{HeaderNames, IfSent, Peer, Pending, PendingPhase, ResumeError};
pub use target::{Target, TargetError};
