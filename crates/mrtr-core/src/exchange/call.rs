//! The state machine of one call.

use std::fmt;
use std::mem;
use std::time::Duration;

use serde_json::value::RawValue;

use super::answers::{self, AnswerError};
use super::error::{
    ExchangeError, Limit, LimitReached, Misuse, Phase, ProtocolError, Reached, Violation,
};
use super::interim::Interim;
use super::limits::{Clock, ExchangeLimits};
use super::params::{self, CallParams, ParamsError};
use crate::time::Timestamp;
use crate::wire::{AnyResult, Capabilities, InputRequests, InputResponse};

/// One call over all its round trips; see the [module](super) for the whole picture.
///
/// A call is linear: [`request`](Self::request), [`receive`](Self::receive), perhaps
/// [`answer`](Self::answer), and again. A method that does not fit is refused with a [`Misuse`] and
/// changes nothing. A call that ended stays ended.
pub struct Exchange {
    pub(super) method: String,
    pub(super) params: CallParams,
    meta: Option<Box<RawValue>>,
    declared: Option<Capabilities>,
    pub(super) limits: ExchangeLimits,
    pub(super) clock: Clock,
    pub(super) started_at: Option<Timestamp>,
    pub(super) rounds: u32,
    pub(super) waits: u32,
    waits_in_a_row: u32,
    pub(super) stage: Stage,
}

/// All that a call remembers of its last result. The next result replaces it whole.
pub(super) enum Stage {
    Ready(Leg),
    Sent(Leg),
    Asked(Interim),
    Ended,
}

/// What one leg adds to the original parameters; nothing for the first.
#[derive(Default)]
pub(super) struct Leg {
    pub(super) interim: Option<Interim>,
    pub(super) answers: Option<Box<RawValue>>,
}

/// What the driver does after a result.
#[derive(Debug)]
#[non_exhaustive]
pub enum Next {
    /// The call is over; this is its result as it came.
    Done(Box<RawValue>),
    /// Give all answers to [`Exchange::answer`], then send the next leg. The questions stay readable
    /// through [`Exchange::questions`].
    Ask(InputRequests),
    /// Nothing was asked: send the next leg after the pause.
    Wait {
        /// How long to pause.
        delay: Duration,
    },
}

impl Exchange {
    /// Starts a call of `method` with its parameters, which are never rewritten. Methods that cannot
    /// have questions are welcome too: for them an interim result is the server's error.
    ///
    /// # Errors
    /// [`ParamsError`] when `params` is not an object or carries the fields of another call's retry.
    pub fn new(
        method: impl Into<String>,
        params: Box<RawValue>,
        limits: ExchangeLimits,
    ) -> Result<Self, ParamsError> {
        let params = CallParams::new(params)?;
        Ok(Self::with_params(method.into(), params, limits))
    }

    pub(super) fn with_params(method: String, params: CallParams, limits: ExchangeLimits) -> Self {
        Self {
            method,
            params,
            meta: None,
            declared: None,
            limits,
            clock: Clock::default(),
            started_at: None,
            rounds: 0,
            waits: 0,
            waits_in_a_row: 0,
            stage: Stage::Ready(Leg::default()),
        }
    }

    /// The capabilities that the client declares on every leg. A question that needs another one is
    /// then the server's error; without this, every question is passed on.
    #[must_use]
    pub fn with_declared(mut self, declared: Capabilities) -> Self {
        self.declared = Some(declared);
        self
    }

    /// Sets the `_meta` of the legs to come (protocol version, client, capabilities, trace context).
    /// It is not part of the parameters and never saved.
    ///
    /// # Errors
    /// [`ParamsError`] when `meta` is not an object or the parameters have a `_meta` of their own.
    pub fn set_meta(&mut self, meta: Box<RawValue>) -> Result<(), ParamsError> {
        params::check_meta(&meta)?;
        if self.params.has_meta() {
            return Err(ParamsError::TwoMetas);
        }
        self.meta = Some(meta);
        Ok(())
    }

    /// The parameters of the leg that is due, to be sent as they are. From here on the leg counts as
    /// sent: to save a [`Pending`](super::Pending), do it between this call and the first byte.
    ///
    /// Every leg is an independent request: give it a JSON-RPC id of its own and compute its headers
    /// anew.
    ///
    /// # Errors
    /// [`ExchangeError::Limit`] when the time is over (nothing is sent and the call has ended),
    /// [`ExchangeError::Misuse`] when no leg is due.
    pub fn request(&mut self, now: Timestamp) -> Result<String, ExchangeError> {
        let reached = self.reached();
        let leg = match mem::replace(&mut self.stage, Stage::Ended) {
            Stage::Ready(leg) => leg,
            other => {
                self.stage = other;
                return Err(self.misuse("request").into());
            }
        };
        self.clock.start(now);
        self.clock.check(self.limits.total, now).map_err(|limit| {
            let in_flight = false;
            ExchangeError::Limit(LimitReached {
                limit,
                reached,
                in_flight,
            })
        })?;
        self.started_at.get_or_insert(now);
        let (meta, answers) = (self.meta.as_deref(), leg.answers.as_deref());
        let text = self.params.leg(meta, answers, leg.state());
        self.stage = Stage::Sent(leg);
        Ok(text)
    }

