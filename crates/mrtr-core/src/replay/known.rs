//! What a handler may know of its exchange, and what a flow may do with it.

use std::any::Any;

use super::ask::{Ask, Reading};
use super::cx::Cx;
use super::fault::FaultKind;
use super::question::Question;
use super::url::check_url;
use crate::Timestamp;
use crate::state::{ExchangeId, Principal};
use crate::trace::TraceContext;
use crate::wire::{Capabilities, Capability};

impl<M> Cx<M> {
    /// When the first request of the exchange arrived: the same in every
    /// round, and so safe to use in questions.
    #[must_use]
    pub fn started_at(&self) -> Timestamp {
        self.shared.about.started_at
    }

    /// Whether the client declared what asking this way needs. A question that
    /// needs more ends the request with an error.
    #[must_use]
    pub fn can_ask(&self, capability: Capability) -> bool {
        self.shared.about.capabilities.contains(capability)
    }

    /// All that the client declared.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.shared.about.capabilities
    }

    /// Who sent the request, as authentication found.
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        self.shared.about.principal.as_deref()
    }

    /// The trace to go on with in calls to other services: that of the request,
    /// or of the first request where this one came without or belongs to
    /// another trace. So all rounds of an exchange stand in one trace. It comes
    /// from the client and proves nothing.
    #[must_use]
    pub fn trace_context(&self) -> Option<&TraceContext> {
        self.shared.about.trace.as_ref()
    }

    /// The exchange, for logs: the same in all its rounds.
    #[must_use]
    pub fn exchange_id(&self) -> ExchangeId {
        self.shared.about.exchange
    }

    /// The number of this round, from 1. Rounds that only wait do not count.
    #[must_use]
    pub fn round(&self) -> u16 {
        self.shared.about.asked_rounds.saturating_add(1)
    }

    /// What the host of the round attached to it, if it is a `T`.
    #[must_use]
    pub fn host<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.shared.about.host.as_deref()?.downcast_ref()
    }

    pub(crate) fn forget(&self, key: impl AsRef<str>) {
        self.shared.run().forget(&self.key(key));
    }

    pub(crate) fn fault(&self, kind: FaultKind) {
        self.shared.fault(kind);
    }

    pub(crate) fn flow_state(&self) -> Option<Box<str>> {
        self.shared.run().flow_state()
    }

    pub(crate) fn set_flow_state(&self, state: Box<str>) {
        self.shared.run().set_flow_state(state);
    }

    /// Asks for consent to open a URL, without a check of what happens there.
    pub(crate) fn visit(&self, key: impl AsRef<str>, message: String, url: String) -> Ask<()> {
        if let Err(problem) = check_url(&url) {
            return Ask::refuse(&self.shared, self.key(key), problem.to_owned());
        }
        let question = Question::url(message, url);
        Ask::issue(&self.shared, self.key(key), question, false, |_| {
            Reading::Value(())
        })
    }
}
