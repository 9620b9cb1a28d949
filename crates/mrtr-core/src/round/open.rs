//! A round that has been opened: run the handler, then close it.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use super::request::{Reject, RoundRequest};
use super::rounds::bad_answer;
use crate::Timestamp;
use crate::ledger::Claim;
use crate::replay::{
    Backing, Context, Cx, Ending, Fault, FaultKind, Journal, Refused, Shared, Stop, Suspension,
    ToolError, drive,
};
use crate::state::{Bound, Claims, ExchangeId, Keyring, SealError, StateLimits, Writer, seal};
use crate::trace::TraceContext;
use crate::wire::{Cause, InputRequests, InputRequiredResult};

/// What it takes to seal the next state.
pub(super) struct Sealing {
    pub(super) keyring: Arc<Keyring>,
    pub(super) audience: Arc<str>,
    pub(super) revision: Option<Arc<str>>,
    pub(super) limits: StateLimits,
    pub(super) claims: Claims,
    /// Absent in a first round: made only if there is something to seal.
    pub(super) bound: Option<Bound>,
    pub(super) nonce: [u8; 12],
}

/// One run of a handler, ready to go.
#[must_use]
pub struct OpenRound {
    pub(crate) shared: Arc<Shared>,
    /// There in a round of single use.
    pub(crate) backing: Option<Arc<Backing>>,
    sealing: Sealing,
    opened_at: Timestamp,
}

/// How a handler's run ended; to be passed to [`OpenRound::close`].
#[must_use]
#[derive(Debug)]
pub struct Outcome<T>(pub(super) Ending<T>);

impl<T> Outcome<T> {
    /// Whether the handler waits for answers, so that the result will be an
    /// `InputRequiredResult`, unless it cannot be sealed.
    #[must_use]
    pub const fn is_suspended(&self) -> bool {
        matches!(self.0, Ending::Suspended(_))
    }

    /// Whether another attempt has taken the run over, so that the result will
    /// be [`Closed::Lost`].
    #[must_use]
    pub const fn is_lost(&self) -> bool {
        matches!(self.0, Ending::Stopped(Stop::Lost))
    }
}

/// What to answer.
#[derive(Debug)]
pub enum Closed<T> {
    /// The handler's result.
    Complete(T),
    /// The person refused a question, and the handler ended with that.
    Refused(Refused),
    /// The handler failed.
    Failed(ToolError),
    /// The client is asked something, or to come back.
    InputRequired(InputRequiredResult),
    /// The request gets an error that is no fault of the handler.
    Rejected(Reject),
    /// The handler broke a rule or panicked: log it, answer with
    /// [`Cause::Fault`].
    Fault(Fault),
    /// Another attempt has taken the run over and will finish it: wait for its
    /// result as if this one had never been granted. Only where there was a
    /// [claim](OpenRound::claim).
    Lost,
}

impl OpenRound {
    pub(super) const fn new(
        shared: Arc<Shared>,
        backing: Option<Arc<Backing>>,
        sealing: Sealing,
        opened_at: Timestamp,
    ) -> Self {
        Self {
            shared,
            backing,
            sealing,
            opened_at,
        }
    }

    /// What to claim in the ledger before the handler runs: there under
    /// [`Replay::Once`](super::Replay::Once) in every round but the first.
    ///
    /// Only who was granted it may run the handler, and what the round closes
    /// with is answered after it was stored as the result.
    #[must_use]
    pub fn claim(&self) -> Option<Claim> {
        self.backing.as_ref()?.claim()
    }

    /// The context to call the handler with.
    #[must_use]
    pub fn cx(&self) -> Cx {
        Cx::of(self.shared.clone())
    }

    /// As [`cx`](Self::cx), of the kind that the handler takes; a durable one
    /// is there under [`Replay::Once`](super::Replay::Once) only.
    #[must_use]
    pub fn context<C: Context>(&self) -> Option<C> {
        C::of_round(self)
    }

    /// The exchange, for logs. In a first round it becomes known to the client
    /// only if the handler asks.
    #[must_use]
    pub fn exchange_id(&self) -> ExchangeId {
        self.sealing.claims.exchange
    }

    /// When the request arrived.
    #[must_use]
    pub const fn opened_at(&self) -> Timestamp {
        self.opened_at
    }

    /// The trace to go by, for logs: as [`Cx::trace_context`].
    #[must_use]
    pub fn trace_context(&self) -> Option<&TraceContext> {
        self.shared.about.trace.as_ref()
    }

    /// Whether the request came without a state.
    #[must_use]
    pub const fn is_first(&self) -> bool {
        self.sealing.bound.is_none()
    }

