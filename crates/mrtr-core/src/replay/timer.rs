//! Waiting, which the core cannot do by itself.

use std::future::{self, Future};
use std::pin::Pin;
use std::time::Duration;

/// A future that is done after some time.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// How a round waits: given by whoever runs it, as the core has no clock.
///
/// Needed for [`elicit_url`](super::Cx::elicit_url) and
/// [`later_when`](super::Cx::later_when), which hold a request open for a
/// bounded time, and for [`once`](super::Cx::once), which renews leases.
pub trait Timer: Send + Sync {
    /// A future that is done after `duration`.
    fn sleep(&self, duration: Duration) -> Sleep;

    /// Whether it waits at all. Where it does not, nothing is done by the
    /// rhythm of time: leases are not renewed, and nobody is waited for.
    fn waits(&self) -> bool {
        true
    }
}

/// A timer that never waits: what is not there at once is asked for again.
///
/// For tests, and for hosts that must answer without delay.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHold;

impl Timer for NoHold {
    fn sleep(&self, _: Duration) -> Sleep {
        Box::pin(future::ready(()))
    }

    fn waits(&self) -> bool {
        false
    }
}
