//! How long and how often a round asks the ledger.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use super::timer::Timer;
use crate::ledger::{Answer, LedgerError, LedgerErrorKind};

/// How often a ledger that is away is asked: for some eight minutes.
const TRIES: u32 = 500;

/// Pauses that grow.
pub(super) struct Pauses {
    next: Duration,
    most: Duration,
}

impl Pauses {
    pub(super) const fn up_to(most: Duration) -> Self {
        Self {
            next: Duration::from_millis(25),
            most,
        }
    }

    pub(super) fn next(&mut self) -> Duration {
        let pause = self.next.min(self.most);
        self.next = (self.next * 2).min(self.most);
        pause
    }
}

/// Asks again as long as the ledger is away, within bounds.
pub(super) async fn insist<'a, T>(
    timer: &dyn Timer,
    mut ask: impl FnMut() -> Answer<'a, T> + Send,
) -> Result<T, LedgerError> {
    let mut pauses = Pauses::up_to(Duration::from_secs(1));
    for _ in 1..TRIES {
        match ask().await {
            Err(error) if error.kind() == LedgerErrorKind::Unavailable => {
                timer.sleep(pauses.next()).await;
            }
            answer => return answer,
        }
    }
    ask().await
}

/// What `future` gives if it does so in time, even when nobody looked.
pub(super) async fn within<F: Future>(
    timer: &dyn Timer,
    limit: Duration,
    future: F,
) -> Option<F::Output> {
    let mut sleep = timer.waits().then(|| timer.sleep(limit));
    let mut future = pin!(future);
    poll_fn(|cx| {
        if let Some(sleep) = &mut sleep
            && sleep.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(None);
        }
        future.as_mut().poll(cx).map(Some)
    })
    .await
}

/// Does `future`, and `beside` it what never ends.
pub(super) async fn beside<F: Future>(future: F, beside: impl Future) -> F::Output {
    let (mut future, mut beside) = (pin!(future), pin!(beside));
    let mut over = false;
    poll_fn(|cx| {
        let polled = future.as_mut().poll(cx);
        if polled.is_pending() && !over {
            over = beside.as_mut().poll(cx).is_ready();
        }
        polled
    })
    .await
}
