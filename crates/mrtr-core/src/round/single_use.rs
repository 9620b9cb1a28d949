//! Single use: which run of which state a request asks for.

use std::time::Duration;

use serde_json::value::RawValue;

use super::request::Reject;
use crate::json::canonical::digest_value;
use crate::ledger::{Claim, Epoch, Fence, RunId, StateKey};
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

impl Attempt {
    /// The run that a request asks for by what it presents.
    pub(super) fn claim(
        self,
        epoch: Epoch,
        token: &str,
        answers: Option<&RawValue>,
        keep: Duration,
    ) -> Result<Claim, Reject> {
        let state = state_key(token);
        Ok(Claim {
            epoch,
            state,
            run: run_id(state, answers)?,
            fence: self.fence,
            lease: self.lease,
            keep,
        })
    }
}

fn state_key(token: &str) -> StateKey {
    let digest = blake3::derive_key("mrtr 2026-07-28 state key", token.as_bytes());
    StateKey::from_bytes(first_half(digest))
}

/// The same for every way to write the answers; without any they are `{}`.
fn run_id(state: StateKey, answers: Option<&RawValue>) -> Result<RunId, Reject> {
    let answers = digest_value(answers.map_or("{}", RawValue::get))
        .map_err(|problem| Cause::InvalidParams(format!("`inputResponses`: {problem}").into()))?;
    let mut hasher = blake3::Hasher::new_derive_key("mrtr 2026-07-28 run");
    hasher.update(state.as_bytes());
    hasher.update(&answers);
    Ok(RunId::from_bytes(first_half(*hasher.finalize().as_bytes())))
}

fn first_half(digest: [u8; 32]) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&digest[..16]);
    half
}
