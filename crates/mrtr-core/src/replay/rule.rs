//! The rule that decides after every poll of a handler whether its round
//! waits, ends, or suspends.

use std::sync::Arc;
use std::task::Waker;

use super::fault::{Fault, FaultKind};
use super::journal::{Asked, Entry, Journal};
use super::run::{BadAnswer, Run, Stage, Stop};
use super::steps::Progress;
use crate::wire::{Capabilities, InputRequest};

/// Polls in a row that leave every started step woken and unpolled, after
/// which the steps count as parked.
const PARKED_AFTER: u32 = 64;

/// The questions of a round that suspends, and what it leaves to the next one.
#[derive(Debug)]
pub(crate) struct Suspension {
    pub(crate) questions: Vec<(Arc<str>, InputRequest)>,
    pub(crate) journal: Journal,
}

/// What follows from a poll of the handler.
#[derive(Debug)]
pub(crate) enum Verdict {
    Wait,
    WakeAndWait,
    Done,
    Suspend(Suspension),
    MissingCapabilities(Capabilities),
    BadAnswer(BadAnswer),
    Fault(Fault),
    Stopped(Stop),
}

impl Run {
    /// Gives the waker of an earlier poll, to be dropped outside of any lock.
    pub(super) fn begin_poll(&mut self, waker: &Waker) -> Option<Waker> {
        self.poll += 1;
        self.inside_steps = 0;
        self.step_woken = false;
        self.polling = Some(std::thread::current().id());
        match &self.waker {
            Some(known) if known.will_wake(waker) => None,
            _ => self.waker.replace(waker.clone()),
        }
    }

    /// Whether this is the first handler, the only one that may run.
    pub(super) const fn start(&mut self) -> bool {
        !std::mem::replace(&mut self.started, true)
    }

    pub(super) const fn is_over(&self) -> bool {
        self.closed
    }

    /// Nothing that the run's parts do matters from here on.
    pub(super) fn close(&mut self) -> Option<Waker> {
        self.closed = true;
        self.waker.take()
    }

    /// The rule. `ready` says that the handler has ended.
    pub(super) fn end_poll(&mut self, ready: bool) -> Verdict {
        self.polling = None;
        if let Some(kind) = self.fault.take() {
            return Verdict::Fault(self.close_with(kind));
        }
        if let Some(stop) = self.stop.take() {
            self.closed = true;
            return Verdict::Stopped(stop);
        }
        if let Some(bad) = self.bad_answer.take() {
            self.closed = true;
            return Verdict::BadAnswer(bad);
        }
        if ready {
            self.closed = true;
            return Verdict::Done;
        }
        if self.blocked > 0 {
            match self.steps.progress(self.poll) {
                Progress::Unpolled if self.unpolled_in_a_row < PARKED_AFTER => {
                    self.unpolled_in_a_row += 1;
                    return Verdict::WakeAndWait;
                }
                Progress::None | Progress::Unpolled => return self.suspend(),
                Progress::Running => {}
            }
        }
        self.unpolled_in_a_row = 0;
        if self.blocked > 0 && self.step_woken {
            Verdict::WakeAndWait
        } else {
            Verdict::Wait
        }
    }

    /// Ends the run with a fault and tells what it had come to.
    pub(super) fn close_with(&mut self, kind: FaultKind) -> Fault {
        self.closed = true;
        self.describe(kind)
    }

    pub(super) fn describe(&self, kind: FaultKind) -> Fault {
        let recorded: Vec<_> = self.journal.recorded().cloned().collect();
        let settled = |key: &&Arc<str>| self.journal.is_recorded(key);
        let attempted = self.keys.keys().filter(|key| !settled(key));
        Fault {
            kind,
            attempted: attempted.cloned().collect(),
            recorded,
        }
    }

    fn suspend(&mut self) -> Verdict {
        self.closed = true;
        let mut journal = std::mem::take(&mut self.journal);
        journal
            .entries
            .retain(|entry| !matches!(entry, Entry::Asked(_)));
        let mut questions = Vec::new();
        let mut required = Capabilities::default();
        for slot in self.slots.iter_mut().filter_map(Option::take) {
            let Some(question) = slot.question else {
                continue;
            };
            if slot.stage == Stage::Answered {
                continue;
            }
            required = required.union(question.request().required_capabilities());
            let asked = Asked {
                kind: question.kind(),
                digest: question.digest(),
                changes: slot.changes,
            };
            journal
                .entries
                .insert(slot.key.clone(), Entry::Asked(asked));
            questions.push((slot.key, question.into_request(slot.correction.as_deref())));
        }
        let missing = self.declared.missing(required);
        if !missing.is_empty() {
            return Verdict::MissingCapabilities(missing);
        }
        Verdict::Suspend(Suspension { questions, journal })
    }
}
