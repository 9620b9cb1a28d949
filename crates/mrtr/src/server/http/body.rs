//! Reading a request body within bounds of size and time, and the body of a reply.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;

use super::sse::EventStream;

/// Most that is reserved on the word of a peer; more is reserved as it arrives.
const FIRST_RESERVE: usize = 64 * 1024;

/// Why a request body could not be had: the peer's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    /// HTTP 413.
    TooLarge,
    /// HTTP 408.
    TooSlow,
    /// The connection broke, or what came is no HTTP body.
    Broken,
}

/// Reads the whole body.
///
/// A body that came in one piece is not copied.
pub(super) async fn read<B: Body>(
    body: B,
    limit: usize,
    timeout: Duration,
) -> Result<Bytes, BodyError> {
    // A reply to an announced excess goes out before the excess is read.
    if body.size_hint().lower() > limit as u64 {
        return Err(BodyError::TooLarge);
    }
    let mut body = pin!(collect(body, limit));
    // Most bodies come along with their head: those need no timer.
    if let Poll::Ready(read) = poll_fn(|cx| Poll::Ready(body.as_mut().poll(cx))).await {
        return read;
    }
    tokio::time::timeout(timeout, body)
        .await
        .unwrap_or(Err(BodyError::TooSlow))
}

async fn collect<B: Body>(body: B, limit: usize) -> Result<Bytes, BodyError> {
    let mut body = pin!(body);
    let mut first = Bytes::new();
    let mut rest: Option<BytesMut> = None;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| BodyError::Broken)?;
        let Ok(mut data) = frame.into_data() else {
            continue;
        };
        let so_far = rest.as_ref().map_or(first.len(), BytesMut::len);
        if data.remaining() > limit - so_far {
            return Err(BodyError::TooLarge);
        }
        if so_far == 0 {
            first = data.copy_to_bytes(data.remaining());
            continue;
        }
        let announced = usize::try_from(body.size_hint().lower()).unwrap_or(0);
        rest.get_or_insert_with(|| {
            let whole = so_far + data.remaining() + announced.min(FIRST_RESERVE);
            let mut buffer = BytesMut::with_capacity(whole);
            buffer.extend_from_slice(&first);
            buffer
        })
        .put(data);
    }
    Ok(rest.map_or(first, BytesMut::freeze))
}

/// The body of a reply: one JSON text, or a stream of events.
///
/// Dropping a stream cancels the request it belongs to.
#[derive(Debug)]
pub struct ReplyBody(Kind);

#[derive(Debug)]
enum Kind {
    Whole(Bytes),
    Stream(EventStream),
}

impl ReplyBody {
    pub(super) const fn whole(bytes: Bytes) -> Self {
        Self(Kind::Whole(bytes))
    }

    pub(super) const fn stream(events: EventStream) -> Self {
        Self(Kind::Stream(events))
    }
}

/// For layers that answer by themselves.
impl<T: Into<Bytes>> From<T> for ReplyBody {
    fn from(bytes: T) -> Self {
        Self::whole(bytes.into())
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Kind::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Kind::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Kind::Stream(events) => events
                .poll_next(cx)
                .map(|next| next.map(|bytes| Ok(Frame::data(bytes)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Whole(bytes) => bytes.is_empty(),
            Kind::Stream(events) => events.is_finished(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Kind::Stream(_) => SizeHint::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::stream;
    use http_body_util::{Full, StreamBody};

    const SOON: Duration = Duration::from_secs(1);

    fn pieces(pieces: &[&'static str]) -> impl Body<Data = Bytes, Error = Infallible> + use<> {
        let frames: Vec<_> = pieces
            .iter()
            .map(|piece| Ok(Frame::data(Bytes::from_static(piece.as_bytes()))))
            .collect();
        StreamBody::new(stream::iter(frames))
    }

    #[tokio::test(start_paused = true)]
    async fn pieces_are_joined_up_to_the_limit_and_no_further() {
        for parts in [
            &["0123456789"][..],
            &["", "01234", "", "5678", "9"],
            &["012345678", "9"],
        ] {
            assert_eq!(read(pieces(parts), 10, SOON).await.unwrap(), "0123456789");
            assert_eq!(read(pieces(parts), 9, SOON).await, Err(BodyError::TooLarge));
        }
        assert_eq!(read(pieces(&[]), 0, SOON).await.unwrap(), "");
    }

    #[tokio::test(start_paused = true)]
    async fn one_piece_is_not_copied() {
        let sent = Bytes::from(vec![b'x'; 100]);
        let read = read(Full::new(sent.clone()), 100, SOON).await.unwrap();
        assert_eq!(read.as_ptr(), sent.as_ptr());
    }

    #[tokio::test(start_paused = true)]
    async fn an_announced_excess_is_refused_before_it_is_read() {
        struct Announced;
        impl Body for Announced {
            type Data = Bytes;
            type Error = Infallible;
            fn poll_frame(
                self: Pin<&mut Self>,
                _: &mut Context<'_>,
            ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
                unreachable!("nothing is read")
            }
            fn size_hint(&self) -> SizeHint {
                SizeHint::with_exact(11)
            }
        }
        assert_eq!(read(Announced, 10, SOON).await, Err(BodyError::TooLarge));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_never_ends_times_out() {
        let started = tokio::time::Instant::now();
        let body = StreamBody::new(stream::pending::<Result<Frame<Bytes>, Infallible>>());
        assert_eq!(read(body, 10, SOON).await, Err(BodyError::TooSlow));
        assert_eq!(started.elapsed(), SOON);
    }
}
