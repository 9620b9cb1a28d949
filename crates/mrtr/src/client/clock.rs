//! The time of a client.

use std::time::{Duration, SystemTime};

use mrtr_core::Timestamp;
use tokio::time::Instant;

/// Wall-clock time that only ever runs forward at the runtime's pace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    epoch: Timestamp,
    origin: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let millis = since.unwrap_or(Duration::ZERO).as_millis();
        Self {
            epoch: Timestamp::from_millis(u64::try_from(millis).unwrap_or(u64::MAX)),
            origin: Instant::now(),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.epoch + self.origin.elapsed()
    }
}
