//! A ledger that answers what it is told to, and notes when it was asked.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mrtr_core::ledger::{
    Answer, Claim, Claimed, Entered, Entry, Epoch, Fence, Held, JournalKey, Ledger, LedgerError,
    OnceKey, Recorded, RunId, StateKey,
};
use tokio::time::Instant;

use super::SingleUse;
use crate::server::SystemRuntime;
use crate::server::tasks::Tasks;

pub(super) const LEASE: Duration = Duration::from_secs(12);

/// How the ledger answers.
pub(super) enum Says<T> {
    Now(T),
    After(Duration, T),
    Away,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Claim,
    Renew,
    Finish,
    Release,
}

/// What is not told is answered with what lets one go on.
pub(super) struct Scripted {
    start: Instant,
    asked: Mutex<Vec<(Duration, Op)>>,
    pub(super) claims: Mutex<VecDeque<Says<Claimed>>>,
    pub(super) renewals: Mutex<VecDeque<Says<Held>>>,
    pub(super) finishes: Mutex<VecDeque<Says<Held>>>,
}

impl Scripted {
    /// Needs tokio's paused time.
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            start: Instant::now(),
            asked: Mutex::default(),
            claims: Mutex::default(),
            renewals: Mutex::default(),
            finishes: Mutex::default(),
        })
    }

    pub(super) fn single_use(self: &Arc<Self>) -> SingleUse {
        let ledger: Arc<dyn Ledger> = self.clone();
        SingleUse::new(
            ledger,
            LEASE,
            Arc::new(SystemRuntime),
            Arc::new(Tasks::new(0)),
        )
    }

    /// At how many milliseconds it was asked to do this.
    pub(super) fn asked(&self, op: Op) -> Vec<u128> {
        let asked = self.asked.lock().unwrap();
        let times = asked.iter().filter(|(_, other)| *other == op);
        times.map(|(time, _)| time.as_millis()).collect()
    }

    fn answer<'a, T: Send + 'a>(
        &self,
        op: Op,
        script: &Mutex<VecDeque<Says<T>>>,
        otherwise: T,
    ) -> Answer<'a, T> {
        self.asked.lock().unwrap().push((self.start.elapsed(), op));
        let says = script.lock().unwrap().pop_front();
        Box::pin(async move {
            match says.unwrap_or(Says::Now(otherwise)) {
                Says::Now(answer) => Ok(answer),
                Says::After(delay, answer) => {
                    tokio::time::sleep(delay).await;
                    Ok(answer)
                }
                Says::Away => Err(LedgerError::unavailable("it is away")),
                Says::Never => pending().await,
            }
        })
    }
}

impl Ledger for Scripted {
    fn epoch(&self) -> Answer<'_, Epoch> {
        Box::pin(pending())
    }

    fn claim<'a>(&'a self, _: &'a Claim) -> Answer<'a, Claimed> {
        self.answer(Op::Claim, &self.claims, Claimed::Granted)
    }

    fn renew_run(&self, _: StateKey, _: Fence, _: Duration) -> Answer<'_, Held> {
        self.answer(Op::Renew, &self.renewals, Held::Held)
    }

    fn finish<'a>(&'a self, _: StateKey, _: Fence, _: &'a [u8]) -> Answer<'a, Held> {
        self.answer(Op::Finish, &self.finishes, Held::Held)
    }

    fn release(&self, _: StateKey, _: Fence) -> Answer<'_, ()> {
        self.answer(Op::Release, &Mutex::default(), ())
    }

    fn enter<'a>(&'a self, _: &'a Entry) -> Answer<'a, Entered> {
        Box::pin(pending())
    }

    fn renew_once(&self, _: OnceKey, _: Fence, _: Duration) -> Answer<'_, Held> {
        Box::pin(pending())
    }

    fn record<'a>(&'a self, _: OnceKey, _: &'a [u8]) -> Answer<'a, Recorded> {
        Box::pin(pending())
    }

    fn keep_journal<'a>(&'a self, _: JournalKey, _: &'a [u8], _: Duration) -> Answer<'a, ()> {
        Box::pin(pending())
    }

    fn journal(&self, _: JournalKey) -> Answer<'_, Option<Vec<u8>>> {
        Box::pin(pending())
    }
}

pub(super) const fn claim() -> Claim {
    Claim {
        epoch: Epoch::from_bytes([1; 16]),
        state: StateKey::from_bytes([2; 16]),
        run: RunId::from_bytes([3; 16]),
        fence: Fence::from_bytes([4; 16]),
        lease: LEASE,
        keep: Duration::from_secs(3600),
    }
}

/// Lets what was spawned run.
pub(super) async fn settle_down() {
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
}
