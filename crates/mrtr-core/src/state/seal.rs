//! Sealing and opening a `requestState`.

use std::borrow::Cow;
use std::fmt;

use serde_json::value::RawValue;

use super::binding::{Binding, Bound};
use super::claims::Claims;
use super::codec::Reader;
use super::keyring::Keyring;
use super::limits::StateLimits;
use super::rejection::{Rejection, RejectionReason};
use super::text::{CONTENT, STATE};
use crate::Timestamp;

/// The most that claims and binding take.
const MAX_CLAIMS: usize = 192;

/// Seals a state: claims, the request it is bound to, and a body that only
/// the caller understands.
///
/// `nonce` is 12 random bytes. A repeated one reveals whether two states are
/// equal and nothing else.
///
/// # Errors
/// [`SealError::TooLarge`] when the text would exceed
/// [`StateLimits::max_bytes`]; [`SealError::TooManyRounds`] when the claims
/// count more rounds than [`StateLimits::max_rounds`].
pub fn seal(
    keyring: &Keyring,
    claims: &Claims,
    bound: &Bound,
    body: &[u8],
    nonce: [u8; 12],
    limits: &StateLimits,
) -> Result<String, SealError> {
    if claims.round > limits.max_rounds {
        return Err(SealError::TooManyRounds {
            limit: limits.max_rounds,
        });
    }
    let room = MAX_CLAIMS + body.len();
    STATE.seal(keyring, nonce, room, limits.max_bytes, |out| {
        claims.write(out);
        bound.write(out);
        out.raw(body);
    })
}

/// A state that opened: genuine, in time, and sealed for this very request.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Its times and counters.
    pub claims: Claims,
    /// The request it is bound to, for sealing the next round.
    pub bound: Bound,
    bytes: Vec<u8>,
    body_at: usize,
}

impl Opened {
    /// The body as it was sealed.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.bytes[self.body_at..]
    }
}

/// Opens the `requestState` of a request and checks every claim against it.
///
/// # Errors
/// The reason, for the log. The peer gets one fixed answer.
pub fn open(
    keyring: &Keyring,
    text: &str,
    binding: &Binding<'_>,
    now: Timestamp,
    limits: &StateLimits,
) -> Result<Opened, Rejection> {
    let bytes = STATE.open(keyring, text, limits.max_bytes)?;
    let content = &bytes[CONTENT..];
    let mut input = Reader::new(content);
    let claims = Claims::read(&mut input).map_err(RejectionReason::Layout)?;
    let mut bound = Bound::read(&mut input).map_err(RejectionReason::Layout)?;
    let body_at = bytes.len() - input.remaining().len();

    if now >= claims.deadline {
        let at = claims.deadline;
        return Err(RejectionReason::DeadlinePassed { at }.into());
    }
    if now >= claims.expires_at {
        let at = claims.expires_at;
        return Err(RejectionReason::Expired { at }.into());
    }
    if claims.issued_at > now + limits.clock_skew {
        let at = claims.issued_at;
        return Err(RejectionReason::IssuedInFuture { at }.into());
    }
    bound.check(binding)?;
    Ok(Opened {
        claims,
        bound,
        bytes,
        body_at,
    })
}

/// The state a request presents: `None` on a first round, where the member is
/// absent or `null`.
///
/// An empty string is a state, one that does not open.
///
/// # Errors
/// [`RejectionReason::NotAString`] for any other type of value; also when the
/// text is longer than [`StateLimits::max_bytes`] even after unescaping.
pub fn presented<'a>(
    member: Option<&'a RawValue>,
    limits: &StateLimits,
) -> Result<Option<Cow<'a, str>>, Rejection> {
    let Some(member) = member.map(RawValue::get).filter(|text| *text != "null") else {
        return Ok(None);
    };
    let quoted = member
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .ok_or(RejectionReason::NotAString)?;
    let limit = limits.max_bytes;
    // An escape stands for at least a sixth of its length.
    if quoted.len() / 6 > limit {
        let bytes = quoted.len();
        return Err(RejectionReason::TooLong { bytes, limit }.into());
    }
    if memchr::memchr(b'\\', quoted.as_bytes()).is_none() {
        return Ok(Some(Cow::Borrowed(quoted)));
    }
    let text = serde_json::from_str(member).map_err(|_| RejectionReason::NotCanonical)?;
    Ok(Some(Cow::Owned(text)))
}

/// Why a state could not be sealed: the fault of whoever wrote the handler or
/// set its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SealError {
    /// The text would be longer than allowed.
    TooLarge {
        /// Bytes it would have.
        bytes: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// The exchange has used up its rounds.
    TooManyRounds {
        /// Rounds allowed.
        limit: u16,
    },
    /// The exchange has used up its time.
    Deadline {
        /// When it ended.
        deadline: Timestamp,
    },
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes, limit } => write!(
                f,
                "the sealed state would have {bytes} bytes, more than the {limit} allowed; \
                 keep less of each answer or raise `max_bytes`"
            ),
            Self::TooManyRounds { limit } => write!(
                f,
                "the exchange has asked in {limit} rounds, which is all it may; \
                 ask for more at once or raise `max_rounds`"
            ),
            Self::Deadline { deadline } => write!(
                f,
                "the exchange's time ended at {deadline}; raise `exchange` if people need longer"
            ),
        }
    }
}

impl std::error::Error for SealError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{DecodeError, ExchangeId, Method, Secret};
    use proptest::prelude::*;

    const NOW: Timestamp = Timestamp::from_secs(1_785_196_800);
    const REQUEST: Binding<'static> = Binding {
        principal: None,
        method: Method::ResourcesRead,
        target: "note://a note with a long name",
        arguments: None,
        audience: "notes",
        revision: Some("3"),
    };

    fn open_content(content: &[u8]) -> Result<Opened, Rejection> {
        let keyring = Keyring::new([Secret::generate([1; 32])]).expect("a key");
        let limits = StateLimits::default();
        let text = STATE
            .seal(&keyring, [2; 12], content.len(), limits.max_bytes, |out| {
                out.raw(content);
            })
            .expect("small");
        open(&keyring, &text, &REQUEST, NOW, &limits)
    }

    fn genuine() -> Vec<u8> {
        let limits = StateLimits::default();
        let exchange = ExchangeId::from_bytes([7; 16]);
        let claims = Claims::first(exchange, NOW, NOW, &limits).expect("time is left");
        let mut out = crate::state::Writer::new();
        claims.write(&mut out);
        Bound::new(&REQUEST).expect("no arguments").write(&mut out);
        out.into_bytes()
    }

    #[test]
    fn a_genuine_state_cut_short_is_of_another_layout() {
        let content = genuine();
        assert!(open_content(&content).is_ok());
        for len in 0..content.len() {
            let rejection = open_content(&content[..len]).expect_err("cut short");
            let expected = RejectionReason::Layout(DecodeError::Truncated);
            assert_eq!(rejection.reason(), &expected, "{len} bytes");
        }
    }

    proptest! {
        #[test]
        fn a_genuine_state_of_any_content_never_panics(
            content: Vec<u8>, at: prop::sample::Index, byte: u8,
        ) {
            let _ = open_content(&content);
            let mut altered = genuine();
            let at = at.index(altered.len());
            altered[at] = byte;
            let _ = open_content(&altered);
        }
    }
}
