//! What a sealed state may cost and how long it may live.

use std::time::Duration;

/// The bounds of one exchange, a setting per tool, prompt or resource.
///
/// ```
/// use mrtr_core::state::StateLimits;
/// use std::time::Duration;
///
/// let limits = StateLimits::default().with_ttl(Duration::from_secs(120)).with_max_rounds(3);
/// assert_eq!(limits.exchange, Duration::from_secs(3_600));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateLimits {
    /// How long one sealed state opens; every round seals a new one and so
    /// renews it. Default 10 minutes.
    pub ttl: Duration,
    /// How long the whole exchange may take from its first request on,
    /// whatever was renewed. Default 1 hour.
    pub exchange: Duration,
    /// Rounds that may ask something; a round that only waits does not count.
    /// Default 10.
    pub max_rounds: u16,
    /// Longest `requestState`, in bytes of its text, both when sealing and
    /// when opening. Default 64 KiB.
    pub max_bytes: usize,
    /// How far ahead the clock of the instance that sealed may be.
    /// Expiry itself has no tolerance. Default 60 seconds.
    pub clock_skew: Duration,
}

impl Default for StateLimits {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(600),
            exchange: Duration::from_secs(3_600),
            max_rounds: 10,
            max_bytes: 64 * 1024,
            clock_skew: Duration::from_secs(60),
        }
    }
}

impl StateLimits {
    /// Sets [`ttl`](Self::ttl).
    #[must_use]
    pub const fn with_ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Sets [`exchange`](Self::exchange).
    #[must_use]
    pub const fn with_exchange(mut self, exchange: Duration) -> Self {
        self.exchange = exchange;
        self
    }

    /// Sets [`max_rounds`](Self::max_rounds).
    #[must_use]
    pub const fn with_max_rounds(mut self, max_rounds: u16) -> Self {
        self.max_rounds = max_rounds;
        self
    }

    /// Sets [`max_bytes`](Self::max_bytes).
    #[must_use]
    pub const fn with_max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Sets [`clock_skew`](Self::clock_skew).
    #[must_use]
    pub const fn with_clock_skew(mut self, clock_skew: Duration) -> Self {
        self.clock_skew = clock_skew;
        self
    }
}
