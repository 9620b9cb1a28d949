//! The line of one instance to the ledger: counted, cut, held up.

use std::collections::HashMap;
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mrtr::ledger::{
    Answer, Claim, Claimed, Entered, Entry, Epoch, Fence, Held, JournalKey, Ledger, LedgerError,
    OnceKey, Recorded, StateKey,
};
use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Epoch,
    Claim,
    Renew,
    Finish,
    Release,
    /// What `once` bodies and journals need.
    Other,
}

#[derive(Clone, Default)]
struct Condition {
    /// Nothing passes, and that is noticed.
    cut: bool,
    /// Nothing passes, and that is not noticed: the instance has died, or so it seems.
    dead: bool,
    /// This waits.
    held_up: Option<Op>,
}

/// Clones are the same line.
#[derive(Clone)]
pub(crate) struct Line {
    ledger: Arc<dyn Ledger>,
    condition: watch::Sender<Condition>,
    asked: Arc<Mutex<HashMap<Op, usize>>>,
    answered: watch::Sender<HashMap<Op, usize>>,
}

impl Line {
    pub(crate) fn to(ledger: impl Ledger + 'static) -> Self {
        Self {
            ledger: Arc::new(ledger),
            condition: watch::Sender::default(),
            asked: Arc::default(),
            answered: watch::Sender::default(),
        }
    }

    pub(crate) fn cut(&self) {
        self.condition.send_modify(|condition| condition.cut = true);
    }

    pub(crate) fn mend(&self) {
        self.condition.send_replace(Condition::default());
    }

    pub(crate) fn die(&self) {
        self.condition
            .send_modify(|condition| condition.dead = true);
    }

    pub(crate) fn hold_up(&self, op: Op) {
        self.condition
            .send_modify(|condition| condition.held_up = Some(op));
    }

    /// How often this was asked for.
    pub(crate) fn asked(&self, op: Op) -> usize {
        self.asked.lock().unwrap().get(&op).copied().unwrap_or(0)
    }

    pub(crate) fn asked_at_all(&self) -> usize {
        self.asked.lock().unwrap().values().sum()
    }

    /// Resolves once this was answered so often.
    pub(crate) async fn answered(&self, op: Op, times: usize) {
        let enough = |answered: &HashMap<Op, usize>| answered.get(&op) >= Some(&times);
        let mut answered = self.answered.subscribe();
        answered.wait_for(enough).await.unwrap();
    }

    fn pass<'a, T: Send + 'a>(&'a self, op: Op, answer: Answer<'a, T>) -> Answer<'a, T> {
        *self.asked.lock().unwrap().entry(op).or_default() += 1;
        Box::pin(async move {
            let mut condition = self.condition.subscribe();
            let free = |condition: &Condition| condition.held_up != Some(op);
            let now = condition.wait_for(free).await.unwrap().clone();
            if now.dead {
                return pending().await;
            }
            if now.cut {
                return Err(LedgerError::unavailable("the line is cut"));
            }
            let answer = answer.await;
            self.answered
                .send_modify(|answered| *answered.entry(op).or_default() += 1);
            answer
        })
    }
}

impl Ledger for Line {
    fn epoch(&self) -> Answer<'_, Epoch> {
        self.pass(Op::Epoch, self.ledger.epoch())
    }

    fn claim<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Claimed> {
        self.pass(Op::Claim, self.ledger.claim(claim))
    }

    fn renew_run(&self, state: StateKey, fence: Fence, lease: Duration) -> Answer<'_, Held> {
        self.pass(Op::Renew, self.ledger.renew_run(state, fence, lease))
    }

    fn finish<'a>(&'a self, state: StateKey, fence: Fence, result: &'a [u8]) -> Answer<'a, Held> {
        self.pass(Op::Finish, self.ledger.finish(state, fence, result))
    }

    fn release(&self, state: StateKey, fence: Fence) -> Answer<'_, ()> {
        self.pass(Op::Release, self.ledger.release(state, fence))
    }

    fn enter<'a>(&'a self, entry: &'a Entry) -> Answer<'a, Entered> {
        self.pass(Op::Other, self.ledger.enter(entry))
    }

    fn renew_once(&self, key: OnceKey, fence: Fence, lease: Duration) -> Answer<'_, Held> {
        self.pass(Op::Other, self.ledger.renew_once(key, fence, lease))
    }

    fn record<'a>(&'a self, key: OnceKey, value: &'a [u8]) -> Answer<'a, Recorded> {
        self.pass(Op::Other, self.ledger.record(key, value))
    }

    fn keep_journal<'a>(
        &'a self,
        key: JournalKey,
        journal: &'a [u8],
        keep: Duration,
    ) -> Answer<'a, ()> {
        self.pass(Op::Other, self.ledger.keep_journal(key, journal, keep))
    }

    fn journal(&self, key: JournalKey) -> Answer<'_, Option<Vec<u8>>> {
        self.pass(Op::Other, self.ledger.journal(key))
    }
}
