//! A call that outlives its process.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::call::{Exchange, Leg, Stage};
use super::document::{self, PendingError};
use super::error::{Misuse, Reached};
use super::interim::Interim;
use super::limits::{Clock, ExchangeLimits};
use super::params::CallParams;
use super::target::Target;
use crate::time::Timestamp;
use crate::wire::InputRequests;

/// The server a call is with. Both parts must match when the call is resumed, so that answers and
/// state never reach another server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Where it is reached.
    pub target: Target,
    /// What it calls itself (`serverInfo.name`), if it does.
    pub server: Option<String>,
}

/// Header names (`x-mcp-header`) of a tool, each with the path of its argument, so that a resumed
/// call computes the same headers without listing the tools again. Values are not kept: they come
/// from the arguments.
pub type HeaderNames = BTreeMap<String, Vec<String>>;

/// A saved call: everything that its next leg needs, and never a credential or a `_meta`.
///
/// It holds the call's parameters, the state and the answers of one round, so keep it as private as
/// they are. One process at a time may resume it, and once only: lock the file, and write it anew in
/// the phase [`Sent`](PendingPhase::Sent) before the next leg leaves.
///
/// ```
/// use mrtr_core::exchange::{Exchange, ExchangeLimits, IfSent, Peer, Pending, Target};
/// use mrtr_core::Timestamp;
/// use serde_json::value::RawValue;
///
/// let raw = |text: &str| RawValue::from_string(text.to_owned());
/// let now = Timestamp::from_secs(1_785_000_000);
/// let mut call =
///     Exchange::new("tools/call", raw(r#"{"name":"book"}"#)?, ExchangeLimits::default())?;
/// call.request(now)?;
/// call.receive(
///     &raw(r#"{"resultType":"input_required","requestState":"S1","inputRequests":{
///         "go":{"method":"elicitation/create","params":{"message":"Go?",
///         "requestedSchema":{"type":"object","properties":{}}}}}}"#)?,
///     now,
/// )?;
///
/// let peer = Peer {
///     target: Target::http("https://example.com/mcp")?,
///     server: Some("travel".to_owned()),
/// };
/// let saved = call.pending(&peer, Default::default(), now)?.to_json()?;
///
/// let pending = Pending::from_json(saved.as_bytes())?;
/// let resumed = pending.resume(&peer, ExchangeLimits::default(), IfSent::Refuse)?;
/// assert!(resumed.questions().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Pending {
    pub(super) phase: PendingPhase,
    pub(super) peer: Peer,
    pub(super) method: String,
    pub(super) params: CallParams,
    pub(super) headers: HeaderNames,
    pub(super) interim: Option<Interim>,
    pub(super) answers: Option<Box<RawValue>>,
    pub(super) rounds: u32,
    pub(super) waits: u32,
    pub(super) spent: Duration,
    pub(super) started_at: Timestamp,
    pub(super) saved_at: Timestamp,
}

/// How far the round was when the call was saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PendingPhase {
    /// The next leg has not left: questions are open, or it was about to be sent.
    Asked,
    /// A leg may have left and its result is not known.
    Sent,
}

/// What resuming does with a call that was saved as [`PendingPhase::Sent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfSent {
    /// Refuse: the server may have carried the leg out.
    Refuse,
    /// Send the leg again although its work may then be done twice.
    SendAgain,
}

impl Exchange {
    /// What has to be saved to go on with this call in another process.
    ///
    /// # Errors
    /// [`Misuse`] when the first leg was not sent yet or the call is over.
    pub fn pending(
        &self,
        peer: &Peer,
        headers: HeaderNames,
        now: Timestamp,
    ) -> Result<Pending, Misuse> {
        let misuse = self.misuse("pending");
        let started_at = self.started_at.ok_or(misuse)?;
        let (phase, interim, answers) = match &self.stage {
            Stage::Asked(interim) => (PendingPhase::Asked, Some(interim), None),
            Stage::Ready(leg) => (
                PendingPhase::Asked,
                leg.interim.as_ref(),
                leg.answers.as_ref(),
            ),
            Stage::Sent(leg) => (
                PendingPhase::Sent,
                leg.interim.as_ref(),
                leg.answers.as_ref(),
            ),
            Stage::Ended => return Err(misuse),
        };
        Ok(Pending {
            phase,
            peer: peer.clone(),
            method: self.method.clone(),
            params: self.params.clone(),
            headers,
            interim: interim.cloned(),
            answers: answers.cloned(),
            rounds: self.rounds,
            waits: self.waits,
            spent: self.clock.elapsed(now),
            started_at,
            saved_at: now,
        })
    }
}

impl Pending {
    /// The most bytes of a document that is written or read: 16 MiB.
    pub const MAX_BYTES: usize = 16 * 1024 * 1024;

