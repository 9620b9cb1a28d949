//! Probes: whether the server runs, and whether it wants requests.

use ::http::request::Parts;
use ::http::{Method, StatusCode};
use bytes::Bytes;

use super::Http;
use super::reply::Outcome;
use crate::server::Server;

/// Where probes ask.
#[derive(Clone, Debug)]
pub(super) struct Probes {
    live: Box<str>,
    ready: Box<str>,
}

impl Http {
    /// Answers `GET` at these two paths, for balancers and supervisors; nothing else is served
    /// there. Off by default.
    ///
    /// | path | status |
    /// | --- | --- |
    /// | `live` | 200 as long as the server runs |
    /// | `ready` | 200, and 503 once the server [drains](Server::drain) |
    ///
    /// Probes are answered before anything is checked, since they come from anywhere and with any
    /// `Host`; they learn no more than this. In a router, route the paths here too.
    ///
    /// ```
    /// # let server = mrtr::server::Server::builder("travel", "1.0.0").build()?;
    /// let http = server.http().health("/health/live", "/health/ready");
    /// # Ok::<(), mrtr::server::BuildError>(())
    /// ```
    #[must_use]
    pub fn health(mut self, live: &str, ready: &str) -> Self {
        let path = |path: &str| format!("/{}", path.trim_start_matches('/')).into();
        self.config_mut().probes = Some(Probes {
            live: path(live),
            ready: path(ready),
        });
        self
    }
}

impl Probes {
    /// The answer, when a request is a probe.
    pub(super) fn answer(&self, parts: &Parts, server: &Server) -> Option<Outcome> {
        let path = parts.uri.path();
        let ready = path == &*self.ready;
        if !ready && path != &*self.live {
            return None;
        }
        if parts.method != Method::GET && parts.method != Method::HEAD {
            return Some(Outcome::empty(StatusCode::NOT_FOUND));
        }
        let (status, body) = if ready && server.is_draining() {
            (StatusCode::SERVICE_UNAVAILABLE, r#"{"status":"draining"}"#)
        } else {
            (StatusCode::OK, r#"{"status":"ok"}"#)
        };
        Some(Outcome {
            body: Bytes::from_static(body.as_bytes()),
            ..Outcome::empty(status)
        })
    }
}
