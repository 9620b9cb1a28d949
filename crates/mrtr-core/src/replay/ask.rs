//! Questions whose answer is in the client's reply.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Refused;
use super::fault::FaultKind;
use super::journal::Given;
use super::kept::Kept;
use super::question::Question;
use super::run::Found;
use super::shared::{Shared, Slot};

/// A question whose answer can be looked at without waiting for it, as an
/// explicit [`Flow`](crate::flow::Flow) does.
///
/// Implemented by what [`Cx`](super::Cx) makes; not for other types.
pub trait Answerable: Sealed {
    /// What the answer gives.
    type Value;

    /// The answer, if there is one; it is recorded.
    #[doc(hidden)]
    fn settle(&mut self) -> Poll<Result<Self::Value, Refused>>;

    /// Makes the round wait for the answer.
    #[doc(hidden)]
    fn block(&mut self);
}

/// Keeps [`Answerable`] to the types of this module.
pub trait Sealed {}

pub(super) fn settle_or_block<Q: Answerable>(question: &mut Q) -> Poll<Result<Q::Value, Refused>> {
    let settled = question.settle();
    if settled.is_pending() {
        question.block();
    }
    settled
}

/// How an answer reads.
pub(crate) enum Reading<T> {
    Value(T),
    /// It is not what was asked for, with a sentence for the person.
    Wrong(String),
    /// It amounts to a no.
    No,
}

pub(super) enum Stage<T> {
    /// No answer yet; never resolves in this round.
    Open,
    /// An answer that was taken in an earlier round.
    Recorded(Result<T, Refused>),
    /// What an earlier round kept of the answer.
    Kept(Arc<str>),
    /// An answer to be taken when polled.
    Received(Result<T, Refused>),
    /// An answer that amounts to a no, to be taken as one when polled.
    ReceivedNo,
    Done,
}

/// A question to the person or client: a future of the answer.
///
/// The question counts as issued from the call that made it, polled or not;
/// dropping it withdraws it. Awaiting it gives the answer or the
/// [`Refused`]. While there is no answer it does not resolve: once nothing
/// else can move the handler on, the round ends with an `InputRequiredResult`
/// that holds all issued questions, and the handler is dropped. It runs again
/// from the start when the client comes back.
///
/// See [multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).
#[must_use = "a question is asked from here on, but its answer is only had by awaiting it"]
pub struct Ask<T> {
    pub(super) slot: Slot,
    pub(super) stage: Stage<T>,
    checks: Vec<Check<T>>,
}

type Check<T> = Box<dyn Fn(&T) -> Result<(), String> + Send>;

/// The value of an answer, and whether it is to be recorded now.
pub(super) struct Taken<T> {
    pub(super) answer: Result<T, Refused>,
    pub(super) fresh: bool,
    pub(super) no: bool,
}

impl<T> Ask<T> {
    pub(crate) fn issue(
        shared: &Arc<Shared>,
        key: Arc<str>,
        question: Question,
        solicited: bool,
        read: impl FnOnce(&str) -> Reading<T>,
    ) -> Self {
        let (slot, found) = Slot::issue(shared, key, question, solicited);
        let stage = match found {
            None => Stage::Open,
            Some(found) => Self::stage(&slot, found, read),
        };
        Self {
            slot,
            stage,
            checks: Vec::new(),
        }
    }

    fn stage(slot: &Slot, found: Found, read: impl FnOnce(&str) -> Reading<T>) -> Stage<T> {
        let taken = |answer| match found.recorded {
            true => Stage::Recorded(answer),
            false => Stage::Received(answer),
        };
        match found.given {
            Given::Declined => taken(Err(Refused::declined(slot.key().clone()))),
            Given::Cancelled => taken(Err(Refused::cancelled(slot.key().clone()))),
            Given::Accepted(text) if found.projected => Stage::Kept(text),
            Given::Accepted(text) => match read(&text) {
                Reading::Value(value) => taken(Ok(value)),
                Reading::No if !found.recorded => Stage::ReceivedNo,
                Reading::No => taken(Err(Refused::declined(slot.key().clone()))),
                Reading::Wrong(problem) => {
                    slot.reopen((!found.recorded).then_some(problem));
                    Stage::Open
                }
            },
        }
    }

