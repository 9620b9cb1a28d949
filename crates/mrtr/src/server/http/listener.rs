//! A listener of its own: hyper on HTTP/1.1, with bounds on slow peers and a graceful end.

use std::error::Error as StdError;
use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use ::http::header::CONNECTION;
use ::http::{HeaderValue, Request, Response};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tower_service::Service;

use super::Http;
use super::config::ListenerConfig;
use super::guard::Reach;
use super::stream::{PeerStream, Unread};
use crate::server::{Closing, Server, signal};

/// Most bytes of a request's head: headers mirror tool arguments, so there is room for some.
const HEAD_LIMIT: usize = 64 * 1024;
/// Between attempts to accept when the system has no room for a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A bound listener, ready to run.
///
/// ```no_run
/// # async fn example(server: mrtr::server::Server) -> std::io::Result<()> {
/// let listener = server.http().bind("127.0.0.1:0").await?;
/// println!("listening on {}", listener.url());
/// listener.run().await
/// # }
/// ```
#[derive(Debug)]
pub struct Listener<S = Http> {
    socket: TcpListener,
    address: SocketAddr,
    service: S,
    server: Server,
    config: Arc<ListenerConfig>,
    /// Dropped when the listener stops.
    stopping: watch::Sender<()>,
}

impl Http {
    /// Listens on an address and serves until Ctrl-C or, on Unix, SIGTERM; then stops gracefully.
    ///
    /// The endpoint is at `/mcp`, see [`Http::path`].
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn serve(self, address: SocketAddr) -> io::Result<()> {
        self.bind(address).await?.run().await
    }

    /// Listens on an address without serving yet.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn bind(self, address: impl ToSocketAddrs) -> io::Result<Listener> {
        self.listen(TcpListener::bind(address).await?)
    }

    /// Takes a socket that listens already.
    ///
    /// # Errors
    /// When the socket has no local address.
    pub fn listen(mut self, socket: TcpListener) -> io::Result<Listener> {
        let address = socket.local_addr()?;
        let (stopping, stopped) = watch::channel(());
        let settings = self.config_mut();
        settings.closing = Closing::with(stopped);
        let guard = &mut settings.guard;
        if guard.reach == Reach::Unknown {
            guard.reach = if address.ip().to_canonical().is_loopback() {
                Reach::Loopback
            } else {
                Reach::Network
            };
        }
        let config = self.listener.clone();
        self.path = Some(config.path.as_str().into());
        Ok(Listener {
            socket,
            address,
            server: self.server.clone(),
            service: self,
            config,
            stopping,
        })
    }

    /// Where on its own listener the endpoint is. Default `/mcp`; other paths are answered 404.
    #[must_use]
    pub fn path(mut self, path: &str) -> Self {
        self.listener_mut().path = format!("/{}", path.trim_start_matches('/'));
        self
    }

    /// Most connections of the own listener at a time; further ones wait to be accepted.
    /// Default 1024.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.listener_mut().max_connections = connections.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// Longest time for the head of a request to arrive, and for a connection to be idle between
    /// requests. Default 30 seconds.
    #[must_use]
    pub fn header_timeout(mut self, timeout: Duration) -> Self {
        self.listener_mut().header_timeout = timeout;
        self
    }

    /// Longest time a client may leave its reply unread. Default 30 seconds.
    #[must_use]
    pub fn write_timeout(mut self, timeout: Duration) -> Self {
        self.listener_mut().write_timeout = timeout;
        self
    }

    /// How long new requests are still served after the server was told to stop, while the
    /// [readiness probe](Self::health) fails and each reply ends its connection: time for balancers
    /// to send requests elsewhere. Default none.
    #[must_use]
    pub fn drain_delay(mut self, delay: Duration) -> Self {
        self.listener_mut().drain_delay = delay;
        self
    }

    /// How long running requests and shielded work may take to finish when the server stops.
    /// Default 10 seconds.
    #[must_use]
    pub fn shutdown_grace(mut self, grace: Duration) -> Self {
        self.listener_mut().grace = grace;
        self
    }

    fn listener_mut(&mut self) -> &mut ListenerConfig {
        Arc::make_mut(&mut self.listener)
    }
}

impl<S> Listener<S> {
    /// The bound address, with the port the system chose.
    pub const fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The address of the endpoint for clients on this machine.
    pub fn url(&self) -> String {
        let mut address = self.address;
        match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        format!("http://{address}{}", self.config.path)
    }

    /// Puts a layer before the endpoint: authentication, a rate limit, other paths.
    pub fn wrap<T>(self, layer: impl FnOnce(S) -> T) -> Listener<T> {
        Listener {
            socket: self.socket,
            address: self.address,
            service: layer(self.service),
            server: self.server,
            config: self.config,
            stopping: self.stopping,
        }
    }
}

