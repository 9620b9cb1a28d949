//! Work that is attempted at most once.

mod body;
mod row;

use std::fmt;
use std::future::{Future, pending, poll_fn};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::backing::Backing;
use super::drive::spent;
use super::fault::FaultKind;
use super::idempotency::digest;
use super::patience::Pauses;
use super::shared::Shared;
use super::shield::{DROPPED, Halt, Shielded};
use super::step::{Core, Polled};
use super::unknown::OutcomeUnknown;
use crate::ledger::{Entry, OnceKey};
use body::{Body, Lookup};
use row::{Came, No, Row};

/// A value as JSON, or why it cannot be written.
type Text = Result<String, String>;

/// Work that is attempted at most once per exchange; made by
/// [`Cx::once`](super::Cx::once).
///
/// Awaiting it gives the value, or [`OutcomeUnknown`].
#[must_use = "nothing is done until it is awaited"]
pub struct Once<'a, T> {
    core: Core<Plan<'a>, Settling<'a>>,
    value: PhantomData<fn() -> T>,
}

type Settling<'a> = Pin<Box<dyn Future<Output = Settled> + Send + 'a>>;

enum Settled {
    Value(Box<str>),
    Unknown,
}

/// What is to be done.
struct Plan<'a> {
    shared: Arc<Shared>,
    backing: Arc<Backing>,
    name: Arc<str>,
    body: Body,
    scope: Option<String>,
    lookup: Option<Lookup<'a>>,
}

impl<'a, T> Once<'a, T>
where
    T: Serialize + DeserializeOwned + Send + 'static,
{
    pub(super) fn new<Fut>(
        shared: &Arc<Shared>,
        backing: &Arc<Backing>,
        name: Arc<str>,
        work: impl FnOnce() -> Fut + Send + 'static,
    ) -> Self
    where
        Fut: Future<Output = T> + Send + 'static,
    {
        let plan = Plan {
            shared: shared.clone(),
            backing: backing.clone(),
            name: name.clone(),
            body: body::body(work),
            scope: None,
            lookup: None,
        };
        Self {
            core: Core::new(shared, name, plan),
            value: PhantomData,
        }
    }

    /// Makes what `scope` names (an order number, a path) the thing to which
    /// it is done at most once, instead of the exchange: the same principal
    /// calling the same target with the same key and scope gets the same
    /// value, in this exchange and in any other, for as long as this exchange
    /// may take.
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        if let Some(plan) = self.core.idle() {
            plan.scope = Some(scope.into());
        }
        self
    }

    /// How to find out what came of it when that is not known, such as by
    /// asking whoever did it.
    ///
    /// What the lookup finds is recorded and given, as if the body had
    /// returned it; `None` leaves the outcome unknown. It may be asked more
    /// than once, and while the body is still at it: a lookup that finds that
    /// nothing happened must first see to it that nothing will.
    pub fn reconcile<Fut>(mut self, lookup: impl FnOnce() -> Fut + Send + 'a) -> Self
    where
        Fut: Future<Output = Option<T>> + Send + 'a,
    {
        if let Some(plan) = self.core.idle() {
            plan.lookup = Some(body::lookup(lookup));
        }
        self
    }
}

impl<T> Unpin for Once<'_, T> {}

impl<T: DeserializeOwned> Future for Once<'_, T> {
    type Output = Result<T, OutcomeUnknown>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let core = &mut self.get_mut().core;
        match std::task::ready!(core.poll(cx, Plan::settle)) {
            Polled::Recorded(value) => Poll::Ready(Ok(value)),
            Polled::Fresh(Settled::Value(text)) => core.take(text).map(Ok),
            Polled::Fresh(Settled::Unknown) => {
                Poll::Ready(Err(OutcomeUnknown::new(core.key().clone())))
            }
        }
    }
}

impl<T> fmt::Debug for Once<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Once").field(self.core.key()).finish()
    }
}

impl<'a> Plan<'a> {
    fn settle(self) -> Settling<'a> {
        Box::pin(async {
            let shared = self.shared.clone();
            match self.settled().await {
                Ok(settled) => settled,
                Err(no) => shared.end(no).await,
            }
        })
    }

    async fn settled(self) -> Result<Settled, No> {
        let row = self.row()?;
        let mut body = self.body;
        let mut pauses = Pauses::up_to(Duration::from_millis(500));
        loop {
            match attempted(&self.shared, &row, body).await? {
                Came::Value(text) => return Ok(Settled::Value(text)),
                Came::No(no) => return Err(no),
                Came::Unknown => break,
                Came::Busy { left, body: again } => {
                    if !row.timer.waits() {
                        return Err(row.busy());
                    }
                    row.timer.sleep(pauses.next().min(left)).await;
                    body = again;
                }
            }
        }
        let found = match self.lookup {
            Some(lookup) => lookup().await,
            None => None,
        };
        match found {
            Some(text) => row.record(text).await.map(Settled::Value),
            None => Ok(Settled::Unknown),
        }
    }

    fn row(&self) -> Result<Row, No> {
        let about = &self.shared.about;
        if self.scope.is_none() && !about.has_token {
            let fault = FaultKind::OnceBeforeToken(self.name.clone());
            return Err(No::Fault(fault));
        }
        let scope = self.scope.as_deref();
        let key = digest("mrtr 2026-07-28 once key", about, &self.name, scope);
        let backing = &self.backing;
        Ok(Row {
            entry: Entry {
                epoch: backing.epoch,
                key: OnceKey::from_bytes(key),
                state: backing.run.map(|(state, _)| state),
                fence: backing.fence,
                lease: backing.lease,
                keep: backing.keep,
            },
            timer: about.timer.clone(),
            backing: backing.clone(),
            name: self.name.clone(),
        })
    }
}

/// An attempt that goes on when nobody waits for it any more.
async fn attempted(shared: &Arc<Shared>, row: &Row, body: Body) -> Result<Came, No> {
    let mut attempt = Shielded::new(shared, row.clone().attempt(body));
    match poll_fn(|cx| attempt.poll_end(cx)).await {
        Ok(came) => Ok(came),
        Err(Halt::Dropped) => Err(row.dropped(DROPPED)),
        Err(Halt::Panicked(panic)) => Err(No::Fault(FaultKind::Panicked(spent(panic)))),
    }
}

impl Shared {
    /// Ends the round; the handler gets no answer that it could mistake for
    /// one.
    async fn end<T>(&self, no: No) -> T {
        match no {
            No::Fault(kind) => self.fault(kind),
            No::Stop(stop) => self.run().stop(stop),
        }
        pending().await
    }
}
