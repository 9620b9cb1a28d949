//! Notifications of one request on their way to the client.

use std::future::{pending, ready};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use mrtr_core::replay::Cx;
use mrtr_core::wire::{
    LoggingLevel, LoggingMessageParams, ProgressParams, ProgressToken, RequestMeta,
    write_notification,
};
use serde::Serialize;
use serde_json::value::to_raw_value;
use tokio::sync::watch;

use super::reply::one_line;

/// How a transport carries the notifications of one request.
pub(crate) trait Notifier: Send + Sync {
    /// Where they go. Called at most once for a request, and only when the
    /// request wants any, before its handler starts.
    fn sink(&self) -> Arc<dyn Sink>;

    /// The reply as a stream that stays open; `None` where notifications go
    /// nowhere.
    fn stream(&self) -> Option<Stream>;
}

/// A reply that stays open to tell of things as they happen.
pub(crate) struct Stream {
    pub(crate) sink: Arc<dyn Sink>,
    /// When the transport stops.
    pub(crate) closing: Closing,
    /// Whether other replies come on the same channel, so that its end is no
    /// end of this one.
    pub(crate) shared: bool,
}

/// Tells that a transport stops.
#[derive(Clone, Debug, Default)]
pub(crate) struct Closing(Option<watch::Receiver<()>>);

impl Closing {
    /// Begins when the sender is dropped.
    pub(crate) const fn with(sender: watch::Receiver<()>) -> Self {
        Self(Some(sender))
    }

    /// Resolves once the transport stops.
    pub(crate) async fn begun(&mut self) {
        match &mut self.0 {
            Some(receiver) => while receiver.changed().await.is_ok() {},
            None => pending().await,
        }
    }
}

/// Takes notifications; handlers hold on to it.
pub(crate) trait Sink: Send + Sync {
    /// Sends one whole JSON-RPC notification, on one line. Never waits: what
    /// there is no room for is dropped, and `loss` says what may go first.
    fn send(&self, notification: Bytes, loss: Loss);

    /// Sends one that must not be lost, and waits until there is room for it.
    /// From then on the reply is a stream, whatever else comes.
    fn deliver(&self, notification: Bytes) -> Delivery<'_>;
}

/// A notification on its way.
pub(crate) type Delivery<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

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

    fn stream(&self) -> Option<Stream> {
        None
    }
}

impl Sink for Silent {
    fn send(&self, _: Bytes, _: Loss) {}

    fn deliver(&self, _: Bytes) -> Delivery<'_> {
        Box::pin(ready(()))
    }
}

/// Passes notifications on to a function.
pub(super) struct Forward<N>(pub(super) Arc<N>);

impl<N: Fn(Bytes) + Send + Sync + 'static> Notifier for Forward<N> {
    fn sink(&self) -> Arc<dyn Sink> {
        Arc::new(Self(self.0.clone()))
    }

    fn stream(&self) -> Option<Stream> {
        Some(Stream {
            sink: self.sink(),
            closing: Closing::default(),
            shared: false,
        })
    }
}

impl<N: Fn(Bytes) + Send + Sync> Sink for Forward<N> {
    fn send(&self, notification: Bytes, _: Loss) {
        (self.0)(notification);
    }

    fn deliver(&self, notification: Bytes) -> Delivery<'_> {
        (self.0)(notification);
        Box::pin(ready(()))
    }
}

