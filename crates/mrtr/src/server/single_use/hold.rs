//! Holding a claimed run: renewed while the handler runs, then finished or
//! released.

use std::future::Future;
use std::pin::pin;

use mrtr_core::ledger::{Claim, Fence, Held, LedgerErrorKind, StateKey};
use mrtr_core::replay::Sleep;
use tokio::sync::oneshot;

use super::Access;
use super::pauses::Pauses;

/// A run that was claimed, or is about to be. Dropped, it is released.
pub(crate) struct Hold {
    access: Access,
    state: StateKey,
    fence: Fence,
    /// Until when nobody else can have taken over, with some margin.
    safe: Sleep,
    released: bool,
}

/// Why a run is not held any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unheld {
    /// Another one took over.
    Lost,
    /// The lease may have ended: the ledger could not be reached in time.
    Unsure,
}

/// What became of a result that was to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finished {
    /// It is the result of the run.
    Stored,
    /// Another one took over; that one's result counts.
    Lost,
    /// It may be stored or not.
    Unsure,
}

impl Hold {
    /// To be called before the ledger is asked, since the lease may begin from
    /// then on.
    pub(super) fn begin(access: &Access, claim: &Claim) -> Self {
        Self {
            access: access.clone(),
            state: claim.state,
            fence: claim.fence,
            safe: access.safe(),
            released: false,
        }
    }

    /// There is nothing to release.
    pub(super) fn give_up(mut self) {
        self.released = true;
    }

    /// Polls `work` for as long as the run is held, and drops it then.
    pub(crate) async fn during<F: Future>(&mut self, work: F) -> Result<F::Output, Unheld> {
        let mut work = pin!(work);
        let unheld = tokio::select! {
            // First, so that after a pause of the process nothing is done
            // before it is clear that nobody else does it.
            biased;
            unheld = self.renew() => unheld,
            output = &mut work => return Ok(output),
        };
        self.released = unheld == Unheld::Lost;
        Err(unheld)
    }

    /// Renews the lease for as long as that works.
    async fn renew(&mut self) -> Unheld {
        let Access {
            ledger,
            lease,
            runtime,
            ..
        } = &self.access;
        let mut pause = *lease / 3;
        loop {
            let safe = tokio::select! {
                biased;
                () = &mut self.safe => return Unheld::Unsure,
                safe = async {
                    runtime.sleep(pause).await;
                    let safe = self.access.safe();
                    (safe, ledger.renew_run(self.state, self.fence, *lease).await)
                } => safe,
            };
            match safe {
                (safe, Ok(Held::Held)) => {
                    self.safe = safe;
                    pause = *lease / 3;
                }
                (_, Ok(Held::Lost)) => return Unheld::Lost,
                (_, Err(error)) => {
                    tracing::warn!(%error, "the lease of a run could not be renewed");
                    pause = *lease / 12;
                }
            }
        }
    }

    /// Stores the sealed result of the run. Goes on by itself when the future
    /// is dropped.
    pub(crate) async fn finish(self, result: Vec<u8>) -> Finished {
        let (tell, told) = oneshot::channel();
        let tasks = self.access.tasks.clone();
        tasks.run(async move {
            let _ = tell.send(self.store(&result).await);
        });
        // Fails only when the runtime ends.
        told.await.unwrap_or(Finished::Unsure)
    }

    async fn store(mut self, result: &[u8]) -> Finished {
        let Access {
            ledger, runtime, ..
        } = &self.access;
        let mut pauses = Pauses::new();
        loop {
            let stored = tokio::select! {
                biased;
                stored = ledger.finish(self.state, self.fence, result) => stored,
                () = &mut self.safe => return Finished::Unsure,
            };
            match stored {
                Ok(held) => {
                    self.released = true;
                    return match held {
                        Held::Held => Finished::Stored,
                        Held::Lost => Finished::Lost,
                    };
                }
                Err(error) => {
                    tracing::warn!(%error, "the result of a run could not be stored");
                    if error.kind() != LedgerErrorKind::Unavailable {
                        return Finished::Unsure;
                    }
                }
            }
            tokio::select! {
                biased;
                () = &mut self.safe => return Finished::Unsure,
                () = runtime.sleep(pauses.next()) => {}
            }
        }
    }
}

