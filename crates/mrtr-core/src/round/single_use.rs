//! Single use: which run of which state a request asks for.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use super::request::{Reject, RoundEnv, RoundPolicy};
use crate::json::canonical::digest_value;
use crate::ledger::{Epoch, Fence, RunId, StateKey};
use crate::replay::Backing;
use crate::state::Keyring;
use crate::wire::Cause;

/// How often a state may be used.
///
/// The specification leaves it to the server to see that a state is used at
/// most once, where that matters. See the
/// [server requirements](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Replay {
    /// Until it expires: nothing is stored anywhere.
    #[default]
    Allowed,
    /// Once. Needs a [`Ledger`](crate::ledger::Ledger) that all replicas share
    /// and that knows what became of each state: the same request, sent again,
    /// gets the result of the first, and any other one with the same state is
    /// rejected. Answers count only after they were asked for, as with
    /// [`asked_only`](super::RoundPolicy::asked_only).
    Once,
}

/// One attempt to run a handler under [`Replay::Once`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The memory that the ledger has now. A new exchange relies on it; one
    /// that goes on relies on what its state says.
    pub epoch: Epoch,
    /// Random, and never used for another attempt.
    pub fence: Fence,
    /// For how long nobody else may take over, unless renewed.
    pub lease: Duration,
}

/// What a round under this policy relies on beside its state, as far as the
/// state makes no difference.
pub(super) fn backing(
    policy: &RoundPolicy,
    env: &mut RoundEnv,
    keyring: &Arc<Keyring>,
) -> Result<Option<Backing>, Reject> {
    if policy.replay == Replay::Allowed {
        return Ok(None);
    }
    let (Some(ledger), Some(attempt)) = (env.ledger.take(), env.attempt) else {
        let log = "single use needs a ledger and an attempt: give both to `RoundEnv`";
        return Err(Reject::new(Cause::Fault, log));
    };
    Ok(Some(Backing {
        ledger,
        keyring: keyring.clone(),
        epoch: attempt.epoch,
        run: None,
        fence: attempt.fence,
        lease: attempt.lease,
        keep: Duration::ZERO,
        random: env.random,
    }))
}

/// The run that a request asks for: the same for every way to write the
/// answers, which are `{}` where there are none.
pub(super) fn identify(
    token: &str,
    answers: Option<&RawValue>,
) -> Result<(StateKey, RunId), Reject> {
    let secret = blake3::derive_key("mrtr 2026-07-28 state key", token.as_bytes());
    let state = StateKey::from_bytes(first_half(secret));
    let answers = digest_value(answers.map_or("{}", RawValue::get))
        .map_err(|problem| Cause::InvalidParams(format!("`inputResponses`: {problem}").into()))?;
    let mut run = blake3::Hasher::new_derive_key("mrtr 2026-07-28 run");
    // with the half that the ledger is not told: who reads it cannot try out answers
    run.update(&secret);
    run.update(&answers);
    let run = RunId::from_bytes(first_half(*run.finalize().as_bytes()));
    Ok((state, run))
}

fn first_half(digest: [u8; 32]) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&digest[..16]);
    half
}
