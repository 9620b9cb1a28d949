//! Rounds of single use, played as a server does, over a store that can fail.
#![allow(dead_code, unreachable_pub)]

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mrtr_core::Timestamp;
use mrtr_core::ledger::{
    Answer, Claim, Claimed, Entered, Entry, Epoch, Fence, Held, JournalKey, Ledger, LedgerError,
    OnceKey, Recorded, StateKey,
};
use mrtr_core::replay::{Cx, Durable, Spawner, Task, ToolError, ToolErrorKind};
use mrtr_core::round::{Attempt, Closed, Replay};
use mrtr_ledger::MemoryLedger;
use serde_json::Value;
use serde_json::value::to_raw_value;

use crate::support::{Call, TokioTimer};

pub const LEASE: Duration = Duration::from_secs(15);

/// What goes wrong with one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// It does not happen, and the store says so.
    Away,
    /// It happens, but its answer is lost.
    Unheard,
    /// It happens, and nothing is ever heard of it.
    Silent,
}

/// A store in memory, by tokio's clock, whose operations can go wrong.
#[derive(Clone)]
pub struct Store {
    pub memory: MemoryLedger,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    down: bool,
    slips: Vec<(&'static str, VecDeque<Slip>)>,
    entered: VecDeque<Entered>,
    entries: Vec<Entry>,
    values: Vec<(OnceKey, Vec<u8>)>,
}

impl Store {
    pub fn new() -> Self {
        let start = tokio::time::Instant::now();
        Self {
            memory: MemoryLedger::with_clock(move || Timestamp::from_millis(0) + start.elapsed()),
            inner: Arc::default(),
        }
    }

    /// From now on every operation fails, or none.
    pub fn down(&self, down: bool) {
        self.lock().down = down;
    }

    /// The next operations of this name go wrong, each once.
    pub fn slip(&self, operation: &'static str, slips: impl IntoIterator<Item = Slip>) {
        self.lock()
            .slips
            .push((operation, slips.into_iter().collect()));
    }

    /// What the next wish to enter is told, whatever the rows say.
    pub fn tell(&self, entered: Entered) {
        self.lock().entered.push_back(entered);
    }

    /// Every entry that was wished for.
    pub fn entries(&self) -> Vec<Entry> {
        self.lock().entries.clone()
    }

    /// Every value that was to be recorded.
    pub fn values(&self) -> Vec<(OnceKey, Vec<u8>)> {
        self.lock().values.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().expect("not poisoned")
    }

    fn take(&self, operation: &'static str) -> Option<Slip> {
        let mut inner = self.lock();
        if inner.down {
            return Some(Slip::Away);
        }
        let mut slips = inner.slips.iter_mut();
        slips.find_map(|(name, slips)| (*name == operation).then(|| slips.pop_front())?)
    }

    fn run<'a, T: Send + 'a>(
        &'a self,
        name: &'static str,
        operation: Answer<'a, T>,
    ) -> Answer<'a, T> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let slip = self.take(name);
            if slip == Some(Slip::Away) {
                return Err(LedgerError::unavailable("away"));
            }
            let answer = operation.await?;
            match slip {
                Some(Slip::Unheard) => Err(LedgerError::unavailable("unheard")),
                Some(_) => pending().await,
                None => Ok(answer),
            }
        })
    }
}

impl Ledger for Store {
    fn epoch(&self) -> Answer<'_, Epoch> {
        self.run("epoch", self.memory.epoch())
    }
    fn claim<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Claimed> {
        self.run("claim", self.memory.claim(claim))
    }
    fn renew_run(&self, state: StateKey, fence: Fence, lease: Duration) -> Answer<'_, Held> {
        self.run("renew_run", self.memory.renew_run(state, fence, lease))
    }
    fn finish<'a>(&'a self, state: StateKey, fence: Fence, result: &'a [u8]) -> Answer<'a, Held> {
        self.run("finish", self.memory.finish(state, fence, result))
    }
    fn release(&self, state: StateKey, fence: Fence) -> Answer<'_, ()> {
        self.run("release", self.memory.release(state, fence))
    }
    fn enter<'a>(&'a self, entry: &'a Entry) -> Answer<'a, Entered> {
        self.lock().entries.push(*entry);
        let told = self.lock().entered.pop_front();
        match told {
            Some(told) => Box::pin(async { Ok(told) }),
            None => self.run("enter", self.memory.enter(entry)),
        }
    }
    fn renew_once(&self, key: OnceKey, fence: Fence, lease: Duration) -> Answer<'_, Held> {
        self.run("renew_once", self.memory.renew_once(key, fence, lease))
    }
    fn record<'a>(&'a self, key: OnceKey, value: &'a [u8]) -> Answer<'a, Recorded> {
        self.lock().values.push((key, value.to_vec()));
        self.run("record", self.memory.record(key, value))
    }
    fn keep_journal<'a>(
        &'a self,
        key: JournalKey,
        journal: &'a [u8],
        keep: Duration,
    ) -> Answer<'a, ()> {
        self.run("keep_journal", self.memory.keep_journal(key, journal, keep))
    }
    fn journal(&self, key: JournalKey) -> Answer<'_, Option<Vec<u8>>> {
        self.run("journal", self.memory.journal(key))
    }
}

