//! How much one call may cost: rounds, waits and time.

use std::time::Duration;

use super::error::Limit;
use crate::time::Timestamp;
use crate::wire::Strictness;

/// The bounds of one [`Exchange`](super::Exchange), over all its legs.
///
/// The bound that ends a call is named in the error together with the round it was in.
///
/// ```
/// use std::time::Duration;
/// use mrtr_core::exchange::ExchangeLimits;
///
/// let limits = ExchangeLimits::default()
///     .with_max_rounds(25)
///     .with_total(Duration::from_secs(60));
/// assert_eq!(limits.max_rounds, 25);
/// assert!(!limits.charge_human_time);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExchangeLimits {
    /// How many results with questions are answered; the next one ends the call. 10 by default.
    /// Raise it for tools that are known to loop, such as sampling with tools.
    pub max_rounds: u32,
    /// How many results without questions (state only) are retried in the whole call; they do not
    /// count as rounds. 256 by default.
    pub max_waits: u32,
    /// The time for the whole call: every leg and every pause between legs. 10 minutes by default.
    /// It is not renewed by a retry.
    pub total: Duration,
    /// Whether [`total`](Self::total) also runs while questions are with a person or a model.
    /// False by default: nobody loses a call by thinking.
    pub charge_human_time: bool,
    /// The pauses before state-only retries.
    pub backoff: Backoff,
    /// What a result without `resultType` means: complete (the default), or the peer's error.
    pub strictness: Strictness,
}

impl Default for ExchangeLimits {
    fn default() -> Self {
        Self {
            max_rounds: 10,
            max_waits: 256,
            total: Duration::from_secs(600),
            charge_human_time: false,
            backoff: Backoff::default(),
            strictness: Strictness::Lenient,
        }
    }
}

impl ExchangeLimits {
    /// Sets [`max_rounds`](Self::max_rounds).
    #[must_use]
    pub fn with_max_rounds(mut self, rounds: u32) -> Self {
        self.max_rounds = rounds;
        self
    }

    /// Sets [`max_waits`](Self::max_waits).
    #[must_use]
    pub fn with_max_waits(mut self, waits: u32) -> Self {
        self.max_waits = waits;
        self
    }

    /// Sets [`total`](Self::total).
    #[must_use]
    pub fn with_total(mut self, total: Duration) -> Self {
        self.total = total;
        self
    }

    /// Sets [`charge_human_time`](Self::charge_human_time).
    #[must_use]
    pub fn with_charge_human_time(mut self, charge: bool) -> Self {
        self.charge_human_time = charge;
        self
    }

    /// Sets [`backoff`](Self::backoff).
    #[must_use]
    pub fn with_backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// Sets [`strictness`](Self::strictness).
    #[must_use]
    pub fn with_strictness(mut self, strictness: Strictness) -> Self {
        self.strictness = strictness;
        self
    }
}

/// Exponential pauses before the retry of a state-only result: `first`, doubled each time up to
/// `max`. A result with questions starts it anew. By default 250 ms to 5 s.
///
/// The protocol allows an immediate retry; a server that sheds load would then be asked thousands of
/// times a second. The pauses carry no jitter: a driver that has many calls at one server may add it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The first pause.
    pub first: Duration,
    /// The longest pause.
    pub max: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(250),
            max: Duration::from_secs(5),
        }
    }
}

impl Backoff {
    /// The pause before the `nth` retry in a row, counted from zero.
    ///
    /// ```
    /// use mrtr_core::exchange::Backoff;
    ///
    /// let pauses: Vec<_> = (0..7).map(|n| Backoff::default().delay(n).as_millis()).collect();
    /// assert_eq!(pauses, [250, 500, 1000, 2000, 4000, 5000, 5000]);
    /// ```
    #[must_use]
    pub fn delay(&self, nth: u32) -> Duration {
        let factor = 1_u32.checked_shl(nth).unwrap_or(u32::MAX);
        self.first.saturating_mul(factor).min(self.max)
    }
}

/// The time a call has used up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    spent: Duration,
    since: Option<Timestamp>,
}

impl Clock {
    pub(super) fn resumed(spent: Duration, since: Option<Timestamp>) -> Self {
        Self { spent, since }
    }

    pub(super) fn start(&mut self, now: Timestamp) {
        self.since.get_or_insert(now);
    }

    pub(super) fn stop(&mut self, now: Timestamp) {
        self.spent = self.elapsed(now);
        self.since = None;
    }

    pub(super) fn elapsed(&self, now: Timestamp) -> Duration {
        let running = self.since.map_or(Duration::ZERO, |since| now.since(since));
        self.spent.saturating_add(running)
    }

    /// Fails when nothing is left of `total`.
    pub(super) fn check(&self, total: Duration, now: Timestamp) -> Result<(), Limit> {
        if self.elapsed(now) < total {
            Ok(())
        } else {
            Err(Limit::Total(total))
        }
    }
}
