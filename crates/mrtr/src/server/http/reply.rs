//! The response to one request, while it is being made.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use tokio::time::{Instant, Sleep, sleep_until};
use tracing::Instrument as _;

use super::body::ReplyBody;
use super::outbox::Outbox;
use super::sse::{self, EventStream};
use crate::server::Reply;

/// Tells proxies not to hold events back.
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// What a request came to.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) status: StatusCode,
    /// JSON; nothing when there is nothing to say.
    pub(super) body: Bytes,
    /// When a caller that was sent away may come back.
    pub(super) retry_after: Option<Duration>,
    /// An empty map for the headers of the response. That of the request is passed on, so that
    /// hyper, which keeps it for the next request, need not make one each time.
    pub(super) headers: HeaderMap,
}

impl From<Reply> for Outcome {
    fn from(reply: Reply) -> Self {
        Self {
            status: StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK),
            body: reply.body,
            retry_after: reply.retry_after,
            headers: HeaderMap::new(),
        }
    }
}

impl Outcome {
    pub(super) fn empty(status: StatusCode) -> Self {
        Self {
            status,
            body: Bytes::new(),
            retry_after: None,
            headers: HeaderMap::new(),
        }
    }

    pub(super) fn into_response(self) -> Response<ReplyBody> {
        let mut headers = self.headers;
        if !self.body.is_empty() {
            insert_type(&mut headers, "application/json");
        }
        if self.status == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(ALLOW, HeaderValue::from_static("POST"));
        }
        if let Some(wait) = self.retry_after {
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            headers.insert(RETRY_AFTER, seconds.into());
        }
        let mut response = Response::new(ReplyBody::whole(self.body));
        *response.status_mut() = self.status;
        *response.headers_mut() = headers;
        response
    }
}

/// The work a request causes, from reading its body to the outcome.
pub(super) type Work = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// Resolves to the response. Dropping it cancels the request.
#[must_use = "futures do nothing unless polled"]
pub struct ReplyFuture(State);

enum State {
    Decided(Option<Outcome>),
    Working(Working),
}

struct Working {
    work: Option<Work>,
    outbox: Arc<Outbox>,
    hold: Duration,
    keep_alive: Duration,
    /// Runs out when the first notification has been held back long enough.
    held: Option<Pin<Box<Sleep>>>,
}

impl ReplyFuture {
    pub(super) const fn decided(outcome: Outcome) -> Self {
        Self(State::Decided(Some(outcome)))
    }

    pub(super) const fn working(
        work: Work,
        outbox: Arc<Outbox>,
        hold: Duration,
        keep_alive: Duration,
    ) -> Self {
        Self(State::Working(Working {
            work: Some(work),
            outbox,
            hold,
            keep_alive,
            held: None,
        }))
    }
}

impl Future for ReplyFuture {
    type Output = Result<Response<ReplyBody>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            State::Decided(outcome) => match outcome.take() {
                Some(outcome) => Poll::Ready(Ok(outcome.into_response())),
                None => Poll::Pending,
            },
            State::Working(working) => working.poll(cx).map(Ok),
        }
    }
}

impl Working {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Response<ReplyBody>> {
        let Some(work) = &mut self.work else {
            return Poll::Pending;
        };
        if let Poll::Ready(outcome) = work.as_mut().poll(cx) {
            self.work = None;
            return Poll::Ready(self.finish(outcome));
        }
        if !self.outbox.has_messages(cx) {
            return Poll::Pending;
        }
        // An event stream says 200, so it begins when an error status has become unlikely.
        if !self.outbox.is_committed() {
            let held = self
                .held
                .get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + self.hold)));
            if held.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
        }
        match self.work.take() {
            Some(work) => Poll::Ready(self.stream(work)),
            None => Poll::Pending,
        }
    }

    fn finish(&self, outcome: Outcome) -> Response<ReplyBody> {
        let mut messages = self.outbox.close();
        if messages.is_empty() || outcome.status != StatusCode::OK {
            return outcome.into_response();
        }
        messages.push(outcome.body);
        event_stream(ReplyBody::whole(sse::events(messages)))
    }

    /// Lets the work go on by itself, so that a client which does not read cannot stop it.
    fn stream(&self, work: Work) -> Response<ReplyBody> {
        let outbox = Ending(self.outbox.clone());
        let task = async move {
            let outcome = work.await;
            outbox.0.finish(outcome.body);
        };
        let task = tokio::spawn(task.in_current_span()).abort_handle();
        let events = EventStream::new(self.outbox.clone(), task, self.keep_alive);
        event_stream(ReplyBody::stream(events))
    }
}

/// Ends the stream however the task ends.
struct Ending(Arc<Outbox>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

fn event_stream(body: ReplyBody) -> Response<ReplyBody> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    insert_type(headers, "text/event-stream");
    headers.insert(ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}

/// Replies belong to one request of one caller: no cache keeps them.
fn insert_type(headers: &mut HeaderMap, content_type: &'static str) {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}