/// Tells the client how a request is coming along, while it is served.
///
/// Both do nothing when the request did not ask for them, so a handler need
/// not check. They never wait: when the client does not keep up, some are
/// dropped. As a handler runs again in every round, so do its notifications.
///
/// ```
/// use mrtr::server::Notify;
/// use mrtr::{Cx, ToolError};
///
/// async fn copy(cx: Cx, _: ()) -> Result<(), ToolError> {
///     for done in 1..=3 {
///         cx.progress(f64::from(done), 3.0, "Copying files");
///     }
///     Ok(())
/// }
/// ```
pub trait Notify {
    /// Sends `notifications/progress`: how much is done, of how much in all,
    /// and what is going on. What does not increase `done` is not sent.
    ///
    /// See [progress](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress).
    fn progress<'a>(
        &self,
        done: f64,
        total: impl Into<Option<f64>>,
        message: impl Into<Option<&'a str>>,
    );

    /// Sends `notifications/message`, when the server was built with
    /// [`logging`](super::ServerBuilder::logging) and the request asked for
    /// this level. Never put secrets or personal data in it.
    ///
    /// Logging to the client is deprecated by the 2026-07-28 revision; prefer
    /// `tracing`.
    ///
    /// See [logging](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging).
    fn log(&self, level: LoggingLevel, logger: &str, data: &(impl Serialize + ?Sized));
}

impl<M> Notify for Cx<M> {
    fn progress<'a>(
        &self,
        done: f64,
        total: impl Into<Option<f64>>,
        message: impl Into<Option<&'a str>>,
    ) {
        if let Some(notices) = self.host::<Notices>() {
            notices.progress(done, total.into(), message.into());
        }
    }

    fn log(&self, level: LoggingLevel, logger: &str, data: &(impl Serialize + ?Sized)) {
        if let Some(notices) = self.host::<Notices>() {
            notices.log(level, logger, data);
        }
    }
}

/// What one request wants to be told; attached to its round.
pub(super) struct Notices {
    sink: Arc<dyn Sink>,
    progress: Option<(ProgressToken, Mutex<f64>)>,
    log_level: Option<LoggingLevel>,
    over: AtomicBool,
}

impl Notices {
    /// Where to send what the request asked for; `None` when that is nothing.
    pub(super) fn of(
        meta: &RequestMeta<'_>,
        logging: bool,
        notifier: &dyn Notifier,
    ) -> Option<Arc<Self>> {
        let log_level = meta.log_level.filter(|_| logging);
        let token = meta
            .progress_token
            .and_then(|token| ProgressToken::parse(token).ok());
        if token.is_none() && log_level.is_none() {
            return None;
        }
        Some(Arc::new(Self {
            sink: notifier.sink(),
            progress: token.map(|token| (token, Mutex::new(f64::NEG_INFINITY))),
            log_level,
            over: AtomicBool::new(false),
        }))
    }

    /// From now on nothing is sent: the response goes out.
    pub(super) fn end(&self) {
        self.over.store(true, Ordering::Release);
    }

    fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        let Some((token, last)) = &self.progress else {
            return;
        };
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if !done.is_finite() || done <= *last {
            return;
        }
        *last = done;
        let mut params = ProgressParams::new(token.clone(), done);
        params.total = total.filter(|total| total.is_finite()).map(Into::into);
        params.message = message.map(str::to_owned);
        // Under the lock, so that they go out in order.
        self.send("notifications/progress", &params, Loss::Superseded);
    }

    fn log(&self, level: LoggingLevel, logger: &str, data: &(impl Serialize + ?Sized)) {
        if self.log_level.is_none_or(|wanted| level < wanted) {
            return;
        }
        match to_raw_value(data) {
            Ok(data) => {
                let mut params = LoggingMessageParams::new(level, data);
                params.logger = Some(logger.to_owned());
                self.send("notifications/message", &params, Loss::Distinct);
            }
            Err(error) => {
                tracing::warn!(logger, %error, "a log message for the client cannot be written as JSON")
            }
        }
    }

    fn send(&self, method: &str, params: &impl Serialize, loss: Loss) {
        if self.over.load(Ordering::Acquire) {
            return;
        }
        if let Ok(mut notification) = write_notification(method, params) {
            one_line(&mut notification);
            self.sink.send(notification.into(), loss);
        }
    }
}

/// Ends the notices of a request when it ends in whatever way.
pub(super) struct EndNotices(pub(super) Option<Arc<Notices>>);

impl Drop for EndNotices {
    fn drop(&mut self) {
        if let Some(notices) = &self.0 {
            notices.end();
        }
    }
}
