//! One run of a handler: its questions and steps, and what becomes of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::Waker;
use std::thread::ThreadId;

use serde_json::value::RawValue;

use crate::round::Reject;
use crate::wire::{Capabilities, InputKind};

use super::by_key::ByKey;
use super::fault::FaultKind;
use super::journal::{Asked, Digest, Entry, Given, Journal, MAX_KEY_BYTES, Recorded};
use super::question::Question;
use super::steps::Steps;

/// Rounds in a row that may see a new question under one key.
const MAX_CHANGES: u8 = 3;

/// Names one ask within a run.
pub(crate) type SlotId = usize;

/// An answer the client gave wrongly: its fault, and its to mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadAnswer {
    /// The key in `inputResponses`.
    pub(crate) key: String,
    /// What is wrong with the answer.
    pub(crate) problem: String,
}

/// Why a round ends without anything that its handler could say.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    /// Another attempt has taken the run over.
    Lost,
    /// The ledger did not do what it was asked.
    Rejected(Reject),
}

/// What is known of an ask when it is issued.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) given: Given,
    pub(crate) recorded: bool,
    pub(crate) projected: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Unanswered, not polled yet.
    Open,
    /// Unanswered, and the handler waits for it.
    Blocked,
    /// An answer is there that its ask has not taken yet.
    Answered,
}

#[derive(Debug)]
pub(super) struct Slot {
    pub(super) key: Arc<str>,
    /// Absent for a wait without a question.
    pub(super) question: Option<Question>,
    pub(super) stage: Stage,
    pub(super) changes: u8,
    pub(super) correction: Option<String>,
    pub(super) malformed: Option<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(super) journal: Journal,
    pub(super) unsolicited: BTreeMap<String, Box<RawValue>>,
    pub(super) declared: Capabilities,
    pub(super) keys: ByKey<()>,
    pub(super) slots: Vec<Option<Slot>>,
    pub(super) blocked: usize,
    pub(super) steps: Steps,
    pub(super) poll: u64,
    pub(super) polling: Option<ThreadId>,
    pub(super) inside_steps: u32,
    pub(super) unpolled_in_a_row: u32,
    /// A step was woken while the handler was being polled.
    pub(super) step_woken: bool,
    pub(super) waker: Option<Waker>,
    pub(super) started: bool,
    pub(super) closed: bool,
    pub(super) fault: Option<FaultKind>,
    pub(super) stop: Option<Stop>,
    pub(super) bad_answer: Option<BadAnswer>,
}

impl Run {
    pub(crate) fn new(
        journal: Journal,
        unsolicited: BTreeMap<String, Box<RawValue>>,
        declared: Capabilities,
    ) -> Self {
        Self {
            journal,
            unsolicited,
            declared,
            ..Self::default()
        }
    }

    /// Records a fault; the first one counts.
    pub(super) fn fault(&mut self, kind: FaultKind) {
        if !self.closed {
            self.fault.get_or_insert(kind);
        }
    }

    /// Ends the round; the first reason counts.
    pub(super) fn stop(&mut self, stop: Stop) {
        if !self.closed {
            self.stop.get_or_insert(stop);
        }
    }

    /// The waker to call when a fault was recorded and nobody else will make
    /// the round look at it.
    pub(super) fn alarm(&mut self) -> Option<Waker> {
        if self.fault.is_none() || self.is_polling() {
            return None;
        }
        self.waker.take()
    }

    /// Whether the round itself is being polled, on this very thread.
    pub(super) fn is_polling(&self) -> bool {
        self.polling == Some(std::thread::current().id())
    }

    /// Code that is no part of the round is about to run, on the thread given.
    pub(super) fn step_out(&mut self) -> Option<ThreadId> {
        self.is_polling().then(|| self.polling.take()).flatten()
    }

    pub(super) const fn come_back(&mut self, thread: ThreadId) {
        self.polling = Some(thread);
    }

    pub(super) const fn is_inside_step(&self) -> bool {
        self.inside_steps > 0
    }

    pub(super) fn claim(&mut self, key: &Arc<str>) -> bool {
        if self.closed {
            return false;
        }
        if key.is_empty() || key.len() > MAX_KEY_BYTES {
            self.fault(FaultKind::BadKey(key.chars().take(MAX_KEY_BYTES).collect()));
            return false;
        }
        if self.keys.insert(key.clone(), ()).is_some() {
            self.fault(FaultKind::DuplicateKey(key.clone()));
            return false;
        }
        true
    }

    /// Registers a question. `solicited` demands an answer to a question that
    /// was really asked.
    pub(super) fn issue(
        &mut self,
        key: &Arc<str>,
        question: Question,
        solicited: bool,
    ) -> Option<(SlotId, Option<Found>)> {
        if !self.claim(key) {
            return None;
        }
        let (kind, digest) = (question.kind(), question.digest());
        let mut malformed = None;
        let changes = match self.journal.entries.get(key) {
            Some(Entry::Recorded(known)) if (known.kind, known.digest) != (kind, digest) => 1,
            Some(Entry::Asked(asked) | Entry::Received { asked, .. })
                if (asked.kind, asked.digest) != (kind, digest) =>
            {
                asked.changes.saturating_add(1)
            }
            None if !solicited => {
                malformed = self.take_unsolicited(key, kind, digest);
                0
            }
            _ => 0,
        };
        if changes >= MAX_CHANGES {
            self.fault(FaultKind::EverChangingQuestion(key.clone()));
            return None;
        }
        let stale = match self.journal.entries.get(key) {
            Some(Entry::Recorded(known)) => changes > 0 || solicited && !known.solicited,
            Some(Entry::Received { solicited: was, .. }) => changes > 0 || solicited && !was,
            Some(Entry::Asked(_) | Entry::Step(_)) => true,
            None => false,
        };
        if stale {
            self.journal.entries.remove(key);
        }
        let found = match self.journal.entries.get(key) {
            Some(Entry::Recorded(known)) => Some(Found {
                given: known.given.clone(),
                recorded: true,
                projected: known.projected,
            }),
            Some(Entry::Received { given, .. }) => Some(Found {
                given: given.clone(),
                recorded: false,
                projected: false,
            }),
            _ => None,
        };
        let stage = if found.is_some() {
            Stage::Answered
        } else {
            Stage::Open
        };
        let id = self.put(Slot {
            key: key.clone(),
            question: Some(question),
            stage,
            changes,
            correction: None,
            malformed,
        });
        Some((id, found))
    }

