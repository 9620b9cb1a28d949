//! stdio: one JSON-RPC message on a line, many requests at a time.
//!
//! [`Stdio`] serves over the standard streams of the process, or over any pair of byte streams
//! ([`Stdio::over`]): a Unix socket, a TCP connection, a pipe in a test.
//!
//! | what happens | what follows |
//! | --- | --- |
//! | a line that is no UTF-8 JSON | error -32700 without an id |
//! | JSON that is no request or notification; a line that is too long | error -32600, with the id if it could be read |
//! | a request whose id is in flight | error -32600 with that id; the request in flight goes on |
//! | a request | answered by a task of its own |
//! | `subscriptions/listen` | open until its end; a place of its own, see [`ServerBuilder::max_subscriptions`](super::ServerBuilder::max_subscriptions) |
//! | `notifications/cancelled` for a request in flight | its handler is dropped, [shielded](crate::Cx::shield) work goes on; nothing more is sent for it, its id is free |
//! | other notifications, a cancellation of something else, blank lines | nothing |
//! | a handler panics | error -32603 |
//! | end of input; on the standard streams also Ctrl-C and SIGTERM | subscriptions end with their result, what runs may finish within [`Stdio::shutdown_grace`], then [`Stdio`] returns |
//! | the client does not read | notifications are dropped, responses wait |
//! | the client has closed its end | requests are cancelled, shielded work may finish within the grace, then [`Stdio`] returns |
//!
//! Standard output carries protocol messages only, each written whole: a handler must not print to
//! it. Diagnostics belong on standard error.
//!
//! Implements [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio).

mod flight;
mod input;
mod lines;

use std::future::{Future, IntoFuture, pending};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mrtr_core::wire::{Cause, Incoming, Request};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::JoinSet;

use self::flight::{Flight, Flights, LineSink, Outgoing};
use self::input::Input;
use self::lines::{Line, Lines};
use super::panic::catch;
use super::{Caller, Closing, Reply, Server, signal, too_many_subscriptions};

/// Lines that wait to be written.
const QUEUE: usize = 256;
/// Lines are written together up to about this size.
const BATCH: usize = 64 * 1024;

/// A server on the standard streams; to run it, await it.
///
/// It ends with its input, on Ctrl-C and, on Unix, SIGTERM; see the [module](self) for what happens
/// then. Input that nobody waits for any more keeps no process from its end.
///
/// ```no_run
/// # async fn example(server: mrtr::server::Server) -> std::io::Result<()> {
/// server.stdio().await
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is served until this is awaited"]
pub struct Stdio {
    server: Server,
    line_limit: usize,
    max_in_flight: usize,
    grace: Duration,
}

impl Server {
    /// Serves over standard input and output, until the end of input.
    pub fn stdio(&self) -> Stdio {
        Stdio {
            server: self.clone(),
            line_limit: 4 * 1024 * 1024,
            max_in_flight: 64,
            grace: Duration::from_secs(5),
        }
    }
}

impl Stdio {
    /// Most bytes of a message. Default 4 MiB.
    pub const fn line_limit(mut self, bytes: usize) -> Self {
        self.line_limit = bytes;
        self
    }

    /// Most requests that run at a time. As many again wait for their turn; then no more are read
    /// until one is done. Default 64.
    pub fn max_in_flight(mut self, requests: usize) -> Self {
        self.max_in_flight = requests.clamp(1, Semaphore::MAX_PERMITS / 2);
        self
    }

    /// How long running requests and shielded work may take to finish at the end. Default 5 seconds.
    pub const fn shutdown_grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Serves over these streams instead of the standard ones, until the end of input.
    ///
    /// # Errors
    /// When reading or writing fails. A client that closes its end is no error.
    pub async fn over<R, W>(self, reader: R, writer: W) -> io::Result<()>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        self.until(pending(), reader, writer).await
    }

    async fn until<R, W>(
        self,
        stop: impl Future<Output = ()>,
        reader: R,
        writer: W,
    ) -> io::Result<()>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let (grace, shielded) = (self.grace, self.server.inner.tasks.clone());
        let _keys = self.server.watching_keys();
        let (sender, inbox) = mpsc::channel(QUEUE);
        let listens = self.server.max_subscriptions().min(Semaphore::MAX_PERMITS);
        let (stopping, stopped) = watch::channel(());
        let connection = Arc::new(Connection {
            running: Semaphore::new(self.max_in_flight),
            accepted: Arc::new(Semaphore::new(2 * self.max_in_flight)),
            listening: Arc::new(Semaphore::new(listens)),
            closing: Closing::with(stopped),
            flights: Flights::default(),
            stdio: self,
        });
        let mut requests = JoinSet::new();
        let mut writing = pin!(write(writer, inbox, &connection.flights));
        let mut written = None;
        let read = tokio::select! {
            read = connection.read(reader, sender, &mut requests) => read,
            () = stop => Ok(()),
            ended = &mut writing => {
                written = Some(ended);
                requests.abort_all();
                Ok(())
            }
        };
        drop(stopping);
        let write_rest = async {
            if written.is_none() {
                written = Some(writing.await);
            }
        };
        let finish = async {
            while requests.join_next().await.is_some() {}
            shielded.ended().await;
        };
        let finished = tokio::time::timeout(grace, async { tokio::join!(finish, write_rest) });
        if finished.await.is_err() {
            tracing::warn!(
                cancelled = requests.len(),
                shielded = shielded.running(),
                "requests or shielded work outlasted the end"
            );
            requests.shutdown().await;
        }
        read.and(closed(written.unwrap_or(Ok(()))))
    }
}

