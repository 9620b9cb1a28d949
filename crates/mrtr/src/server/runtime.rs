//! The clock, the randomness and the timer of a server.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mrtr_core::Timestamp;
use mrtr_core::replay::{Sleep, Timer};

/// What a server needs of the machine it runs on; tests give their own.
///
/// [`Timer::sleep`] is used for the deadline of requests and for holding them
/// open.
pub trait Runtime: Timer + 'static {
    /// The time of day.
    fn now(&self) -> Timestamp;

    /// 32 bytes nobody can predict, different each time.
    fn random(&self) -> [u8; 32];
}

/// The system's clock, a cryptographic generator seeded by the system, and
/// tokio's timer: what a server uses when it is given nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRuntime;

impl Timer for SystemRuntime {
    fn sleep(&self, duration: Duration) -> Sleep {
        Box::pin(tokio::time::sleep(duration))
    }
}

impl Runtime for SystemRuntime {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp::from_millis(since.as_millis().try_into().unwrap_or(u64::MAX))
    }

    fn random(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        rand::fill(&mut bytes);
        bytes
    }
}
