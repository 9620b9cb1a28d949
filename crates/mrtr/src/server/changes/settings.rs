//! What a server allows its subscribers.

use std::sync::Arc;

use super::Changes;
use crate::server::{Caller, ServerBuilder};

/// Decides whether a caller may subscribe to a URI.
type Allow = Arc<dyn Fn(&Caller, &str) -> bool + Send + Sync>;

/// The source of changes of a server, and its bounds.
#[derive(Clone)]
pub(in crate::server) struct Subscriptions {
    pub(in crate::server) changes: Changes,
    pub(in crate::server) limit: usize,
    allow: Option<Allow>,
}

impl Default for Subscriptions {
    fn default() -> Self {
        Self {
            changes: Changes::none(),
            limit: 256,
            allow: None,
        }
    }
}

impl Subscriptions {
    pub(super) fn allows(&self, caller: &Caller, uri: &str) -> bool {
        self.allow.as_ref().is_none_or(|allow| allow(caller, uri))
    }
}

impl ServerBuilder {
    /// Lets clients subscribe to changes with `subscriptions/listen`, and
    /// declares what these changes announce.
    ///
    /// See [subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).
    pub fn changes(mut self, changes: Changes) -> Self {
        self.subscriptions.changes = changes;
        self
    }

    /// Most subscriptions that are open at a time; a further one is told to
    /// come back later. Over HTTP each holds a connection. Default 256.
    pub fn max_subscriptions(mut self, subscriptions: usize) -> Self {
        self.subscriptions.limit = subscriptions;
        self
    }

    /// Who may subscribe to updates of which resource. A URI for which this is
    /// `false` is left out of what the subscription grants. Default: everybody
    /// may, to every URI that the server has a resource or a template for.
    ///
    /// Set it where a resource is not everybody's: when it changes is told by
    /// its updates.
    pub fn subscribable(
        mut self,
        allow: impl Fn(&Caller, &str) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.subscriptions.allow = Some(Arc::new(allow));
        self
    }
}
