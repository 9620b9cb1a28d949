//! Notifications of one request on their way to the client.

use std::sync::Arc;

use bytes::Bytes;

/// How a transport carries the notifications of one request.
pub(crate) trait Notifier: Send + Sync {
    /// Where they go. Called at most once for a request, and only when the
    /// request wants any, before its handler starts.
    fn sink(&self) -> Arc<dyn Sink>;
}

/// Takes notifications; handlers hold on to it.
pub(crate) trait Sink: Send + Sync {
    /// Sends one whole JSON-RPC notification, on one line. Never waits: what
    /// there is no room for is dropped, and `loss` says what may go first.
    fn send(&self, notification: Bytes, loss: Loss);
}

/// What is lost when a client does not keep up with its notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The next one says all that this one did: progress.
    Superseded,
    /// Each stands for itself: log messages.
    Distinct,
}

/// Drops all notifications, for callers who can only take a response.
pub(crate) struct Silent;

impl Notifier for Silent {
    fn sink(&self) -> Arc<dyn Sink> {
        Arc::new(Self)
    }
}

impl Sink for Silent {
    fn send(&self, _: Bytes, _: Loss) {}
}
