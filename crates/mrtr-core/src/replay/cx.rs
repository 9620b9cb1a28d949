//! What a handler talks to.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::context::{Durable, Stateless};
use super::fault::FaultKind;
use super::idempotency::IdempotencyKey;
use super::later::Later;
use super::shared::Shared;
use super::shield::Shielded;
use super::step::{Step, StepValue};
use crate::Timestamp;
use crate::state::{ExchangeId, Principal};
use crate::wire::{Capabilities, Capability};

/// The context of one run of a handler: asks, remembers, and knows about the
/// exchange.
///
/// Cheap to clone; clones belong to the same run. It works inside the
/// handler's own future and whatever that polls (`join!`, `select!`,
/// `FuturesUnordered`), not in spawned tasks. What is made by it panics when it
/// is polled after its round has ended.
///
/// `M` says what the handler relies on: nothing but the state
/// ([`Stateless`]), or also a ledger that replicas share ([`Durable`]).
///
/// A key names a question or a step within the run and is the key of the
/// question in `inputRequests`. Each key is used once per run; loops take
/// [`at`](Self::at).
///
/// ```
/// use mrtr_core::replay::{Cx, ToolError};
///
/// async fn remove(cx: Cx, path: String) -> Result<String, ToolError> {
///     let size: u64 = cx.step("size", || async { Ok::<_, std::io::Error>(1_024) }).await?;
///     cx.confirm("remove", format!("Remove {path} ({size} bytes)?")).await?;
///     Ok(format!("removed {path} as {}", cx.idempotency_key("remove")))
/// }
/// ```
#[derive(Clone)]
pub struct Cx<M = Stateless> {
    pub(super) shared: Arc<Shared>,
    prefix: Option<Arc<str>>,
    mode: PhantomData<M>,
}

impl<M> Cx<M> {
    pub(crate) const fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            prefix: None,
            mode: PhantomData,
        }
    }

    pub(super) fn key(&self, key: impl AsRef<str>) -> Arc<str> {
        let key = key.as_ref();
        match &self.prefix {
            None => key.into(),
            Some(prefix) => [prefix, key].concat().into(),
        }
    }

    /// Does `work` once: its `Ok` is remembered for all later rounds.
    ///
    /// Nothing starts before it is awaited, and nothing at all when the value
    /// is already known. Until the round ends with a question the value is not
    /// remembered, so the work happens at least once. An `Err` is given back and not remembered.
    ///
    /// A round waits for work that has begun before it asks anything: the work
    /// must not wait in turn (on a channel, for a lock) for what the handler
    /// does with an answer.
    ///
    /// Remembered values travel through the client in sealed form: keep them
    /// short. They must survive JSON.
    pub fn step<T, E, F, Fut>(&self, key: impl AsRef<str>, work: F) -> Step<F, Fut>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
        T: Serialize + DeserializeOwned,
    {
        Step::new(&self.shared, self.key(key), work)
    }

    /// As [`step`](Self::step), for work whose value is remembered whatever it
    /// is, such as the time or a random choice.
    pub fn step_value<F, Fut>(&self, key: impl AsRef<str>, work: F) -> StepValue<F, Fut>
    where
        F: FnOnce() -> Fut,
        Fut: Future,
        Fut::Output: Serialize + DeserializeOwned,
    {
        StepValue::new(&self.shared, self.key(key), work)
    }

    /// Runs `work` to its end once it was awaited, even when the handler is
    /// dropped: because the client has gone or cancelled the request, its time
    /// is over, or the round ends with a question.
    ///
    /// For work that must not stop half-way. It is nothing more: the round does
    /// not wait for it, and in a later round it runs again. Where that must not
    /// be, shield the work of a step: the round then waits until it is done, and
    /// its value is remembered.
    ///
    /// Questions and steps do not work inside, as in a spawned task. A panic
    /// inside is one of the handler. When the server stops it waits for such
    /// work, for a bounded time. Where nothing can run by itself (in
    /// [`harness`](crate::harness)) the work runs within the handler and ends with
    /// it.
    ///
    /// ```
    /// # use mrtr_core::replay::{Cx, ToolError};
    /// # async fn withdraw(key: String) -> Result<(), std::io::Error> { Ok(()) }
    /// # async fn deposit(key: String) -> Result<u64, std::io::Error> { Ok(7) }
    /// async fn transfer(cx: Cx) -> Result<String, ToolError> {
    ///     cx.confirm("transfer", "Transfer 100 EUR?").await?;
    ///     let key = cx.idempotency_key("transfer").to_string();
    ///     let receipt = cx.shield(async move {
    ///         withdraw(key.clone()).await?;
    ///         deposit(key).await
    ///     });
    ///     Ok(format!("Done: receipt {}.", receipt.await?))
    /// }
    /// ```
    pub fn shield<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Shielded<T> {
        Shielded::new(&self.shared, work)
    }

    /// Waits for `future` within this request for up to `hold`; then the
    /// client is sent away with a state and comes back by itself.
    ///
    /// The future is made anew in every round and its value is not remembered.
    /// Such rounds do not count against the cap; the deadline of the exchange
    /// ends them. Many clients handle a result without questions badly: give
    /// up after the first one, or come back at once ten times. Prefer to hold
    /// the request, and use this only where a rare second round does no harm.
    pub fn later_when<Fut: Future>(&self, future: Fut, hold: Duration) -> Later<Fut> {
        Later::new(&self.shared, future, hold)
    }

    /// A context whose keys start with `i/`, for loops.
    ///
    /// ```
    /// # use mrtr_core::replay::{Cx, Refused};
    /// async fn confirm_all(cx: Cx, files: Vec<String>) -> Result<(), Refused> {
    ///     for (i, file) in files.iter().enumerate() {
    ///         cx.at(i).confirm("remove", format!("Remove {file}?")).await?; // "0/remove", ..
    ///     }
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn at(&self, i: impl fmt::Display) -> Self {
        let prefix = match &self.prefix {
            None => format!("{i}/"),
            Some(prefix) => format!("{prefix}{i}/"),
        };
        Self {
            shared: self.shared.clone(),
            prefix: Some(prefix.into()),
            mode: PhantomData,
        }
    }

    /// When the first request of the exchange arrived: the same in every
    /// round, and so safe to use in questions.
    #[must_use]
    pub fn started_at(&self) -> Timestamp {
        self.shared.about.started_at
    }

    /// A key for external services that is the same in every later run of this
    /// exchange. The label may be used more than once.
    pub fn idempotency_key(&self, label: impl AsRef<str>) -> IdempotencyKey {
        let label = self.key(label);
        IdempotencyKey::new(&self.shared, label.as_ref().to_owned())
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

    /// What the host of the round attached to it, if it is a `T`.
    #[must_use]
    pub fn host<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.shared.about.host.as_deref()?.downcast_ref()
    }
}

/// What a durable handler shares with others.
impl From<Cx<Durable>> for Cx {
    fn from(cx: Cx<Durable>) -> Self {
        Self {
            shared: cx.shared,
            prefix: cx.prefix,
            mode: PhantomData,
        }
    }
}

impl<M> fmt::Debug for Cx<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx")
            .field("exchange", &self.exchange_id())
            .field("round", &self.round())
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}
