//! Playing a handler against scripted answers, in process, for its author's
//! tests.
//!
//! A [`Harness`] runs the rounds of one exchange as a server does, sealed
//! states included, and answers as a client would. Two checks find what
//! usually goes wrong only in production:
//! [`repeat_each_round`](Harness::repeat_each_round) compares what a round
//! asks when it is run again, and
//! [`drop_at_every_await`](Harness::drop_at_every_await) abandons it wherever
//! a client could have gone away.
//!
//! ```
//! use mrtr_core::harness::{End, Harness};
//! use mrtr_core::replay::{Cx, ToolError};
//!
//! async fn remove(cx: Cx) -> Result<&'static str, ToolError> {
//!     cx.confirm("remove", "Remove it?").await?;
//!     Ok("removed")
//! }
//!
//! # async fn test() {
//! let played = Harness::new(remove).confirm("remove").play().await;
//! assert_eq!(played.value(), "removed");
//!
//! let played = Harness::new(remove).decline("remove").play().await;
//! assert!(matches!(played.end, End::Refused(_)));
//!
//! let played = Harness::new(remove).play().await;
//! assert_eq!(played.unanswered(), ["remove"]);
//! # }
//! # let mut test = std::pin::pin!(test());
//! # let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
//! # assert!(std::future::Future::poll(test.as_mut(), &mut cx).is_ready());
//! ```

mod abandon;
mod compare;
mod play;
mod played;
mod script;

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::Timestamp;
use crate::replay::{NoHold, Timer};
use crate::round::RoundPolicy;
use crate::state::{Method, Principal};
use crate::wire::{Capabilities, Capability, InputResponse};

pub use played::{End, Played, RoundPlayed};
use script::Script;

/// Plays one exchange with a handler.
///
/// The client of a new harness declares every capability; the request is
/// `tools/call` of a tool named `tool`, without arguments, from nobody in
/// particular; nothing is held (see [`NoHold`]); the time stands still.
#[must_use]
pub struct Harness<H> {
    handler: H,
    script: Script,
    policy: RoundPolicy,
    method: Method,
    target: String,
    arguments: Option<Box<RawValue>>,
    principal: Option<Arc<Principal>>,
    capabilities: Capabilities,
    now: Timestamp,
    timer: Arc<dyn Timer>,
    repeat: bool,
    abandon: bool,
}

impl<H> Harness<H> {
    /// A harness for `handler`, a function from [`Cx`](crate::replay::Cx) to
    /// the handler's future. Arguments are captured:
    /// `Harness::new(|cx| book(cx, trip.clone()))`.
    pub fn new(handler: H) -> Self {
        Self {
            handler,
            script: Script::default(),
            policy: RoundPolicy::default(),
            method: Method::ToolsCall,
            target: "tool".to_owned(),
            arguments: None,
            principal: None,
            capabilities: Capability::ALL.into_iter().collect(),
            now: Timestamp::from_secs(1_785_196_800),
            timer: Arc::new(NoHold),
            repeat: false,
            abandon: false,
        }
    }

    /// Accepts the form `key` with this content. Answers to one key are used
    /// in the order they are given here, each once.
    pub fn answer(self, key: impl Into<String>, content: impl Serialize) -> Self {
        self.with(|script| script.accept(key.into(), &content))
    }

    /// Says yes to the confirmation `key`.
    pub fn confirm(self, key: impl Into<String>) -> Self {
        self.answer(key, std::collections::BTreeMap::from([("confirmed", true)]))
    }

    /// Agrees to open the URL of `key`.
    pub fn agree(self, key: impl Into<String>) -> Self {
        self.with(|script| script.agree(key.into()))
    }

    /// Declines the question `key`.
    pub fn decline(self, key: impl Into<String>) -> Self {
        self.with(|script| script.decline(key.into()))
    }

    /// Cancels the question `key`.
    pub fn cancel(self, key: impl Into<String>) -> Self {
        self.with(|script| script.cancel(key.into()))
    }

    /// Answers the question `key` with any response: of a model, or roots.
    pub fn respond(self, key: impl Into<String>, response: impl Into<InputResponse>) -> Self {
        self.with(|script| script.respond(key.into(), &response.into()))
    }

    fn with(mut self, add: impl FnOnce(&mut Script)) -> Self {
        add(&mut self.script);
        self
    }

    /// What the client declares.
    pub fn capabilities(mut self, capabilities: impl Into<Capabilities>) -> Self {
        self.capabilities = capabilities.into();
        self
    }

    /// Who sends the request.
    pub fn principal(mut self, principal: Principal) -> Self {
        self.principal = Some(Arc::new(principal));
        self
    }

    /// Which request is sent. The arguments are what the state is bound to;
    /// the handler gets its own.
    pub fn request(
        mut self,
        method: Method,
        target: impl Into<String>,
        arguments: Option<Box<RawValue>>,
    ) -> Self {
        self.method = method;
        self.target = target.into();
        self.arguments = arguments;
        self
    }

    /// The limits and other rules the handler is served with.
    pub fn policy(mut self, policy: RoundPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// The time at which everything happens.
    pub const fn now(mut self, now: Timestamp) -> Self {
        self.now = now;
        self
    }

    /// How [`elicit_url`](crate::replay::Cx::elicit_url) and
    /// [`later_when`](crate::replay::Cx::later_when) wait.
    pub fn timer(mut self, timer: Arc<dyn Timer>) -> Self {
        self.timer = timer;
        self
    }

    /// Runs each round that asked something once more, from the state it left
    /// and with no new answers: it must ask the very same again. Otherwise the
    /// exchange [ends](End::Diverged) with the difference.
    ///
    /// Finds questions that depend on time, randomness or changing data.
    pub const fn repeat_each_round(mut self) -> Self {
        self.repeat = true;
        self
    }

    /// Before each round runs, starts it again and again and drops it at its
    /// first await, at its second, and so on. Destructors that panic then are
    /// [faults](End::Fault).
    ///
    /// Steps that are not recorded yet happen in each of these runs, as they
    /// may when clients go away.
    pub const fn drop_at_every_await(mut self) -> Self {
        self.abandon = true;
        self
    }
}

impl<H> fmt::Debug for Harness<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Harness")
            .field("method", &self.method)
            .field("target", &self.target)
            .field("script", &self.script)
            .finish_non_exhaustive()
    }
}
