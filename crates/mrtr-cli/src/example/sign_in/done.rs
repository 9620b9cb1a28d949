//! Which sign-ins are done.
//!
//! This is the one thing that the example has to remember: somebody did something elsewhere. A
//! service with several instances keeps it in its database, with the account that was connected.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// Older ones are forgotten; whoever still waits for one signs in again.
const MOST: usize = 4096;

#[derive(Default)]
pub(super) struct Done {
    exchanges: Mutex<VecDeque<String>>,
    changed: Notify,
}

impl Done {
    pub(super) fn add(&self, exchange: String) {
        let mut exchanges = self
            .exchanges
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !exchanges.contains(&exchange) {
            exchanges.truncate(MOST - 1);
            exchanges.push_front(exchange);
        }
        drop(exchanges);
        self.changed.notify_waiters();
    }

    fn contains(&self, exchange: &str) -> bool {
        let exchanges = self
            .exchanges
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        exchanges.iter().any(|done| done == exchange)
    }

    /// Waits until the exchange is done.
    pub(super) async fn wait_for(&self, exchange: &str) {
        loop {
            // Made before looking, so that nothing is missed in between.
            let changed = self.changed.notified();
            if self.contains(exchange) {
                return;
            }
            changed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_waiter_wakes_for_its_own_exchange_only() {
        let done = Done::default();
        let mut waiting = std::pin::pin!(done.wait_for("b"));
        assert!(futures_poll(waiting.as_mut()).await.is_pending());
        done.add("a".to_owned());
        assert!(futures_poll(waiting.as_mut()).await.is_pending());
        done.add("b".to_owned());
        waiting.await;
        done.wait_for("b").await;
    }

    #[test]
    fn old_ones_are_forgotten() {
        let done = Done::default();
        for exchange in 0..=MOST {
            done.add(exchange.to_string());
        }
        assert!(!done.contains("0"));
        assert!(done.contains("1"));
        assert_eq!(done.exchanges.lock().expect("lock").len(), MOST);
    }

    async fn futures_poll<F: Future>(
        mut future: std::pin::Pin<&mut F>,
    ) -> std::task::Poll<F::Output> {
        std::future::poll_fn(|cx| std::task::Poll::Ready(future.as_mut().poll(cx))).await
    }
}
