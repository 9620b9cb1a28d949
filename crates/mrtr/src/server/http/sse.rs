//! A reply as a stream of server-sent events.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use tokio::task::AbortHandle;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::outbox::{Next, Outbox};

const BEFORE: &[u8] = b"event: message\ndata: ";
const AFTER: &[u8] = b"\n\n";
/// A comment, which clients skip.
const KEEP_ALIVE: &[u8] = b":\n\n";

/// Writes messages, each on one line, as events.
pub(super) fn events(messages: impl IntoIterator<Item = Bytes, IntoIter: Clone>) -> Bytes {
    let messages = messages.into_iter();
    let framed = |message: Bytes| BEFORE.len() + message.len() + AFTER.len();
    let mut out = BytesMut::with_capacity(messages.clone().map(framed).sum());
    for message in messages {
        out.put_slice(BEFORE);
        out.put(message);
        out.put_slice(AFTER);
    }
    out.freeze()
}

/// The events of one request. Dropping it cancels the request.
#[derive(Debug)]
pub(super) struct EventStream {
    outbox: Arc<Outbox>,
    task: AbortHandle,
    keep_alive: Interval,
    finished: bool,
}

impl EventStream {
    /// Streams what `task` leaves in the outbox.
    pub(super) fn new(outbox: Arc<Outbox>, task: AbortHandle, keep_alive: Duration) -> Self {
        let mut keep_alive = interval_at(Instant::now() + keep_alive, keep_alive);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            outbox,
            task,
            keep_alive,
            finished: false,
        }
    }

    pub(super) const fn is_finished(&self) -> bool {
        self.finished
    }

    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.finished {
            return Poll::Ready(None);
        }
        match self.outbox.next(cx) {
            Next::Messages(messages) => {
                self.keep_alive.reset();
                Poll::Ready(Some(events(messages)))
            }
            Next::Reply(reply) => {
                self.finished = true;
                Poll::Ready(Some(events([reply])))
            }
            Next::End => {
                self.finished = true;
                Poll::Ready(None)
            }
            Next::Nothing => self
                .keep_alive
                .poll_tick(cx)
                .map(|_| Some(Bytes::from_static(KEEP_ALIVE))),
        }
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::{Loss, Sink as _};
    use std::future::poll_fn;

    fn idle_task() -> AbortHandle {
        tokio::spawn(std::future::pending::<()>()).abort_handle()
    }

    #[test]
    fn every_message_is_one_event() {
        let messages = ["{\"a\":1}", "{}"].map(|text| Bytes::from_static(text.as_bytes()));
        let written = "event: message\ndata: {\"a\":1}\n\nevent: message\ndata: {}\n\n";
        assert_eq!(events(messages), written);
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_broken_by_comments_until_the_reply_ends_the_stream() {
        let started = Instant::now();
        let outbox = Arc::new(Outbox::new(4));
        let keep_alive = Duration::from_secs(15);
        let mut stream = EventStream::new(outbox.clone(), idle_task(), keep_alive);
        for beats in 1..=2 {
            let comment = poll_fn(|cx| stream.poll_next(cx)).await.unwrap();
            assert_eq!(comment, ":\n\n");
            assert_eq!(started.elapsed(), keep_alive * beats);
        }
        outbox.send(Bytes::from_static(b"1"), Loss::Superseded);
        outbox.finish(Bytes::from_static(b"2"));
        for text in ["event: message\ndata: 1\n\n", "event: message\ndata: 2\n\n"] {
            assert_eq!(poll_fn(|cx| stream.poll_next(cx)).await.unwrap(), text);
        }
        assert!(stream.is_finished());
        assert_eq!(poll_fn(|cx| stream.poll_next(cx)).await, None);
    }

    #[tokio::test]
    async fn dropping_the_stream_aborts_the_task() {
        let task = tokio::spawn(std::future::pending::<()>());
        let outbox = Arc::new(Outbox::new(4));
        drop(EventStream::new(
            outbox,
            task.abort_handle(),
            Duration::from_secs(1),
        ));
        assert!(task.await.unwrap_err().is_cancelled());
    }
}
