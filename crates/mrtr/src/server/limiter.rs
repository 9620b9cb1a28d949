//! How often somebody may call something.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mrtr_core::Timestamp;
use mrtr_core::state::{Method, Principal};

/// What is about to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Target<'a> {
    /// `tools/call`, `prompts/get` or `resources/read`.
    pub method: Method,
    /// The name of the tool or prompt as registered, or the URI or URI
    /// template of the resource: never text of the caller's choice.
    pub name: &'a str,
    /// Whether only an argument of it is to be completed: `completion/complete`,
    /// which clients send while somebody types.
    pub completing: bool,
}

/// Too many calls; when to come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RetryAfter(pub Duration);

/// Decides whether a caller may call now: rate limits, quotas, suspensions.
///
/// Asked once for every `tools/call`, `prompts/get`, `resources/read` and
/// `completion/complete` that names something the server has, before anything
/// else is done for it; each round of an exchange is one call. A refused tool
/// call is a result with `isError: true` that says when to come back, which a
/// model can act on; anything else refused is an error.
///
/// It is called on the path of every request and must not block.
///
/// Implements the rate limiting the
/// [tools page](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#security-considerations)
/// requires; [`TokenBuckets`] is one to use.
pub trait Limiter: Send + Sync + 'static {
    /// Whether `principal` (`None` without authentication) may call `target`
    /// at `now`.
    ///
    /// # Errors
    /// When not, and how long to wait.
    fn check(
        &self,
        principal: Option<&Principal>,
        target: Target<'_>,
        now: Timestamp,
    ) -> Result<(), RetryAfter>;
}

impl<L: Limiter + ?Sized> Limiter for Arc<L> {
    fn check(
        &self,
        principal: Option<&Principal>,
        target: Target<'_>,
        now: Timestamp,
    ) -> Result<(), RetryAfter> {
        (**self).check(principal, target, now)
    }
}

/// A token bucket for each caller and target.
///
/// A bucket holds up to `burst` calls and gains one every `interval`. Completions,
/// which are asked for while somebody types, have buckets of their own that are
/// ten times as large and gain ten times as fast. Callers without a principal
/// share one bucket per target. At most
/// [`MAX_BUCKETS`](Self::MAX_BUCKETS) are kept, in one process: beyond it,
/// full ones are forgotten, and when all are in use new callers wait. Use
/// another [`Limiter`] to share counts between processes.
///
/// ```
/// use std::time::Duration;
/// use mrtr::Timestamp;
/// use mrtr::server::{Limiter, RetryAfter, Target, TokenBuckets};
/// # use mrtr::state::Method;
/// # fn target() -> Target<'static> { Target::new(Method::ToolsCall, "book") }
///
/// let limiter = TokenBuckets::new(2, Duration::from_secs(10));
/// let start = Timestamp::from_secs(100);
/// assert_eq!(limiter.check(None, target(), start), Ok(()));
/// assert_eq!(limiter.check(None, target(), start), Ok(()));
/// assert_eq!(limiter.check(None, target(), start), Err(RetryAfter(Duration::from_secs(10))));
/// assert_eq!(limiter.check(None, target(), start + Duration::from_secs(10)), Ok(()));
/// ```
#[derive(Debug)]
pub struct TokenBuckets {
    burst: u32,
    interval: Duration,
    buckets: Mutex<HashMap<u64, Bucket>>,
    hasher: std::hash::RandomState,
}

/// How much more often completions may be asked for.
const FASTER: u32 = 10;

/// The instant at which the bucket will be full again: all there is to know.
type Bucket = Timestamp;

impl TokenBuckets {
    /// Most buckets kept at once.
    pub const MAX_BUCKETS: usize = 100_000;

    /// Buckets of `burst` calls (at least one) that gain one call every `interval`.
    #[must_use]
    pub fn new(burst: u32, interval: Duration) -> Self {
        Self {
            burst: burst.max(1),
            interval,
            buckets: Mutex::default(),
            hasher: std::hash::RandomState::new(),
        }
    }

    fn key(&self, principal: Option<&Principal>, target: Target<'_>) -> u64 {
        self.hasher.hash_one((principal, target))
    }
}

