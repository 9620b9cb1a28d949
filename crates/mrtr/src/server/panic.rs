//! A future whose panic is an outcome, not the end of its task.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Resolves to what the panic said when polling `future` panics.
///
/// The future must not be used again after a panic: nobody knows what it left half done.
///
/// It is pinned by the caller, who would otherwise hold it twice: before and while it runs.
pub(crate) fn catch<F: Future>(future: Pin<&mut F>) -> Catch<'_, F> {
    Catch(future)
}

pub(crate) struct Catch<'f, F>(Pin<&'f mut F>);

impl<F: Future> Future for Catch<'_, F> {
    type Output = Result<F::Output, String>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(message(&*panic))),
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
