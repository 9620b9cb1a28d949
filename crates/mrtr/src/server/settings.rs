//! Settings that tools, prompts and resources share.

use std::time::Duration;

use mrtr_core::replay::Context;
use mrtr_core::round::{Replay, RoundPolicy};
use mrtr_core::state::StateLimits;
use mrtr_core::wire::Capabilities;

/// What an author set for one tool, prompt or resource; the rest is as the
/// server has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) requires: Capabilities,
    pub(crate) asked_only: bool,
    pub(crate) replay: Replay,
    /// Whether the handler relies on single use.
    durable: bool,
    pub(crate) ttl: Option<Duration>,
    pub(crate) exchange_deadline: Option<Duration>,
    pub(crate) max_rounds: Option<u16>,
    pub(crate) max_state_bytes: Option<usize>,
    pub(crate) request_deadline: Option<Duration>,
}

/// What a server has where nothing else is set.
#[derive(Clone, Debug)]
pub(crate) struct Defaults {
    pub(crate) limits: StateLimits,
    pub(crate) request_deadline: Duration,
    /// Whether there is a ledger.
    pub(crate) ledger: bool,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            limits: StateLimits::default(),
            request_deadline: Duration::from_secs(300),
            ledger: false,
        }
    }
}

/// The settings of one tool, prompt or resource in force.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) policy: RoundPolicy,
    pub(crate) request_deadline: Duration,
    ledger: bool,
    durable: bool,
}

impl Settings {
    /// Those of a handler that takes this context.
    pub(crate) fn of<C: Context>() -> Self {
        Self {
            replay: C::REPLAY,
            durable: C::REPLAY == Replay::Once,
            ..Self::default()
        }
    }

    pub(crate) fn over(&self, defaults: &Defaults) -> Rules {
        let mut policy = RoundPolicy::default();
        policy.requires = self.requires;
        policy.asked_only = self.asked_only;
        policy.replay = self.replay;
        policy.limits = defaults.limits.clone();
        let limits = &mut policy.limits;
        limits.ttl = self.ttl.unwrap_or(limits.ttl);
        limits.exchange = self.exchange_deadline.unwrap_or(limits.exchange);
        limits.max_rounds = self.max_rounds.unwrap_or(limits.max_rounds);
        limits.max_bytes = self.max_state_bytes.unwrap_or(limits.max_bytes);
        Rules {
            policy,
            request_deadline: self.request_deadline.unwrap_or(defaults.request_deadline),
            ledger: defaults.ledger,
            durable: self.durable,
        }
    }
}

impl Rules {
    /// What can never work.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &'static str> {
        let limits = &self.policy.limits;
        [
            (
                limits.ttl.is_zero(),
                "its states would expire at once: the ttl is zero",
            ),
            (
                limits.exchange.is_zero(),
                "its exchanges would end at once: their deadline is zero",
            ),
            (
                self.request_deadline.is_zero(),
                "its requests would end at once: their deadline is zero",
            ),
            (
                limits.max_rounds == 0,
                "it could never ask: no round is allowed",
            ),
            (
                limits.max_bytes < 256,
                "no state fits: fewer than 256 bytes are allowed",
            ),
            (
                self.durable && self.policy.replay == Replay::Allowed,
                "its handler takes a `Cx<Durable>` and so is of single use: leave `Replay::Allowed` out",
            ),
            (
                self.policy.replay == Replay::Once && !self.ledger,
                "single use needs a ledger that all replicas share: give one to `ServerBuilder::ledger`",
            ),
        ]
        .into_iter()
        .filter_map(|(wrong, problem)| wrong.then_some(problem))
    }
}

/// Methods of everything that has `settings: Settings` and a `definition`.
macro_rules! shared_methods {
    ($what:literal) => {
        /// A title for people; the name is shown where there is none.
        pub fn title(mut self, title: impl Into<String>) -> Self {
            self.definition.title = Some(title.into());
            self
        }

        /// What it is and when to use it.
        pub fn description(mut self, description: impl Into<String>) -> Self {
            self.definition.description = Some(description.into());
            self
        }

        /// Adds an icon to show beside it.
        pub fn icon(mut self, icon: mrtr_core::wire::Icon) -> Self {
            self.definition.icons.get_or_insert_default().push(icon);
            self
        }

        /// Sets its `_meta`.
        pub fn meta(mut self, meta: mrtr_core::wire::RawObject) -> Self {
            self.definition.meta = Some(meta);
            self
        }

        #[doc = concat!("A capability the client must declare, or the ", $what, " does not even start:")]
        /// the request is answered with error -32021 that lists all missing
        /// ones. May be called several times. Without it, a question the
        /// client cannot be asked ends the request when it is reached.
        pub fn requires(mut self, capability: mrtr_core::wire::Capability) -> Self {
            self.settings.requires.insert(capability);
            self
        }

        /// Lets answers count only after they were asked for. Answers that
        /// come along with a first request are otherwise taken for plain
        /// questions, as arguments are.
        pub fn asked_only(mut self) -> Self {
            self.settings.asked_only = true;
            self
        }

        #[doc = concat!("Whether a state of this ", $what, " may be used once only. Needs a")]
        /// [ledger](super::ServerBuilder::ledger). Default:
        /// [`Replay::Allowed`](mrtr_core::round::Replay::Allowed), where nothing
        /// is stored; [`Replay::Once`](mrtr_core::round::Replay::Once) where the
        /// handler takes a [`Cx<Durable>`](crate::Durable). See
        /// [single use](super#single-use).
        pub fn replay(mut self, replay: mrtr_core::round::Replay) -> Self {
            self.settings.replay = replay;
            self
        }

        /// How long the answers to one round may take. Default:
        /// [`ServerBuilder::limits`](super::ServerBuilder::limits), 10 minutes there.
        pub fn ttl(mut self, ttl: std::time::Duration) -> Self {
            self.settings.ttl = Some(ttl);
            self
        }

        /// How long all rounds of an exchange may take together. Default:
        /// [`ServerBuilder::limits`](super::ServerBuilder::limits), 1 hour there.
        pub fn exchange_deadline(mut self, deadline: std::time::Duration) -> Self {
            self.settings.exchange_deadline = Some(deadline);
            self
        }

        /// How many rounds may ask something. Default:
        /// [`ServerBuilder::limits`](super::ServerBuilder::limits), 10 there.
        pub fn max_rounds(mut self, rounds: u16) -> Self {
            self.settings.max_rounds = Some(rounds);
            self
        }

        /// The longest `requestState`, in bytes. Default:
        /// [`ServerBuilder::limits`](super::ServerBuilder::limits), 64 KiB there.
        pub fn max_state_bytes(mut self, bytes: usize) -> Self {
            self.settings.max_state_bytes = Some(bytes);
            self
        }

        /// How long one request may take; the handler is dropped then and the
        /// client told. Default:
        /// [`ServerBuilder::request_deadline`](super::ServerBuilder::request_deadline),
        /// 5 minutes there.
        pub fn request_deadline(mut self, deadline: std::time::Duration) -> Self {
            self.settings.request_deadline = Some(deadline);
            self
        }
    };
}
pub(crate) use shared_methods;
