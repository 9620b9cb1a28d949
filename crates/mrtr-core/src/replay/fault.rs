//! The author's code broke a rule, or the round could not end properly.

use std::fmt;
use std::sync::Arc;

/// A round that failed through no choice of the client.
///
/// The client learns nothing but that it failed (`-32603`). The log gets the
/// whole: [`Display`](fmt::Display) says what happened and what to do about
/// it, followed by what had been recorded and what was attempted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) recorded: Vec<Arc<str>>,
    pub(crate) attempted: Vec<Arc<str>>,
}

impl Fault {
    /// What happened.
    #[must_use]
    pub const fn kind(&self) -> &FaultKind {
        &self.kind
    }

    /// Keys of the answers and steps that were recorded when it happened.
    pub fn recorded(&self) -> impl Iterator<Item = &str> {
        self.recorded.iter().map(AsRef::as_ref)
    }

    /// Keys that the handler had used in this run without a recorded value.
    pub fn attempted(&self) -> impl Iterator<Item = &str> {
        self.attempted.iter().map(AsRef::as_ref)
    }
}

/// What a [`Fault`] is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// One key was used twice in one run.
    DuplicateKey(Arc<str>),
    /// A key is empty or longer than [`MAX_KEY_BYTES`](super::MAX_KEY_BYTES).
    BadKey(String),
    /// A question is not what the protocol allows to send.
    BadQuestion {
        /// The key of the question.
        key: Arc<str>,
        /// What is wrong with it.
        problem: String,
    },
    /// A question was different in every one of several rounds.
    EverChangingQuestion(Arc<str>),
    /// An ask or a step was polled outside of its round: from a spawned task,
    /// shielded work or another thread. Once the round is over that is a panic where it happens.
    OutsideRound(Arc<str>),
    /// An ask was polled inside the work of a step.
    AskInsideStep(Arc<str>),
    /// An ask or a step was polled after it had given its value.
    PolledAgain(Arc<str>),
    /// The value of a step does not serialise.
    StepNotWritable {
        /// The key of the step.
        key: Arc<str>,
        /// What the serialiser said.
        problem: String,
    },
    /// A recorded value of a step does not read as the type wanted now.
    StepNotReadable {
        /// The key of the step.
        key: Arc<str>,
        /// What the deserialiser said.
        problem: String,
    },
    /// What `.keep(..)` returned does not serialise.
    AnswerNotWritable {
        /// The key of the question.
        key: Arc<str>,
        /// What the serialiser said.
        problem: String,
    },
    /// An idempotency key was used in a round that has no token yet.
    NoTokenYet(String),
    /// A `once` without a scope in a round that has no token yet.
    OnceBeforeToken(Arc<str>),
    /// The value of a `once` is longer than one may be.
    OnceTooLarge {
        /// The key of the `once`.
        key: Arc<str>,
        /// Length of the sealed value, in bytes.
        bytes: usize,
        /// Length allowed, in bytes.
        limit: usize,
    },
    /// The sealed state would be longer than allowed.
    StateTooLarge {
        /// Length of the text it would have, in bytes.
        bytes: usize,
        /// Length allowed, in bytes.
        limit: usize,
        /// The key that takes most of it, and its share in bytes.
        largest: Option<(Arc<str>, usize)>,
    },
    /// A second handler was run in one round.
    RunTwice,
    /// A flow wants to ask, but no answer was missing.
    NothingToAsk,
    /// The state of a flow cannot be written or read.
    FlowState(String),
    /// The handler panicked.
    Panicked(String),
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateKey(key) => write!(
                f,
                "the key `{key}` was used twice in one run; give each question and step its own key, in a loop with `cx.at(i)`"
            ),
            Self::BadKey(key) if key.is_empty() => {
                f.write_str("a key is empty; name the question or step")
            }
            Self::BadKey(key) => write!(
                f,
                "a key is longer than {} bytes; keys are names, not contents: {key}",
                super::MAX_KEY_BYTES
            ),
            Self::BadQuestion { key, problem } => {
                write!(f, "the question `{key}` may not be sent: {problem}")
            }
            Self::EverChangingQuestion(key) => write!(
                f,
                "the question `{key}` was a different one in each of the last rounds, so that no answer ever fits; its text must depend on arguments, answers and steps only (likely cause: a time, a random number or fresh data in the message; wrap it in `cx.step(..)`)"
            ),
            Self::OutsideRound(key) => write!(
                f,
                "`{key}` was polled outside of its round; asks and steps work only inside the handler's own future, not in a spawned task or shielded work (use `join!` or `FuturesUnordered` instead of `spawn`)"
            ),
            Self::AskInsideStep(key) => write!(
                f,
                "the question `{key}` was asked inside a step; ask before the step and use the answer in it"
            ),
            Self::PolledAgain(key) => {
                write!(f, "`{key}` was polled again after it had given its value")
            }
            Self::StepNotWritable { key, problem } => {
                write!(
                    f,
                    "the value of step `{key}` cannot be written as JSON: {problem}"
                )
            }
            Self::StepNotReadable { key, problem } => write!(
                f,
                "the recorded value of step `{key}` cannot be read: {problem} (likely cause: its type changed while exchanges were open, or it does not survive JSON; use a new key for a new type)"
            ),
            Self::AnswerNotWritable { key, problem } => write!(
                f,
                "what was kept of the answer to `{key}` cannot be written as JSON: {problem}"
            ),
            Self::NoTokenYet(label) => write!(
                f,
                "the idempotency key `{label}` was used before the exchange had a token, so a repeated request would get another one; use it after a question, or give it a `.scope(..)`"
            ),
            Self::OnceBeforeToken(key) => write!(
                f,
                "`once` was used with the key `{key}` before the exchange had a token, so a repeated request would do it again; use it after a question, or give it a `.scope(..)`"
            ),
            Self::OnceTooLarge { key, bytes, limit } => write!(
                f,
                "the value of `once` `{key}` has {bytes} bytes when sealed, {limit} are allowed, so it was done and cannot be recorded; return a reference instead of the value"
            ),
            Self::StateTooLarge {
                bytes,
                limit,
                largest,
            } => {
                write!(
                    f,
                    "the sealed state would have {bytes} bytes, {limit} are allowed"
                )?;
                match largest {
                    Some((key, share)) => write!(
                        f,
                        "; the largest part is `{key}` with {share} bytes: record less with `.keep(..)`, or a reference instead of the value"
                    ),
                    None => Ok(()),
                }
            }
            Self::RunTwice => f.write_str("a round runs one handler once; open it again for another run"),
            Self::NothingToAsk => f.write_str(
                "the flow wants to ask, but every question it looked at is answered; make the question with `turn.answer(..)` in the same round, and `turn.forget(..)` an answer that is no longer wanted",
            ),
            Self::FlowState(problem) => write!(
                f,
                "the state of the flow cannot be written or read as JSON: {problem} (likely cause: its type changed while exchanges were open; give the server a new revision)"
            ),
            Self::Panicked(message) => write!(f, "the handler panicked: {message}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        for (what, keys) in [("recorded", &self.recorded), ("attempted", &self.attempted)] {
            if !keys.is_empty() {
                write!(f, "; {what}: {}", keys.join(", "))?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}
