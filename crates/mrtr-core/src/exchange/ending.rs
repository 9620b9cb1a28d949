//! How a call ends, or goes on, other than by a result.

use std::mem;

use super::answers::AnswerError;
use super::call::{Exchange, Stage};
use super::error::{Cancelled, ExchangeError, LimitReached, Lost, Misuse, Refusal, Rejected};
use crate::time::Timestamp;
use crate::wire::ErrorObject;

impl Exchange {
    /// Ends the call because a question will not be answered: a person or a policy refused a sampling
    /// or roots request, or nothing here can answer it. Nothing is sent (no server waits for it) and
    /// no answer is made up.
    ///
    /// A person's no to an elicitation is an answer instead: `decline` or `cancel`.
    ///
    /// # Errors
    /// [`AnswerError`] when no question is open under `key`; the questions stay open.
    pub fn refuse(&mut self, key: &str, reason: impl Into<String>) -> Result<Refusal, AnswerError> {
        let Some(questions) = self.questions() else {
            return Err(self.misuse("refuse").into());
        };
        let Some(question) = questions.get(key) else {
            return Err(AnswerError::NotAsked {
                key: key.to_owned(),
            });
        };
        let refusal = Refusal {
            key: key.to_owned(),
            kind: question.kind(),
            reason: reason.into(),
            reached: self.reached(),
        };
        self.stage = Stage::Ended;
        Ok(refusal)
    }

    /// Ends the call because the server answered the leg with a JSON-RPC error, and says so.
    #[must_use]
    pub fn reject(&mut self, error: ErrorObject) -> ExchangeError {
        if !matches!(self.stage, Stage::Sent(_)) {
            return self.misuse("reject").into();
        }
        let reached = self.reached();
        self.stage = Stage::Ended;
        ExchangeError::Rejected(Rejected { error, reached })
    }

    /// The error for a leg whose reply was lost. The exchange still holds the leg: it can be saved,
    /// and it is sent a second time only after [`send_again`](Self::send_again).
    #[must_use]
    pub fn lost(&self) -> ExchangeError {
        match self.stage {
            Stage::Sent(_) => ExchangeError::Lost(Lost {
                reached: self.reached(),
            }),
            _ => self.misuse("lost").into(),
        }
    }

    /// Makes the leg due again because the server certainly did not carry it out: no byte of it left,
    /// or the reply refused the request as such (`-32020` header mismatch, `-32022` version).
    ///
    /// # Errors
    /// [`Misuse`] when no leg is in flight.
    pub fn unsent(&mut self) -> Result<(), Misuse> {
        self.make_due("unsent")
    }

    /// Makes the leg due again although the server may have carried it out already. Call it only when
    /// doing the work twice is accepted: by a person, or because the call is known to have no effect.
    ///
    /// # Errors
    /// [`Misuse`] when no leg is in flight.
    pub fn send_again(&mut self) -> Result<(), Misuse> {
        self.make_due("send_again")
    }

    fn make_due(&mut self, call: &'static str) -> Result<(), Misuse> {
        match mem::replace(&mut self.stage, Stage::Ended) {
            Stage::Sent(leg) => {
                self.stage = Stage::Ready(leg);
                Ok(())
            }
            other => {
                self.stage = other;
                Err(self.misuse(call))
            }
        }
    }

    /// Ends the call and forgets everything. The value says whether the server has to be told.
    pub fn cancel(&mut self) -> Cancelled {
        match mem::replace(&mut self.stage, Stage::Ended) {
            Stage::Sent(_) => Cancelled::InFlight,
            _ => Cancelled::Idle,
        }
    }

    /// Ends the call when its time is over; the error says whether a leg was in flight.
    ///
    /// # Errors
    /// [`ExchangeError::Limit`] when the time is over, [`ExchangeError::Misuse`] when the call ended
    /// before.
    pub fn check_time(&mut self, now: Timestamp) -> Result<(), ExchangeError> {
        if matches!(self.stage, Stage::Ended) {
            return Err(self.misuse("check_time").into());
        }
        let Err(limit) = self.clock.check(self.limits.total, now) else {
            return Ok(());
        };
        let reached = self.reached();
        let in_flight = matches!(self.stage, Stage::Sent(_));
        self.stage = Stage::Ended;
        Err(ExchangeError::Limit(LimitReached {
            limit,
            reached,
            in_flight,
        }))
    }
}
