//! One round of a handler on behalf of a request.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use mrtr_core::replay::{Refused, Sleep, ToolError};
use mrtr_core::round::{
    Closed, OpenRound, Outcome, Reject, Replay, RoundEnv, RoundRequest, Rounds,
};
use mrtr_core::state::{Method, Principal};
use mrtr_core::trace::TraceContext;
use mrtr_core::wire::{Cause, InputRequiredResult, Params, RequestId, RequestMeta};
use serde_json::value::RawValue;
use tracing::Span;

use super::args::BadArguments;
use super::handler::Running;
use super::metrics::{self, End, Metrics, Round};
use super::notify::{EndNotices, Notices, Notifier};
use super::settings::Rules;
use super::{Inner, Reply, Runtime};

/// All that a round of a handler needs to know.
pub(super) struct Call<'a> {
    pub(super) server: &'a Inner,
    pub(super) rules: &'a Rules,
    pub(super) id: &'a RequestId,
    pub(super) method: Method,
    /// The name of the tool or prompt, the URI of the resource.
    pub(super) target: &'a str,
    pub(super) arguments: Option<&'a RawValue>,
    pub(super) params: &'a Params<'a>,
    pub(super) meta: &'a RequestMeta<'a>,
    pub(super) trace: Option<&'a TraceContext>,
    pub(super) principal: Option<&'a Arc<Principal>>,
    pub(super) notifier: &'a dyn Notifier,
}

/// How a round ended, where that is no error of the protocol.
pub(super) enum Ended<T> {
    Complete(T),
    BadArguments(BadArguments),
    Refused(Refused),
    Failed(ToolError),
    InputRequired(InputRequiredResult),
}

impl<T> Ended<T> {
    const fn outcome(&self) -> metrics::Outcome {
        match self {
            Self::Complete(_) => metrics::Outcome::Complete,
            Self::BadArguments(_) => metrics::Outcome::Invalid,
            Self::Refused(_) => metrics::Outcome::Refused,
            Self::Failed(_) => metrics::Outcome::Failed,
            Self::InputRequired(_) => metrics::Outcome::InputRequired,
        }
    }
}

/// A call with its handler: `start` gives it, `answer` makes the response of
/// how it ended.
pub(super) struct Run<'a, S, A> {
    pub(super) call: &'a Call<'a>,
    pub(super) rounds: Rounds,
    notices: EndNotices,
    start: S,
    answer: A,
}

impl Call<'_> {
    /// Opens the round, runs the handler that `start` gives, closes the round
    /// and answers. What the client is not told is logged.
    pub(super) async fn run<T, S, A>(&self, start: S, answer: A) -> Result<Reply, Cause>
    where
        S: Fn(&OpenRound) -> Result<Running<T>, BadArguments>,
        A: Fn(Ended<T>) -> Result<Reply, Cause>,
    {
        let runtime = &*self.server.runtime;
        let rounds = self.server.keychain.rounds(runtime).map_err(|error| {
            tracing::error!(%error, "there are no keys");
            Cause::Fault
        })?;
        let notices = Notices::of(self.meta, self.server.logging, self.notifier);
        let run = Run {
            call: self,
            rounds,
            notices: EndNotices(notices),
            start,
            answer,
        };
        match (&self.server.single_use, self.rules.policy.replay) {
            (Some(single_use), Replay::Once) => Box::pin(run.once(single_use)).await,
            _ => run.any_time().await,
        }
    }

    pub(super) fn request(&self) -> RoundRequest<'_> {
        let mut request = RoundRequest::new(self.method, self.target);
        request.arguments = self.arguments;
        request.principal = self.principal;
        request.capabilities = self.meta.capabilities;
        request.input_responses = self.params.input_responses;
        request.request_state = self.params.request_state;
        request
    }
}

