//! A connection that deals with peers who do not read, or are not read to their end.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// Longest time to wait for a peer that is still sending when it has had its reply.
const LINGER: Duration = Duration::from_secs(5);
/// Most bytes to throw away meanwhile.
const LINGER_BYTES: usize = 64 * 1024 * 1024;

/// Fails a write that makes no progress for a given time: without it, a peer that asks and never
/// reads would hold its connection for ever.
///
/// Closes gently when the last request was not read to its end: a socket that is closed with
/// unread data resets the connection, and the peer would lose the reply that says why.
pub(super) struct PeerStream<T> {
    inner: T,
    patience: Duration,
    /// Set while a write waits for the peer.
    stalled: Option<Pin<Box<Sleep>>>,
    unread: Unread,
    linger: Option<Linger>,
}

/// Whether a request was answered before it was read to its end.
#[derive(Clone, Debug, Default)]
pub(super) struct Unread(Arc<AtomicBool>);

impl Unread {
    pub(super) fn set(&self, unread: bool) {
        self.0.store(unread, Ordering::Relaxed);
    }

    fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

struct Linger {
    until: Pin<Box<Sleep>>,
    left: usize,
}

impl<T> PeerStream<T> {
    pub(super) fn new(inner: T, patience: Duration) -> Self {
        Self {
            inner,
            patience,
            stalled: None,
            unread: Unread::default(),
            linger: None,
        }
    }

    /// To tell what became of each request.
    pub(super) fn unread(&self) -> Unread {
        self.unread.clone()
    }

    fn watch<R>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<R>>,
    ) -> Poll<io::Result<R>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let timer = self
            .stalled
            .get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + self.patience)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the peer does not read its reply",
        )))
    }
}

impl<T: AsyncRead + Unpin> PeerStream<T> {
    /// Throws away what still comes, within bounds.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let linger = self.linger.get_or_insert_with(|| Linger {
            until: Box::pin(sleep_until(Instant::now() + LINGER)),
            left: LINGER_BYTES,
        });
        let mut scratch = [0; 8 * 1024];
        while linger.left > 0 && linger.until.as_mut().poll(cx).is_pending() {
            let mut buffer = ReadBuf::new(&mut scratch);
            match ready!(Pin::new(&mut self.inner).poll_read(cx, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {
                    linger.left = linger.left.saturating_sub(buffer.filled().len());
                }
                _ => break,
            }
        }
        Poll::Ready(())
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for PeerStream<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncWrite for PeerStream<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.watch(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(cx);
        self.watch(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.linger.is_none() {
            let shut = Pin::new(&mut self.inner).poll_shutdown(cx);
            ready!(self.watch(cx, shut))?;
        }
        if self.unread.get() {
            ready!(self.poll_linger(cx));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_does_not_read_fails_the_write_after_the_patience() {
        let (ours, mut theirs) = duplex(4);
        let mut stream = PeerStream::new(ours, Duration::from_secs(30));
        stream.write_all(b"full").await.unwrap();
        let started = Instant::now();
        let error = stream.write_all(b"more").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(started.elapsed(), Duration::from_secs(30));
        let mut read = [0; 4];
        theirs.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"full");
    }

    #[tokio::test(start_paused = true)]
    async fn progress_starts_the_patience_anew() {
        let (ours, mut theirs) = duplex(1);
        let mut stream = PeerStream::new(ours, Duration::from_secs(30));
        let slow = async {
            let mut read = Vec::new();
            for _ in 0..4 {
                tokio::time::sleep(Duration::from_secs(20)).await;
                read.push(theirs.read_u8().await.unwrap());
            }
            read
        };
        let (written, read) = tokio::join!(stream.write_all(b"slow"), slow);
        written.unwrap();
        assert_eq!(read, b"slow");
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_is_still_sending_is_read_to_its_end_or_for_a_while() {
        let started = Instant::now();
        let (ours, mut theirs) = duplex(4);
        let mut stream = PeerStream::new(ours, Duration::from_secs(30));
        stream.unread().set(true);
        let send = async {
            theirs.write_all(&[0; 1000]).await.unwrap();
            drop(theirs);
        };
        tokio::join!(stream.shutdown(), send).0.unwrap();
        assert_eq!(started.elapsed(), Duration::ZERO);

        let (ours, _silent) = duplex(4);
        let mut stream = PeerStream::new(ours, Duration::from_secs(30));
        stream.unread().set(true);
        stream.shutdown().await.unwrap();
        assert_eq!(started.elapsed(), LINGER);
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_was_read_to_its_end_is_not_waited_for() {
        let started = Instant::now();
        let (ours, _silent) = duplex(4);
        let mut stream = PeerStream::new(ours, Duration::from_secs(30));
        stream.unread().set(true);
        stream.unread().set(false);
        stream.shutdown().await.unwrap();
        assert_eq!(started.elapsed(), Duration::ZERO);
    }
}
