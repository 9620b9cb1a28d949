//! The events of a response, one after the other.

use std::collections::VecDeque;

use http_body_util::BodyExt;
use hyper::body::Incoming;

use super::sse::{EventTooLarge, Events};

pub(super) struct Stream {
    body: Incoming,
    events: Events,
    ready: VecDeque<Vec<u8>>,
}

/// Why there is no next event.
pub(super) enum StreamError {
    Lost(hyper::Error),
    TooLarge,
}

impl Stream {
    /// `limit` bounds the bytes held for one event.
    pub(super) fn new(body: Incoming, limit: usize) -> Self {
        Self {
            body,
            events: Events::new(limit),
            ready: VecDeque::new(),
        }
    }

    /// The data of the next event; `None` at the end. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, StreamError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            let Some(frame) = self.body.frame().await else {
                return Ok(None);
            };
            let Ok(bytes) = frame.map_err(StreamError::Lost)?.into_data() else {
                continue;
            };
            let mut ready = Vec::new();
            self.events
                .push(&bytes, &mut ready)
                .map_err(|EventTooLarge| StreamError::TooLarge)?;
            self.ready.extend(ready);
        }
    }
}
