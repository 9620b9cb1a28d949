//! What a round is opened with.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::single_use::{Attempt, Replay};
use crate::Timestamp;
use crate::ledger::Ledger;
use crate::replay::{Spawner, Timer};
use crate::state::{Binding, Method, Principal, Rejection, RejectionReason, StateLimits};
use crate::trace::TraceContext;
use crate::wire::{AnswerLimits, Capabilities, Cause};

/// The parts of a request that a round is about.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RoundRequest<'a> {
    /// The method.
    pub method: Method,
    /// Name of the tool or prompt, or the URI of the resource.
    pub target: &'a str,
    /// The `arguments`; absent counts as `{}`.
    pub arguments: Option<&'a RawValue>,
    /// Who sent it, as authentication found.
    pub principal: Option<&'a Arc<Principal>>,
    /// What the client declared in this request.
    pub capabilities: Capabilities,
    /// The `inputResponses` member as it came.
    pub input_responses: Option<&'a RawValue>,
    /// The `requestState` member as it came.
    pub request_state: Option<&'a RawValue>,
}

impl<'a> RoundRequest<'a> {
    /// A first request without arguments, from nobody in particular, by a
    /// client that declared nothing.
    #[must_use]
    pub const fn new(method: Method, target: &'a str) -> Self {
        Self {
            method,
            target,
            arguments: None,
            principal: None,
            capabilities: Capabilities::NONE,
            input_responses: None,
            request_state: None,
        }
    }

    pub(super) fn binding<'b>(
        &'b self,
        audience: &'b str,
        revision: Option<&'b str>,
    ) -> Binding<'b> {
        Binding {
            principal: self.principal.map(AsRef::as_ref),
            method: self.method,
            target: self.target,
            arguments: self.arguments,
            audience,
            revision,
        }
    }
}

/// The rules of one tool, prompt or resource.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RoundPolicy {
    /// Times, rounds and sizes.
    pub limits: StateLimits,
    /// How much a client may answer at once. As many answers as questions went
    /// out are always allowed.
    pub answers: AnswerLimits,
    /// Capabilities without which the handler does not even start.
    pub requires: Capabilities,
    /// Whether answers count only after they were asked for, for every
    /// question of the handler. Answers that come along with a first request
    /// are otherwise taken for plain questions, like arguments.
    pub asked_only: bool,
    /// How often a state may be used.
    pub replay: Replay,
}

/// What the surroundings give to a round.
#[derive(Clone)]
pub struct RoundEnv {
    pub(super) now: Timestamp,
    pub(super) random: [u8; 32],
    pub(super) timer: Arc<dyn Timer>,
    pub(super) spawner: Option<Arc<dyn Spawner>>,
    pub(super) host: Option<Arc<dyn Any + Send + Sync>>,
    pub(super) ledger: Option<Arc<dyn Ledger>>,
    pub(super) attempt: Option<Attempt>,
    pub(super) trace: Option<TraceContext>,
}

impl RoundEnv {
    /// The time at which the request arrived, 32 random bytes used for this
    /// round only, and a way to wait.
    #[must_use]
    pub fn new(now: Timestamp, random: [u8; 32], timer: Arc<dyn Timer>) -> Self {
        Self {
            now,
            random,
            timer,
            spawner: None,
            host: None,
            ledger: None,
            attempt: None,
            trace: None,
        }
    }

    /// Where [shielded](crate::replay::Cx::shield) work runs. Without it such
    /// work runs within the handler and ends with it.
    #[must_use]
    pub fn with_spawner(mut self, spawner: Arc<dyn Spawner>) -> Self {
        self.spawner = Some(spawner);
        self
    }

    /// Attaches something that handlers get back from
    /// [`Cx::host`](crate::replay::Cx::host).
    #[must_use]
    pub fn with_host(mut self, host: Arc<dyn Any + Send + Sync>) -> Self {
        self.host = Some(host);
        self
    }

    /// The trace context that the request carries.
    #[must_use]
    pub fn with_trace(mut self, trace: TraceContext) -> Self {
        self.trace = Some(trace);
        self
    }

    /// The store that all replicas of the server share. Needed, with an
    /// [attempt](Self::with_attempt), under [`Replay::Once`].
    #[must_use]
    pub fn with_ledger(mut self, ledger: Arc<dyn Ledger>) -> Self {
        self.ledger = Some(ledger);
        self
    }

    /// What this attempt is known by in the ledger.
    #[must_use]
    pub const fn with_attempt(mut self, attempt: Attempt) -> Self {
        self.attempt = Some(attempt);
        self
    }
}

impl fmt::Debug for RoundEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoundEnv")
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

/// A request that gets an error, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Reject {
    /// What the client is told.
    pub cause: Cause,
    /// The true reason, for the log only.
    pub log: String,
    /// Why the state did not open, where that is the reason.
    pub bad_state: Option<RejectionReason>,
}

impl Reject {
    pub(crate) fn new(cause: Cause, log: impl fmt::Display) -> Self {
        Self {
            cause,
            log: log.to_string(),
            bad_state: None,
        }
    }
}

impl From<Cause> for Reject {
    fn from(cause: Cause) -> Self {
        Self {
            log: cause.to_string(),
            cause,
            bad_state: None,
        }
    }
}

impl From<Rejection> for Reject {
    fn from(rejection: Rejection) -> Self {
        Self {
            cause: Cause::InvalidRequestState,
            log: rejection.to_string(),
            bad_state: Some(rejection.into_reason()),
        }
    }
}

/// The reason for the log.
impl fmt::Display for Reject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.log)
    }
}

impl std::error::Error for Reject {}