    /// Reads the result of the leg that was sent (the `result` member, not the envelope).
    ///
    /// A complete result is handed out even when the time is over: the work was done.
    ///
    /// # Errors
    /// [`ExchangeError::Protocol`] or [`ExchangeError::Limit`], and the call has ended;
    /// [`ExchangeError::Misuse`] when no leg is in flight.
    pub fn receive(&mut self, result: &RawValue, now: Timestamp) -> Result<Next, ExchangeError> {
        if !matches!(self.stage, Stage::Sent(_)) {
            return Err(self.misuse("receive").into());
        }
        let reached = self.reached();
        self.stage = Stage::Ended;
        let violation = |kind| ExchangeError::Protocol(ProtocolError { kind, reached });
        let interim = match AnyResult::parse(result, self.limits.strictness) {
            Ok(AnyResult::Complete(result)) => return Ok(Next::Done(result)),
            Ok(AnyResult::InputRequired(interim)) => interim,
            Err(error) => return Err(violation(Violation::Result(error))),
        };
        if !may_ask(&self.method) {
            let method = self.method.clone();
            return Err(violation(Violation::InterimResult { method }));
        }
        let interim =
            Interim::new(interim, result).map_err(|error| violation(Violation::Result(error)))?;
        if let Some(questions) = &interim.questions {
            questions.check(self.declared).map_err(violation)?;
        }
        self.advance(interim, now).map_err(ExchangeError::Limit)
    }

    fn advance(&mut self, interim: Interim, now: Timestamp) -> Result<Next, LimitReached> {
        let reached = Reached {
            state: interim.state.is_some(),
            ..self.reached()
        };
        let limit = |limit| LimitReached {
            limit,
            reached,
            in_flight: false,
        };
        self.clock.check(self.limits.total, now).map_err(limit)?;
        if let Some(questions) = &interim.questions {
            if self.rounds >= self.limits.max_rounds {
                return Err(limit(Limit::Rounds(self.limits.max_rounds)));
            }
            self.rounds += 1;
            self.waits_in_a_row = 0;
            if !self.limits.charge_human_time {
                self.clock.stop(now);
            }
            let questions = questions.requests.clone();
            self.stage = Stage::Asked(interim);
            return Ok(Next::Ask(questions));
        }
        if self.waits >= self.limits.max_waits {
            return Err(limit(Limit::Waits(self.limits.max_waits)));
        }
        let delay = self.limits.backoff.delay(self.waits_in_a_row);
        self.clock
            .check(self.limits.total, now + delay)
            .map_err(limit)?;
        self.waits += 1;
        self.waits_in_a_row += 1;
        self.stage = Stage::Ready(Leg {
            interim: Some(interim),
            answers: None,
        });
        Ok(Next::Wait { delay })
    }

    /// Gives the answers to all open questions. They are checked first: a form's content against its
    /// schema, sampling and roots results against the protocol. An accepted form without content is
    /// sent as an empty object.
    ///
    /// # Errors
    /// [`AnswerError`]; the questions stay open and none of the answers was taken over.
    pub fn answer(
        &mut self,
        answers: Vec<(String, InputResponse)>,
        now: Timestamp,
    ) -> Result<(), AnswerError> {
        let answers = match &self.stage {
            Stage::Asked(Interim {
                questions: Some(questions),
                ..
            }) => answers::compile(questions, answers)?,
            _ => return Err(self.misuse("answer").into()),
        };
        if let Stage::Asked(interim) = mem::replace(&mut self.stage, Stage::Ended) {
            self.stage = Stage::Ready(Leg {
                interim: Some(interim),
                answers: Some(answers),
            });
        }
        self.clock.start(now);
        Ok(())
    }

    /// The method that is called.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The original parameters.
    #[must_use]
    pub fn params(&self) -> &RawValue {
        self.params.raw()
    }

    /// The open questions.
    #[must_use]
    pub fn questions(&self) -> Option<&InputRequests> {
        match &self.stage {
            Stage::Asked(interim) => Some(&interim.questions.as_ref()?.requests),
            _ => None,
        }
    }

    /// What the exchange is doing.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match self.stage {
            Stage::Ready(_) => Phase::Ready,
            Stage::Sent(_) => Phase::Sent,
            Stage::Asked(_) => Phase::Asked,
            Stage::Ended => Phase::Ended,
        }
    }

    /// How far the call has come.
    #[must_use]
    pub fn reached(&self) -> Reached {
        let interim = match &self.stage {
            Stage::Ready(leg) | Stage::Sent(leg) => leg.interim.as_ref(),
            Stage::Asked(interim) => Some(interim),
            Stage::Ended => None,
        };
        Reached {
            rounds: self.rounds,
            waits: self.waits,
            state: interim.is_some_and(|interim| interim.state.is_some()),
        }
    }

    /// What is left of the call's time; a driver gives up on a leg when this is over.
    #[must_use]
    pub fn time_left(&self, now: Timestamp) -> Duration {
        self.limits.total.saturating_sub(self.clock.elapsed(now))
    }

    pub(super) fn misuse(&self, call: &'static str) -> Misuse {
        Misuse {
            call,
            phase: self.phase(),
        }
    }
}

impl Leg {
    fn state(&self) -> Option<&RawValue> {
        self.interim.as_ref()?.state.as_deref()
    }
}

/// Whether an interim result may answer this method.
pub(super) fn may_ask(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}

/// Shows how far the call is; never parameters, answers or state.
impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("method", &self.method)
            .field("phase", &self.phase())
            .field("reached", &self.reached())
            .finish_non_exhaustive()
    }
}
