//! A tap on the wire.

use std::fmt;
use std::sync::Arc;

use http::HeaderMap;
use mrtr_core::wire::ServerNotification;

use super::cache::Cache;
use super::mistakes::Mistakes;

/// Which way a message went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From this client to the server.
    Sent,
    /// From the server to this client.
    Received,
}

/// One message on the wire, as a [trace](crate::client::ClientBuilder::trace) sees it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Traced<'a> {
    /// Which way it went.
    pub direction: Direction,
    /// The message as it stands on the wire; over stdio a line without its end. Text that is not
    /// UTF-8 has replacement characters.
    pub text: &'a str,
    /// Over HTTP: its headers. Those of a request are without credentials.
    pub headers: Option<&'a HeaderMap>,
    /// Over HTTP: the status of a reply.
    pub status: Option<u16>,
}

type TraceFn = dyn Fn(Traced<'_>) + Send + Sync;
type NotifyFn = dyn Fn(ServerNotification) + Send + Sync;

/// What a client's owner wants to hear of.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) trace: Option<Arc<TraceFn>>,
    pub(crate) notify: Option<Arc<NotifyFn>>,
    pub(crate) cache: Option<Arc<Cache>>,
    pub(crate) mistakes: Mistakes,
}

impl Hooks {
    pub(crate) fn line(&self, direction: Direction, bytes: &[u8]) {
        self.traced(direction, bytes, None, None);
    }

    pub(crate) fn traced(
        &self,
        direction: Direction,
        bytes: &[u8],
        headers: Option<&HeaderMap>,
        status: Option<u16>,
    ) {
        if let Some(trace) = &self.trace {
            let text = &String::from_utf8_lossy(bytes);
            trace(Traced {
                direction,
                text,
                headers,
                status,
            });
        }
    }

    /// Hands over a notification that belongs to no subscription.
    pub(crate) fn notification(&self, notification: ServerNotification) {
        self.changed(&notification);
        if let Some(notify) = &self.notify {
            notify(notification);
        }
    }

    /// Forgets what is kept and has changed.
    pub(crate) fn changed(&self, notification: &ServerNotification) {
        if let Some(cache) = &self.cache {
            cache.changed(notification);
        }
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks")
            .field("trace", &self.trace.is_some())
            .field("notify", &self.notify.is_some())
            .finish()
    }
}
