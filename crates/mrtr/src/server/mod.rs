//! An MCP server: tools, prompts and resources whose handlers may ask.

mod args;
mod builder;
mod caller;
mod dispatch;
pub mod http;
mod keys;
mod limiter;
mod notify;
mod panic;
mod reply;
mod schema;
pub mod stdio;
mod template;

use std::fmt;
use std::sync::Arc;

use mrtr_core::wire::Implementation;

pub use builder::ServerBuilder;
pub use caller::Caller;
pub use http::Http;
pub use keys::KeysError;
pub use limiter::{Limiter, RetryAfter, Target, TokenBuckets};
pub(crate) use notify::{Loss, Notifier, Silent, Sink};
pub(crate) use reply::Reply;
pub use stdio::Stdio;

/// An MCP server, ready to be served. Cheap to clone.
#[derive(Clone)]
pub struct Server {
    inner: Arc<Inner>,
}

struct Inner {
    info: Implementation,
    discover: Box<[u8]>,
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
