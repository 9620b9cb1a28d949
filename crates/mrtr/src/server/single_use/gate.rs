//! One request of a state goes ahead, the others wait for what it finds.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mrtr_core::ledger::{RunId, StateKey};
use tokio::sync::OnceCell;

use super::{SingleUse, Stored};

/// What became of a state, as one request found out.
#[derive(Clone, Debug)]
pub(crate) enum Settled {
    /// This run of it has this response.
    Done(RunId, Stored),
    /// This run of it can never be.
    Rejected(RunId),
    /// The ledger cannot be reached.
    Unavailable,
}

/// The requests of this process that want something of the ledger, by state.
///
/// A thousand copies of a request are one to the ledger.
#[derive(Default)]
pub(super) struct Gate(Mutex<HashMap<StateKey, Cell>>);

type Cell = Arc<OnceCell<Settled>>;

impl SingleUse {
    /// What became of `state`, as `lead` finds out: called for the first
    /// request there is, and for the next one when that leaves or fails. An
    /// error of `lead` is its own, the others go on.
    pub(crate) async fn settle<E, F>(
        &self,
        state: StateKey,
        lead: impl FnOnce() -> F,
    ) -> Result<Settled, E>
    where
        F: Future<Output = Result<Settled, E>>,
    {
        let seat = self.gate.enter(state);
        let settled = seat.cell.get_or_try_init(async || {
            let settled = lead().await?;
            // Who comes from now on asks the ledger again.
            seat.leave();
            Ok(settled)
        });
        settled.await.cloned()
    }
}

impl Gate {
    fn enter(&self, state: StateKey) -> Seat<'_> {
        let cell = self.lock().entry(state).or_default().clone();
        Seat {
            gate: self,
            state,
            cell,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<StateKey, Cell>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request at the gate.
struct Seat<'a> {
    gate: &'a Gate,
    state: StateKey,
    cell: Cell,
}

impl Seat<'_> {
    /// Whoever comes from now on does not wait with those who are here.
    fn leave(&self) {
        self.remove(|_| true);
    }

    fn remove(&self, when: impl FnOnce(&Cell) -> bool) {
        let mut cells = self.gate.lock();
        if let Some(cell) = cells.get(&self.state)
            && Arc::ptr_eq(cell, &self.cell)
            && when(cell)
        {
            cells.remove(&self.state);
        }
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        // One is the gate's, one is ours: nobody else is here.
        self.remove(|cell| Arc::strong_count(cell) == 2);
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::atomic::{AtomicU32, Ordering};

    use futures::future::join_all;
    use tokio::sync::Notify;

    use super::super::testing::*;
    use super::*;

    fn found() -> Result<Settled, ()> {
        Ok(Settled::Rejected(claim().run))
    }

    fn gone(single_use: &SingleUse) -> bool {
        single_use.gate.lock().is_empty()
    }

    #[tokio::test(start_paused = true)]
    async fn a_thousand_requests_of_a_state_are_one() {
        let (single_use, led) = (Scripted::new().single_use(), AtomicU32::new(0));
        let found_out = Notify::new();
        let lead = async || {
            led.fetch_add(1, Ordering::Relaxed);
            found_out.notified().await;
            found()
        };
        let all = join_all((0..1_000).map(|_| single_use.settle(claim().state, lead)));
        let mut all = Box::pin(all);
        assert!(futures::poll!(&mut all).is_pending());
        found_out.notify_one();
        for settled in all.await {
            assert!(matches!(settled, Ok(Settled::Rejected(run)) if run == claim().run));
        }
        assert_eq!(led.load(Ordering::Relaxed), 1);
        assert!(gone(&single_use));
    }

    #[tokio::test(start_paused = true)]
    async fn when_the_first_one_leaves_or_fails_the_next_goes_ahead() {
        let single_use = Scripted::new().single_use();
        let state = claim().state;
        let mut first = Box::pin(single_use.settle::<(), _>(state, pending));
        assert!(futures::poll!(&mut first).is_pending());
        let mut second = Box::pin(single_use.settle(state, async || Err("its own")));
        let mut third = Box::pin(single_use.settle::<(), _>(state, async || found()));
        assert!(futures::poll!(&mut second).is_pending());
        assert!(futures::poll!(&mut third).is_pending());
        drop(first);
        assert_eq!(second.await.unwrap_err(), "its own");
        assert!(third.await.is_ok());
        assert!(gone(&single_use));
    }

    #[tokio::test(start_paused = true)]
    async fn who_comes_when_all_is_found_out_asks_again() {
        let (single_use, led) = (Scripted::new().single_use(), AtomicU32::new(0));
        let state = claim().state;
        let lead = async || {
            led.fetch_add(1, Ordering::Relaxed);
            found()
        };
        let mut first = Box::pin(single_use.settle::<(), _>(state, async || {
            tokio::task::yield_now().await;
            found()
        }));
        assert!(futures::poll!(&mut first).is_pending());
        let mut waiting = Box::pin(single_use.settle(state, lead));
        assert!(futures::poll!(&mut waiting).is_pending());
        first.await.unwrap();
        single_use.settle(state, lead).await.unwrap();
        assert_eq!(
            led.load(Ordering::Relaxed),
            1,
            "although one still sits there"
        );
        waiting.await.unwrap();
        assert_eq!(led.load(Ordering::Relaxed), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn other_states_do_not_wait() {
        let single_use = Scripted::new().single_use();
        let mut first = Box::pin(single_use.settle::<(), _>(claim().state, pending));
        assert!(futures::poll!(&mut first).is_pending());
        let other = StateKey::from_bytes([9; 16]);
        assert!(single_use.settle(other, async || found()).await.is_ok());
    }
}
