//! The loop around the rounds.

use std::future::Future;
use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};

use super::abandon::{Panicked, Watched, polled};
use super::compare::diverged;
use super::played::{End, Played, RoundPlayed, Told};
use super::{Harness, Script};
use crate::replay::{Cx, Fault, FaultKind, ToolError};
use crate::round::{Closed, OpenRound, Reject, RoundEnv, RoundPolicy, RoundRequest, Rounds};
use crate::state::{Keyring, KeyringError, Secret};
use crate::wire::{Cause, InputRequests, InputRequiredResult};

/// Rounds after which an exchange that only waits counts as one that never
/// ends, as the time stands still.
const MAX_ROUNDS: usize = 1_000;

/// What one round came to.
enum Came<T> {
    Asked(InputRequiredResult),
    End(End<T>),
}

impl<H, Fut, T, E> Harness<H>
where
    H: Fn(Cx) -> Fut,
    Fut: Future<Output = Result<T, E>>,
    E: Into<ToolError>,
{
    /// Plays the exchange to its end.
    ///
    /// Runs wherever the handler does: give it a runtime if the handler needs
    /// one.
    pub async fn play(mut self) -> Played<T> {
        let mut script = std::mem::take(&mut self.script);
        let mut rounds = Vec::new();
        let end = match keyring() {
            Ok(keyring) => self.exchange(keyring, &mut script, &mut rounds).await,
            Err(problem) => End::BadScript(problem.to_string()),
        };
        Played { rounds, end }
    }

    async fn exchange(
        &self,
        keyring: Keyring,
        script: &mut Script,
        played: &mut Vec<RoundPlayed>,
    ) -> End<T> {
        let rounds = Rounds::new(Arc::new(keyring), "harness");
        let (mut state, mut answers) = (None::<Box<RawValue>>, None::<Box<RawValue>>);
        loop {
            let request = RoundRequest {
                method: self.method,
                target: &self.target,
                arguments: self.arguments.as_deref(),
                principal: self.principal.as_ref(),
                capabilities: self.capabilities,
                input_responses: answers.as_deref(),
                request_state: state.as_deref(),
            };
            let number = played.len();
            if self.abandon
                && let Err(fault) = self.abandon(&rounds, &request, number).await
            {
                return End::Fault(fault);
            }
            let result = match self.round(&rounds, &request, &self.policy, number).await {
                Came::Asked(result) => result,
                Came::End(end) => return end,
            };
            let questions = result.input_requests.unwrap_or_default();
            let left = result.request_state.unwrap_or_default();
            played.push(RoundPlayed {
                questions: questions.clone(),
                state_bytes: left.len(),
            });
            let left = to_raw_value(&left).ok();
            if self.repeat
                && let Some(difference) = self
                    .repeated(&rounds, &request, left.as_deref(), &questions, number)
                    .await
            {
                return End::Diverged(difference);
            }
            state = left;
            answers = match script.take(&questions) {
                Ok(None) if !questions.is_empty() || played.len() >= MAX_ROUNDS => {
                    return End::Unanswered;
                }
                Ok(answers) => answers,
                Err(problem) => return End::BadScript(problem),
            };
        }
    }

    fn open(
        &self,
        rounds: &Rounds,
        request: &RoundRequest<'_>,
        policy: &RoundPolicy,
        number: usize,
    ) -> Result<OpenRound, Reject> {
        let random = *blake3::hash(&number.to_le_bytes()).as_bytes();
        let env = RoundEnv::new(self.now, random, self.timer.clone());
        rounds.open(request, policy, env)
    }

    async fn round(
        &self,
        rounds: &Rounds,
        request: &RoundRequest<'_>,
        policy: &RoundPolicy,
        number: usize,
    ) -> Came<T> {
        let round = match self.open(rounds, request, policy, number) {
            Ok(round) => round,
            Err(reject) => return Came::End(End::Rejected(reject)),
        };
        let outcome = round.call(&self.handler).await;
        Came::End(match round.close(outcome, request, self.now) {
            Closed::InputRequired(result) => return Came::Asked(result),
            Closed::Complete(value) => End::Complete(value),
            Closed::Refused(refused) => End::Refused(refused),
            Closed::Failed(error) => End::Failed(error),
            Closed::Rejected(reject) => End::Rejected(reject),
            Closed::Fault(fault) => End::Fault(fault),
            Closed::Lost => End::Rejected(Cause::Busy.into()),
        })
    }

    /// Runs a round again from the state it left; what it asks differently.
    async fn repeated(
        &self,
        rounds: &Rounds,
        request: &RoundRequest<'_>,
        state: Option<&RawValue>,
        questions: &InputRequests,
        number: usize,
    ) -> Option<String> {
        let mut again = *request;
        again.input_responses = None;
        again.request_state = state;
        let mut policy = self.policy.clone();
        policy.limits.max_rounds = u16::MAX;
        let second = match self.round(rounds, &again, &policy, number).await {
            Came::Asked(result) => result.input_requests.unwrap_or_default(),
            Came::End(end) => return Some(format!("+ no questions: {}", Told(&end))),
        };
        diverged(questions, &second)
    }

    /// Runs a round to each of its awaits and drops it there.
    async fn abandon(
        &self,
        rounds: &Rounds,
        request: &RoundRequest<'_>,
        number: usize,
    ) -> Result<(), Fault> {
        for polls in 1.. {
            let Ok(round) = self.open(rounds, request, &self.policy, number) else {
                return Ok(());
            };
            let panicked = Panicked::default();
            let cx = round.cx();
            let handler = async { (self.handler)(cx).await };
            let handler = Watched::new(handler, panicked.clone());
            let ended = polled(round.drive(handler), polls).await.is_some();
            if panicked.seen() {
                return Err(Fault {
                    kind: FaultKind::Panicked(format!(
                        "while it was dropped at its await number {polls}"
                    )),
                    recorded: Vec::new(),
                    attempted: Vec::new(),
                });
            }
            if ended {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// A key of its own: nothing sealed here opens elsewhere.
fn keyring() -> Result<Keyring, KeyringError> {
    let key = *blake3::hash(b"the key of a test harness").as_bytes();
    Keyring::new([Secret::generate(key)])
}
