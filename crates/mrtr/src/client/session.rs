//! What all requests of one client share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::HeaderMap;
use mrtr_core::exchange::Target;
use mrtr_core::trace::TraceContext;
use mrtr_core::wire::{
    Capabilities, ClientCapabilities, ClientMeta, DiscoverResult, ErrorCode, ErrorObject,
    Implementation, meta_key,
};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::Instant;

use super::cache::{Cache, Context};
use super::clock::Clock;
use super::error::{ClientError, NoCommonVersion, OlderServer, Unreachable, Usage};
use super::http::Http;
use super::leg::{Fault, Leg, OnProgress, Reply};
use super::limits::ClientLimits;
use super::listener::Listener;
#[cfg(feature = "json-schema")]
use super::promise::Promise;
use super::stdio::{Listening, Peer, Stdio};
use super::subscription::Open;
use super::versions::Versions;
use crate::headers::{ParamError, ParamHeaders};

/// How the server is reached.
pub(crate) enum Link {
    Http(Http),
    Stdio(Stdio),
}

pub(crate) struct Session {
    pub(crate) link: Link,
    pub(crate) target: Target,
    pub(crate) info: Option<Implementation>,
    /// Experimental capabilities and extensions; what can be asked comes with each call.
    pub(crate) base: ClientCapabilities,
    pub(crate) limits: ClientLimits,
    pub(crate) versions: Versions,
    pub(crate) trace_context: Option<Box<CurrentTrace>>,
    pub(crate) clock: Clock,
    pub(crate) ids: AtomicU64,
    pub(crate) definitions: Mutex<Definitions>,
    pub(crate) cache: Arc<Cache>,
    /// What the server called itself last.
    pub(crate) server: Mutex<Option<String>>,
}

/// Gives the trace context of the request that is about to leave.
pub(crate) type CurrentTrace = dyn Fn() -> Option<TraceContext> + Send + Sync;

/// What calls need to know of the tools that were listed.
#[derive(Default)]
pub(crate) struct Definitions {
    /// Until the tools change from what they were in this epoch.
    pub(crate) listed: Option<u64>,
    pub(crate) by_tool: HashMap<String, Definition>,
}

pub(crate) struct Definition {
    /// The mirrored arguments; none over stdio.
    pub(crate) mirror: Result<Arc<ParamHeaders>, ParamError>,
    #[cfg(feature = "json-schema")]
    pub(crate) promise: Option<Arc<Promise>>,
}

/// A connection on which a leg can leave now.
pub(crate) enum Ready<'a> {
    Http {
        http: &'a Http,
        credentials: HeaderMap,
    },
    Stream(Arc<Peer>),
}

impl Ready<'_> {
    pub(crate) async fn send(
        &self,
        leg: &Leg,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<Reply, Fault> {
        match self {
            Self::Http { http, credentials } => http.send(leg, credentials, on_progress).await,
            Self::Stream(peer) => peer.lines().send(leg, on_progress).await,
        }
    }

    /// Sends a request that subscribes; `listener` hears what comes of it.
    pub(crate) async fn listen(&self, leg: &Leg, listener: &Arc<Listener>) -> Result<Open, Fault> {
        match self {
            Self::Http { http, credentials } => {
                let reader = http.listen(leg, credentials, listener).await?;
                Ok(Open::Http(reader))
            }
            Self::Stream(peer) => Listening::new(peer, leg, listener).map(Open::Stream),
        }
    }

    /// Whose results these are.
    pub(crate) fn context(&self, cache: &Cache) -> Context {
        match self {
            Self::Http { credentials, .. } => cache.context(credentials),
            Self::Stream(_) => Context::FIXED,
        }
    }

    /// `reason`, and what else is known of the server's end.
    pub(crate) async fn explain(&self, reason: &str) -> String {
        match self {
            Self::Http { .. } => reason.to_owned(),
            Self::Stream(peer) => peer.explain(reason).await,
        }
    }
}