/// Runs what it is given on the runtime.
pub struct Tokio;

impl Spawner for Tokio {
    fn spawn(&self, task: Task) {
        tokio::spawn(task);
    }
}

/// Loses what it is given, as a process that is killed.
pub struct Killed;

impl Spawner for Killed {
    fn spawn(&self, _: Task) {}
}

/// One exchange, each round of it by an attempt of its own.
pub struct Single {
    pub call: Call,
    pub store: Store,
}

impl Single {
    pub fn new(store: &Store) -> Self {
        let mut call = Call::new();
        call.policy.replay = Replay::Once;
        call.timer = Arc::new(TokioTimer);
        call.spawner = Some(Arc::new(Tokio));
        call.ledger = Some(Arc::new(store.clone()));
        Self {
            call,
            store: store.clone(),
        }
    }

    /// One request, with the state that the round before left; another one
    /// that leaves a state goes on from there.
    pub async fn play<T, F, Fut>(&mut self, answers: Value, handler: F) -> Closed<T>
    where
        F: FnOnce(Cx<Durable>) -> Fut,
        Fut: Future<Output = Result<T, ToolError>>,
    {
        let closed = self.again(answers, handler).await;
        if let Closed::InputRequired(result) = &closed {
            let state = result.request_state.as_ref();
            self.call.state = state.map(|state| to_raw_value(state).expect("JSON"));
        }
        closed
    }

    /// As [`play`](Self::play), but the reply is lost: the next request comes
    /// with the same state.
    pub async fn again<T, F, Fut>(&mut self, answers: Value, handler: F) -> Closed<T>
    where
        F: FnOnce(Cx<Durable>) -> Fut,
        Fut: Future<Output = Result<T, ToolError>>,
    {
        self.call.seed += 1;
        let fence = Fence::from_bytes([self.call.seed; 16]);
        self.call.attempt = Some(Attempt {
            epoch: self.store.memory.epoch().await.expect("in memory"),
            fence,
            lease: LEASE,
        });
        let answers = (!answers.is_null()).then(|| to_raw_value(&answers).expect("JSON"));
        let answers = answers.as_deref();
        let round = match self.call.open(answers) {
            Ok(round) => round,
            Err(reject) => return Closed::Rejected(reject),
        };
        if let Some(claim) = round.claim() {
            let claimed = self.store.memory.claim(&claim).await.expect("in memory");
            assert_eq!(claimed, Claimed::Granted);
        }
        let state = round.claim().map(|claim| claim.state);
        let cx = round.context().expect("durable");
        let release = Release(self.store.memory.clone(), state.map(|state| (state, fence)));
        let outcome = round.drive(handler(cx)).await;
        drop(release);
        round.close(outcome, &self.call.request(answers), self.call.now)
    }
}

/// Releases the run when its attempt is over, or dropped. What a client gets
/// is never stored here: every request may be sent again.
struct Release(MemoryLedger, Option<(StateKey, Fence)>);

impl Drop for Release {
    fn drop(&mut self) {
        if let Some((state, fence)) = self.1 {
            let memory = self.0.clone();
            let release = memory.release(state, fence);
            futures::executor::block_on(release).expect("in memory");
        }
    }
}

/// The key of the `once` whose outcome is not known.
#[track_caller]
pub fn unknown<T: std::fmt::Debug>(closed: Closed<T>) -> String {
    match closed {
        Closed::Failed(error) => match error.kind() {
            ToolErrorKind::OutcomeUnknown(unknown) => unknown.key().to_owned(),
            other => panic!("another error: {other:?}"),
        },
        other => panic!("no error: {other:?}"),
    }
}
