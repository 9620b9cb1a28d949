//! Dropping a handler in the middle.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

/// Whether a destructor panicked.
#[derive(Clone, Debug, Default)]
pub(super) struct Panicked(Arc<Mutex<bool>>);

impl Panicked {
    pub(super) fn seen(&self) -> bool {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

/// A handler that notes when dropping it panics.
pub(super) struct Watched<F> {
    inner: Option<Pin<Box<F>>>,
    panicked: Panicked,
}

impl<F> Watched<F> {
    pub(super) fn new(inner: F, panicked: Panicked) -> Self {
        Self {
            inner: Some(Box::pin(inner)),
            panicked,
        }
    }
}

impl<F: Future> Future for Watched<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        match &mut self.inner {
            Some(inner) => inner.as_mut().poll(cx),
            None => Poll::Pending,
        }
    }
}

impl<F> Drop for Watched<F> {
    fn drop(&mut self) {
        let inner = self.inner.take();
        if catch_unwind(AssertUnwindSafe(|| drop(inner))).is_err() {
            self.panicked.note();
        }
    }
}

/// Polls `future` at most `polls` times; nothing if it is not done by then.
pub(super) async fn polled<F: Future>(future: F, polls: usize) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    let mut left = polls;
    std::future::poll_fn(move |cx| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match future.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}