impl Session {
    pub(crate) fn next_id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed)
    }

    /// The `_meta` of a leg.
    pub(crate) fn meta(
        &self,
        version: &str,
        declared: Capabilities,
        progress: Option<u64>,
        edit: impl FnOnce(&mut ClientMeta),
    ) -> Result<Box<RawValue>, Usage> {
        let mut capabilities = ClientCapabilities::from(declared);
        capabilities
            .experimental
            .clone_from(&self.base.experimental);
        capabilities.extensions.clone_from(&self.base.extensions);
        capabilities.extra.clone_from(&self.base.extra);
        let nobody = Implementation::new("", "");
        let mut meta = ClientMeta::new(self.info.clone().unwrap_or(nobody), capabilities);
        meta.client_info.clone_from(&self.info);
        version.clone_into(&mut meta.protocol_version);
        meta.progress_token = progress.map(Into::into);
        if let Some(trace) = self.trace_context.as_ref().and_then(|current| current()) {
            meta.set_trace_context(&trace)
                .map_err(|error| Usage::new(format!("the trace context: {error}")))?;
        }
        edit(&mut meta);
        to_raw_value(&meta).map_err(|error| Usage::new(format!("the `_meta`: {error}")))
    }

    /// A connection, opened and probed if there is none, and the credentials for one request.
    pub(crate) async fn ready(&self) -> Result<Ready<'_>, ClientError> {
        let stdio = match &self.link {
            Link::Http(http) => {
                let credentials = http.credentials().await?;
                return Ok(Ready::Http { http, credentials });
            }
            Link::Stdio(stdio) => stdio,
        };
        let mut place = stdio.place().await;
        if let Some(peer) = place
            .as_ref()
            .filter(|peer| peer.lines().closed().is_none())
        {
            return Ok(Ready::Stream(Arc::clone(peer)));
        }
        *place = None;
        // A new process may be another program.
        self.cache.clear();
        let peer = Arc::new(stdio.open()?);
        self.probe(&peer).await?;
        *place = Some(Arc::clone(&peer));
        Ok(Ready::Stream(peer))
    }

    /// Asks a new connection what it speaks, before anything that has an effect.
    ///
    /// Implements the [probe](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility).
    async fn probe(&self, peer: &Peer) -> Result<(), ClientError> {
        let deadline = Instant::now() + self.limits.probe;
        let mut refusals = 0;
        loop {
            let version = self.versions.current();
            let meta = self.meta(&version, Capabilities::NONE, None, |_| {})?;
            let leg = Leg {
                id: self.next_id(),
                method: "server/discover".to_owned(),
                name: None,
                params: format!("{{\"_meta\":{meta}}}"),
                version: version.clone(),
                headers: Vec::new(),
            };
            let mut ignore = |_| {};
            let reply = peer.lines().send(&leg, &mut ignore);
            let Ok(reply) = tokio::time::timeout_at(deadline, reply).await else {
                let within = self.limits.probe;
                return Err(
                    self.older(format!("it did not answer `server/discover` in {within:?}"))
                );
            };
            match reply {
                Ok(Ok(result)) => return self.discovered(&version, &result),
                Ok(Err(error)) if error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => {
                    refusals += 1;
                    self.refused_version(&version, &error, refusals)?;
                }
                // Other errors that only this revision has.
                Ok(Err(error)) if (-32099..=-32020).contains(&error.code.0) => return Ok(()),
                Ok(Err(error)) => {
                    return Err(self.older(format!("it answered `server/discover` with: {error}")));
                }
                Err(fault) => {
                    let reason = match fault {
                        Fault::NotSent(unreachable) => unreachable.reason().to_owned(),
                        Fault::Lost(loss) => loss.to_string(),
                        Fault::Bad(bad) => bad.reason().to_owned(),
                        Fault::Status(status) => status.to_string(),
                    };
                    return Err(Unreachable::new(peer.explain(&reason).await).into());
                }
            }
        }
    }

    fn older(&self, evidence: String) -> ClientError {
        OlderServer {
            target: self.target.clone(),
            evidence,
        }
        .into()
    }

    fn discovered(&self, version: &str, result: &RawValue) -> Result<(), ClientError> {
        let result: DiscoverResult = serde_json::from_str(result.get()).map_err(|error| {
            self.older(format!(
                "its answer to `server/discover` cannot be read: {error}"
            ))
        })?;
        self.note_server(server_name(&result));
        if result
            .supported_versions
            .iter()
            .any(|known| known == version)
        {
            return Ok(());
        }
        self.switch(version, result.supported_versions)
    }

    /// Goes over to another version after `-32022`.
    pub(crate) fn refused_version(
        &self,
        version: &str,
        error: &ErrorObject,
        refusals: usize,
    ) -> Result<(), ClientError> {
        let supported = error.data_member("supported").unwrap_or_default();
        if refusals > self.versions.spoken().len() {
            return Err(self.no_common_version(supported).into());
        }
        self.switch(version, supported)
    }

    fn switch(&self, version: &str, supported: Vec<String>) -> Result<(), ClientError> {
        if self.versions.switch(version, &supported) {
            return Ok(());
        }
        Err(self.no_common_version(supported).into())
    }

    fn no_common_version(&self, server: Vec<String>) -> NoCommonVersion {
        let client = self.versions.spoken().to_vec();
        NoCommonVersion {
            target: self.target.clone(),
            server,
            client,
        }
    }

    pub(crate) fn definitions(&self) -> MutexGuard<'_, Definitions> {
        self.definitions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn note_server(&self, name: Option<String>) {
        *self.server.lock().unwrap_or_else(PoisonError::into_inner) = name;
    }

    pub(crate) fn server(&self) -> Option<String> {
        self.server
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

fn server_name(result: &DiscoverResult) -> Option<String> {
    let info: Option<Implementation> = result.meta.as_ref()?.get_as(meta_key::SERVER_INFO);
    Some(info?.name)
}

/// What a server calls itself in the `_meta` of a result.
pub(crate) fn named_in(result: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Result {
        #[serde(rename = "_meta")]
        meta: Meta,
    }
    #[derive(Deserialize)]
    struct Meta {
        #[serde(rename = "io.modelcontextprotocol/serverInfo")]
        server: Implementation,
    }
    let result: Result = serde_json::from_str(result.get()).ok()?;
    Some(result.meta.server.name)
}

/// Ends when nothing was heard of a request for too long.
pub(crate) struct Patience {
    last: Mutex<Instant>,
    limit: Duration,
}

impl Patience {
    pub(crate) fn new(limit: Duration) -> Self {
        Self {
            last: Mutex::new(Instant::now()),
            limit,
        }
    }

    /// Something was heard.
    pub(crate) fn renew(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    pub(crate) async fn end(&self) -> Duration {
        loop {
            let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
            let end = last + self.limit;
            if end <= Instant::now() {
                return self.limit;
            }
            tokio::time::sleep_until(end).await;
        }
    }
}
