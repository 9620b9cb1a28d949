//! The event stream of a subscription.

use std::sync::Arc;

use http::response::Parts;
use http::{HeaderMap, StatusCode};
use hyper::body::Incoming;
use mrtr_core::wire::ServerNotification;
use tokio::task::AbortHandle;

use super::Http;
use super::reply::{Event, Reading, check_encoding, media_type};
use super::stream::Stream;
use crate::client::error::Loss;
use crate::client::leg::{Fault, Leg};
use crate::client::listener::{End, Listener};

/// Reads a subscription's stream, and closes it when dropped.
pub(crate) struct Reader(AbortHandle);

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Http {
    /// Subscribes. `listener` hears what comes; without a stream, it has heard all there is.
    pub(crate) async fn listen(
        &self,
        leg: &Leg,
        credentials: &HeaderMap,
        listener: &Arc<Listener>,
    ) -> Result<Option<Reader>, Fault> {
        let response = self.post(leg, credentials).await?;
        if response.status() != StatusCode::OK
            || media_type(response.headers()).as_deref() != Some("text/event-stream")
        {
            let reply = self.reading(leg.id).reply(response, &mut |_| {}).await?;
            listener.response(reply.map(drop));
            return Ok(None);
        }
        let (head, body) = response.into_parts();
        check_encoding(&head)?;
        let listener = Arc::clone(listener);
        let (target, hooks, limit) = (self.target.clone(), self.hooks.clone(), self.limits.message);
        let reading = tokio::spawn(async move {
            let reading = Reading {
                id: listener.id(),
                target: &target,
                limit,
                hooks: &hooks,
            };
            let end = reading.changes(&head, body, &listener).await;
            listener.end(end);
        });
        Ok(Some(Reader(reading.abort_handle())))
    }
}

impl Reading<'_> {
    /// Reads until the stream or the subscription ends.
    async fn changes(&self, head: &Parts, body: Incoming, listener: &Listener) -> End {
        let mut stream = Stream::new(body, self.limit);
        while !listener.is_over() {
            match self.next(head, &mut stream).await {
                Ok(Some(Event::Answer(reply))) => listener.response(reply.map(drop)),
                Ok(Some(Event::Told(notification @ ServerNotification::Message(_)))) => {
                    self.hooks.notification(notification);
                }
                Ok(Some(Event::Told(notification))) => {
                    self.hooks.changed(&notification);
                    listener.notification(notification);
                }
                Ok(None) => break,
                Err(Fault::Lost(loss)) => return End::Lost(loss),
                Err(Fault::Bad(bad)) => return End::Bad(bad.reason().to_owned()),
                Err(Fault::NotSent(error)) => return End::Lost(Loss::closed(error.to_string())),
                Err(Fault::Status(status)) => return End::Lost(Loss::closed(status.to_string())),
            }
        }
        // Whatever ended the subscription before counts instead.
        End::Lost(Loss::closed("the event stream ended without a word"))
    }
}
