//! A ledger whose answers are timed.

use std::sync::Arc;
use std::time::Duration;

use mrtr_core::ledger::{
    Answer, Claim, Claimed, Entered, Entry, Epoch, Fence, Held, JournalKey, Ledger, OnceKey,
    Recorded, StateKey,
};
use tokio::time::Instant;

use super::Metrics;
use super::label::label;

label! {
    /// What a ledger was asked.
    LedgerOp = "op" {
        Epoch = "epoch",
        Claim = "claim",
        RenewRun = "renew_run",
        Finish = "finish",
        Release = "release",
        Enter = "enter",
        RenewOnce = "renew_once",
        Record = "record",
        KeepJournal = "keep_journal",
        Journal = "journal",
    }
}

label! {
    /// Whether the ledger answered.
    Answered = "answered" {
        Yes = "yes",
        No = "no",
    }
}

/// Times every answer of a ledger.
pub(crate) struct Measured {
    ledger: Arc<dyn Ledger>,
    metrics: Arc<Metrics>,
}

impl Measured {
    pub(crate) fn new(ledger: Arc<dyn Ledger>, metrics: Arc<Metrics>) -> Self {
        Self { ledger, metrics }
    }

    fn time<'a, T: Send + 'a>(&'a self, op: LedgerOp, answer: Answer<'a, T>) -> Answer<'a, T> {
        Box::pin(async move {
            let asked = Instant::now();
            let answer = answer.await;
            self.metrics.ledger(op, asked.elapsed(), answer.is_ok());
            answer
        })
    }
}

impl Ledger for Measured {
    fn epoch(&self) -> Answer<'_, Epoch> {
        self.time(LedgerOp::Epoch, self.ledger.epoch())
    }

    fn claim<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Claimed> {
        self.time(LedgerOp::Claim, self.ledger.claim(claim))
    }

    fn renew_run(&self, state: StateKey, fence: Fence, lease: Duration) -> Answer<'_, Held> {
        let answer = self.ledger.renew_run(state, fence, lease);
        self.time(LedgerOp::RenewRun, answer)
    }

    fn finish<'a>(&'a self, state: StateKey, fence: Fence, result: &'a [u8]) -> Answer<'a, Held> {
        let answer = self.ledger.finish(state, fence, result);
        self.time(LedgerOp::Finish, answer)
    }

    fn release(&self, state: StateKey, fence: Fence) -> Answer<'_, ()> {
        self.time(LedgerOp::Release, self.ledger.release(state, fence))
    }

    fn enter<'a>(&'a self, entry: &'a Entry) -> Answer<'a, Entered> {
        self.time(LedgerOp::Enter, self.ledger.enter(entry))
    }

    fn renew_once(&self, key: OnceKey, fence: Fence, lease: Duration) -> Answer<'_, Held> {
        let answer = self.ledger.renew_once(key, fence, lease);
        self.time(LedgerOp::RenewOnce, answer)
    }

    fn record<'a>(&'a self, key: OnceKey, value: &'a [u8]) -> Answer<'a, Recorded> {
        self.time(LedgerOp::Record, self.ledger.record(key, value))
    }

    fn keep_journal<'a>(
        &'a self,
        key: JournalKey,
        journal: &'a [u8],
        keep: Duration,
    ) -> Answer<'a, ()> {
        let answer = self.ledger.keep_journal(key, journal, keep);
        self.time(LedgerOp::KeepJournal, answer)
    }

    fn journal(&self, key: JournalKey) -> Answer<'_, Option<Vec<u8>>> {
        self.time(LedgerOp::Journal, self.ledger.journal(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mrtr_core::ledger::LedgerError;

    /// Answers after a while: what needs a store it has lost, with an error.
    struct Slow(Duration);

    impl Slow {
        fn lost<T: Send + 'static>(&self) -> Answer<'_, T> {
            Box::pin(async {
                tokio::time::sleep(self.0).await;
                Err(LedgerError::unavailable("lost"))
            })
        }
    }

    impl Ledger for Slow {
        fn epoch(&self) -> Answer<'_, Epoch> {
            Box::pin(async {
                tokio::time::sleep(self.0).await;
                Ok(Epoch::from_bytes([7; 16]))
            })
        }

        fn claim<'a>(&'a self, _: &'a Claim) -> Answer<'a, Claimed> {
            self.lost()
        }

        fn renew_run(&self, _: StateKey, _: Fence, _: Duration) -> Answer<'_, Held> {
            self.lost()
        }

        fn finish<'a>(&'a self, _: StateKey, _: Fence, _: &'a [u8]) -> Answer<'a, Held> {
            self.lost()
        }

        fn release(&self, _: StateKey, _: Fence) -> Answer<'_, ()> {
            self.lost()
        }

        fn enter<'a>(&'a self, _: &'a Entry) -> Answer<'a, Entered> {
            self.lost()
        }

        fn renew_once(&self, _: OnceKey, _: Fence, _: Duration) -> Answer<'_, Held> {
            self.lost()
        }

        fn record<'a>(&'a self, _: OnceKey, _: &'a [u8]) -> Answer<'a, Recorded> {
            self.lost()
        }

        fn keep_journal<'a>(&'a self, _: JournalKey, _: &'a [u8], _: Duration) -> Answer<'a, ()> {
            self.lost()
        }

        fn journal(&self, _: JournalKey) -> Answer<'_, Option<Vec<u8>>> {
            self.lost()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn each_answer_is_timed_by_what_was_asked_and_whether_it_was_answered() {
        let metrics = Arc::<Metrics>::default();
        let slow = Arc::new(Slow(Duration::from_millis(3)));
        let ledger = Measured::new(slow, metrics.clone());
        for _ in 0..2 {
            let epoch = ledger.epoch().await.expect("an epoch");
            assert_eq!(epoch, Epoch::from_bytes([7; 16]));
        }
        let key = JournalKey::from_bytes([1; 16]);
        assert!(ledger.journal(key).await.is_err());
        let times = |op, answered| {
            let times = metrics.ledger.of(op).of(answered);
            (times.cumulated().1, times.sum())
        };
        assert_eq!(times(LedgerOp::Epoch, Answered::Yes), (2, 0.006));
        assert_eq!(times(LedgerOp::Journal, Answered::No), (1, 0.003));
        assert_eq!(times(LedgerOp::Journal, Answered::Yes), (0, 0.0));
    }
}
