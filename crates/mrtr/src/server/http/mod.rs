//! Streamable HTTP: one endpoint that takes POST and answers with JSON or an event stream.
//!
//! [`Http`] is a [`tower_service::Service`] that mounts in a router (axum: `route_service`,
//! `nest_service`) or runs on a listener of its own ([`Http::serve`], [`Http::bind`]).
//!
//! # What is checked, and in which order
//!
//! The first check that fails decides the reply. Error bodies are JSON-RPC errors with
//! `Content-Type: application/json`; those before the message is read have no `id`.
//!
//! | # | check | status | code |
//! | --- | --- | --- | --- |
//! | | a [probe](Http::health) | 200, 503 | |
//! | 1 | path of the endpoint (own listener only; without a body) | 404 | |
//! | 2 | `Host`, see [`Http::allow_host`] | 403 | -32600 |
//! | 3 | `Origin`, see [`Http::allow_origin`] | 403 | -32600 |
//! | 4 | method is POST (with `Allow: POST`) | 405 | -32600 |
//! | 5 | `Content-Type: application/json`, UTF-8, no `Content-Encoding` | 415 | -32600 |
//! | 6 | `Accept` covers `application/json` and `text/event-stream` | 406 | -32600 |
//! | 7 | body within [`Http::body_limit`] | 413 | -32600 |
//! | 8 | body within [`Http::body_timeout`] | 408 | -32600 |
//! | 9 | arrays and objects nest at most 64 deep | 400 | -32600 |
//! | 10 | body is JSON | 400 | -32700 |
//! | 11 | body is one JSON-RPC request or notification: no batch, no response | 400 | -32600 |
//! | 12 | a notification: accepted, no more checks | 202 | |
//! | 13 | `initialize` of an earlier revision: names the versions | 400 | -32022 |
//! | 14 | `MCP-Protocol-Version` is there once and equals the body's version | 400 | -32020 |
//! | 15 | the version is supported | 400 | -32022 |
//! | 16 | `Mcp-Method` is there once and equals `method` | 400 | -32020 |
//! | 17 | `Mcp-Name` is there once and equals `name` or `uri` (`tools/call`, `prompts/get`, `resources/read`) | 400 | -32020 |
//! | 18 | `Mcp-Param-*` headers of the tool equal its arguments | 400 | -32020 |
//! | 19 | `_meta` is complete | 400 | -32602 |
//! | 20 | the method exists | 404 | -32601 |
//! | 21 | what the method wants | | see [`Cause`] |
//!
//! `Mcp-Session-Id` and `Last-Event-ID` are ignored, and never sent.
//!
//! # JSON or events
//!
//! A reply is JSON unless the handler sends a notification first. The first notification is held
//! back a short time ([`Http::first_notification_hold`]): a request that turns out to need a
//! capability the client lacks must be answered with status 400, and a stream has already said 200.
//! From then on the handler runs by itself; notifications wait in a bounded queue in which progress
//! gives way, so that a client that does not read cannot stop the handler. A client that goes away
//! cancels the handler: it is dropped at its next suspension point, and only
//! [shielded](crate::Cx::shield) work goes on.
//!
//! A subscription (`subscriptions/listen`) is a stream from its first event on, which is never held
//! back. It stays open, kept alive by comments, until the client leaves, the own listener stops or
//! the application [ends it](super::Changes::end_subscriptions).
//!
//! Implements [Streamable HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http).

mod body;
mod config;
mod guard;
mod health;
mod listener;
mod mirror;
mod negotiate;
mod outbox;
mod reply;
mod sse;
mod stream;
mod work;

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use ::http::request::Parts;
use ::http::{Method, Request, StatusCode};
use http_body::Body;
use mrtr_core::wire::Cause;
use tower_service::Service;

pub use body::ReplyBody;
pub use listener::{Listener, RequestBody};
pub use reply::ReplyFuture;

