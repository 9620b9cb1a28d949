//! Streamable HTTP.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, Request, Response, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use mrtr_core::exchange::Target;

use super::error::{Unreachable, Usage};
use super::leg::{Fault, Leg, OnProgress, Reply, WireLimits};
use super::trace::{Direction, Hooks};
use crate::headers;

mod listen;
mod private;
mod reply;
mod sse;
mod stream;

pub(crate) use listen::Reader;
pub(crate) use private::{Credentials, Private};

/// An idle connection is closed before most servers and proxies would do it, so that a request is
/// rarely lost to a connection that was just given up.
const IDLE: Duration = Duration::from_secs(20);

/// After how much silence a connection is probed.
const KEEPALIVE: Duration = Duration::from_secs(60);

#[cfg(not(feature = "tls"))]
type Connector = HttpConnector;
#[cfg(feature = "tls")]
type Connector = hyper_rustls::HttpsConnector<HttpConnector>;

/// A server reached over HTTP.
pub(crate) struct Http {
    pool: Pool<Connector, Full<Bytes>>,
    uri: Uri,
    target: Target,
    private: Private,
    limits: WireLimits,
    hooks: Hooks,
}

impl Http {
    /// # Errors
    /// A URL that cannot be called.
    pub(crate) fn new(
        url: &str,
        private: Private,
        limits: WireLimits,
        hooks: Hooks,
    ) -> Result<Self, Usage> {
        let target = Target::http(url).map_err(Usage::new)?;
        let uri: Uri = url
            .parse()
            .map_err(|error| Usage::new(format!("`{target}`: {error}")))?;
        if uri
            .authority()
            .is_some_and(|authority| authority.as_str().contains('@'))
        {
            return Err(Usage::new(format!(
                "the URL of {target} has a user name or password in it; give credentials apart"
            )));
        }
        if uri.scheme_str() == Some("https") && cfg!(not(feature = "tls")) {
            return Err(Usage::new(format!(
                "{target} needs TLS, which this program was built without (feature `tls` of mrtr)"
            )));
        }
        let mut pool = Pool::builder(TokioExecutor::new());
        pool.pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE);
        Ok(Self {
            pool: pool.build(connector(limits.connect)?),
            uri,
            target,
            private,
            limits,
            hooks,
        })
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// The credentials of one request.
    ///
    /// # Errors
    /// When there are none.
    pub(crate) async fn credentials(&self) -> Result<HeaderMap, Unreachable> {
        self.private.headers().await
    }

    /// Sends one request and reads its answer. Dropping the future closes the connection, which
    /// cancels the request.
    pub(crate) async fn send(
        &self,
        leg: &Leg,
        credentials: &HeaderMap,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<Reply, Fault> {
        let response = self.post(leg, credentials).await?;
        self.reading(leg.id).reply(response, on_progress).await
    }

    fn reading(&self, id: u64) -> reply::Reading<'_> {
        reply::Reading {
            id,
            target: &self.target,
            limit: self.limits.message,
            hooks: &self.hooks,
        }
    }

    async fn post(&self, leg: &Leg, credentials: &HeaderMap) -> Result<Response<Incoming>, Fault> {
        let request = self.request(leg, credentials).map_err(Fault::NotSent)?;
        let response = self.pool.request(request).await;
        response.map_err(|error| self.fault(error))
    }

    fn request(
        &self,
        leg: &Leg,
        credentials: &HeaderMap,
    ) -> Result<Request<Full<Bytes>>, Unreachable> {
        let body = Bytes::from(leg.body());
        let mut request = Request::post(self.uri.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .header(USER_AGENT, concat!("mrtr/", env!("CARGO_PKG_VERSION")))
            .header(headers::PROTOCOL_VERSION, headers::encode(&leg.version))
            .header(headers::METHOD, headers::encode(&leg.method));
        if let Some(name) = &leg.name {
            request = request.header(headers::NAME, headers::encode(name));
        }
        for (name, value) in &leg.headers {
            request = request.header(name, value);
        }
        let mut request = request
            .body(Full::new(body.clone()))
            .map_err(|error| Unreachable::because("the request cannot be built", error))?;
        let headers = Some(request.headers());
        self.hooks.traced(Direction::Sent, &body, headers, None);
        private::add(credentials, request.headers_mut());
        Ok(request)
    }

    /// Only a request that never reached a connection was certainly not delivered.
    fn fault(&self, error: hyper_util::client::legacy::Error) -> Fault {
        if error.is_connect() {
            let reason = format!("no connection to {}", self.target);
            return Fault::NotSent(Unreachable::because(reason, error));
        }
        let mut reason = format!("the connection was lost: {error}");
        let mut source = std::error::Error::source(&error);
        while let Some(error) = source {
            reason = format!("{reason}: {error}");
            source = error.source();
        }
        Fault::Lost(super::error::Loss::closed(reason))
    }
}

#[cfg(not(feature = "tls"))]
fn connector(timeout: Duration) -> Result<Connector, Usage> {
    Ok(tcp(timeout))
}

/// The system's root certificates; where there are none, those of Mozilla.
#[cfg(feature = "tls")]
fn connector(timeout: Duration) -> Result<Connector, Usage> {
    use hyper_rustls::HttpsConnectorBuilder;
    use rustls::crypto::ring;

    let mut tcp = tcp(timeout);
    tcp.enforce_http(false);
    let ring = ring::default_provider;
    let builder = match HttpsConnectorBuilder::new().with_provider_and_native_roots(ring()) {
        Ok(builder) => builder,
        Err(_) => HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(ring())
            .map_err(|error| Usage::new(format!("TLS cannot be set up: {error}")))?,
    };
    Ok(builder.https_or_http().enable_http1().wrap_connector(tcp))
}

fn tcp(timeout: Duration) -> HttpConnector {
    let mut tcp = HttpConnector::new();
    tcp.set_connect_timeout(Some(timeout));
    tcp.set_nodelay(true);
    // Streams may be silent for long: without it a server that is gone would not be noticed.
    tcp.set_keepalive(Some(KEEPALIVE));
    tcp
}
