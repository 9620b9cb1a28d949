//! What came of an exchange.

use std::fmt;

use crate::replay::{Fault, Refused, ToolError};
use crate::round::Reject;
use crate::wire::{ElicitRequest, InputRequest, InputRequests};

/// One exchange as it was played.
#[derive(Debug)]
#[non_exhaustive]
pub struct Played<T> {
    /// The rounds that asked something or only waited, in order.
    pub rounds: Vec<RoundPlayed>,
    /// How it ended.
    pub end: End<T>,
}

/// One round that did not end the exchange.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RoundPlayed {
    /// What was asked; empty if the round only waited.
    pub questions: InputRequests,
    /// Length of the sealed state, in bytes of its text.
    pub state_bytes: usize,
}

impl RoundPlayed {
    /// The keys of what was asked, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.questions.iter().map(|(key, _)| key)
    }

    /// The message of the form or URL asked under `key`.
    #[must_use]
    pub fn message(&self, key: &str) -> Option<&str> {
        match self.questions.get(key)? {
            InputRequest::Elicit(ElicitRequest::Form(form)) => Some(&form.message),
            InputRequest::Elicit(ElicitRequest::Url(url)) => Some(&url.message),
            _ => None,
        }
    }
}

/// How an exchange ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum End<T> {
    /// The handler's result.
    Complete(T),
    /// A question was refused, and the handler ended with that.
    Refused(Refused),
    /// The handler failed.
    Failed(ToolError),
    /// The client was told of an error that is no fault of the handler: too
    /// many rounds, an undeclared capability, a malformed answer.
    Rejected(Reject),
    /// The handler broke a rule or panicked.
    Fault(Fault),
    /// The script has no answer to any question of the last round.
    Unanswered,
    /// A round that was run again asked something else. Lines that only the
    /// first run has start with `-`, those of the second with `+`.
    Diverged(String),
    /// The script itself is wrong.
    BadScript(String),
}

impl<T> Played<T> {
    /// The handler's result.
    ///
    /// # Panics
    /// When the exchange ended in another way; the message says how.
    #[track_caller]
    pub fn value(self) -> T {
        match self.end {
            End::Complete(value) => value,
            end => panic!("the exchange did not complete: {}", Told(&end)),
        }
    }

    /// The keys asked in the last round, if that is where the script had no
    /// answer; else nothing.
    #[must_use]
    pub fn unanswered(&self) -> Vec<&str> {
        match (&self.end, self.rounds.last()) {
            (End::Unanswered, Some(round)) => round.keys().collect(),
            _ => Vec::new(),
        }
    }

    /// The keys asked in each round.
    #[must_use]
    pub fn asked(&self) -> Vec<Vec<&str>> {
        let rounds = self.rounds.iter();
        rounds.map(|round| round.keys().collect()).collect()
    }
}

/// How an exchange ended, in words.
pub(super) struct Told<'a, T>(pub(super) &'a End<T>);

impl<T> fmt::Display for Told<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            End::Complete(_) => f.write_str("it completed"),
            End::Refused(refused) => refused.fmt(f),
            End::Failed(error) => write!(f, "the handler failed: {error:?}"),
            End::Rejected(reject) => reject.fmt(f),
            End::Fault(fault) => fault.fmt(f),
            End::Unanswered => f.write_str("the script has no answer to its last questions"),
            End::Diverged(difference) => {
                write!(
                    f,
                    "a round that was run again asked something else:\n{difference}"
                )
            }
            End::BadScript(problem) => problem.fmt(f),
        }
    }
}