use self::config::{Config, ListenerConfig};
use self::guard::{Authority, Origin, Reach};
use self::outbox::Outbox;
use self::reply::Outcome;
use super::{Reply, Server};

/// The HTTP side of a server: a tower service, and the settings of its own listener.
///
/// Cheap to clone. Needs a tokio runtime. See the [module](self) for what is checked and how
/// replies look.
///
/// In a router, with an authentication layer before it if need be:
///
/// ```
/// use axum::Router;
/// use mrtr::server::Server;
///
/// let server = Server::builder("travel", "1.0.0").build()?;
/// let router: Router = Router::new().route_service("/mcp", server.http());
/// # Ok::<(), mrtr::server::BuildError>(())
/// ```
///
/// On its own listener, at `/mcp`:
///
/// ```no_run
/// # async fn example(server: mrtr::server::Server) -> Result<(), Box<dyn std::error::Error>> {
/// server.http().serve("127.0.0.1:8080".parse()?).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Http {
    server: Server,
    config: Arc<Config>,
    listener: Arc<ListenerConfig>,
    /// Only on the own listener, which has no router before it.
    path: Option<Arc<str>>,
}

/// A text that is no origin or no host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidAllow {
    what: &'static str,
    given: String,
}

impl fmt::Display for InvalidAllow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not {}", self.given, self.what)
    }
}

impl std::error::Error for InvalidAllow {}

impl Server {
    /// Serves over HTTP.
    #[must_use]
    pub fn http(&self) -> Http {
        self.ensure_keys();
        Http {
            server: self.clone(),
            config: Arc::default(),
            listener: Arc::default(),
            path: None,
        }
    }
}

impl Http {
    /// Lets web pages of this origin (`https://app.example`) send requests.
    ///
    /// Requests without an `Origin` come from no web page and always pass. Without this setting,
    /// only pages of this machine pass (`http://localhost:3000`, `http://127.0.0.1`), and only
    /// where the server itself is reached by a loopback address. Being of the same origin is no
    /// excuse: under DNS rebinding the attacker's page is.
    ///
    /// This decides what is served, not what a browser lets a page read: pages of other origins
    /// need CORS headers besides, which a CORS layer before this service adds.
    ///
    /// # Errors
    /// When the text is not `scheme://host` or `scheme://host:port`.
    pub fn allow_origin(mut self, origin: &str) -> Result<Self, InvalidAllow> {
        let parsed = Origin::parse(origin).ok_or_else(|| InvalidAllow {
            what: "an origin (`https://app.example`)",
            given: origin.to_owned(),
        })?;
        self.config_mut().guard.origins.push(parsed.into_owned());
        Ok(self)
    }

    /// Lets web pages of every origin send requests. Only for servers that tell and do nothing
    /// which is not public, or where an authentication layer stands before.
    #[must_use]
    pub fn allow_any_origin(mut self) -> Self {
        self.config_mut().guard.any_origin = true;
        self
    }

    /// Serves requests for this host (`mcp.example.com`, with a port to allow that port only). Once
    /// a host is given, others get 403.
    ///
    /// A server on a loopback address serves loopback hosts besides, and no others even when no
    /// host is given. Elsewhere every host is served when none is given.
    ///
    /// # Errors
    /// When the text is not `host` or `host:port`.
    pub fn allow_host(mut self, host: &str) -> Result<Self, InvalidAllow> {
        let parsed = Authority::parse(host).ok_or_else(|| InvalidAllow {
            what: "a host (`mcp.example.com`)",
            given: host.to_owned(),
        })?;
        self.config_mut().guard.hosts.push(parsed.into_owned());
        Ok(self)
    }

    /// Serves loopback hosts only. The own listener does this by itself when it is bound to a
    /// loopback address; a service in a router does not know where that listens.
    #[must_use]
    pub fn loopback_only(mut self) -> Self {
        self.config_mut().guard.reach = Reach::Loopback;
        self
    }

