//! Steps that have started, and what the round knows of their progress.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Wake, Waker};

use super::journal::Entry;
use super::run::Run;
use super::shared::Shared;

/// The waker a step's work is polled with: it notes that the work can go on,
/// and passes the wake-up to whoever polled the step last, and to the round.
pub(crate) struct StepWaker {
    woken: AtomicBool,
    forward: Mutex<Option<Waker>>,
    round: Weak<Shared>,
}

impl StepWaker {
    pub(crate) fn new(round: &Arc<Shared>) -> Arc<Self> {
        Arc::new(Self {
            woken: AtomicBool::new(false),
            forward: Mutex::default(),
            round: Arc::downgrade(round),
        })
    }

    /// To be called before each poll of the work.
    pub(crate) fn arm(&self, forward: &Waker) {
        self.woken.store(false, Ordering::Release);
        let mut slot = self.forward.lock().unwrap_or_else(PoisonError::into_inner);
        let old = match &*slot {
            Some(known) if known.will_wake(forward) => None,
            _ => slot.replace(forward.clone()),
        };
        drop(slot);
        drop(old);
    }

    fn woken(&self) -> bool {
        self.woken.load(Ordering::Acquire)
    }
}

impl Wake for StepWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        let forward = self
            .forward
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let Some(forward) = forward else { return };
        forward.wake_by_ref();
        if let Some(round) = self.round.upgrade() {
            round.step_woken(&forward);
        }
    }
}

impl fmt::Debug for StepWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepWaker")
            .field("woken", &self.woken())
            .finish_non_exhaustive()
    }
}

/// Names one step within a run.
pub(crate) type StepId = u32;

#[derive(Debug)]
struct Started {
    polled_in: u64,
    waker: Arc<StepWaker>,
}

/// What started steps mean for a round that could suspend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// No step has started and not ended.
    None,
    /// At least one will wake the handler by itself.
    Running,
    /// All were woken, but the handler did not come to poll them.
    Unpolled,
}

/// The started, unfinished steps of a run.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    next: StepId,
    started: BTreeMap<StepId, Started>,
}

impl Steps {
    pub(crate) fn register(&mut self) -> StepId {
        self.next += 1;
        self.next
    }

    pub(crate) fn polled(&mut self, id: StepId, waker: &Arc<StepWaker>, poll: u64) {
        self.started
            .entry(id)
            .or_insert_with(|| Started {
                polled_in: poll,
                waker: waker.clone(),
            })
            .polled_in = poll;
    }

    pub(crate) fn ended(&mut self, id: StepId) {
        self.started.remove(&id);
    }

    pub(crate) fn progress(&self, poll: u64) -> Progress {
        let mut steps = self.started.values();
        if steps.any(|step| step.polled_in == poll || !step.waker.woken()) {
            Progress::Running
        } else if self.started.is_empty() {
            Progress::None
        } else {
            Progress::Unpolled
        }
    }
}

impl Run {
    /// Registers a step and gives its recorded value.
    pub(super) fn register_step(&mut self, key: &Arc<str>) -> Option<(StepId, Option<Box<str>>)> {
        if !self.claim(key) {
            return None;
        }
        let recorded = match self.journal.entries.get(key) {
            Some(Entry::Step(value)) => Some(value.clone()),
            _ => None,
        };
        Some((self.steps.register(), recorded))
    }

    pub(super) fn enter_step(&mut self, id: StepId, waker: &Arc<StepWaker>) {
        self.inside_steps += 1;
        self.steps.polled(id, waker, self.poll);
    }

    pub(super) const fn leave_step(&mut self) {
        self.inside_steps = self.inside_steps.saturating_sub(1);
    }

    pub(super) fn end_step(&mut self, id: StepId) {
        self.steps.ended(id);
    }

    /// A step was given up; gives the waker to call if the round waited for it
    /// and this happened elsewhere, so that nobody else wakes it.
    pub(super) fn drop_step(&mut self, id: StepId) -> Option<Waker> {
        self.end_step(id);
        if self.blocked == 0 || self.polling.is_some() {
            return None;
        }
        self.waker.clone()
    }

    /// A step can go on; gives the waker to call if the round waits for that.
    ///
    /// A round that waits for nothing but steps cannot rely on `told`: a
    /// combinator that is not polled for the time being, or that is gone,
    /// does not pass every wake-up on.
    pub(super) fn step_woken(&mut self, told: &Waker) -> Option<Waker> {
        let waker = self.waker.as_ref().filter(|waker| !waker.will_wake(told))?;
        if self.polling.is_some() {
            self.step_woken = true;
            return None;
        }
        (self.blocked > 0).then(|| waker.clone())
    }

    pub(super) fn record_step(&mut self, key: &Arc<str>, value: Box<str>) {
        self.journal.entries.insert(key.clone(), Entry::Step(value));
    }
}
