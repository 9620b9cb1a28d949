//! A request to a handler of single use.

use std::sync::atomic::{AtomicBool, Ordering};

use mrtr_core::ledger::{Claim, Fence};
use mrtr_core::replay::ToolErrorKind;
use mrtr_core::round::{Attempt, OpenRound, RoundEnv};
use mrtr_core::wire::Cause;

use super::stored::Row;
use super::{Finished, Hold, Settled, SingleUse, Stored, Turn, Unheld};
use crate::server::args::BadArguments;
use crate::server::call::{Ended, Run, within};
use crate::server::handler::Running;
use crate::server::metrics::BadState;
use crate::server::{Reply, Runtime};

/// What a request that went ahead has for itself alone.
enum Own {
    /// Its response, which leaves the state as it was.
    Reply(Result<Reply, Cause>),
    /// Nothing: another attempt took over, and this one waits for it.
    TakenOver,
}

impl<T, S, A> Run<'_, S, A>
where
    S: Fn(&OpenRound) -> Result<Running<T>, BadArguments>,
    A: Fn(Ended<T>) -> Result<Reply, Cause>,
{
    /// Runs the handler if the run is this request's to do, or answers what
    /// was answered before.
    pub(crate) async fn once(&self, single_use: &SingleUse) -> Result<Reply, Cause> {
        let waits = AtomicBool::new(false);
        let limit = self.call.rules.request_deadline;
        let attempts = async {
            loop {
                if let Some(reply) = self.attempt(single_use, &waits).await? {
                    return Ok(reply);
                }
            }
        };
        let runtime = &*self.call.server.runtime;
        match within(runtime, limit, attempts).await {
            Some(reply) => reply,
            None if waits.into_inner() => {
                tracing::info!("the same request is still being worked on");
                Err(Cause::Busy)
            }
            None => Err(self.too_slow()),
        }
    }

    /// `None` when it has to be tried again.
    async fn attempt(
        &self,
        single_use: &SingleUse,
        waits: &AtomicBool,
    ) -> Result<Option<Reply>, Cause> {
        let round = self.open(self.env_once(single_use).await?)?;
        let Some(claim) = round.claim() else {
            let outcome = self.drive(&round).await;
            let ended = self.close(round, outcome).inspect_err(|cause| {
                if matches!(cause, Cause::Unavailable) {
                    single_use.doubt_epoch();
                }
            });
            return self.answer(ended?).map(Some);
        };
        waits.store(true, Ordering::Relaxed);
        let lead = || self.lead(single_use, claim, round, waits);
        match single_use.settle(claim.state, lead).await {
            Ok(Settled::Done(run, stored)) if run == claim.run => {
                Ok(Some(stored.reply(self.call.id)))
            }
            Ok(Settled::Done(..)) => Err(self.consumed()),
            Ok(Settled::Rejected(run)) if run == claim.run => Err(Cause::InvalidRequestState),
            Ok(Settled::Unavailable) => Err(Cause::Unavailable),
            Err(Own::Reply(reply)) => reply.map(Some),
            Ok(Settled::Rejected(_)) | Err(Own::TakenOver) => Ok(None),
        }
    }

    async fn env_once(&self, single_use: &SingleUse) -> Result<RoundEnv, Cause> {
        let epoch = single_use.epoch().await.map_err(|error| {
            tracing::error!(%error, "the ledger did not answer");
            Cause::Unavailable
        })?;
        let fence = drawn(&*self.call.server.runtime);
        let attempt = Attempt {
            epoch,
            fence: Fence::from_bytes(fence),
            lease: single_use.access.lease,
        };
        let ledger = single_use.access.ledger.clone();
        Ok(self.env().with_ledger(ledger).with_attempt(attempt))
    }

    /// Finds out what becomes of the state, by running the handler if that is
    /// this request's to do.
    async fn lead(
        &self,
        single_use: &SingleUse,
        claim: Claim,
        round: OpenRound,
        waits: &AtomicBool,
    ) -> Result<Settled, Own> {
        let row = Row::of(&claim);
        let turn = single_use.turn(&claim).await;
        match turn {
            Ok(Turn::Run(hold)) => {
                waits.store(false, Ordering::Relaxed);
                self.run_held(hold, row, round).await
            }
            Ok(Turn::Done(sealed)) => {
                let stored = Stored::open(self.rounds.keyring(), row, &sealed);
                tracing::info!("answered again with the stored result");
                Ok(stored.map_or(Settled::Unavailable, |stored| {
                    Settled::Done(claim.run, stored)
                }))
            }
            Ok(Turn::Consumed) => {
                self.consumed();
                Ok(Settled::Rejected(claim.run))
            }
            Ok(Turn::Forgotten) => {
                tracing::error!(
                    "the request was rejected: the ledger has lost its memory since the state was sealed"
                );
                self.metrics().bad_state(BadState::Forgotten);
                single_use.doubt_epoch();
                Ok(Settled::Rejected(claim.run))
            }
            Err(error) => {
                tracing::error!(%error, "the ledger did not answer");
                Ok(Settled::Unavailable)
            }
        }
    }

    async fn run_held(&self, mut hold: Hold, row: Row, round: OpenRound) -> Result<Settled, Own> {
        let outcome = match hold.during(self.drive(&round)).await {
            Ok(outcome) => outcome,
            Err(Unheld::Lost) => return Err(Own::TakenOver),
            Err(Unheld::Unsure) => {
                tracing::error!("the handler was dropped: its lease could not be renewed");
                return Ok(Settled::Unavailable);
            }
        };
        if outcome.is_lost() {
            return Err(Own::TakenOver);
        }
        let id = self.call.id;
        let ended = self
            .close(round, outcome)
            .map_err(|cause| Own::Reply(Err(cause)))?;
        let consumes = ended.consumes();
        let reply = match self.answer(ended) {
            Ok(reply) if consumes => reply,
            Err(cause @ Cause::Refused { .. }) => Reply::error(Some(id), &cause),
            own => return Err(Own::Reply(own)),
        };
        let stored = Stored::of(&reply, id);
        let nonce = drawn(&*self.call.server.runtime);
        let sealed = stored.seal(self.rounds.keyring(), row, nonce);
        let sealed = sealed.map_err(|error| {
            tracing::error!(%error, "the result of a handler of single use cannot be stored");
            Own::Reply(Err(Cause::Fault))
        })?;
        match hold.finish(sealed).await {
            Finished::Stored => Ok(Settled::Done(row.run, stored)),
            Finished::Lost => Err(Own::TakenOver),
            Finished::Unsure => Ok(Settled::Unavailable),
        }
    }

    fn consumed(&self) -> Cause {
        self.metrics().bad_state(BadState::Consumed);
        tracing::info!("the request was rejected: its state was used with other answers before");
        Cause::InvalidRequestState
    }
}

impl<T> Ended<T> {
    /// Whether the response is the end of the state that the request brought:
    /// a result, a question, or a refusal. An outcome that is not known yet may
    /// be when the request is sent again.
    fn consumes(&self) -> bool {
        match self {
            Self::Complete(_) | Self::Refused(_) | Self::InputRequired(_) => true,
            Self::Failed(error) => !matches!(error.kind(), ToolErrorKind::OutcomeUnknown(_)),
            Self::BadArguments(_) => false,
        }
    }
}

fn drawn<const N: usize>(runtime: &dyn Runtime) -> [u8; N] {
    let mut drawn = [0; N];
    drawn.copy_from_slice(&runtime.random()[..N]);
    drawn
}
