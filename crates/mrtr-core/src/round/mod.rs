//! One request on the server side: open the state, run the handler, close
//! with a result.
//!
//! [`Rounds`] belongs to a server and holds what all its requests share. For
//! each request, [`Rounds::open`] checks the state and the answers,
//! [`OpenRound::call`] runs a handler, and [`OpenRound::close`] says what to
//! answer, sealing the next state where the handler asked something. Nothing
//! stays behind in between.
//!
//! Implements the server side of
//! [multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow).
//!
//! ```
//! use std::sync::Arc;
//! use mrtr_core::Timestamp;
//! use mrtr_core::replay::{Cx, NoHold, ToolError};
//! use mrtr_core::round::{Closed, RoundEnv, RoundPolicy, RoundRequest, Rounds};
//! use mrtr_core::state::{Keyring, Method, Secret};
//! use mrtr_core::wire::Capability;
//!
//! async fn remove(cx: Cx) -> Result<&'static str, ToolError> {
//!     cx.confirm("remove", "Really remove it?").await?;
//!     Ok("removed")
//! }
//!
//! # fn block_on<F: Future>(f: F) -> F::Output {
//! #     let mut f = std::pin::pin!(f);
//! #     let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
//! #     loop { if let std::task::Poll::Ready(v) = f.as_mut().poll(&mut cx) { return v } }
//! # }
//! let keyring = Arc::new(Keyring::new([Secret::generate([1; 32])])?); // random bytes
//! let rounds = Rounds::new(keyring, "files");
//! let policy = RoundPolicy::default();
//! let now = Timestamp::from_secs(1_785_196_800);
//! let env = |random| RoundEnv::new(now, random, Arc::new(NoHold));
//!
//! let mut request = RoundRequest::new(Method::ToolsCall, "remove");
//! request.capabilities = Capability::ElicitationForm.into();
//! let round = rounds.open(&request, &policy, env([2; 32]))?;
//! let outcome = block_on(round.call(remove));
//! let Closed::InputRequired(asked) = round.close(outcome, &request, now) else { panic!() };
//!
//! // The client asks the person and sends the request again.
//! let answers = serde_json::value::to_raw_value(&serde_json::json!({
//!     "remove": { "action": "accept", "content": { "confirmed": true } }
//! }))?;
//! let state = serde_json::value::to_raw_value(&asked.request_state)?;
//! request.input_responses = Some(&answers);
//! request.request_state = Some(&state);
//! let round = rounds.open(&request, &policy, env([3; 32]))?;
//! let outcome = block_on(round.call(remove));
//! assert!(matches!(round.close(outcome, &request, now), Closed::Complete("removed")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod open;
mod request;
mod rounds;
mod single_use;

pub use open::{Closed, OpenRound, Outcome};
pub use request::{Reject, RoundEnv, RoundPolicy, RoundRequest};
pub use rounds::Rounds;
pub use single_use::{Attempt, Replay};
