//! JSON-RPC over a byte stream, one message on a line.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mrtr_core::wire::{CancelledParams, write_notification};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use super::table::{Table, Waiter, dispatch, lock};
use crate::client::error::{Loss, Unreachable};
use crate::client::leg::{Fault, Leg, OnProgress, Reply};
use crate::client::listener::Listener;
use crate::client::trace::{Direction, Hooks};

/// Progress notifications that wait for a call that is slow to take them; later ones are dropped.
const PROGRESS_QUEUE: usize = 64;
/// Lines that wait for a server that is slow to read.
const OUTBOX: usize = 1024;
/// How long lines that are on their way out may still take when nobody waits for an answer.
const FLUSH: Duration = Duration::from_secs(1);

/// A connection that many requests share.
pub(crate) struct Lines {
    outbox: mpsc::Sender<Out>,
    table: Arc<Mutex<Table>>,
    reader: AbortHandle,
    _alive: oneshot::Sender<()>,
}

enum Out {
    Request {
        id: u64,
        line: String,
    },
    Cancelled {
        id: u64,
    },
    /// Close the server's input.
    End,
}

impl Lines {
    /// Takes over both halves. Messages beyond `limit` bytes close the connection.
    pub(crate) fn start<R, W>(reader: R, writer: W, hooks: Hooks, limit: usize) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let table = Arc::new(Mutex::new(Table::default()));
        let (outbox, inbox) = mpsc::channel(OUTBOX);
        let (alive, dropped) = oneshot::channel();
        let writing = write(writer, inbox, Arc::clone(&table), hooks.clone());
        tokio::spawn(async move {
            let gone = async {
                let _ = dropped.await;
                tokio::time::sleep(FLUSH).await;
            };
            tokio::select! { () = writing => {} () = gone => {} }
        });
        let reading = read(BufReader::new(reader), Arc::clone(&table), hooks, limit);
        let reader = tokio::spawn(reading).abort_handle();
        Self {
            outbox,
            table,
            reader,
            _alive: alive,
        }
    }

    /// Why the connection is of no more use, once it is.
    pub(crate) fn closed(&self) -> Option<String> {
        lock(&self.table).closed().map(ToOwned::to_owned)
    }

    /// Closes the server's input after what is on its way; nothing more can be sent.
    pub(crate) fn end(&self) {
        lock(&self.table).close("this client closed the connection");
        let _ = self.outbox.try_send(Out::End);
    }

    /// Closes the connection from elsewhere.
    pub(crate) fn closer(&self) -> Closer {
        Closer(Arc::clone(&self.table))
    }

    /// Sends one request and waits for its answer. Dropping the future cancels the request.
    pub(crate) async fn send(
        &self,
        leg: &Leg,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<Reply, Fault> {
        let (reply, mut replied) = oneshot::channel();
        let (progress, mut progressed) = mpsc::channel(PROGRESS_QUEUE);
        let _in_flight = self.request(leg, Waiter::Answer { reply, progress })?;
        let reply = loop {
            tokio::select! {
                biased;
                Some(params) = progressed.recv() => on_progress(params),
                reply = &mut replied => break reply,
            }
        };
        reply.unwrap_or_else(|_| Err(Fault::Lost(Loss::closed("the connection was closed"))))
    }

    /// Subscribes; `listener` hears what comes.
    pub(crate) fn listen(&self, leg: &Leg, listener: &Arc<Listener>) -> Result<InFlight, Fault> {
        self.request(leg, Waiter::Changes(Arc::clone(listener)))
    }

    fn request(&self, leg: &Leg, waiter: Waiter) -> Result<InFlight, Fault> {
        lock(&self.table)
            .wait(leg.id, waiter)
            .map_err(|reason| Fault::NotSent(Unreachable::new(reason)))?;
        let in_flight = InFlight {
            table: Arc::clone(&self.table),
            outbox: self.outbox.clone(),
            id: leg.id,
        };
        // A JSON text has line breaks only between its tokens.
        let line = leg.body().replace(['\n', '\r'], " ");
        // When the writer has failed, the table was closed and the waiter told so.
        if let Err(TrySendError::Full(_)) = self.outbox.try_send(Out::Request { id: leg.id, line })
        {
            return Err(Fault::NotSent(Unreachable::new(
                "it does not read its input",
            )));
        }
        Ok(in_flight)
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

/// Knows how to close a connection.
pub(crate) struct Closer(Arc<Mutex<Table>>);

impl Closer {
    /// Whoever still waits for an answer is told `reason`.
    pub(crate) fn close(&self, reason: &str) {
        lock(&self.0).close(reason);
    }
}

/// Tells the server when nobody waits for the answer any more.
pub(crate) struct InFlight {
    table: Arc<Mutex<Table>>,
    outbox: mpsc::Sender<Out>,
    id: u64,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if lock(&self.table).give_up(self.id) {
            let _ = self.outbox.try_send(Out::Cancelled { id: self.id });
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(
    mut writer: W,
    mut inbox: mpsc::Receiver<Out>,
    table: Arc<Mutex<Table>>,
    hooks: Hooks,
) {
    while let Some(out) = inbox.recv().await {
        let mut line = match out {
            Out::Request { id, line } if lock(&table).write(id) => line.into_bytes(),
            // Given up before its first byte left: the server never hears of it.
            Out::Request { .. } => continue,
            Out::Cancelled { id } => {
                let params = CancelledParams::new(id.into(), None);
                match write_notification("notifications/cancelled", &params) {
                    Ok(line) => line,
                    Err(_) => continue,
                }
            }
            Out::End => break,
        };
        hooks.line(Direction::Sent, &line);
        line.push(b'\n');
        let written = async {
            writer.write_all(&line).await?;
            writer.flush().await
        };
        if let Err(error) = written.await {
            let reason = format!("writing to the server failed: {error}");
            return lock(&table).close(&reason);
        }
    }
    let _ = writer.shutdown().await;
}

async fn read<R: AsyncBufRead + Unpin>(
    mut reader: R,
    table: Arc<Mutex<Table>>,
    hooks: Hooks,
    limit: usize,
) {
    let mut line = Vec::new();
    let reason = loop {
        line.clear();
        match next_line(&mut reader, &mut line, limit).await {
            Ok(Some(())) => {}
            Ok(None) => break "the server closed its output".to_owned(),
            Err(error) => break error.to_string(),
        }
        let line = line.trim_ascii();
        if !line.is_empty() {
            hooks.line(Direction::Received, line);
            dispatch(line, &table, &hooks);
        }
    };
    lock(&table).close(&reason);
}

/// Reads up to the next line feed; `None` at the end. What stands after the last one is no message.
async fn next_line<R: AsyncBufRead + Unpin>(
    reader: &mut R,
    line: &mut Vec<u8>,
    limit: usize,
) -> std::io::Result<Option<()>> {
    loop {
        let bytes = reader.fill_buf().await?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let end = bytes.iter().position(|b| *b == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        if line.len() + part.len() > limit {
            let reason = format!("the server sent a message of more than {limit} bytes");
            return Err(std::io::Error::other(reason));
        }
        line.extend_from_slice(part);
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            return Ok(Some(()));
        }
    }
}
