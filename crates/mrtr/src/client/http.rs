//! Streamable HTTP.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use http::{HeaderValue, Request, Uri};
use http_body_util::Full;
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use mrtr_core::exchange::Target;

use super::error::{BoxError, Unreachable, Usage};
use super::leg::{Fault, Leg, OnProgress, Reply, WireLimits};
use super::trace::{Direction, Hooks};
use crate::headers;

mod reply;
mod sse;

/// An idle connection is closed before most servers and proxies would do it, so that a request is
/// rarely lost to a connection that was just given up.
const IDLE: Duration = Duration::from_secs(20);

#[cfg(not(feature = "tls"))]
type Connector = HttpConnector;
#[cfg(feature = "tls")]
type Connector = hyper_rustls::HttpsConnector<HttpConnector>;

/// Makes the `Authorization` value of every request.
#[derive(Clone)]
pub(crate) struct Credentials(Arc<CredentialsFn>);

type CredentialsFn = dyn Fn() -> Fetching + Send + Sync;
type Fetching = Pin<Box<dyn Future<Output = Result<String, BoxError>> + Send>>;

impl Credentials {
    pub(crate) fn new<F, Fut, E>(fetch: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self(Arc::new(move || {
            let token = fetch();
            Box::pin(async move { token.await.map_err(Into::into) })
        }))
    }

    async fn header(&self) -> Result<HeaderValue, Unreachable> {
        let failed = |error: BoxError| Unreachable::because("there are no credentials", error);
        let token = (self.0)().await.map_err(failed)?;
        let mut value = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| {
            failed("the bearer token has characters that a header cannot carry".into())
        })?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(..)")
    }
}

/// A server reached over HTTP.
pub(crate) struct Http {
    pool: Pool<Connector, Full<Bytes>>,
    uri: Uri,
    target: Target,
    credentials: Option<Credentials>,
    limits: WireLimits,
    hooks: Hooks,
}

impl Http {
    /// # Errors
    /// A URL that cannot be called.
    pub(crate) fn new(
        url: &str,
        credentials: Option<Credentials>,
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
            credentials,
            limits,
            hooks,
        })
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// Sends one request and reads its answer. Dropping the future closes the connection, which
    /// cancels the request.
    pub(crate) async fn send(
        &self,
        leg: &Leg,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<Reply, Fault> {
        let request = self.request(leg).await.map_err(Fault::NotSent)?;
        let response = self
            .pool
            .request(request)
            .await
            .map_err(|error| self.fault(error))?;
        let Self {
            target,
            limits,
            hooks,
            ..
        } = self;
        let reading = reply::Reading {
            id: leg.id,
            target,
            limit: limits.message,
            hooks,
        };
        reading.reply(response, on_progress).await
    }

    async fn request(&self, leg: &Leg) -> Result<Request<Full<Bytes>>, Unreachable> {
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
        if let Some(credentials) = &self.credentials {
            request
                .headers_mut()
                .insert(AUTHORIZATION, credentials.header().await?);
        }
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
    tcp
}
