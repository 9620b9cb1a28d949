//! From a request to its response.

use std::sync::Arc;

use bytes::Bytes;
use mrtr_core::json::depth;
use mrtr_core::state::Method;
use mrtr_core::wire::{Cause, Incoming, Request, SUPPORTED_VERSIONS, meta_key};
use tracing::field::{Empty, display};
use tracing::{Instrument, Span, info_span};

use super::lists::List;
use super::methods::Asking;
use super::metrics::Label;
use super::notify::Forward;
use super::{Caller, Notifier, Reply, Server, Silent};
use crate::headers::ParamHeaders;

impl Server {
    /// Answers one message, for transports of your own and for tests: `None`
    /// when it is a notification, which needs no answer.
    ///
    /// The answer is one line of JSON. Notifications for the client (progress,
    /// logs) are dropped; [`respond_with`](Self::respond_with) passes them on.
    /// To cancel the request, drop the future.
    ///
    /// ```
    /// use mrtr::server::{Caller, Server};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), mrtr::server::BuildError> {
    /// let server = Server::builder("empty", "1.0.0").build()?;
    /// let discover = br#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{
    ///     "io.modelcontextprotocol/protocolVersion":"2026-07-28",
    ///     "io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    /// let answer = server.respond(discover, &Caller::anonymous()).await.expect("a request");
    /// assert!(answer.starts_with(br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete""#));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn respond(&self, message: &[u8], caller: &Caller) -> Option<Bytes> {
        self.respond_to(message, caller, &Silent).await
    }

    /// As [`respond`](Self::respond), and gives each notification for the
    /// client to `notify`, as one line of JSON. It is called from within
    /// handlers and must not wait.
    pub async fn respond_with<N>(&self, message: &[u8], caller: &Caller, notify: N) -> Option<Bytes>
    where
        N: Fn(Bytes) + Send + Sync + 'static,
    {
        self.respond_to(message, caller, &Forward(Arc::new(notify)))
            .await
    }

    async fn respond_to(
        &self,
        message: &[u8],
        caller: &Caller,
        notifier: &dyn Notifier,
    ) -> Option<Bytes> {
        match self.read(message) {
            Ok(Incoming::Request(request)) => {
                Some(self.answer(&request, caller, notifier).await.body)
            }
            Ok(_) => None,
            Err(reply) => Some(reply.body),
        }
    }

    /// Reads one message from a peer; what is wrong with it is the reply.
    pub(crate) fn read<'a>(&self, message: &'a [u8]) -> Result<Incoming<'a>, Reply> {
        let read = if depth::check(message, depth::MAX_DEPTH).is_err() {
            let what = format!("nested deeper than {} levels", depth::MAX_DEPTH);
            Err(Reply::error(None, &Cause::InvalidRequest(what.into())))
        } else {
            Incoming::parse(message)
                .map_err(|malformed| Reply::error(malformed.id.as_ref(), &malformed.cause))
        };
        read.inspect_err(|reply| self.refused(Route::Unknown, reply))
    }

    /// Counts a request that was answered before anything was done.
    pub(crate) fn refused(&self, route: Route, reply: &Reply) {
        self.inner.metrics.request(route).end(reply.outcome);
    }

    /// Answers a request. To cancel it, drop the future.
    pub(crate) async fn answer(
        &self,
        request: &Request<'_>,
        caller: &Caller,
        notifier: &dyn Notifier,
    ) -> Reply {
        let route = self.route(&request.method);
        let in_flight = self.inner.metrics.request(route);
        let span = info_span!(
            "mcp_request",
            method = route.text(),
            target = Empty,
            exchange = Empty,
            round = Empty,
            trace_id = Empty,
            traceparent = Empty,
        );
        let answer = async {
            let answered = match route {
                Route::Unknown => Err(unknown(request)),
                route => self.follow(route, request, caller, notifier).await,
            };
            answered.unwrap_or_else(|cause| {
                tracing::debug!(cause = ?cause.to_string(), "answered with an error");
                Reply::error(Some(&request.id), &cause)
            })
        };
        let reply = answer.instrument(span).await;
        in_flight.end(reply.outcome);
        reply
    }

    /// The arguments of a tool that HTTP carries in headers as well.
    pub(crate) fn mirrored(&self, tool: &str) -> Option<&ParamHeaders> {
        let headers = &self.inner.registry.tools.get(tool)?.headers;
        (!headers.is_empty()).then_some(headers)
    }

    /// The method, when the server has it: a server without prompts does not
    /// have the methods for prompts.
    pub(crate) fn route(&self, method: &str) -> Route {
        let registry = &self.inner.registry;
        let (tools, prompts) = (registry.tool_list.is_some(), registry.prompt_list.is_some());
        let resources = registry.resource_list.is_some();
        match method {
            "tools/call" if tools => Route::Run(Method::ToolsCall),
            "prompts/get" if prompts => Route::Run(Method::PromptsGet),
            "resources/read" if resources => Route::Run(Method::ResourcesRead),
            "server/discover" => Route::Discover,
            "tools/list" if tools => Route::ListTools,
            "prompts/list" if prompts => Route::ListPrompts,
            "resources/list" if resources => Route::ListResources,
            "resources/templates/list" if resources => Route::ListTemplates,
            "completion/complete" if self.inner.completes => Route::Complete,
            "subscriptions/listen" if self.changes().is_any() => Route::Listen,
            _ => Route::Unknown,
        }
    }

    async fn follow(
        &self,
        route: Route,
        request: &Request<'_>,
        caller: &Caller,
        notifier: &dyn Notifier,
    ) -> Result<Reply, Cause> {
        let meta = request.params.request_meta()?;
        if !SUPPORTED_VERSIONS.contains(&&*meta.protocol_version) {
            return Err(Cause::UnsupportedVersion {
                requested: meta.protocol_version.into_owned(),
            });
        }
        let trace = meta.trace_context();
        if let Some(trace) = &trace {
            Span::current().record("traceparent", display(trace.parent()));
        }
        let registry = &self.inner.registry;
        let asking = Asking {
            request,
            meta: &meta,
            trace,
            caller,
            notifier,
        };
        match route {
            Route::Unknown => Err(unknown(request)),
            Route::Discover => Ok(Reply::prepared(&request.id, &self.inner.discover)),
            Route::ListTools => page(request, registry.tool_list.as_ref()),
            Route::ListPrompts => page(request, registry.prompt_list.as_ref()),
            Route::ListResources => page(request, registry.resource_list.as_ref()),
            Route::ListTemplates => page(request, registry.template_list.as_ref()),
            Route::Complete => Box::pin(self.complete(&asking)).await,
            Route::Listen => Box::pin(self.listen(&asking)).await,
            Route::Run(Method::ToolsCall) => self.call_tool(&asking).await,
            Route::Run(Method::PromptsGet) => self.get_prompt(&asking).await,
            Route::Run(Method::ResourcesRead) => self.read_resource(&asking).await,
        }
    }
}