impl Access {
    /// Ends while a lease that begins now, or later, has a sixth left.
    fn safe(&self) -> Sleep {
        self.runtime.sleep(self.lease - self.lease / 6)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if self.released {
            return;
        }
        let (ledger, state, fence) = (self.access.ledger.clone(), self.state, self.fence);
        self.access.tasks.run(async move {
            if let Err(error) = ledger.release(state, fence).await {
                tracing::warn!(%error, "a run could not be released; its lease has to end");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, poll_fn};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::Poll;
    use std::time::Duration;

    use tokio::time::{Instant, advance, sleep};

    use super::super::Turn;
    use super::super::testing::*;
    use super::*;

    async fn hold(ledger: &std::sync::Arc<Scripted>) -> Hold {
        match ledger.single_use().turn(&claim()).await.unwrap() {
            Turn::Run(hold) => hold,
            _ => panic!("not granted"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_lease_is_renewed_every_third_of_it_while_the_work_goes_on() {
        let ledger = Scripted::new();
        let mut hold = hold(&ledger).await;
        let work = async {
            sleep(Duration::from_secs(21)).await;
            "done"
        };
        assert_eq!(hold.during(work).await, Ok("done"));
        let renewed = ledger.asked(Op::Renew);
        assert_eq!(renewed, [4_000, 8_000, 12_000, 16_000, 20_000]);
        drop(hold);
        settle_down().await;
        assert_eq!(ledger.asked(Op::Release), [21_000]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_ledger_that_is_away_for_a_while_stops_nothing() {
        let ledger = Scripted::new();
        let mut hold = hold(&ledger).await;
        ledger
            .renewals
            .lock()
            .unwrap()
            .extend([Says::Away, Says::Away, Says::Away]);
        assert_eq!(hold.during(sleep(Duration::from_secs(12))).await, Ok(()));
        let renewed = ledger.asked(Op::Renew);
        assert_eq!(renewed, [4_000, 5_000, 6_000, 7_000, 11_000]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_work_is_dropped_a_sixth_before_a_lease_that_cannot_be_renewed_ends() {
        struct Dropped<'a>(&'a AtomicU32);
        impl Drop for Dropped<'_> {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let (ledger, dropped) = (Scripted::new(), AtomicU32::new(0));
        let mut hold = hold(&ledger).await;
        let away = (0..20).map(|_| Says::Away);
        ledger.renewals.lock().unwrap().extend(away);
        let work = async {
            let _guard = Dropped(&dropped);
            pending::<()>().await;
        };
        let start = Instant::now();
        assert_eq!(hold.during(work).await, Err(Unheld::Unsure));
        assert_eq!(start.elapsed(), LEASE - LEASE / 6);
        assert_eq!(dropped.load(Ordering::Relaxed), 1);
        drop(hold);
        settle_down().await;
        assert_eq!(ledger.asked(Op::Release), [10_000]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_counts_from_when_its_renewal_was_sent() {
        let ledger = Scripted::new();
        let mut hold = hold(&ledger).await;
        {
            let mut renewals = ledger.renewals.lock().unwrap();
            renewals.push_back(Says::After(Duration::from_secs(5), Held::Held));
            renewals.push_back(Says::Never);
        }
        let start = Instant::now();
        assert_eq!(hold.during(pending::<()>()).await, Err(Unheld::Unsure));
        assert_eq!(start.elapsed(), Duration::from_secs(4 + 10));
    }

    #[tokio::test(start_paused = true)]
    async fn the_work_is_dropped_when_another_took_over_and_nothing_is_released() {
        let ledger = Scripted::new();
        let mut hold = hold(&ledger).await;
        let lost = Says::Now(Held::Lost);
        ledger.renewals.lock().unwrap().push_back(lost);
        let start = Instant::now();
        assert_eq!(hold.during(pending::<()>()).await, Err(Unheld::Lost));
        assert_eq!(start.elapsed(), LEASE / 3);
        drop(hold);
        settle_down().await;
        assert_eq!(ledger.asked(Op::Release), [0; 0]);
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_pause_beyond_the_lease_the_work_is_not_polled_once_more() {
        let (ledger, polls) = (Scripted::new(), AtomicU32::new(0));
        let mut hold = hold(&ledger).await;
        let work = poll_fn(|cx| {
            polls.fetch_add(1, Ordering::Relaxed);
            cx.waker().wake_by_ref();
            Poll::<()>::Pending
        });
        let mut during = Box::pin(hold.during(work));
        assert!(futures::poll!(&mut during).is_pending());
        advance(LEASE).await;
        assert_eq!(during.await, Err(Unheld::Unsure));
        assert_eq!(polls.load(Ordering::Relaxed), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_result_is_stored_even_if_nobody_waits_for_it() {
        let ledger = Scripted::new();
        let hold = hold(&ledger).await;
        let slow = Says::After(Duration::from_secs(2), Held::Held);
        ledger.finishes.lock().unwrap().extend([Says::Away, slow]);
        assert!(futures::poll!(Box::pin(hold.finish(vec![7]))).is_pending());
        sleep(Duration::from_secs(3)).await;
        assert_eq!(ledger.asked(Op::Finish), [0, 25]);
        assert_eq!(ledger.asked(Op::Release), [0; 0], "it is done");
    }

    #[tokio::test(start_paused = true)]
    async fn storing_is_tried_for_as_long_as_the_lease_is_safe() {
        let ledger = Scripted::new();
        let hold = hold(&ledger).await;
        let away = (0..100).map(|_| Says::Away);
        ledger.finishes.lock().unwrap().extend(away);
        let start = Instant::now();
        assert_eq!(hold.finish(vec![7]).await, Finished::Unsure);
        assert_eq!(start.elapsed(), LEASE - LEASE / 6);
        settle_down().await;
        assert_eq!(ledger.asked(Op::Release), [10_000]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_result_of_who_was_taken_over_does_not_count() {
        let ledger = Scripted::new();
        let hold = hold(&ledger).await;
        let lost = Says::Now(Held::Lost);
        ledger.finishes.lock().unwrap().push_back(lost);
        assert_eq!(hold.finish(vec![7]).await, Finished::Lost);
        settle_down().await;
        assert_eq!(ledger.asked(Op::Release), [0; 0]);
    }
}
