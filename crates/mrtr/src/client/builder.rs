//! Setting a client up.

use std::ffi::OsString;
use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use mrtr_core::exchange::Target;
use mrtr_core::trace::TraceContext;
use mrtr_core::wire::{ClientCapabilities, Implementation, PROTOCOL_VERSION, ServerNotification};

use super::Client;
use super::cache::Cache;
use super::clock::Clock;
use super::error::{BoxError, ClientError, Usage};
use super::http::{Credentials, Http, Private};
use super::leg::WireLimits;
use super::limits::ClientLimits;
use super::session::{CurrentTrace, Link, Session};
use super::stdio::{Reader, Spec, Start, Stderr, Stdio, Writer};
use super::trace::{Hooks, Traced};
use super::versions::Versions;

/// Sets a [`Client`] up. Nothing is sent or started by [`build`](Self::build).
#[must_use]
pub struct ClientBuilder {
    reach: Reach,
    info: Option<Implementation>,
    base: ClientCapabilities,
    limits: ClientLimits,
    versions: Vec<String>,
    hooks: Hooks,
    trace_context: Option<Box<CurrentTrace>>,
    credentials: Option<Credentials>,
    headers: Vec<(String, String)>,
}

enum Reach {
    Http(String),
    Command(Spec),
    Stream(String, Reader, Writer),
}

impl ClientBuilder {
    fn new(reach: Reach) -> Self {
        Self {
            reach,
            info: Some(Implementation::new("mrtr", env!("CARGO_PKG_VERSION"))),
            base: ClientCapabilities::default(),
            limits: ClientLimits::default(),
            versions: vec![PROTOCOL_VERSION.to_owned()],
            hooks: Hooks::default(),
            trace_context: None,
            credentials: None,
            headers: Vec::new(),
        }
    }

    pub(super) fn http(url: String) -> Self {
        Self::new(Reach::Http(url))
    }

    pub(super) fn command(program: OsString, arguments: Vec<OsString>) -> Self {
        Self::new(Reach::Command(Spec {
            program,
            arguments,
            environment: Vec::new(),
            directory: None,
            stderr: Stderr::Quiet,
        }))
    }

    pub(super) fn stream(name: String, reader: Reader, writer: Writer) -> Self {
        Self::new(Reach::Stream(name, reader, writer))
    }

    /// What the client calls itself to servers; `mrtr` by default.
    pub fn info(mut self, info: Implementation) -> Self {
        self.info = Some(info);
        self
    }

    /// Leaves out what the client is.
    pub fn anonymous(mut self) -> Self {
        self.info = None;
        self
    }

    /// The bounds of the client.
    pub fn limits(mut self, limits: ClientLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Declares experimental capabilities, extensions and unknown members of `capabilities` with every
    /// request. What can be asked is not taken from here: that follows from each call's answerer.
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.base = capabilities;
        self
    }

    /// The protocol versions to use, preferred ones first; [`PROTOCOL_VERSION`] alone by default. For
    /// versions that carry their metadata with each request as this one does.
    pub fn versions(mut self, versions: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.versions = versions.into_iter().map(Into::into).collect();
        self
    }

    /// Sends `token` as a bearer token with every request (HTTP). It never gets into errors, traces or
    /// saved calls.
    pub fn bearer(self, token: impl Into<String>) -> Self {
        let token = token.into();
        self.bearer_with(move || {
            let token = token.clone();
            async move { Ok::<_, BoxError>(token) }
        })
    }

    /// Asks `token` for the bearer token of each request (HTTP), so that it can be renewed. When it
    /// fails, nothing is sent.
    pub fn bearer_with<F, Fut, E>(mut self, token: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<String, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.credentials = Some(Credentials::new(token));
        self
    }

