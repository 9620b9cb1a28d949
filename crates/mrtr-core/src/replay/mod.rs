//! Handlers as straight-line code on a server that remembers nothing.
//!
//! A handler is an `async fn` that takes a [`Cx`]. It asks with
//! [`elicit`](Cx::elicit), [`elicit_url`](Cx::elicit_url),
//! [`confirm`](Cx::confirm), [`sample`](Cx::sample) and [`roots`](Cx::roots),
//! and wraps work to be done once in [`step`](Cx::step). When it waits for
//! answers and nothing else, its round ends: the questions go to the client,
//! what is known so far goes into the sealed `requestState`, and the handler
//! is dropped, so that guards run and nothing is held. When the client comes
//! back, the handler runs again from the start; what is known is given to it
//! at once.
//!
//! # The rule
//!
//! A question is *issued* when the method is called, *blocked* once it was
//! polled without an answer, and *withdrawn* when dropped. An unanswered one
//! keeps no waker and never resolves, so there is no "not yet" that a handler
//! could mistake for an answer. After every poll of the handler:
//!
//! 1. a [`Fault`] was recorded: the handler is dropped and the fault reported;
//! 2. the handler is done: that is the result, open questions are forgotten;
//! 3. it waits, and a question is blocked:
//!    1. a started step was polled just now, or has not been woken since it
//!       was last polled: the round waits for it;
//!    2. started steps were all woken and not polled: the handler is polled
//!       again, up to 64 times in a row;
//!    3. else the round suspends. Its questions are all that are issued,
//!       unanswered and not withdrawn, polled or not;
//! 4. it waits and no question is blocked: for ordinary I/O, which wakes it.
//!
//! # What a handler must do
//!
//! Reach the same questions and steps from the same arguments and answers.
//! Anything else that differs between runs (time, random numbers, data of
//! others) belongs into a step; a `select!` between questions that can all be
//! answered is `biased`. Side effects belong into steps too, and those
//! that must not happen twice also carry an
//! [idempotency key](Cx::idempotency_key): a step is done *at least* once.
//! Work that must not stop half-way when the handler is dropped is
//! [shielded](Cx::shield).
//!
//! Implements [multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).

mod ask;
mod backing;
mod by_key;
mod confirm;
mod context;
mod cx;
mod drive;
mod error;
mod fault;
mod held;
mod idempotency;
mod journal;
mod kept;
mod known;
mod later;
mod once;
mod patience;
mod question;
mod refused;
mod rule;
mod run;
mod shared;
mod shield;
mod spawner;
mod step;
mod steps;
mod timer;
mod unknown;
mod url;

pub use ask::{Answerable, Ask};
pub use confirm::Confirm;
pub use context::{Context, Durable, Stateless};
pub use cx::Cx;
pub use error::{ToolError, ToolErrorKind};
pub use fault::{Fault, FaultKind};
pub use idempotency::IdempotencyKey;
pub use journal::MAX_KEY_BYTES;
pub use kept::Kept;
pub use later::Later;
pub use once::Once;
pub use refused::{Refusal, Refused};
pub use shield::Shielded;
pub use spawner::{Spawner, Task};
pub use step::{Step, StepValue};
pub use timer::{NoHold, Sleep, Timer};
pub use unknown::OutcomeUnknown;
pub use url::{DEFAULT_HOLD, UrlAsk, UrlError};

pub(crate) use backing::Backing;
pub(crate) use drive::{Ending, drive};
pub(crate) use journal::{Entry, Given, Journal};
pub(crate) use rule::Suspension;
pub(crate) use run::{Run, Stop};
pub(crate) use shared::{About, Shared};