    /// Most bytes of a request body. Default 4 MiB.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.config_mut().body_limit = bytes;
        self
    }

    /// Longest time for a request body to arrive. Default 30 seconds.
    #[must_use]
    pub fn body_timeout(mut self, timeout: Duration) -> Self {
        self.config_mut().body_timeout = timeout;
        self
    }

    /// How long the first notification is held back for the reply's status to be decided.
    /// Default 100 milliseconds.
    #[must_use]
    pub fn first_notification_hold(mut self, hold: Duration) -> Self {
        self.config_mut().hold = hold;
        self
    }

    /// Notifications of one request kept for a client that does not read. Default 64.
    #[must_use]
    pub fn notification_queue(mut self, notifications: usize) -> Self {
        self.config_mut().queue = notifications;
        self
    }

    /// How long an event stream may be silent before a comment is sent to keep it open.
    /// Default 15 seconds.
    #[must_use]
    pub fn keep_alive(mut self, interval: Duration) -> Self {
        self.config_mut().keep_alive = interval.max(Duration::from_millis(1));
        self
    }

    fn config_mut(&mut self) -> &mut Config {
        Arc::make_mut(&mut self.config)
    }

    /// Checks 1 to 6, which need no body.
    fn admit(&self, parts: &Parts) -> Result<(), Refusal> {
        if let Err(forbidden) = self.config.guard.check(&parts.uri, &parts.headers) {
            return Err((StatusCode::FORBIDDEN, forbidden.to_string().into()));
        }
        if parts.method != Method::POST {
            let what = "the MCP endpoint takes POST only";
            return Err((StatusCode::METHOD_NOT_ALLOWED, what.into()));
        }
        if !negotiate::is_json(&parts.headers) {
            let what = "the body must be `application/json` in UTF-8 without compression";
            return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, what.into()));
        }
        if !negotiate::accepts_both(&parts.headers) {
            let what = "`Accept` must list `application/json` and `text/event-stream`";
            return Err((StatusCode::NOT_ACCEPTABLE, what.into()));
        }
        Ok(())
    }
}

impl Server {
    /// Counts a request whose message was not read.
    fn turned_away(&self, outcome: Outcome) -> Outcome {
        self.inner.metrics.refused(outcome.status);
        outcome
    }
}

/// Why a request is turned away before its message is read.
type Refusal = (StatusCode, Cow<'static, str>);

/// An answer to a request whose message has not been read.
fn refuse(status: StatusCode, what: Cow<'static, str>) -> Outcome {
    Outcome {
        status,
        ..Outcome::from(Reply::error(None, &Cause::InvalidRequest(what)))
    }
}

impl<B> Service<Request<B>> for Http
where
    B: Body + Send + 'static,
    B::Data: Send,
{
    type Response = ::http::Response<ReplyBody>;
    type Error = Infallible;
    type Future = ReplyFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> ReplyFuture {
        let (parts, body) = request.into_parts();
        if let Some(probes) = &self.config.probes
            && let Some(outcome) = probes.answer(&parts, &self.server)
        {
            return ReplyFuture::decided(outcome);
        }
        if self
            .path
            .as_ref()
            .is_some_and(|path| **path != *parts.uri.path())
        {
            let nowhere = Outcome::empty(StatusCode::NOT_FOUND);
            return ReplyFuture::decided(self.server.turned_away(nowhere));
        }
        if let Err((status, what)) = self.admit(&parts) {
            return ReplyFuture::decided(self.server.turned_away(refuse(status, what)));
        }
        let outbox = Arc::new(Outbox::new(self.config.queue));
        let (hold, keep_alive) = (self.config.hold, self.config.keep_alive);
        let work = work::run(
            self.server.clone(),
            self.config.clone(),
            parts,
            body,
            outbox.clone(),
        );
        ReplyFuture::working(Box::pin(work), outbox, hold, keep_alive)
    }
}
