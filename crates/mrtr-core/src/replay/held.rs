//! Waiting for something within the request, for a bounded time.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::timer::{Sleep, Timer};

/// A future with a time after which the round stops waiting for it.
pub(crate) struct Held<Fut> {
    future: Pin<Box<Fut>>,
    /// Absent before the first poll and after the time is over.
    sleep: Option<Sleep>,
    over: bool,
}

/// What polling a held future came to.
pub(crate) enum Hold<T> {
    Done(T),
    /// Within its time: the request stays open.
    Holding,
    /// Not done, and the time is over.
    Over,
}

impl<Fut: Future> Held<Fut> {
    pub(crate) fn new(future: Fut) -> Self {
        Self {
            future: Box::pin(future),
            sleep: None,
            over: false,
        }
    }

    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        timer: &dyn Timer,
        hold: Duration,
    ) -> Hold<Fut::Output> {
        if let Poll::Ready(output) = self.future.as_mut().poll(cx) {
            return Hold::Done(output);
        }
        if !self.over {
            let sleep = self.sleep.get_or_insert_with(|| timer.sleep(hold));
            if sleep.as_mut().poll(cx).is_pending() {
                return Hold::Holding;
            }
            self.over = true;
            self.sleep = None;
        }
        Hold::Over
    }
}
