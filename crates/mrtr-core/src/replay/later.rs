//! Waiting for something that needs no answer.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use super::held::{Held, Hold};
use super::shared::{Shared, Slot};

/// A future that holds the request for a bounded time and then lets the client
/// come back; made by [`Cx::later_when`](super::Cx::later_when).
#[must_use = "nothing is waited for until it is awaited"]
pub struct Later<Fut> {
    slot: Slot,
    held: Held<Fut>,
    hold: Duration,
}

impl<Fut: Future> Later<Fut> {
    pub(crate) fn new(shared: &Arc<Shared>, future: Fut, hold: Duration) -> Self {
        Self {
            slot: Slot::wait(shared),
            held: Held::new(future),
            hold,
        }
    }
}

impl<Fut> Unpin for Later<Fut> {}

impl<Fut: Future> Future for Later<Fut> {
    type Output = Fut::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let later = self.get_mut();
        if !later.slot.is_at_home() {
            return Poll::Pending;
        }
        match later.held.poll(cx, later.slot.timer(), later.hold) {
            Hold::Done(output) => {
                later.slot.withdraw();
                Poll::Ready(output)
            }
            Hold::Holding => Poll::Pending,
            Hold::Over => {
                later.slot.block();
                Poll::Pending
            }
        }
    }
}

impl<Fut> fmt::Debug for Later<Fut> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Later")
            .field("hold", &self.hold)
            .finish_non_exhaustive()
    }
}
