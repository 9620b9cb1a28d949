//! The end of a server that others must hear of first.

use std::sync::atomic::Ordering;

use super::Server;

impl Server {
    /// Says from now on that the server is about to end: the
    /// [readiness probe](super::Http::health) fails, so that balancers send
    /// requests elsewhere, and connections of an own listener end with their
    /// next reply. Requests that still come are served.
    ///
    /// A [listener](super::http::Listener) does this when it is told to stop.
    pub fn drain(&self) {
        if !self.inner.draining.swap(true, Ordering::Relaxed) {
            tracing::info!(server = self.inner.info.name, "draining");
        }
    }

    /// Whether [`drain`](Self::drain) was called.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.inner.draining.load(Ordering::Relaxed)
    }
}