    /// Makes an answer that came without a state a received one; what is wrong
    /// with it is held against it when the ask is polled.
    fn take_unsolicited(
        &mut self,
        key: &Arc<str>,
        kind: InputKind,
        digest: Digest,
    ) -> Option<String> {
        let raw = self.unsolicited.remove(&**key)?;
        match Given::read(kind, &raw) {
            Ok(given) => {
                let asked = Asked {
                    kind,
                    digest,
                    changes: 0,
                };
                let solicited = false;
                self.journal.entries.insert(
                    key.clone(),
                    Entry::Received {
                        asked,
                        given,
                        solicited,
                    },
                );
                None
            }
            Err(problem) => Some(problem),
        }
    }

    /// Registers a wait without a question.
    pub(super) fn issue_wait(&mut self) -> Option<SlotId> {
        if self.closed {
            return None;
        }
        Some(self.put(Slot {
            key: "".into(),
            question: None,
            stage: Stage::Open,
            changes: 0,
            correction: None,
            malformed: None,
        }))
    }

    fn put(&mut self, slot: Slot) -> SlotId {
        self.slots.push(Some(slot));
        self.slots.len() - 1
    }

    fn slot(&mut self, id: SlotId) -> Option<&mut Slot> {
        self.slots.get_mut(id)?.as_mut()
    }

    /// The handler waits for this one.
    pub(super) fn block(&mut self, id: SlotId) {
        let Some(slot) = self.slot(id) else { return };
        if slot.stage == Stage::Blocked {
            return;
        }
        slot.stage = Stage::Blocked;
        if let Some(problem) = slot.malformed.take() {
            let key = slot.key.as_ref().to_owned();
            self.bad_answer.get_or_insert(BadAnswer { key, problem });
        }
        self.blocked += 1;
    }

    /// The answer is not taken; the question is open again.
    pub(super) fn reopen(&mut self, id: SlotId, correction: Option<String>) {
        let Some(slot) = self.slot(id) else { return };
        let was = std::mem::replace(&mut slot.stage, Stage::Open);
        slot.correction = correction;
        let key = slot.key.clone();
        if was == Stage::Blocked {
            self.blocked -= 1;
        }
        self.journal.entries.remove(&key);
    }

    /// Forgets an answer that came without a state; whether there was one.
    pub(super) fn demand_solicited(&mut self, id: SlotId) -> bool {
        let Some(slot) = self.slot(id) else {
            return false;
        };
        slot.malformed = None;
        let key = slot.key.clone();
        let unsolicited = match self.journal.entries.get(&key) {
            Some(Entry::Received { solicited, .. }) => !solicited,
            Some(Entry::Recorded(recorded)) => !recorded.solicited,
            _ => false,
        };
        if unsolicited {
            self.reopen(id, None);
        }
        unsolicited
    }

    /// Drops what is known under a key; it is asked anew.
    pub(super) fn forget(&mut self, key: &str) {
        self.journal.entries.remove(key);
        self.unsolicited.remove(key);
    }

    pub(super) fn flow_state(&self) -> Option<Box<str>> {
        self.journal.flow.clone()
    }

    pub(super) fn set_flow_state(&mut self, state: Box<str>) {
        if !self.closed {
            self.journal.flow = Some(state);
        }
    }

    /// The ask took its answer as it came, or as `instead`.
    pub(super) fn record(&mut self, id: SlotId, instead: Option<(Given, bool)>) {
        let Some(slot) = self.remove(id) else { return };
        let Some(question) = slot.question else {
            return;
        };
        let (given, solicited) = match self.journal.entries.remove(&slot.key) {
            Some(Entry::Received {
                given, solicited, ..
            }) => (Some(given), solicited),
            Some(Entry::Recorded(recorded)) => {
                self.journal
                    .entries
                    .insert(slot.key, Entry::Recorded(recorded));
                return;
            }
            _ => (None, true),
        };
        let Some((given, projected)) = instead.or_else(|| Some((given?, false))) else {
            return;
        };
        self.journal.entries.insert(
            slot.key,
            Entry::Recorded(Recorded {
                kind: question.kind(),
                digest: question.digest(),
                given,
                projected,
                solicited,
            }),
        );
    }

    /// The ask is gone.
    pub(super) fn withdraw(&mut self, id: SlotId) {
        self.remove(id);
    }

    fn remove(&mut self, id: SlotId) -> Option<Slot> {
        let slot = self.slots.get_mut(id)?.take()?;
        if slot.stage == Stage::Blocked {
            self.blocked -= 1;
        }
        Some(slot)
    }
}
