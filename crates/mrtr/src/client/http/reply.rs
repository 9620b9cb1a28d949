//! Reading what a POST was answered with.

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE};
use http::response::Parts;
use http::{HeaderMap, HeaderName, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use mrtr_core::exchange::Target;
use mrtr_core::wire::{RequestId, ServerMessage, ServerNotification};

use super::stream::{Stream, StreamError};
use crate::client::error::{BadReply, HttpStatus, Loss};
use crate::client::leg::{Fault, OnProgress, Reply};
use crate::client::trace::{Direction, Hooks};

/// How much of a foreign body goes into an error.
const EXCERPT: usize = 200;

/// A message of an event stream.
pub(super) enum Event {
    Answer(Reply),
    Told(ServerNotification),
}

/// What reading a reply needs to know.
pub(super) struct Reading<'a> {
    pub(super) id: u64,
    pub(super) target: &'a Target,
    pub(super) limit: usize,
    pub(super) hooks: &'a Hooks,
}

impl Reading<'_> {
    pub(super) async fn reply(
        &self,
        response: Response<Incoming>,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<Reply, Fault> {
        let (head, body) = response.into_parts();
        check_encoding(&head)?;
        match media_type(&head.headers).as_deref() {
            Some("text/event-stream") if head.status == StatusCode::OK => {
                self.events(&head, body, on_progress).await
            }
            Some("application/json") => self.json(&head, body).await,
            _ if head.status == StatusCode::OK => {
                let kind = media_type(&head.headers).unwrap_or_else(|| "nothing".to_owned());
                Err(bad(&format!(
                    "its content type is {kind} instead of application/json or text/event-stream"
                )))
            }
            _ => {
                let bytes = self.collect(body).await.unwrap_or_default();
                self.trace(&head, &bytes);
                Err(self.status(&head, &bytes))
            }
        }
    }

    async fn json(&self, head: &Parts, body: Incoming) -> Result<Reply, Fault> {
        let bytes = self.collect(body).await?;
        self.trace(head, &bytes);
        match ServerMessage::parse(&bytes) {
            Ok(ServerMessage::Response(response)) => {
                // A result beside an error status is no answer; an error beside 200 is one.
                if response.outcome.is_ok() && head.status != StatusCode::OK {
                    return Err(self.status(head, &bytes));
                }
                self.check_id(response.id.as_ref())?;
                Ok(response.outcome.map(ToOwned::to_owned))
            }
            Ok(_) => Err(bad("it is a request or a notification")),
            Err(error) if head.status == StatusCode::OK => Err(bad(&error.to_string())),
            Err(_) => Err(self.status(head, &bytes)),
        }
    }

    async fn events(
        &self,
        head: &Parts,
        body: Incoming,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<Reply, Fault> {
        let mut stream = Stream::new(body, self.limit);
        while let Some(event) = self.next(head, &mut stream).await? {
            match event {
                Event::Answer(reply) => return Ok(reply),
                Event::Told(ServerNotification::Progress(params)) => {
                    if params.progress_token == RequestId::from(self.id) {
                        on_progress(params);
                    }
                }
                Event::Told(notification) => self.hooks.notification(notification),
            }
        }
        Err(Fault::Lost(Loss::closed(
            "the event stream ended before the answer",
        )))
    }

    /// The next message of a stream; `None` at its end.
    pub(super) async fn next(
        &self,
        head: &Parts,
        stream: &mut Stream,
    ) -> Result<Option<Event>, Fault> {
        loop {
            let Some(event) = stream.next().await.map_err(|error| match error {
                StreamError::Lost(error) => lost(&error),
                StreamError::TooLarge => self.too_large(),
            })?
            else {
                return Ok(None);
            };
            self.trace(head, &event);
            if let Some(event) = self.event(&event)? {
                return Ok(Some(event));
            }
        }
    }

    /// `None` when the message is of no concern.
    fn event(&self, event: &[u8]) -> Result<Option<Event>, Fault> {
        match ServerMessage::parse(event).map_err(|error| bad(&error.to_string()))? {
            ServerMessage::Response(response) => {
                self.check_id(response.id.as_ref())?;
                let reply = response.outcome.map(ToOwned::to_owned);
                Ok(Some(Event::Answer(reply)))
            }
            ServerMessage::Notification { method, params } => {
                match ServerNotification::decode(&method, params) {
                    Ok(notification) => Ok(notification.map(Event::Told)),
                    Err(error) => {
                        if self.hooks.mistakes.are_worth_a_warning() {
                            tracing::warn!(?method, error, "a malformed notification was ignored");
                        }
                        Ok(None)
                    }
                }
            }
            ServerMessage::Request { method, .. } => Err(bad(&format!(
                "the event stream has a request (`{method}`), as earlier revisions send"
            ))),
            _ => Ok(None),
        }
    }

    /// An error may come without an id.
    fn check_id(&self, id: Option<&RequestId>) -> Result<(), Fault> {
        match id {
            Some(id) if *id != RequestId::from(self.id) => Err(bad(&format!(
                "it answers request {id} instead of {}",
                self.id
            ))),
            _ => Ok(()),
        }
    }

    async fn collect(&self, mut body: Incoming) -> Result<Bytes, Fault> {
        let hint = body.size_hint();
        if hint.lower() > self.limit as u64 {
            return Err(self.too_large());
        }
        let mut bytes = Vec::with_capacity(usize::try_from(hint.lower()).unwrap_or(0));
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| lost(&error))?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            if bytes.len() + data.len() > self.limit {
                return Err(self.too_large());
            }
            bytes.extend_from_slice(&data);
        }
        Ok(bytes.into())
    }

    fn status(&self, head: &Parts, body: &[u8]) -> Fault {
        let header = |name: HeaderName| {
            let value = head.headers.get(name)?;
            Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let body = String::from_utf8_lossy(body);
        let body = body
            .trim()
            .chars()
            .filter(|c| !c.is_control())
            .take(EXCERPT);
        Fault::Status(Box::new(HttpStatus {
            target: self.target.clone(),
            status: head.status.as_u16(),
            www_authenticate: header(WWW_AUTHENTICATE),
            location: header(LOCATION),
            body: body.collect(),
        }))
    }

    fn too_large(&self) -> Fault {
        bad(&format!(
            "it has more than {} bytes (ClientLimits::message)",
            self.limit
        ))
    }

    fn trace(&self, head: &Parts, bytes: &[u8]) {
        let status = Some(head.status.as_u16());
        self.hooks
            .traced(Direction::Received, bytes, Some(&head.headers), status);
    }
}

pub(super) fn check_encoding(head: &Parts) -> Result<(), Fault> {
    let encoding = head.headers.get(CONTENT_ENCODING);
    if encoding.is_some_and(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(bad("it is compressed, which was not asked for"));
    }
    Ok(())
}

fn bad(reason: &str) -> Fault {
    Fault::Bad(BadReply::new(reason))
}

fn lost(error: &hyper::Error) -> Fault {
    Fault::Lost(Loss::closed(format!("the connection was lost: {error}")))
}

/// The media type without its parameters, in lower case.
pub(super) fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let essence = value.split(';').next()?;
    Some(essence.trim().to_ascii_lowercase())
}
