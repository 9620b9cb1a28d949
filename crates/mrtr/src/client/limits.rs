//! How much one client may cost: sizes and times.

use std::time::Duration;

use mrtr_core::exchange::ExchangeLimits;

/// The bounds of a [`Client`](super::Client). What ends a request is named in its error.
///
/// ```
/// use std::time::Duration;
/// use mrtr::client::ClientLimits;
///
/// let mut limits = ClientLimits::default();
/// limits.leg = Duration::from_secs(20);
/// limits.call.max_rounds = 25;
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ClientLimits {
    /// The largest message that is read, in bytes: a JSON reply, one event of a stream, one line.
    /// All pages of one list count together. 16 MiB by default.
    pub message: usize,
    /// How long one request may take; every progress notification starts it anew, within the bound
    /// of [`ExchangeLimits::total`]. 60 seconds by default.
    pub leg: Duration,
    /// How long connecting may take. 10 seconds by default.
    pub connect: Duration,
    /// How long a child process may take to answer the first `server/discover`; starting it counts.
    /// 30 seconds by default.
    pub probe: Duration,
    /// How long a child process may take to exit by itself, and again after it was told to
    /// terminate. 2 seconds by default.
    pub shutdown: Duration,
    /// How many pages of one list are read, within [`message`](Self::message) together and no longer
    /// than [`ExchangeLimits::total`]. 100 by default.
    pub pages: usize,
    /// How many results are kept for as long as the server allows. 256 by default; 0 keeps none.
    pub cache_entries: usize,
    /// How many bytes they may have together. 4 MiB by default.
    pub cache_bytes: usize,
    /// The bounds of each call over all its rounds.
    pub call: ExchangeLimits,
}

impl Default for ClientLimits {
    fn default() -> Self {
        Self {
            message: 16 * 1024 * 1024,
            leg: Duration::from_secs(60),
            connect: Duration::from_secs(10),
            probe: Duration::from_secs(30),
            shutdown: Duration::from_secs(2),
            pages: 100,
            cache_entries: 256,
            cache_bytes: 4 * 1024 * 1024,
            call: ExchangeLimits::default(),
        }
    }
}
