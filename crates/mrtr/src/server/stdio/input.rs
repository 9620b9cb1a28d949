//! Standard input.

use std::io::{self, Read as _};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use bytes::Bytes;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;

/// Most that is read at once.
const CHUNK: usize = 64 * 1024;

/// Standard input, read by a thread of its own. A thread of the runtime that waits for input would
/// keep a process that is told to stop from its end.
pub(super) struct Input {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    chunk: Bytes,
}

impl Input {
    pub(super) fn open() -> io::Result<Self> {
        let (sender, chunks) = mpsc::channel(1);
        thread::Builder::new()
            .name("mrtr stdin".to_owned())
            .spawn(move || pass_on(&sender))?;
        Ok(Self {
            chunks,
            chunk: Bytes::new(),
        })
    }
}

fn pass_on(sender: &mpsc::Sender<io::Result<Bytes>>) {
    let mut stdin = io::stdin().lock();
    let mut buffer = vec![0; CHUNK];
    loop {
        let chunk = match stdin.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => Ok(Bytes::copy_from_slice(&buffer[..length])),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = chunk.is_err();
        if sender.blocking_send(chunk).is_err() || failed {
            return;
        }
    }
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.chunk.is_empty() {
            match ready!(self.chunks.poll_recv(cx)) {
                Some(chunk) => self.chunk = chunk?,
                None => return Poll::Ready(Ok(())),
            }
        }
        let length = self.chunk.len().min(buffer.remaining());
        buffer.put_slice(&self.chunk.split_to(length));
        Poll::Ready(Ok(()))
    }
}
