//! What a sealed state says about its exchange.

use std::fmt;

use super::codec::{DecodeError, Reader, Writer};
use super::limits::StateLimits;
use super::seal::SealError;
use crate::Timestamp;

/// Names one exchange: all rounds of one call, from its first request to its
/// final result.
///
/// Made from 16 random bytes when the first state is sealed. It is not a
/// secret; logs use it to join the rounds of a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExchangeId([u8; 16]);

impl ExchangeId {
    /// The exchange with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// 32 hexadecimal digits.
impl fmt::Display for ExchangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for ExchangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExchangeId({self})")
    }
}

/// The times and counters inside a sealed state.
///
/// ```
/// use mrtr_core::Timestamp;
/// use mrtr_core::state::{Claims, ExchangeId, StateLimits};
/// use std::time::Duration;
///
/// let limits = StateLimits::default();
/// let first = Claims::first(ExchangeId::from_bytes([7; 16]), Timestamp::from_secs(0), Timestamp::from_secs(1), &limits)?;
/// assert_eq!((first.round, first.expires_at), (1, Timestamp::from_secs(601)));
///
/// let second = first.next(Timestamp::from_secs(500), &limits)?;
/// assert_eq!((second.round, second.expires_at), (2, Timestamp::from_secs(1_100)));
/// assert_eq!(second.deadline, Timestamp::from_secs(3_600));
/// # Ok::<(), mrtr_core::state::SealError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// The exchange this state belongs to.
    pub exchange: ExchangeId,
    /// How many rounds of this exchange have asked something; 1 in the first
    /// state that goes out with a question.
    pub round: u16,
    /// When the first request of the exchange arrived.
    pub started_at: Timestamp,
    /// When this state was sealed.
    pub issued_at: Timestamp,
    /// From this instant on the state no longer opens; never after `deadline`.
    pub expires_at: Timestamp,
    /// From this instant on no state of the exchange opens.
    pub deadline: Timestamp,
}

impl Claims {
    /// The claims of the first state of an exchange that asks something.
    ///
    /// `started_at` is when the request arrived, `now` when the state is sealed.
    ///
    /// # Errors
    /// [`SealError::Deadline`] when the exchange has used up its time,
    /// [`SealError::TooManyRounds`] when not even one round is allowed.
    pub fn first(
        exchange: ExchangeId,
        started_at: Timestamp,
        now: Timestamp,
        limits: &StateLimits,
    ) -> Result<Self, SealError> {
        let deadline = started_at + limits.exchange;
        Self {
            exchange,
            round: 0,
            started_at,
            issued_at: now,
            expires_at: deadline,
            deadline,
        }
        .next(now, limits)
    }

    /// The claims of the next state, which asks something: one round more.
    ///
    /// # Errors
    /// [`SealError::Deadline`] when the exchange has used up its time,
    /// [`SealError::TooManyRounds`] when it has used up its rounds.
    pub fn next(&self, now: Timestamp, limits: &StateLimits) -> Result<Self, SealError> {
        if self.round >= limits.max_rounds {
            return Err(SealError::TooManyRounds {
                limit: limits.max_rounds,
            });
        }
        let mut next = self.renewed(now, limits)?;
        next.round += 1;
        Ok(next)
    }

    /// The claims of the next state, which asks nothing and only waits: the
    /// round does not count, the deadline still holds.
    ///
    /// # Errors
    /// [`SealError::Deadline`] when the exchange has used up its time.
    pub fn renewed(&self, now: Timestamp, limits: &StateLimits) -> Result<Self, SealError> {
        if now >= self.deadline {
            return Err(SealError::Deadline {
                deadline: self.deadline,
            });
        }
        Ok(Self {
            issued_at: now,
            expires_at: (now + limits.ttl).min(self.deadline),
            ..*self
        })
    }

    pub(super) fn write(&self, out: &mut Writer) {
        out.raw(&self.exchange.0);
        out.varint(u64::from(self.round));
        out.timestamp(self.issued_at);
        for other in [self.started_at, self.expires_at, self.deadline] {
            out.varint(zigzag(self.issued_at, other));
        }
    }

    pub(super) fn read(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let exchange = ExchangeId(input.array()?);
        let round = u16::try_from(input.varint()?).map_err(|_| DecodeError::TooLarge)?;
        let issued_at = input.timestamp()?;
        Ok(Self {
            exchange,
            round,
            started_at: unzigzag(issued_at, input.varint()?),
            issued_at,
            expires_at: unzigzag(issued_at, input.varint()?),
            deadline: unzigzag(issued_at, input.varint()?),
        })
    }
}

/// The distance between two times, short when they are near, in any order.
const fn zigzag(from: Timestamp, to: Timestamp) -> u64 {
    let delta = to.as_millis().wrapping_sub(from.as_millis()) as i64;
    ((delta << 1) ^ (delta >> 63)) as u64
}

const fn unzigzag(from: Timestamp, coded: u64) -> Timestamp {
    let delta = (coded >> 1) ^ (coded & 1).wrapping_neg();
    Timestamp::from_millis(from.as_millis().wrapping_add(delta))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::Duration;

    const EXCHANGE: ExchangeId = ExchangeId::from_bytes([1; 16]);

    #[test]
    fn a_state_never_outlives_the_exchange() {
        let limits = StateLimits::default();
        let first = Claims::first(
            EXCHANGE,
            Timestamp::from_secs(0),
            Timestamp::from_secs(0),
            &limits,
        )
        .expect("time is left");
        let late = first
            .next(Timestamp::from_secs(3_500), &limits)
            .expect("time is left");
        assert_eq!(late.expires_at, Timestamp::from_secs(3_600));
        let deadline = Timestamp::from_secs(3_600);
        assert_eq!(
            late.next(deadline, &limits),
            Err(SealError::Deadline { deadline })
        );
    }

    #[test]
    fn a_round_that_only_waits_does_not_count() {
        let limits = StateLimits::default().with_max_rounds(1);
        let now = Timestamp::from_secs(9);
        let first = Claims::first(EXCHANGE, now, now, &limits).expect("one round is allowed");
        let waited = first
            .renewed(now + Duration::from_secs(5), &limits)
            .expect("waits");
        assert_eq!(waited.round, 1);
        assert_eq!(waited.expires_at, Timestamp::from_secs(614));
        assert_eq!(
            waited.next(now, &limits),
            Err(SealError::TooManyRounds { limit: 1 })
        );
    }

    proptest! {
        #[test]
        fn claims_are_read_back_even_when_clocks_ran_backwards(
            exchange: [u8; 16], round: u16, times: [u64; 4],
        ) {
            let [started_at, issued_at, expires_at, deadline] = times.map(Timestamp::from_millis);
            let claims = Claims {
                exchange: ExchangeId(exchange), round, started_at, issued_at, expires_at, deadline,
            };
            let mut writer = Writer::new();
            claims.write(&mut writer);
            let bytes = writer.into_bytes();
            let mut reader = Reader::new(&bytes);
            prop_assert_eq!(Claims::read(&mut reader), Ok(claims));
            prop_assert_eq!(reader.finish(), Ok(()));
        }
    }
}