    /// Sends a header with every request (HTTP), such as the key of a gateway. Like bearer tokens, it
    /// never gets into errors, traces or saved calls. The headers of the protocol cannot be set.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets an environment variable of the child process; credentials of stdio servers go there.
    /// Without a child process nothing happens.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        if let Reach::Command(spec) = &mut self.reach {
            spec.environment.push((name.into(), value.into()));
        }
        self
    }

    /// The folder that the child process starts in. Without a child process nothing happens.
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        if let Reach::Command(spec) = &mut self.reach {
            spec.directory = Some(directory.into());
        }
        self
    }

    /// What happens to the standard error of the child process. Without one nothing happens.
    pub fn stderr(mut self, stderr: Stderr) -> Self {
        if let Reach::Command(spec) = &mut self.reach {
            spec.stderr = stderr;
        }
        self
    }

    /// Shows `trace` every message on the wire. It is called while requests wait: keep it short.
    pub fn trace(mut self, trace: impl Fn(Traced<'_>) + Send + Sync + 'static) -> Self {
        self.hooks.trace = Some(Arc::new(trace));
        self
    }

    /// Asks `context` for the trace context of each request, and sends it in `_meta`: a call is one trace over
    /// all its rounds, with the span that is current when each of them leaves.
    ///
    /// Implements [OpenTelemetry trace context](https://modelcontextprotocol.io/specification/2026-07-28/basic#meta).
    ///
    /// ```
    /// use mrtr::client::Client;
    /// use mrtr::trace::TraceContext;
    ///
    /// # fn current_span() -> (Option<&'static str>, Option<&'static str>) { (None, None) }
    /// let client = Client::http("http://127.0.0.1:8080/mcp").trace_context(|| {
    ///     let (traceparent, tracestate) = current_span();
    ///     TraceContext::parse(traceparent, tracestate, None)
    /// });
    /// ```
    pub fn trace_context(
        mut self,
        context: impl Fn() -> Option<TraceContext> + Send + Sync + 'static,
    ) -> Self {
        self.trace_context = Some(Box::new(context));
        self
    }

    /// Hands over notifications of the server other than progress, such as log messages.
    pub fn on_notification(
        mut self,
        notify: impl Fn(ServerNotification) + Send + Sync + 'static,
    ) -> Self {
        self.hooks.notify = Some(Arc::new(notify));
        self
    }

    /// The client.
    ///
    /// # Errors
    /// [`ClientError::Usage`] for a URL that cannot be called, TLS without the feature `tls`, a header
    /// that cannot be sent, bearer tokens or headers for a server that is not reached over HTTP, or an
    /// empty list of versions.
    pub fn build(self) -> Result<Client, ClientError> {
        let Self {
            reach,
            info,
            base,
            limits,
            versions,
            hooks,
            trace_context,
            credentials,
            headers,
        } = self;
        if versions.is_empty() {
            return Err(Usage::new("a client needs at least one protocol version").into());
        }
        let cache = Arc::new(Cache::new(limits.cache_entries, limits.cache_bytes));
        let hooks = Hooks {
            cache: Some(Arc::clone(&cache)),
            ..hooks
        };
        let for_http = credentials.is_some() || !headers.is_empty();
        if for_http && !matches!(reach, Reach::Http(_)) {
            return Err(Usage::new(
                "bearer tokens and headers are for HTTP; give a child process its credentials in its environment",
            )
            .into());
        }
        let (target, link) = match reach {
            Reach::Http(url) => {
                let wire = WireLimits {
                    message: limits.message,
                    connect: limits.connect,
                };
                let private = Private::new(credentials, headers)?;
                let http = Http::new(&url, private, wire, hooks)?;
                (http.target().clone(), Link::Http(http))
            }
            Reach::Command(spec) => {
                let words = std::iter::once(&spec.program).chain(&spec.arguments);
                let target = Target::command(words.map(|word| word.to_string_lossy()));
                let start = Start::Command(spec);
                (target, Link::Stdio(Stdio::new(start, limits, hooks)))
            }
            Reach::Stream(name, reader, writer) => {
                let start = Start::Stream(Mutex::new(Some((reader, writer))));
                let stdio = Stdio::new(start, limits, hooks);
                (Target::command([name]), Link::Stdio(stdio))
            }
        };
        let session = Session {
            link,
            target,
            info,
            base,
            limits,
            versions: Versions::new(versions),
            trace_context,
            clock: Clock::start(),
            ids: AtomicU64::new(1),
            definitions: Mutex::default(),
            cache,
            server: Mutex::default(),
        };
        Ok(Client {
            session: Arc::new(session),
        })
    }
}

/// Shows no credentials.
impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("info", &self.info)
            .field("limits", &self.limits)
            .field("versions", &self.versions)
            .finish_non_exhaustive()
    }
}
