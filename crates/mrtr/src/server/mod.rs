//! An MCP server: tools, prompts and resources whose handlers may ask.
//!
//! [`tool`], [`prompt`], [`resource`] and [`resource_template`] make an
//! `async fn` a part of a [`Server`], which serves [over HTTP](http) as a tower
//! service or on a listener of its own, and [over stdio](stdio).
//!
//! # Asking
//!
//! Handlers ask through their [`Cx`](crate::Cx) and nothing else. There is no
//! way to push a request to the client: this revision has none, and a handler
//! that waits for an answer is dropped rather than kept. Only `tools/call`,
//! `prompts/get` and `resources/read` run handlers, so nothing else can ever
//! ask.
//!
//! # What the client is told
//!
//! | what happened | tool | prompt, resource |
//! | --- | --- | --- |
//! | arguments that do not fit | `isError` with the reason | -32602 with the reason; no such resource |
//! | the user declined or cancelled | `isError` | -32602 |
//! | [`ToolError::visible`](crate::ToolError::visible) | `isError` with the text | -32602 with the text |
//! | any other error of the handler | `isError`, a fixed text | -32603 |
//! | a rule broken, a panic | -32603 | -32603 |
//! | [`Limiter`] says no | `isError`: when to come back | -32603 with `retryAfterMs` |
//! | the request takes too long | -32603 | -32603 |
//! | the same one is still at work; the ledger is away | -32603 | -32603 |
//!
//! Everything else is the table of [`Cause`](crate::wire::Cause). What the
//! client is not told is logged with `tracing`, in a span `mcp_request` that has
//! the method, the target, the id of the exchange and the number of the round:
//! one exchange can be followed across rounds and instances by its id.
//!
//! # Single use
//!
//! A tool, prompt or resource with [`Replay::Once`](mrtr_core::round::Replay::Once)
//! uses each state once, on all replicas together. The server then needs a
//! [ledger](ServerBuilder::ledger), a store that they share. A request that is
//! sent again gets the result of the first one, under its own id; while that is
//! still being worked on, it waits. Any other request with the same state is
//! rejected like a state that does not open. However the answers are written,
//! in whatever order, they are the same ones.
//!
//! Handlers are at-least-once; a `once` body is attempted at most once per
//! exchange; when its outcome is not known the caller is told so, unless the
//! author's lookup settles it.
//!
//! | how a run ends | its state |
//! | --- | --- |
//! | a result, also one with `isError`; a question | is used; the same request gets the same again |
//! | the user declined or cancelled | likewise |
//! | any other error; the client goes away | is as it was; the same request, or a mended one, runs the handler |
//! | the process dies or stalls | is as it was once the [lease](ServerBuilder::lease) has ended |
//!
//! What is answered was stored before: sealed, under the keys that seal states,
//! and until the exchange would end. A response of more than 1 MiB cannot be;
//! that is the fault of its handler. When the ledger cannot be reached, or the
//! lease cannot be renewed, the handler is dropped and the client told to send
//! the same request again ([`Cause::Unavailable`](crate::wire::Cause::Unavailable)).
//!
//! # Changes
//!
//! A server that is given [`Changes`] lets clients subscribe to them. Each
//! subscription is one request that stays open: an event stream over HTTP, lines
//! that carry its id over stdio.
//!
//! # Keys
//!
//! States are sealed with the keys of [`ServerBuilder::keyring`] or
//! [`ServerBuilder::key_file`], else of the environment variable `MRTR_KEYS`.
//! Without any, a server on stdio keeps a key in the user's state folder
//! (`$XDG_STATE_HOME/mrtr/NAME.keys`, readable by the user alone), and any other
//! makes up a random key and warns: exchanges then end with the process, and
//! a second instance rejects them.
//!
//! # Who is calling
//!
//! The [`Caller`] comes from the transport: over HTTP an authentication layer
//! puts a [`Principal`](crate::state::Principal) into the extensions of the
//! request. What a client says of itself (`clientInfo`) decides nothing.

mod args;
mod assemble;
mod build_error;
mod builder;
mod call;
mod caller;
mod changes;
mod check;
mod completion;
mod dispatch;
mod drain;
mod handler;
pub mod http;
mod key_watch;
mod keychain;
mod keys;
mod limiter;
mod lists;
mod methods;
mod metrics;
mod notify;
mod output;
mod panic;
mod prompt;
mod registry;
mod reply;
mod resource;
mod runtime;
mod schema;
mod settings;
mod signal;
mod single_use;
pub mod stdio;
mod tasks;
mod template;
mod tool;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mrtr_core::wire::Implementation;

pub use build_error::{BuildError, BuildProblem};
pub use builder::ServerBuilder;
pub use caller::Caller;
pub use changes::Changes;
pub(crate) use changes::too_many_subscriptions;
pub use completion::{Completing, CompletionOutput};
pub use http::Http;
pub use keys::KeysError;
pub use limiter::{Limiter, RetryAfter, Target, TokenBuckets};
pub use notify::Notify;
pub(crate) use notify::{Closing, Delivery, Loss, Notifier, Silent, Sink, Stream};
pub use output::{Json, PromptOutput, ResourceOutput, ToolOutput};
pub use prompt::{Prompt, prompt};
pub(crate) use reply::Reply;
pub use resource::{Resource, ResourceTemplate, resource, resource_template};
pub use runtime::{Runtime, SystemRuntime};
pub use stdio::Stdio;
pub use tool::{Tool, flow, tool};

use changes::Subscriptions;
use keychain::Keychain;
use metrics::Metrics;
use registry::Registry;
use reply::ServerMeta;
use single_use::SingleUse;
use tasks::Tasks;

/// An MCP server, ready to be served. Cheap to clone.
#[derive(Clone)]
pub struct Server {
    inner: Arc<Inner>,
}

struct Inner {
    info: Implementation,
    /// The `_meta` of every result.
    server_meta: ServerMeta,
    /// The result of `server/discover`.
    discover: Box<[u8]>,
    registry: Registry,
    /// Whether anything is completed.
    completes: bool,
    keychain: Keychain,
    logging: bool,
    subscriptions: Subscriptions,
    limiter: Option<Arc<dyn Limiter>>,
    /// Present where there is a ledger.
    single_use: Option<SingleUse>,
    runtime: Arc<dyn Runtime>,
    draining: AtomicBool,
    /// Where shielded work runs.
    tasks: Arc<Tasks>,
    metrics: Arc<Metrics>,
}

impl Server {
    /// Begins a server with this name and version, as clients see them.
    ///
    /// The name also binds sealed states: all instances that share keys must
    /// share it.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(Implementation::new(name, version))
    }

    /// What the server says it is.
    #[must_use]
    pub fn info(&self) -> &Implementation {
        &self.inner.info
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("info", &self.inner.info)
            .finish_non_exhaustive()
    }
}