    /// The number of the round, from 1, as [`Cx::round`] gives it.
    #[must_use]
    pub const fn round(&self) -> u16 {
        self.sealing.claims.round.saturating_add(1)
    }

    /// Calls a handler and runs it until it ends or waits for answers only, by
    /// the rule of [`replay`](crate::replay). Panics end as faults. Dropping
    /// the future abandons the round. A round runs once.
    pub async fn call<H, F, T, E>(&self, handler: H) -> Outcome<T>
    where
        H: FnOnce(Cx) -> F,
        F: Future<Output = Result<T, E>>,
        E: Into<ToolError>,
    {
        let cx = self.cx();
        self.drive(async { handler(cx).await }).await
    }

    /// As [`call`](Self::call), for a handler that was called with
    /// [`cx`](Self::cx) already: a panic of that call was the caller's.
    pub async fn drive<F, T, E>(&self, handler: F) -> Outcome<T>
    where
        F: Future<Output = Result<T, E>>,
        E: Into<ToolError>,
    {
        Outcome(drive(&self.shared, handler).await)
    }

    /// Says what to answer, at `now`, and seals the next state if there is
    /// one. `request` is the one the round was opened with.
    pub fn close<T>(
        self,
        outcome: Outcome<T>,
        request: &RoundRequest<'_>,
        now: Timestamp,
    ) -> Closed<T> {
        match outcome.0 {
            Ending::Done(Ok(value)) => Closed::Complete(value),
            Ending::Done(Err(error)) => match error.refused() {
                Some(refused) => Closed::Refused(refused.clone()),
                None => Closed::Failed(error),
            },
            Ending::Suspended(suspension) => self.suspended(suspension, request, now),
            Ending::MissingCapabilities(missing) => {
                Closed::Rejected(Cause::MissingCapability(missing).into())
            }
            Ending::BadAnswer(bad) => Closed::Rejected(bad_answer(&bad.key, &bad.problem)),
            Ending::Fault(fault) => Closed::Fault(fault),
            Ending::Stopped(Stop::Lost) => Closed::Lost,
            Ending::Stopped(Stop::Rejected(reject)) => Closed::Rejected(reject),
        }
    }

    fn suspended<T>(
        self,
        suspension: Suspension,
        request: &RoundRequest<'_>,
        now: Timestamp,
    ) -> Closed<T> {
        let Suspension {
            questions,
            mut journal,
        } = suspension;
        let Sealing {
            keyring,
            audience,
            revision,
            limits,
            claims,
            bound,
            nonce,
        } = self.sealing;
        let bound = match bound {
            Some(bound) => bound,
            None => match Bound::new(&request.binding(&audience, revision.as_deref())) {
                Ok(bound) => bound,
                Err(problem) => {
                    let told = format!("`arguments`: {problem}");
                    return Closed::Rejected(Cause::InvalidParams(told.into()).into());
                }
            },
        };
        let claims = match questions.is_empty() {
            true => claims.renewed(now, &limits),
            false => claims.next(now, &limits),
        };
        let sealed = claims.and_then(|claims| {
            let seal = |journal: &Journal| {
                let mut body = Writer::appending(Vec::with_capacity(256));
                journal.encode(&mut body);
                seal(
                    &keyring,
                    &claims,
                    &bound,
                    &body.into_bytes(),
                    nonce,
                    &limits,
                )
            };
            // What a client says of traces never makes a state too large.
            seal(&journal).or_else(|error| match error {
                SealError::TooLarge { .. } if journal.trace.take().is_some() => seal(&journal),
                error => Err(error),
            })
        });
        match sealed {
            Ok(state) => {
                let requests: InputRequests = questions
                    .into_iter()
                    .map(|(key, request)| (key.as_ref().to_owned(), request))
                    .collect();
                Closed::InputRequired(InputRequiredResult::new(requests, Some(state)))
            }
            Err(error) => unsealed(error, &journal),
        }
    }
}

fn unsealed<T>(error: SealError, journal: &Journal) -> Closed<T> {
    match error {
        SealError::TooManyRounds { limit } => {
            Closed::Rejected(Reject::new(Cause::TooManyRounds { limit }, error))
        }
        SealError::Deadline { .. } => Closed::Rejected(Reject::new(Cause::Deadline, error)),
        SealError::TooLarge { bytes, limit } => Closed::Fault(Fault {
            kind: FaultKind::StateTooLarge {
                bytes,
                limit,
                largest: journal.largest(),
            },
            recorded: journal.recorded().cloned().collect(),
            attempted: Vec::new(),
        }),
    }
}

impl fmt::Debug for OpenRound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenRound")
            .field("exchange", &self.exchange_id())
            .field("round", &self.round())
            .finish_non_exhaustive()
    }
}
