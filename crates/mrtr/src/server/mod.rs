//! An MCP server: tools, prompts and resources whose handlers may ask.

mod args;
mod build_error;
mod builder;
mod call;
mod caller;
mod dispatch;
mod handler;
pub mod http;
mod keychain;
mod keys;
mod limiter;
mod lists;
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
pub mod stdio;
mod template;
mod tool;

use std::fmt;
use std::sync::Arc;

use mrtr_core::wire::{Implementation, RawObject};

pub use build_error::{BuildError, BuildProblem};
pub use builder::ServerBuilder;
pub use caller::Caller;
pub use http::Http;
pub use keys::KeysError;
pub use limiter::{Limiter, RetryAfter, Target, TokenBuckets};
pub use notify::Notify;
pub(crate) use notify::{Loss, Notifier, Silent, Sink};
pub use output::{Json, PromptOutput, ResourceOutput, ToolOutput};
pub use prompt::{Prompt, prompt};
pub(crate) use reply::Reply;
pub use resource::{Resource, ResourceTemplate, resource, resource_template};
pub use runtime::{Runtime, SystemRuntime};
pub use stdio::Stdio;
pub use tool::{Tool, tool};

use keychain::Keychain;
use registry::Registry;

/// An MCP server, ready to be served. Cheap to clone.
#[derive(Clone)]
pub struct Server {
    inner: Arc<Inner>,
}

struct Inner {
    info: Implementation,
    /// The `_meta` of every result.
    server_meta: RawObject,
    /// The result of `server/discover`.
    discover: Box<[u8]>,
    registry: Registry,
    keychain: Keychain,
    logging: bool,
    limiter: Option<Arc<dyn Limiter>>,
    runtime: Arc<dyn Runtime>,
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
