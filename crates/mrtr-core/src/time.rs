//! Points in time, always given by the caller.

use std::fmt;
use std::ops::Add;
use std::time::Duration;

/// A point in time: whole milliseconds since the Unix epoch.
///
/// The core never reads a clock; whoever drives it passes `now`.
/// Arithmetic saturates, so a hostile or absurd value can never overflow. Written with serde it is
/// the number of milliseconds.
///
/// ```
/// use mrtr_core::Timestamp;
/// use std::time::Duration;
///
/// let start = Timestamp::from_secs(1_785_196_800);
/// let later = start + Duration::from_millis(1_500);
/// assert_eq!(later.as_millis(), 1_785_196_801_500);
/// assert_eq!(later.since(start), Duration::from_millis(1_500));
/// assert_eq!(start.since(later), Duration::ZERO);
/// ```
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The time `millis` milliseconds after the Unix epoch.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// The time `secs` seconds after the Unix epoch.
    #[must_use]
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1_000))
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// How long after `other` this is; zero when it is not after it.
    #[must_use]
    pub const fn since(self, other: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(other.0))
    }
}

/// Adds a duration, rounded down to milliseconds, saturating at the end of time.
impl Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(millis))
    }
}

/// Milliseconds with their unit, for logs: `1785196801500 ms`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates() {
        let end = Timestamp::from_millis(u64::MAX);
        assert_eq!(end + Duration::MAX, end);
        assert_eq!(Timestamp::from_secs(u64::MAX), end);
        assert_eq!(
            Timestamp::default().since(end),
            Duration::ZERO,
            "the past is never negative"
        );
    }
}
