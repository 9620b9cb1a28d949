//! What a [`Cx`](super::Cx) and everything made by it share.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::thread::ThreadId;

use crate::Timestamp;
use crate::state::{ExchangeId, Method, Principal};
use crate::trace::TraceContext;
use crate::wire::Capabilities;

use super::fault::FaultKind;
use super::journal::Given;
use super::question::Question;
use super::run::{Found, Run, SlotId};
use super::spawner::Spawner;
use super::steps::StepId;
use super::timer::Timer;

/// What does not change during a run.
pub(crate) struct About {
    pub(crate) exchange: ExchangeId,
    pub(crate) started_at: Timestamp,
    /// Rounds that have asked something before this one.
    pub(crate) asked_rounds: u16,
    /// Whether the request carried a state, so that the exchange id is settled.
    pub(crate) has_token: bool,
    pub(crate) capabilities: Capabilities,
    pub(crate) principal: Option<Arc<Principal>>,
    pub(crate) trace: Option<TraceContext>,
    pub(crate) method: Method,
    pub(crate) target: Box<str>,
    pub(crate) audience: Arc<str>,
    pub(crate) timer: Arc<dyn Timer>,
    pub(crate) spawner: Option<Arc<dyn Spawner>>,
    pub(crate) host: Option<Arc<dyn Any + Send + Sync>>,
}

pub(crate) struct Shared {
    pub(crate) about: About,
    run: Mutex<Run>,
}

impl Shared {
    pub(crate) fn new(about: About, run: Run) -> Arc<Self> {
        Arc::new(Self {
            about,
            run: Mutex::new(run),
        })
    }

    /// No code of the author ever runs under this lock, so a poisoned one only
    /// says that some thread died elsewhere.
    pub(crate) fn run(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a fault and makes the round look at it.
    pub(crate) fn fault(&self, kind: FaultKind) {
        self.run().fault(kind);
        self.alarm();
    }

    /// Makes the round look at a fault, if there is one.
    pub(crate) fn alarm(&self) {
        let waker = self.run().alarm();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// A step can go on and has `told` whoever polled it last.
    pub(crate) fn step_woken(&self, told: &Waker) {
        let waker = self.run().step_woken(told);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub(crate) fn drop_step(&self, id: StepId) {
        let waker = self.run().drop_step(id);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Runs code that is no part of the round, although the round runs it.
    pub(crate) fn outside<T>(&self, code: impl FnOnce() -> T) -> T {
        struct Back<'a>(&'a Shared, Option<ThreadId>);
        impl Drop for Back<'_> {
            fn drop(&mut self) {
                if let Some(thread) = self.1 {
                    self.0.run().come_back(thread);
                }
            }
        }
        let _back = Back(self, self.run().step_out());
        code()
    }

    /// Whether the caller may be polled now: inside its round's own poll.
    ///
    /// Where the round is over nothing would ever resolve, and no round is left
    /// to report a fault: whoever polls then is told by a panic.
    pub(crate) fn is_at_home(&self, key: &Arc<str>) -> bool {
        let run = self.run();
        if run.is_polling() {
            return true;
        }
        let over = run.is_over();
        drop(run);
        let fault = FaultKind::OutsideRound(key.clone());
        if over && !std::thread::panicking() {
            panic!("{fault}");
        }
        self.fault(fault);
        false
    }
}

/// A registered ask or wait; withdrawn when dropped.
pub(crate) struct Slot {
    shared: Arc<Shared>,
    key: Arc<str>,
    /// Absent when the run will not answer it any more.
    id: Option<SlotId>,
}

impl Slot {
    pub(crate) fn issue(
        shared: &Arc<Shared>,
        key: Arc<str>,
        question: Question,
        solicited: bool,
    ) -> (Self, Option<Found>) {
        let issued = shared.run().issue(&key, question, solicited);
        let (id, found) = match issued {
            Some((id, found)) => (Some(id), found),
            None => {
                shared.alarm();
                (None, None)
            }
        };
        let slot = Self {
            shared: shared.clone(),
            key,
            id,
        };
        (slot, found)
    }

    pub(crate) fn wait(shared: &Arc<Shared>) -> Self {
        let id = shared.run().issue_wait();
        Self {
            shared: shared.clone(),
            key: "later_when".into(),
            id,
        }
    }

    /// A slot for a question that may not be sent.
    pub(crate) fn refuse(shared: &Arc<Shared>, key: Arc<str>, problem: String) -> Self {
        shared.fault(FaultKind::BadQuestion {
            key: key.clone(),
            problem,
        });
        Self {
            shared: shared.clone(),
            key,
            id: None,
        }
    }

    pub(crate) const fn key(&self) -> &Arc<str> {
        &self.key
    }

    pub(crate) fn timer(&self) -> &dyn Timer {
        self.shared.about.timer.as_ref()
    }

    pub(crate) fn fault(&self, kind: FaultKind) {
        self.shared.fault(kind);
    }

    /// Whether the ask may be polled here.
    pub(crate) fn is_at_home(&self) -> bool {
        if !self.shared.is_at_home(&self.key) {
            return false;
        }
        if self.shared.run().is_inside_step() {
            self.fault(FaultKind::AskInsideStep(self.key.clone()));
            return false;
        }
        true
    }

    pub(crate) fn block(&self) {
        if let Some(id) = self.id {
            self.shared.run().block(id);
        }
    }

    pub(crate) fn reopen(&self, correction: Option<String>) {
        if let Some(id) = self.id {
            self.shared.run().reopen(id, correction);
        }
    }

    pub(crate) fn demand_solicited(&self) -> bool {
        self.id
            .is_some_and(|id| self.shared.run().demand_solicited(id))
    }

    /// The answer is taken, as it came or as `instead` (and whether that is
    /// made from the answer rather than the answer).
    pub(crate) fn record(&mut self, instead: Option<(Given, bool)>) {
        if let Some(id) = self.id.take() {
            self.shared.run().record(id, instead);
        }
    }

    pub(crate) fn withdraw(&mut self) {
        if let Some(id) = self.id.take() {
            self.shared.run().withdraw(id);
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.withdraw();
    }
}
