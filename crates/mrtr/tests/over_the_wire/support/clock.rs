//! A clock that is moved by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mrtr::Timestamp;
use mrtr::replay::{Sleep, Timer};
use mrtr::server::Runtime;

/// The time of day stands still unless it is moved, and randomness repeats in every run. What is
/// held open for less than a minute is not held at all, so that nothing here waits; longer times are
/// the deadlines of requests.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    millis: Arc<AtomicU64>,
    drawn: Arc<AtomicU64>,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self {
            millis: Arc::new(AtomicU64::new(1_785_196_800_000)),
            drawn: Arc::default(),
        }
    }

    pub(crate) fn advance(&self, by: Duration) {
        let millis = by.as_millis().try_into().unwrap();
        self.millis.fetch_add(millis, Ordering::Relaxed);
    }

    pub(crate) fn back(&self, by: Duration) {
        let millis = by.as_millis().try_into().unwrap();
        self.millis.fetch_sub(millis, Ordering::Relaxed);
    }
}

impl Timer for Clock {
    fn sleep(&self, duration: Duration) -> Sleep {
        if duration < Duration::from_secs(60) {
            return Box::pin(std::future::ready(()));
        }
        Box::pin(tokio::time::sleep(duration))
    }
}

impl Runtime for Clock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis.load(Ordering::Relaxed))
    }

    fn random(&self) -> [u8; 32] {
        let drawn = self.drawn.fetch_add(1, Ordering::Relaxed);
        let mut bytes = [0x5a; 32];
        bytes[..8].copy_from_slice(&drawn.to_be_bytes());
        bytes[16..24].copy_from_slice(&drawn.to_be_bytes());
        bytes
    }
}