/// One of the methods of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// None that the server has.
    Unknown,
    Discover,
    ListTools,
    ListPrompts,
    ListResources,
    ListTemplates,
    Complete,
    Listen,
    /// The only ones that may ask.
    Run(Method),
}

impl Label for Route {
    const NAME: &'static str = "method";
    const ALL: &'static [Self] = &[
        Self::Run(Method::ToolsCall),
        Self::Run(Method::PromptsGet),
        Self::Run(Method::ResourcesRead),
        Self::Discover,
        Self::ListTools,
        Self::ListPrompts,
        Self::ListResources,
        Self::ListTemplates,
        Self::Complete,
        Self::Listen,
        Self::Unknown,
    ];

    fn place(self) -> usize {
        match self {
            Self::Run(method) => method.place(),
            Self::Discover => 3,
            Self::ListTools => 4,
            Self::ListPrompts => 5,
            Self::ListResources => 6,
            Self::ListTemplates => 7,
            Self::Complete => 8,
            Self::Listen => 9,
            Self::Unknown => 10,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Discover => "server/discover",
            Self::ListTools => "tools/list",
            Self::ListPrompts => "prompts/list",
            Self::ListResources => "resources/list",
            Self::ListTemplates => "resources/templates/list",
            Self::Complete => "completion/complete",
            Self::Listen => "subscriptions/listen",
            Self::Run(method) => method.as_str(),
        }
    }
}

fn unknown(request: &Request<'_>) -> Cause {
    // Without a version in `_meta` it is the handshake of an earlier revision.
    if request.method == "initialize" && !names_version(request) {
        let version = request.params.protocol_version;
        return Cause::LegacyInitialize {
            requested: version.and_then(|raw| serde_json::from_str(raw.get()).ok()),
        };
    }
    Cause::MethodNotFound {
        method: request.method.clone().into_owned(),
    }
}

fn names_version(request: &Request<'_>) -> bool {
    !matches!(
        request.params.request_meta(),
        Err(Cause::MissingMeta(meta_key::PROTOCOL_VERSION))
    )
}

fn page(request: &Request<'_>, list: Option<&List>) -> Result<Reply, Cause> {
    let cursor = request.params.cursor()?;
    let page = list.ok_or(Cause::Fault)?.page(cursor.as_deref())?;
    Ok(Reply::prepared(&request.id, page))
}