impl Limiter for TokenBuckets {
    fn check(
        &self,
        principal: Option<&Principal>,
        target: Target<'_>,
        now: Timestamp,
    ) -> Result<(), RetryAfter> {
        let (burst, interval) = match target.completing {
            false => (self.burst, self.interval),
            true => (self.burst.saturating_mul(FASTER), self.interval / FASTER),
        };
        let key = self.key(principal, target);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= Self::MAX_BUCKETS && !buckets.contains_key(&key) {
            buckets.retain(|_, full_at| *full_at > now);
            if buckets.len() >= Self::MAX_BUCKETS {
                return Err(RetryAfter(interval));
            }
        }
        let full_at = buckets.entry(key).or_insert(now);
        // With this call, the bucket would be full again one interval later than now.
        let next = (*full_at).max(now) + interval;
        let allowed = now + interval.saturating_mul(burst);
        if next > allowed {
            return Err(RetryAfter(next.since(allowed)));
        }
        *full_at = next;
        Ok(())
    }
}

impl<'a> Target<'a> {
    /// The target `name` of `method`.
    #[must_use]
    pub const fn new(method: Method, name: &'a str) -> Self {
        Self {
            method,
            name,
            completing: false,
        }
    }

    /// The same when only an argument of it is to be completed.
    #[must_use]
    pub const fn completing(mut self) -> Self {
        self.completing = true;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_secs(1_000);
    const SECOND: Duration = Duration::from_secs(1);

    fn book() -> Target<'static> {
        Target::new(Method::ToolsCall, "book")
    }

    #[test]
    fn a_bucket_refills_one_call_per_interval_and_never_beyond_its_size() {
        let limiter = TokenBuckets::new(3, SECOND);
        let calls = |at: Timestamp| {
            (0..10)
                .take_while(|_| limiter.check(None, book(), at).is_ok())
                .count()
        };
        assert_eq!(calls(START), 3);
        assert_eq!(calls(START + SECOND * 2), 2);
        assert_eq!(calls(START + SECOND * 100), 3);
    }

    #[test]
    fn a_refusal_says_exactly_when_the_next_call_will_pass() {
        let limiter = TokenBuckets::new(1, SECOND * 10);
        assert_eq!(limiter.check(None, book(), START), Ok(()));
        let later = START + SECOND * 3;
        let Err(RetryAfter(wait)) = limiter.check(None, book(), later) else {
            panic!("the bucket is empty");
        };
        assert_eq!(wait, SECOND * 7);
        let almost = later + (wait - Duration::from_millis(1));
        assert!(limiter.check(None, book(), almost).is_err());
        assert_eq!(limiter.check(None, book(), later + wait), Ok(()));
    }

    #[test]
    fn callers_and_targets_do_not_spend_from_each_others_buckets() {
        let limiter = TokenBuckets::new(1, SECOND);
        let (alice, bob) = (Principal::new("i", "alice"), Principal::new("i", "bob"));
        assert_eq!(limiter.check(Some(&alice), book(), START), Ok(()));
        assert!(limiter.check(Some(&alice), book(), START).is_err());
        assert_eq!(limiter.check(Some(&bob), book(), START), Ok(()));
        let other = Target::new(Method::ToolsCall, "cancel");
        assert_eq!(limiter.check(Some(&alice), other, START), Ok(()));
    }

    #[test]
    fn completions_have_larger_buckets_of_their_own() {
        let limiter = TokenBuckets::new(2, SECOND);
        let completing = || limiter.check(None, book().completing(), START);
        assert_eq!((0..100).take_while(|_| completing().is_ok()).count(), 20);
        assert_eq!(completing(), Err(RetryAfter(SECOND / 10)));
        assert_eq!(limiter.check(None, book(), START), Ok(()));
    }

    #[test]
    fn the_number_of_buckets_is_bounded_and_full_ones_make_room() {
        let limiter = TokenBuckets::new(1, SECOND);
        let caller = |n: usize| Principal::new("i", n.to_string());
        for n in 0..TokenBuckets::MAX_BUCKETS {
            assert_eq!(limiter.check(Some(&caller(n)), book(), START), Ok(()));
        }
        let next = caller(TokenBuckets::MAX_BUCKETS);
        assert_eq!(
            limiter.check(Some(&next), book(), START),
            Err(RetryAfter(SECOND))
        );
        assert_eq!(limiter.check(Some(&next), book(), START + SECOND), Ok(()));
        assert_eq!(limiter.buckets.lock().expect("unpoisoned").len(), 1);
    }
}
