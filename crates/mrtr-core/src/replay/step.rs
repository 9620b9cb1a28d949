//! Work that is done once per exchange.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::fault::FaultKind;
use super::shared::Shared;
use super::steps::{StepId, StepWaker};

enum Work<F, Fut> {
    /// Done in an earlier round.
    Recorded(Box<str>),
    Idle(F),
    Running(Pin<Box<Fut>>, Arc<StepWaker>),
    /// Over, or never to run.
    Over,
}

/// What all kinds of steps share: work that `F` starts and `Fut` does.
pub(super) struct Core<F, Fut> {
    shared: Arc<Shared>,
    key: Arc<str>,
    id: StepId,
    work: Work<F, Fut>,
}

pub(super) enum Polled<T, O> {
    Recorded(T),
    Fresh(O),
}

impl<F, Fut: Future> Core<F, Fut> {
    pub(super) fn new(shared: &Arc<Shared>, key: Arc<str>, work: F) -> Self {
        let registered = shared.run().register_step(&key);
        let (id, work) = match registered {
            Some((id, Some(value))) => (id, Work::Recorded(value)),
            Some((id, None)) => (id, Work::Idle(work)),
            None => {
                shared.alarm();
                (0, Work::Over)
            }
        };
        Self {
            shared: shared.clone(),
            key,
            id,
            work,
        }
    }

    pub(super) fn poll<T: DeserializeOwned>(
        &mut self,
        cx: &Context<'_>,
        start: impl FnOnce(F) -> Fut,
    ) -> Poll<Polled<T, Fut::Output>> {
        if !self.shared.is_at_home(&self.key) {
            return Poll::Pending;
        }
        match std::mem::replace(&mut self.work, Work::Over) {
            Work::Recorded(text) => match serde_json::from_str(&text) {
                Ok(value) => Poll::Ready(Polled::Recorded(value)),
                Err(problem) => self.fault(self.not_readable(&problem)),
            },
            Work::Idle(idle) => {
                let waker = StepWaker::new(&self.shared);
                let inside = Inside::enter(self, &waker);
                let work = Box::pin(start(idle));
                drop(inside);
                self.advance(work, waker, cx)
            }
            Work::Running(work, waker) => self.advance(work, waker, cx),
            Work::Over => self.fault(FaultKind::PolledAgain(self.key.clone())),
        }
    }

    fn advance<T>(
        &mut self,
        mut work: Pin<Box<Fut>>,
        waker: Arc<StepWaker>,
        cx: &Context<'_>,
    ) -> Poll<Polled<T, Fut::Output>> {
        waker.arm(cx.waker());
        let inside = Inside::enter(self, &waker);
        let polled = work
            .as_mut()
            .poll(&mut Context::from_waker(&Waker::from(waker.clone())));
        drop(inside);
        match polled {
            Poll::Ready(output) => {
                self.shared.run().end_step(self.id);
                Poll::Ready(Polled::Fresh(output))
            }
            Poll::Pending => {
                self.work = Work::Running(work, waker);
                Poll::Pending
            }
        }
    }

    fn fault<V>(&self, kind: FaultKind) -> Poll<V> {
        self.shared.fault(kind);
        Poll::Pending
    }

    fn not_readable(&self, problem: &serde_json::Error) -> FaultKind {
        FaultKind::StepNotReadable {
            key: self.key.clone(),
            problem: problem.to_string(),
        }
    }

    /// What is to be done, as long as it was not begun.
    pub(super) const fn idle(&mut self) -> Option<&mut F> {
        match &mut self.work {
            Work::Idle(idle) => Some(idle),
            _ => None,
        }
    }

    pub(super) const fn key(&self) -> &Arc<str> {
        &self.key
    }