impl<T, S, A> Run<'_, S, A>
where
    S: Fn(&OpenRound) -> Result<Running<T>, BadArguments>,
    A: Fn(Ended<T>) -> Result<Reply, Cause>,
{
    /// Runs the handler, whatever was run before.
    async fn any_time(&self) -> Result<Reply, Cause> {
        let round = self.open(self.env())?;
        let limit = self.call.rules.request_deadline;
        let runtime = &*self.call.server.runtime;
        let outcome = within(runtime, limit, self.drive(&round)).await;
        let outcome = outcome.ok_or_else(|| self.too_slow())?;
        self.answer(self.close(round, outcome)?)
    }

    pub(super) fn answer(&self, ended: Ended<T>) -> Result<Reply, Cause> {
        let outcome = ended.outcome();
        let reply = (self.answer)(ended)?;
        Ok(Reply { outcome, ..reply })
    }

    pub(super) fn env(&self) -> RoundEnv {
        let server = self.call.server;
        let (now, random) = (server.runtime.now(), server.runtime.random());
        let mut env =
            RoundEnv::new(now, random, server.runtime.clone()).with_spawner(server.tasks.clone());
        if let Some(trace) = self.call.trace {
            env = env.with_trace(trace.clone());
        }
        match &self.notices.0 {
            Some(notices) => env.with_host(notices.clone()),
            None => env,
        }
    }

    pub(super) fn open(&self, env: RoundEnv) -> Result<OpenRound, Cause> {
        let policy = &self.call.rules.policy;
        let round = self
            .rounds
            .open(&self.call.request(), policy, env)
            .map_err(|reject| self.rejected(reject))?;
        self.metrics().round(self.call.method, which(&round));
        let span = Span::current();
        span.record("exchange", tracing::field::display(round.exchange_id()));
        span.record("round", round.round());
        if let Some(trace) = round.trace_context() {
            span.record("trace_id", trace.parent().trace_id());
        }
        Ok(round)
    }

    pub(super) async fn drive(&self, round: &OpenRound) -> Outcome<Result<T, BadArguments>> {
        let handler = async {
            match (self.start)(round) {
                Ok(running) => running.await.map(Ok),
                Err(problem) => Ok::<_, ToolError>(Err(problem)),
            }
        };
        round.drive(handler).await
    }

    pub(super) fn close(
        &self,
        round: OpenRound,
        outcome: Outcome<Result<T, BadArguments>>,
    ) -> Result<Ended<T>, Cause> {
        let now = self.call.server.runtime.now();
        let (metrics, which) = (self.metrics(), which(&round));
        metrics.handler(self.call.method, now.since(round.opened_at()));
        match round.close(outcome, &self.call.request(), now) {
            Closed::Complete(Ok(value)) => {
                metrics.finished(which, End::Complete);
                tracing::debug!("complete");
                Ok(Ended::Complete(value))
            }
            Closed::Complete(Err(problem)) => Ok(Ended::BadArguments(problem)),
            Closed::Refused(refused) => {
                metrics.finished(which, End::Refused);
                tracing::info!(refused = ?refused.to_string(), "refused");
                Ok(Ended::Refused(refused))
            }
            Closed::Failed(error) => {
                metrics.finished(which, End::Failed);
                tracing::warn!(?error, "the handler failed");
                Ok(Ended::Failed(error))
            }
            Closed::InputRequired(result) => {
                let questions = result
                    .input_requests
                    .as_ref()
                    .map_or(0, |requests| requests.len());
                let state_bytes = result.request_state.as_ref().map_or(0, String::len);
                metrics.asked(which, state_bytes);
                tracing::debug!(questions, state_bytes, "input required");
                Ok(Ended::InputRequired(result))
            }
            Closed::Rejected(reject) => Err(self.rejected(reject)),
            Closed::Lost => Err(Cause::Busy),
            Closed::Fault(fault) => {
                tracing::error!(fault = ?fault.to_string(), "the handler broke a rule");
                Err(Cause::Fault)
            }
        }
    }

    fn rejected(&self, reject: Reject) -> Cause {
        if let Some(reason) = &reject.bad_state {
            self.metrics().bad_state(reason);
        }
        tracing::info!(reason = ?reject.log.to_string(), "the request was rejected");
        reject.cause
    }

    pub(super) fn too_slow(&self) -> Cause {
        let limit = self.call.rules.request_deadline;
        self.metrics().handler(self.call.method, limit);
        tracing::error!(?limit, "the handler took too long and was dropped");
        Cause::Deadline
    }

    pub(super) fn metrics(&self) -> &Metrics {
        &self.call.server.metrics
    }
}

const fn which(round: &OpenRound) -> Round {
    if round.is_first() {
        Round::First
    } else {
        Round::Later
    }
}

/// What `future` gives, unless `limit` passes first. A future that is ready at
/// once costs no timer.
pub(super) async fn within<F: Future>(
    runtime: &dyn Runtime,
    limit: Duration,
    future: F,
) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut sleep: Option<Sleep> = None;
    poll_fn(|cx| {
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return Poll::Ready(Some(output));
        }
        let sleep = sleep.get_or_insert_with(|| runtime.sleep(limit));
        sleep.as_mut().poll(cx).map(|()| None)
    })
    .await
}
