//! What all rounds of a server share.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::open::{OpenRound, Sealing};
use super::request::{Reject, RoundEnv, RoundPolicy, RoundRequest};
use super::single_use::{Replay, backing, identify};
use crate::Timestamp;
use crate::replay::{About, Entry, Given, Journal, Run, Shared};
use crate::state::{
    Claims, ExchangeId, Keyring, Opened, Rejection, RejectionReason, StateLimits, open, presented,
};
use crate::trace::TraceContext;
use crate::wire::{Cause, InputResponses};

/// Opens the rounds of one server. Cheap to clone.
#[derive(Clone)]
pub struct Rounds {
    keyring: Arc<Keyring>,
    audience: Arc<str>,
    revision: Option<Arc<str>>,
}

impl Rounds {
    /// `audience` names the server: states of another one do not open.
    #[must_use]
    pub fn new(keyring: Arc<Keyring>, audience: impl Into<Arc<str>>) -> Self {
        Self {
            keyring,
            audience: audience.into(),
            revision: None,
        }
    }

    /// Binds states to a revision of the handlers as well: after a change of
    /// `revision`, exchanges that are open have to be started again.
    #[must_use]
    pub fn with_revision(mut self, revision: impl Into<Arc<str>>) -> Self {
        self.revision = Some(revision.into());
        self
    }

    /// The same rounds with other keys.
    #[must_use]
    pub fn with_keyring(mut self, keyring: Arc<Keyring>) -> Self {
        self.keyring = keyring;
        self
    }

    /// The keys that seal and open.
    #[must_use]
    pub fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    /// The name states are bound to.
    #[must_use]
    pub fn audience(&self) -> &str {
        &self.audience
    }

    /// Checks what came with a request and prepares a run of its handler.
    ///
    /// # Errors
    /// The client's fault: a required capability was not declared, the state
    /// does not open for this request, or an answer is malformed or of another
    /// kind than was asked. The host's: [`Replay::Once`] without a ledger and
    /// an attempt, which is a [`Cause::Fault`].
    pub fn open(
        &self,
        request: &RoundRequest<'_>,
        policy: &RoundPolicy,
        mut env: RoundEnv,
    ) -> Result<OpenRound, Reject> {
        let missing = request.capabilities.missing(policy.requires);
        if !missing.is_empty() {
            return Err(Cause::MissingCapability(missing).into());
        }
        let mut backing = backing(policy, &mut env, &self.keyring)?;
        let token = presented(request.request_state, &policy.limits).map_err(rejected)?;
        let opened = match &token {
            Some(token) => Some(self.opened(token, request, &policy.limits, &env)?),
            None => None,
        };
        let mut journal = match &opened {
            Some(opened) => {
                Journal::decode(opened.body()).map_err(|e| rejected(RejectionReason::Layout(e)))?
            }
            None => Journal::default(),
        };
        if let (Some(backing), Some(token)) = (&mut backing, &token) {
            let unknown = || rejected(RejectionReason::NotSingleUse);
            backing.epoch = journal.epoch.ok_or_else(unknown)?;
            backing.run = Some(identify(token, request.input_responses)?);
        }
        journal.epoch = backing.as_ref().map(|backing| backing.epoch);
        let mut limits = policy.answers;
        limits.count = limits.count.max(journal.asked());
        let answers = InputResponses::parse_with(request.input_responses, &limits)?;
        let mut unsolicited = BTreeMap::new();
        if opened.is_some() {
            receive(&mut journal, &answers)?;
        } else if !policy.asked_only && policy.replay == Replay::Allowed {
            for (key, raw) in answers.iter() {
                unsolicited.insert(key.to_owned(), raw.to_owned());
            }
        }

        let trace = TraceContext::of_round(env.trace, journal.trace.as_ref());
        if journal.trace.is_none() {
            journal.trace.clone_from(&trace);
        }

        let (id, nonce) = split(env.random);
        let has_token = opened.is_some();
        let (claims, bound) = match opened {
            Some(opened) => (opened.claims, Some(opened.bound)),
            None => (first(id, env.now, &policy.limits), None),
        };
        if let Some(backing) = &mut backing {
            backing.keep = claims.deadline.since(env.now) + policy.limits.clock_skew;
        }
        let about = About {
            exchange: claims.exchange,
            started_at: claims.started_at,
            asked_rounds: claims.round,
            has_token,
            capabilities: request.capabilities,
            principal: request.principal.cloned(),
            trace,
            method: request.method,
            target: request.target.into(),
            audience: self.audience.clone(),
            timer: env.timer,
            spawner: env.spawner,
            host: env.host,
        };
        let run = Run::new(journal, unsolicited, request.capabilities);
        Ok(OpenRound::new(
            Shared::new(about, run),
            backing.map(Arc::new),
            Sealing {
                keyring: self.keyring.clone(),
                audience: self.audience.clone(),
                revision: self.revision.clone(),
                limits: policy.limits.clone(),
                claims,
                bound,
                nonce,
            },
            env.now,
        ))
    }

    fn opened(
        &self,
        token: &str,
        request: &RoundRequest<'_>,
        limits: &StateLimits,
        env: &RoundEnv,
    ) -> Result<Opened, Reject> {
        let binding = request.binding(&self.audience, self.revision.as_deref());
        open(&self.keyring, token, &binding, env.now, limits).map_err(rejected)
    }
}

impl fmt::Debug for Rounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rounds")
            .field("audience", &self.audience)
            .field("revision", &self.revision)
            .finish_non_exhaustive()
    }
}

fn rejected(rejection: impl Into<Rejection>) -> Reject {
    rejection.into().into()
}

/// Answers to what was asked become received; everything else is ignored.
fn receive(journal: &mut Journal, answers: &InputResponses<'_>) -> Result<(), Reject> {
    for (key, raw) in answers.iter() {
        let Some(entry) = journal.entries.get_mut(key) else {
            continue;
        };
        let Entry::Asked(asked) = *entry else {
            continue;
        };
        let given = Given::read(asked.kind, raw).map_err(|problem| bad_answer(key, &problem))?;
        *entry = Entry::Received {
            asked,
            given,
            solicited: true,
        };
    }
    Ok(())
}

pub(super) fn bad_answer(key: &str, problem: &str) -> Reject {
    Cause::InvalidParams(format!("`inputResponses`: the answer `{key}`: {problem}").into()).into()
}

/// The claims that an exchange starts from; nothing was asked yet.
fn first(id: [u8; 16], now: Timestamp, limits: &StateLimits) -> Claims {
    let deadline = now + limits.exchange;
    Claims {
        exchange: ExchangeId::from_bytes(id),
        round: 0,
        started_at: now,
        issued_at: now,
        expires_at: deadline,
        deadline,
    }
}

fn split(random: [u8; 32]) -> ([u8; 16], [u8; 12]) {
    let (mut id, mut nonce) = ([0; 16], [0; 12]);
    id.copy_from_slice(&random[..16]);
    nonce.copy_from_slice(&random[16..28]);
    (id, nonce)
}