    /// Records a value that is written already, and reads it.
    pub(super) fn take<T: DeserializeOwned>(&self, text: Box<str>) -> Poll<T> {
        match serde_json::from_str(&text) {
            Ok(value) => {
                self.shared.run().record_step(&self.key, text);
                Poll::Ready(value)
            }
            Err(problem) => self.fault(self.not_readable(&problem)),
        }
    }

    /// Whether the value could be recorded.
    fn record(&self, value: &impl Serialize) -> bool {
        match serde_json::to_string(value) {
            Ok(text) => {
                self.shared.run().record_step(&self.key, text.into());
                true
            }
            Err(problem) => {
                self.shared.fault(FaultKind::StepNotWritable {
                    key: self.key.clone(),
                    problem: problem.to_string(),
                });
                false
            }
        }
    }
}

/// The time in which a step's own code runs.
struct Inside<'a> {
    shared: &'a Shared,
    id: StepId,
}

impl<'a> Inside<'a> {
    fn enter<F, Fut>(core: &'a Core<F, Fut>, waker: &Arc<StepWaker>) -> Self {
        core.shared.run().enter_step(core.id, waker);
        Self {
            shared: &core.shared,
            id: core.id,
        }
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        let mut run = self.shared.run();
        run.leave_step();
        if std::thread::panicking() {
            run.end_step(self.id);
        }
    }
}

impl<F, Fut> Drop for Core<F, Fut> {
    fn drop(&mut self) {
        if matches!(self.work, Work::Running(..)) {
            self.shared.drop_step(self.id);
        }
    }
}

impl<F, Fut> fmt::Debug for Core<F, Fut> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Step").field(&self.key).finish()
    }
}

/// Fallible work of which success is recorded; made by
/// [`Cx::step`](super::Cx::step).
#[derive(Debug)]
#[must_use = "a step does nothing until it is awaited"]
pub struct Step<F, Fut>(Core<F, Fut>);

impl<F, Fut> Step<F, Fut>
where
    F: FnOnce() -> Fut,
    Fut: Future,
{
    pub(crate) fn new(shared: &Arc<Shared>, key: Arc<str>, work: F) -> Self {
        Self(Core::new(shared, key, work))
    }
}

impl<F, Fut> Unpin for Step<F, Fut> {}

impl<F, Fut, T, E> Future for Step<F, Fut>
where
    F: FnOnce() -> Fut,
    Fut: Future<Output = Result<T, E>>,
    T: Serialize + DeserializeOwned,
{
    type Output = Result<T, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let core = &mut self.get_mut().0;
        match std::task::ready!(core.poll(cx, |work| work())) {
            Polled::Recorded(value) => Poll::Ready(Ok(value)),
            Polled::Fresh(Ok(value)) if !core.record(&value) => Poll::Pending,
            Polled::Fresh(outcome) => Poll::Ready(outcome),
        }
    }
}

/// Work whose value is recorded whatever it is; made by
/// [`Cx::step_value`](super::Cx::step_value).
#[derive(Debug)]
#[must_use = "a step does nothing until it is awaited"]
pub struct StepValue<F, Fut>(Core<F, Fut>);

impl<F, Fut> StepValue<F, Fut>
where
    F: FnOnce() -> Fut,
    Fut: Future,
{
    pub(crate) fn new(shared: &Arc<Shared>, key: Arc<str>, work: F) -> Self {
        Self(Core::new(shared, key, work))
    }
}

impl<F, Fut> Unpin for StepValue<F, Fut> {}

impl<F, Fut> Future for StepValue<F, Fut>
where
    F: FnOnce() -> Fut,
    Fut: Future,
    Fut::Output: Serialize + DeserializeOwned,
{
    type Output = Fut::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let core = &mut self.get_mut().0;
        match std::task::ready!(core.poll(cx, |work| work())) {
            Polled::Recorded(value) => Poll::Ready(value),
            Polled::Fresh(value) if !core.record(&value) => Poll::Pending,
            Polled::Fresh(value) => Poll::Ready(value),
        }
    }
}
