//! Work that runs to its end although its handler may be dropped.

use std::any::Any;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::shared::Shared;

type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Panic = Box<dyn Any + Send>;

/// Why shielded work did not come to its end.
pub(super) enum Halt {
    Panicked(Panic),
    /// The task was dropped.
    Dropped,
}

/// What is told of work that was dropped.
pub(super) const DROPPED: &str = "shielded work was dropped before its end: the server stops, or its spawner does not run what it is given";

/// A future that runs to its end even when this is dropped; made by
/// [`Cx::shield`](super::Cx::shield).
#[must_use = "the work does not begin until it is awaited"]
pub struct Shielded<T> {
    shared: Arc<Shared>,
    stage: Stage<T>,
}

enum Stage<T> {
    /// Not begun, or running in place.
    Here(Work<T>),
    /// Runs by itself.
    Away(Arc<Outcome<T>>),
    Over,
}

impl<T: Send + 'static> Shielded<T> {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Self {
        Self {
            shared: shared.clone(),
            stage: Stage::Here(Box::pin(work)),
        }
    }
}

impl<T> Unpin for Shielded<T> {}

impl<T: Send + 'static> Shielded<T> {
    /// As polling it, but what kept the work from its end is given, too.
    pub(super) fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, Halt>> {
        let outcome = match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Here(mut work) => match &self.shared.about.spawner {
                Some(spawner) => {
                    let (outcome, task) = Outcome::of(work);
                    self.shared.outside(|| spawner.spawn(Box::pin(task)));
                    outcome
                }
                None => {
                    let polled = self.shared.outside(|| work.as_mut().poll(cx));
                    if polled.is_pending() {
                        self.stage = Stage::Here(work);
                    }
                    return polled.map(Ok);
                }
            },
            Stage::Away(outcome) => outcome,
            Stage::Over => panic!("shielded work was polled again after it had given its value"),
        };
        Poll::Ready(match outcome.take(cx.waker()) {
            Progress::Done(value) => Ok(value),
            Progress::Panicked(panic) => Err(Halt::Panicked(panic)),
            Progress::Lost => Err(Halt::Dropped),
            Progress::Running(_) => {
                self.stage = Stage::Away(outcome);
                return Poll::Pending;
            }
        })
    }
}

impl<T: Send + 'static> Future for Shielded<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        match std::task::ready!(self.get_mut().poll_end(cx)) {
            Ok(value) => Poll::Ready(value),
            Err(Halt::Panicked(panic)) => resume_unwind(panic),
            Err(Halt::Dropped) => panic!("{DROPPED}"),
        }
    }
}

impl<T> fmt::Debug for Shielded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shielded")
    }
}

/// Where a task leaves what it came to.
struct Outcome<T>(Mutex<Progress<T>>);

enum Progress<T> {
    /// Whom to tell of the end.
    Running(Option<Waker>),
    Done(T),
    Panicked(Panic),
    /// The task was dropped, or what it came to was taken.
    Lost,
}

impl<T: Send + 'static> Outcome<T> {
    fn of(mut work: Work<T>) -> (Arc<Self>, impl Future<Output = ()> + Send) {
        let outcome = Arc::new(Self(Mutex::new(Progress::Running(None))));
        let end = End(outcome.clone());
        let task = async move {
            let polled =
                poll_fn(
                    |cx| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
                        Ok(polled) => polled.map(Progress::Done),
                        Err(panic) => Poll::Ready(Progress::Panicked(panic)),
                    },
                );
            let progress = polled.await;
            if let Some(Progress::Panicked(panic)) = end.come_to(progress) {
                resume_unwind(panic);
            }
        };
        (outcome, task)
    }

    /// What there is, or leaves word whom to wake.
    fn take(&self, waker: &Waker) -> Progress<T> {
        let mut progress = self.lock();
        if let Progress::Running(told) = &mut *progress {
            let old = match told {
                Some(known) if known.will_wake(waker) => None,
                told => told.replace(waker.clone()),
            };
            drop(progress);
            drop(old);
            return Progress::Running(None);
        }
        std::mem::replace(&mut *progress, Progress::Lost)
    }
}

impl<T> Outcome<T> {
    fn lock(&self) -> MutexGuard<'_, Progress<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The task's side; tells when the task is dropped.
struct End<T>(Arc<Outcome<T>>);

impl<T> End<T> {
    /// Leaves what the task came to; gives it back when nobody is there.
    fn come_to(self, end: Progress<T>) -> Option<Progress<T>> {
        // Only the two sides hold it, and neither can be had again.
        if Arc::strong_count(&self.0) == 1 {
            return Some(end);
        }
        self.tell(end);
        None
    }

    fn tell(&self, end: Progress<T>) {
        let mut progress = self.0.lock();
        if let Progress::Running(waker) = &mut *progress {
            let waker = waker.take();
            *progress = end;
            drop(progress);
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }
}

impl<T> Drop for End<T> {
    fn drop(&mut self) {
        self.tell(Progress::Lost);
    }
}
