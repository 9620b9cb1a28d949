//! Telling clients that something changed.

mod hub;
mod listen;
mod settings;

use std::fmt;
use std::sync::Arc;

use mrtr_core::wire::{ListCapability, ResourcesCapability, ServerCapabilities};

use self::hub::{Change, Hub};
pub(crate) use self::listen::too_many_subscriptions;
pub(super) use self::settings::Subscriptions;
use super::Server;

/// Tells subscribed clients that a list or a resource changed. Cheap to clone:
/// all clones speak to the same subscriptions.
///
/// Give one to [`ServerBuilder::changes`](super::ServerBuilder::changes), which
/// lets clients subscribe with `subscriptions/listen`, and keep a clone where
/// changes happen: in a handler, a file watcher, a database listener. Several
/// servers may share one.
///
/// Telling never waits. A client that does not keep up is told once of changes
/// that say the same, so nothing is lost and nothing piles up. Where several
/// instances of a server run, each tells its own clients only: pass changes on
/// from one instance to another by your own means.
///
/// Implements [subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).
///
/// ```
/// use mrtr::server::{Changes, Server, resource, tool};
/// use mrtr::{Cx, ToolError};
///
/// async fn todo(_: Cx, _: ()) -> Result<&'static str, ToolError> {
///     Ok("Water the plants.")
/// }
///
/// let changes = Changes::new();
/// let tell = changes.clone();
/// let server = Server::builder("notes", "1.0.0")
///     .resource(resource("note://todo", todo))
///     .tool(tool("water", move |_: Cx, _: ()| {
///         tell.resource_updated("note://todo");
///         async { Ok::<_, ToolError>("Done.") }
///     }))
///     .changes(changes)
///     .build()?;
///
/// server.changes().resources_list_changed();
/// # Ok::<(), mrtr::server::BuildError>(())
/// ```
#[derive(Clone)]
pub struct Changes {
    hub: Arc<Hub>,
    announced: Announced,
}

/// What a server declares that it tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Announced {
    lists: bool,
    resources: bool,
}

impl Announced {
    const ALL: Self = Self {
        lists: true,
        resources: true,
    };
    const NOTHING: Self = Self {
        lists: false,
        resources: false,
    };
}

impl Changes {
    /// Announces changes of lists and updates of resources: the capabilities
    /// `listChanged` and `subscribe` of everything the server has.
    #[must_use]
    pub fn new() -> Self {
        Self {
            hub: Arc::default(),
            announced: Announced::ALL,
        }
    }

    /// For a server that tells of nothing and has no `subscriptions/listen`.
    pub(super) fn none() -> Self {
        Self {
            hub: Arc::default(),
            announced: Announced::NOTHING,
        }
    }

    /// Announces no changes of lists: only updates of resources.
    #[must_use]
    pub const fn without_lists(mut self) -> Self {
        self.announced.lists = false;
        self
    }

    /// Announces no updates of resources: only changes of lists.
    #[must_use]
    pub const fn without_resources(mut self) -> Self {
        self.announced.resources = false;
        self
    }

    /// Sends `notifications/tools/list_changed` to who subscribed to it.
    pub fn tools_list_changed(&self) {
        self.hub.tell(&Change::Tools);
    }

    /// Sends `notifications/prompts/list_changed` to who subscribed to it.
    pub fn prompts_list_changed(&self) {
        self.hub.tell(&Change::Prompts);
    }

    /// Sends `notifications/resources/list_changed` to who subscribed to it.
    pub fn resources_list_changed(&self) {
        self.hub.tell(&Change::Resources);
    }

    /// Sends `notifications/resources/updated` to who subscribed to this URI,
    /// as it is written.
    pub fn resource_updated(&self, uri: &str) {
        self.hub.tell(&Change::Resource(uri.into()));
    }

    /// Ends all subscriptions with their final result, as the own HTTP listener
    /// and stdio do by themselves when they stop. Call it when a server that
    /// is mounted in another listener shuts down: a subscription would keep
    /// its connection open.
    ///
    /// New subscriptions may follow.
    pub fn end_subscriptions(&self) {
        self.hub.end();
    }

    /// How many subscriptions are open.
    #[must_use]
    pub fn subscriptions(&self) -> usize {
        self.hub.len()
    }

    /// Whether there is anything to subscribe to.
    pub(super) const fn is_any(&self) -> bool {
        self.announced.lists || self.announced.resources
    }

    /// Adds what is announced to what the server has.
    pub(super) fn declare(&self, capabilities: &mut ServerCapabilities) {
        let Announced { lists, resources } = self.announced;
        let list = |capability: &mut Option<ListCapability>| {
            if let Some(capability) = capability.as_mut().filter(|_| lists) {
                capability.list_changed = Some(true);
            }
        };
        list(&mut capabilities.tools);
        list(&mut capabilities.prompts);
        if let Some(ResourcesCapability {
            list_changed,
            subscribe,
            ..
        }) = &mut capabilities.resources
        {
            *list_changed = lists.then_some(true);
            *subscribe = resources.then_some(true);
        }
    }
}

impl Default for Changes {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes")
            .field("announced", &self.announced)
            .field("subscriptions", &self.subscriptions())
            .finish()
    }
}

impl Server {
    /// What tells clients of changes: as given to
    /// [`ServerBuilder::changes`](super::ServerBuilder::changes), else one
    /// nobody can subscribe to.
    #[must_use]
    pub fn changes(&self) -> &Changes {
        &self.inner.subscriptions.changes
    }
}