    /// The document to save. Its layout is versioned and its content is covered by a checksum.
    ///
    /// # Errors
    /// [`PendingError::TooLarge`] beyond [`MAX_BYTES`](Self::MAX_BYTES).
    pub fn to_json(&self) -> Result<String, PendingError> {
        document::write(self)
    }

    /// Reads a saved document and checks all of it. The checksum finds accidents and edits by hand; it
    /// does not protect from someone who can write the file.
    ///
    /// # Errors
    /// [`PendingError`]
    pub fn from_json(text: &[u8]) -> Result<Self, PendingError> {
        document::read(text)
    }

    /// Goes on with the call. Set the leg's `_meta` and the declared capabilities on the exchange as
    /// for a new one. The time that was used up counts on; the time in storage counts only if
    /// `limits` charge for people's time and questions were open.
    ///
    /// # Errors
    /// [`ResumeError`] when `peer` is not the server of this call, or the leg was sent and `if_sent`
    /// refuses that.
    pub fn resume(
        &self,
        peer: &Peer,
        limits: ExchangeLimits,
        if_sent: IfSent,
    ) -> Result<Exchange, ResumeError> {
        if self.peer.target != peer.target {
            return Err(ResumeError::OtherTarget {
                saved: self.peer.target.clone(),
                given: peer.target.clone(),
            });
        }
        if self.peer.server != peer.server {
            return Err(ResumeError::OtherServer {
                saved: self.peer.server.clone(),
                given: peer.server.clone(),
            });
        }
        if self.phase == PendingPhase::Sent && if_sent == IfSent::Refuse {
            return Err(ResumeError::AlreadySent {
                reached: self.reached(),
            });
        }
        let open = self.questions().is_some() && self.answers.is_none();
        let stage = match &self.interim {
            Some(interim) if open => Stage::Asked(interim.clone()),
            interim => Stage::Ready(Leg {
                interim: interim.clone(),
                answers: self.answers.clone(),
            }),
        };
        let since = (open && limits.charge_human_time).then_some(self.saved_at);
        let mut exchange = Exchange::with_params(self.method.clone(), self.params.clone(), limits);
        exchange.clock = Clock::resumed(self.spent, since);
        exchange.started_at = Some(self.started_at);
        exchange.rounds = self.rounds;
        exchange.waits = self.waits;
        exchange.stage = stage;
        Ok(exchange)
    }
}

impl Pending {
    /// How far the round was.
    #[must_use]
    pub fn phase(&self) -> PendingPhase {
        self.phase
    }

    /// The server that the call is with.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.peer
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

    /// The header names to compute headers from.
    #[must_use]
    pub fn headers(&self) -> &HeaderNames {
        &self.headers
    }

    /// The questions of the round, answered or not; none after a state-only result or a first leg.
    #[must_use]
    pub fn questions(&self) -> Option<&InputRequests> {
        let interim = self.interim.as_ref()?;
        Some(&interim.questions.as_ref()?.requests)
    }

    /// Whether the questions have been answered.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.answers.is_some()
    }

    /// How far the call had come.
    #[must_use]
    pub fn reached(&self) -> Reached {
        Reached {
            rounds: self.rounds,
            waits: self.waits,
            state: self
                .interim
                .as_ref()
                .is_some_and(|interim| interim.state.is_some()),
        }
    }

    /// When the first leg was sent.
    #[must_use]
    pub fn started_at(&self) -> Timestamp {
        self.started_at
    }

    /// When the call was saved.
    #[must_use]
    pub fn saved_at(&self) -> Timestamp {
        self.saved_at
    }
}

/// Shows where and how far; never parameters, answers or state.
impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending")
            .field("phase", &self.phase)
            .field("peer", &self.peer)
            .field("method", &self.method)
            .field("reached", &self.reached())
            .finish_non_exhaustive()
    }
}

/// A saved call must not go on like this.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResumeError {
    /// The call belongs to a server elsewhere.
    OtherTarget {
        /// Where the call belongs.
        saved: Target,
        /// Where it was to go on.
        given: Target,
    },
    /// Another server answers there now.
    OtherServer {
        /// The name of the server that the call is with.
        saved: Option<String>,
        /// The name of the server that answers.
        given: Option<String>,
    },
    /// The leg may have been carried out; sending it again has to be asked for.
    AlreadySent {
        /// Where in the call it was.
        reached: Reached,
    },
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "unnamed".to_owned());
        match self {
            Self::OtherTarget { saved, given } => {
                write!(f, "the saved call belongs to {saved}, not to {given}")
            }
            Self::OtherServer { saved, given } => write!(
                f,
                "the saved call is with the server `{}`, but `{}` answers there now",
                name(saved),
                name(given)
            ),
            Self::AlreadySent { reached } => write!(
                f,
                "the saved request was already sent and may have been carried out ({reached}); check \
                 with the server, and ask for sending it again only if doing it twice is all right"
            ),
        }
    }
}

impl std::error::Error for ResumeError {}