    pub(crate) fn refuse(shared: &Arc<Shared>, key: Arc<str>, problem: String) -> Self {
        Self {
            slot: Slot::refuse(shared, key, problem),
            stage: Stage::Open,
            checks: Vec::new(),
        }
    }

    /// Adds a rule that an answer must pass before it is taken.
    ///
    /// A failed rule asks again, with its text added to the message so that
    /// the person knows what to change. An answer that was taken is never
    /// checked again.
    ///
    /// ```
    /// # use mrtr_core::replay::{Cx, ToolError};
    /// # use mrtr_core::form::FormContent;
    /// # fn rule(cx: Cx, form: mrtr_core::form::FormSchema) {
    /// let ask = cx.elicit_form("trip", "Where to?", form).check(|trip| {
    ///     if trip.len() == 2 { Ok(()) } else { Err("Both fields are needed.") }
    /// });
    /// # }
    /// ```
    pub fn check<F, M>(mut self, rule: F) -> Self
    where
        F: Fn(&T) -> Result<(), M> + Send + 'static,
        M: Into<String>,
    {
        self.checks
            .push(Box::new(move |value| rule(value).map_err(Into::into)));
        self
    }

    /// Records only what `project` makes of the answer, and gives that.
    ///
    /// The answer itself is then neither in the sealed state nor available in
    /// later rounds, which keeps the state short and the person's data out of
    /// it. `project` runs once; later rounds read its result back.
    pub fn keep<U, F>(self, project: F) -> Kept<T, U, F>
    where
        F: FnOnce(T) -> U,
        U: Serialize + DeserializeOwned,
    {
        Kept::new(self, project)
    }

    /// Takes only an answer to this question after it was really asked, never
    /// one that the client sent along with a first request.
    pub fn asked(mut self) -> Self {
        if self.slot.demand_solicited() {
            self.stage = Stage::Open;
        }
        self
    }

    /// Takes the answer out without recording it.
    pub(super) fn take(&mut self) -> Poll<Taken<T>> {
        if !self.slot.is_at_home() {
            return Poll::Pending;
        }
        match std::mem::replace(&mut self.stage, Stage::Done) {
            Stage::Open => self.open(),
            Stage::Kept(_) => {
                self.slot.reopen(None);
                self.open()
            }
            Stage::Recorded(answer) => Poll::Ready(Taken {
                answer,
                fresh: false,
                no: false,
            }),
            Stage::ReceivedNo => Poll::Ready(Taken {
                answer: Err(Refused::declined(self.slot.key().clone())),
                fresh: true,
                no: true,
            }),
            Stage::Received(answer) => {
                let wrong = match &answer {
                    Ok(value) => self.checks.iter().find_map(|check| check(value).err()),
                    Err(_) => None,
                };
                if wrong.is_some() {
                    self.slot.reopen(wrong);
                    return self.open();
                }
                Poll::Ready(Taken {
                    answer,
                    fresh: true,
                    no: false,
                })
            }
            Stage::Done => {
                self.slot
                    .fault(FaultKind::PolledAgain(self.slot.key().clone()));
                Poll::Pending
            }
        }
    }

    fn open<V>(&mut self) -> Poll<V> {
        self.stage = Stage::Open;
        Poll::Pending
    }
}

impl<T> Sealed for Ask<T> {}

impl<T> Answerable for Ask<T> {
    type Value = T;

    fn settle(&mut self) -> Poll<Result<T, Refused>> {
        self.take().map(|taken| {
            let instead = taken.no.then_some((Given::Declined, false));
            self.slot.record(instead);
            taken.answer
        })
    }

    fn block(&mut self) {
        if matches!(self.stage, Stage::Open) {
            self.slot.block();
        }
    }
}

impl<T> Unpin for Ask<T> {}

impl<T> Future for Ask<T> {
    type Output = Result<T, Refused>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        settle_or_block(self.get_mut())
    }
}

impl<T> fmt::Debug for Ask<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ask").field(self.slot.key()).finish()
    }
}