impl IntoFuture for Stdio {
    type Output = io::Result<()>;
    type IntoFuture = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        self.server.ensure_keys_of_user();
        Box::pin(async {
            let (stop, input) = (signal::stop()?, Input::open()?);
            self.until(stop, input, tokio::io::stdout()).await
        })
    }
}

/// What the requests of one client share.
struct Connection {
    stdio: Stdio,
    flights: Flights,
    /// Bounds the requests that run.
    running: Semaphore,
    /// Bounds the requests that run or wait for their turn.
    accepted: Arc<Semaphore>,
    /// Bounds the subscriptions, which would take the place of requests for ever.
    listening: Arc<Semaphore>,
    closing: Closing,
}

impl Connection {
    async fn read<R: AsyncRead + Unpin>(
        self: &Arc<Self>,
        reader: R,
        outgoing: mpsc::Sender<Outgoing>,
        requests: &mut JoinSet<()>,
    ) -> io::Result<()> {
        let mut lines = Lines::new(reader, self.stdio.line_limit);
        loop {
            while requests.try_join_next().is_some() {}
            let reply = match lines.next().await? {
                Line::End => return Ok(()),
                Line::Text(line) if line.trim_ascii().is_empty() => None,
                Line::Text(line) => self.take(line, &outgoing, requests).await,
                Line::TooLong => {
                    let what = format!("a message has at most {} bytes", self.stdio.line_limit);
                    Some(Reply::error(None, &Cause::InvalidRequest(what.into())))
                }
            };
            if let Some(reply) = reply {
                // Fails when the writer has failed, which ends this function from outside.
                let _ = outgoing.send(Outgoing::stray(reply.body)).await;
            }
        }
    }

    /// Takes a message; what can be answered at once is returned.
    async fn take(
        self: &Arc<Self>,
        line: Vec<u8>,
        outgoing: &mpsc::Sender<Outgoing>,
        requests: &mut JoinSet<()>,
    ) -> Option<Reply> {
        let (flight, listening) = match self.stdio.server.read(&line) {
            Ok(Incoming::Request(request)) => match self.begin(&request) {
                Ok(begun) => begun,
                Err(cause) => return Some(Reply::error(Some(&request.id), &cause)),
            },
            Ok(Incoming::Notification(notification)) => {
                if notification.method == "notifications/cancelled"
                    && let Ok(id) = notification.params.request_id()
                {
                    let reason = notification.params.reason();
                    tracing::debug!(?id, ?reason, "the client cancelled a request");
                    self.flights.cancel(&id);
                }
                return None;
            }
            Ok(_) => return None,
            Err(reply) => return Some(reply),
        };
        let slot = match listening {
            Some(slot) => slot,
            // Cancellations are read behind this point, so it must not be reached by every request.
            None => self.accepted.clone().acquire_owned().await.ok()?,
        };
        requests.spawn(self.clone().run(line, flight, outgoing.clone(), slot));
        None
    }

    /// Takes a request in, and what a subscription occupies.
    fn begin(
        &self,
        request: &Request<'_>,
    ) -> Result<(Arc<Flight>, Option<OwnedSemaphorePermit>), Cause> {
        let slot = if is_subscription(request) {
            let slot = self.listening.clone().try_acquire_owned();
            Some(slot.map_err(|_| too_many_subscriptions())?)
        } else {
            None
        };
        match self.flights.begin(&request.id) {
            Some(flight) => Ok((flight, slot)),
            None => Err(Cause::InvalidRequest(
                "a request with this id is in flight".into(),
            )),
        }
    }

    /// Answers one request. It is parsed again: the first reading borrowed from a line that moved.
    async fn run(
        self: Arc<Self>,
        line: Vec<u8>,
        flight: Arc<Flight>,
        outgoing: mpsc::Sender<Outgoing>,
        _slot: OwnedSemaphorePermit,
    ) {
        let Ok(Incoming::Request(request)) = Incoming::parse(&line) else {
            return;
        };
        let sink = LineSink {
            flight: flight.clone(),
            outgoing: outgoing.downgrade(),
            closing: self.closing.clone(),
        };
        let body = tokio::select! {
            biased;
            () = flight.cancelled() => return,
            body = self.answer(&request, &sink) => body,
        };
        let _ = outgoing.send(Outgoing::response(body, flight)).await;
    }

    async fn answer(&self, request: &Request<'_>, sink: &LineSink) -> Bytes {
        let _running = match is_subscription(request) {
            true => None,
            false => self.running.acquire().await.ok(),
        };
        let caller = Caller::anonymous();
        let answering = pin!(self.stdio.server.answer(request, &caller, sink));
        catch(answering)
            .await
            .unwrap_or_else(|panic| {
                tracing::error!(method = ?request.method, panic, "answering a request panicked");
                Reply::error(Some(&request.id), &Cause::Fault)
            })
            .body
    }
}

/// A request that runs for as long as the client likes.
fn is_subscription(request: &Request<'_>) -> bool {
    request.method == "subscriptions/listen"
}

/// Writes lines, whole and in order, until all senders are gone.
async fn write<W: AsyncWrite + Unpin>(
    mut writer: W,
    mut inbox: mpsc::Receiver<Outgoing>,
    flights: &Flights,
) -> io::Result<()> {
    let mut batch = Vec::new();
    while let Some(first) = inbox.recv().await {
        let mut next = Some(first);
        while let Some(outgoing) = next.take() {
            if let Some(line) = flights.release(outgoing) {
                batch.extend_from_slice(&line);
                batch.push(b'\n');
            }
            if batch.len() < BATCH {
                next = inbox.try_recv().ok();
            }
        }
        writer.write_all(&batch).await?;
        writer.flush().await?;
        batch.clear();
        batch.shrink_to(BATCH);
    }
    Ok(())
}

/// A client that is gone is the end of a connection, not a failure.
fn closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
