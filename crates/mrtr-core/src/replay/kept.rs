//! Questions of whose answer only a part is recorded.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Refused;
use super::ask::{Answerable, Ask, Sealed, Stage, settle_or_block};
use super::fault::FaultKind;
use super::journal::Given;

/// A question of whose answer only a part is recorded; made by [`Ask::keep`].
#[must_use = "a question is asked from here on, but its answer is only had by awaiting it"]
pub struct Kept<T, U, F> {
    ask: Ask<T>,
    project: Option<F>,
    kept: PhantomData<fn() -> U>,
}

impl<T, U, F> Kept<T, U, F> {
    pub(super) const fn new(ask: Ask<T>, project: F) -> Self {
        Self {
            ask,
            project: Some(project),
            kept: PhantomData,
        }
    }

    /// As [`Ask::asked`].
    pub fn asked(mut self) -> Self {
        self.ask = self.ask.asked();
        self
    }
}

impl<T, U, F> Sealed for Kept<T, U, F> {}

impl<T, U, F> Answerable for Kept<T, U, F>
where
    F: FnOnce(T) -> U,
    U: Serialize + DeserializeOwned,
{
    type Value = U;

    fn settle(&mut self) -> Poll<Result<U, Refused>> {
        if let Stage::Kept(text) = &self.ask.stage
            && let Ok(value) = serde_json::from_str(text)
            && self.ask.slot.is_at_home()
        {
            self.ask.stage = Stage::Done;
            self.ask.slot.withdraw();
            return Poll::Ready(Ok(value));
        }
        let taken = std::task::ready!(self.ask.take());
        let answer = match (taken.answer, self.project.take()) {
            (Ok(answer), Some(project)) => Ok(project(answer)),
            (Err(refused), _) => Err(refused),
            (Ok(_), None) => return Poll::Pending,
        };
        let instead = match &answer {
            Ok(value) if taken.fresh => match serde_json::to_string(value) {
                Ok(text) => Some((Given::Accepted(text.into()), true)),
                Err(problem) => {
                    self.ask.slot.fault(FaultKind::AnswerNotWritable {
                        key: self.ask.slot.key().clone(),
                        problem: problem.to_string(),
                    });
                    return Poll::Pending;
                }
            },
            _ => taken.no.then_some((Given::Declined, false)),
        };
        self.ask.slot.record(instead);
        Poll::Ready(answer)
    }

    fn block(&mut self) {
        self.ask.block();
    }
}

impl<T, U, F> Unpin for Kept<T, U, F> {}

impl<T, U, F> Future for Kept<T, U, F>
where
    F: FnOnce(T) -> U,
    U: Serialize + DeserializeOwned,
{
    type Output = Result<U, Refused>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        settle_or_block(self.get_mut())
    }
}

impl<T, U, F> fmt::Debug for Kept<T, U, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kept").field(self.ask.slot.key()).finish()
    }
}