impl<S, B> Listener<S>
where
    S: Service<Request<RequestBody>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<Box<dyn StdError + Send + Sync>>,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn StdError + Send + Sync>>,
{
    /// Serves until Ctrl-C or, on Unix, SIGTERM; then stops gracefully.
    ///
    /// # Errors
    /// When the process cannot listen to these signals.
    pub async fn run(self) -> io::Result<()> {
        self.run_until(signal::stop()?).await;
        Ok(())
    }

    /// Serves until `stop` resolves. Then [drains](Server::drain), goes on for
    /// [`Http::drain_delay`], accepts no more, ends subscriptions, lets running requests and shielded
    /// work finish within [`Http::shutdown_grace`], and cancels the requests that are left.
    pub async fn run_until(self, stop: impl Future<Output = ()>) {
        let (server, delay) = (self.server.clone(), self.config.drain_delay);
        let shielded = &self.server.inner.tasks;
        let mut stop = pin!(async {
            stop.await;
            server.drain();
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
        });
        let _keys = self.server.watching_keys();
        let stopped = self.stopping.subscribe();
        let slots = Arc::new(Semaphore::new(self.config.max_connections));
        let mut connections = JoinSet::new();
        let http1 = http1(&self.config);
        loop {
            while connections.try_join_next().is_some() {}
            let accepted = async {
                // Fails only when the semaphore is closed, which it never is.
                let slot = slots.clone().acquire_owned().await.ok();
                (slot, accept(&self.socket).await)
            };
            let (slot, stream) = tokio::select! {
                biased;
                () = &mut stop => break,
                accepted = accepted => accepted,
            };
            let stream = PeerStream::new(stream, self.config.write_timeout);
            let service = self.service.clone();
            let server = self.server.clone();
            let connection = serve(http1.clone(), stream, service, server, stopped.clone());
            connections.spawn(async move {
                connection.await;
                drop(slot);
            });
        }
        drop(self.socket);
        drop(self.stopping);
        let drained = async {
            while connections.join_next().await.is_some() {}
            shielded.ended().await;
        };
        if tokio::time::timeout(self.config.grace, drained)
            .await
            .is_err()
        {
            tracing::warn!(
                cancelled = connections.len(),
                shielded = shielded.running(),
                "requests or shielded work outlasted the shutdown"
            );
            connections.shutdown().await;
        }
    }
}

fn http1(config: &ListenerConfig) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(config.header_timeout)
        .max_header_size(HEAD_LIMIT);
    builder
}

/// The next connection. Errors of a single connection and a system without room are waited out.
async fn accept(socket: &TcpListener) -> TcpStream {
    loop {
        match socket.accept().await {
            Ok((stream, _)) => {
                // Replies are small and written whole: waiting for more would only cost time.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(error) => {
                let of_peer = matches!(
                    error.kind(),
                    io::ErrorKind::ConnectionAborted
                        | io::ErrorKind::ConnectionReset
                        | io::ErrorKind::ConnectionRefused
                );
                if !of_peer {
                    tracing::warn!(%error, "cannot accept connections");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
}

/// Serves one connection until it ends, or until the request in progress does once `stopped` closes.
async fn serve<S, B>(
    http1: http1::Builder,
    stream: PeerStream<TcpStream>,
    service: S,
    server: Server,
    mut stopped: watch::Receiver<()>,
) where
    S: Service<Request<RequestBody>, Response = Response<B>> + Clone + Send + 'static,
    S::Error: Into<Box<dyn StdError + Send + Sync>>,
    B: Body + 'static,
    B::Error: Into<Box<dyn StdError + Send + Sync>>,
{
    let unread = stream.unread();
    let server = &server;
    let service = service_fn(move |request: Request<Incoming>| {
        let mut service = service.clone();
        let request = request.map(|body| RequestBody::new(body, unread.clone()));
        async move {
            poll_fn(|cx| service.poll_ready(cx)).await?;
            let mut response = service.call(request).await?;
            if server.is_draining() {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(CONNECTION, close);
            }
            Ok::<_, S::Error>(response)
        }
    });
    let mut connection = pin!(http1.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        _ = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// The body of a request on the own listener.
pub struct RequestBody {
    incoming: Incoming,
    unread: Unread,
}

impl RequestBody {
    fn new(incoming: Incoming, unread: Unread) -> Self {
        unread.set(!incoming.is_end_stream());
        Self { incoming, unread }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Box<dyn StdError + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = ready!(Pin::new(&mut self.incoming).poll_frame(cx));
        if frame.is_none() || self.incoming.is_end_stream() {
            self.unread.set(false);
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RequestBody")
    }
}
