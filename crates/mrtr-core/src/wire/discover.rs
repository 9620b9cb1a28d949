//! What a server is and can do.

use super::object::object;
use super::{CacheScope, RawObject, SUPPORTED_VERSIONS};

object! {
    /// What a server can do.
    ///
    /// Implements [`ServerCapabilities`](https://modelcontextprotocol.io/specification/2026-07-28/schema#servercapabilities).
    #[derive(Default)]
    pub struct ServerCapabilities {
        /// Non-standard capabilities by name.
        opt experimental: RawObject = "experimental",
        /// It sends log messages. Deprecated by this revision.
        opt logging: RawObject = "logging",
        /// It completes arguments.
        opt completions: RawObject = "completions",
        /// It has prompts.
        opt prompts: ListCapability = "prompts",
        /// It has resources.
        opt resources: ResourcesCapability = "resources",
        /// It has tools.
        opt tools: ListCapability = "tools",
        /// Extensions by identifier, with their settings.
        opt extensions: RawObject = "extensions",
    }
}

object! {
    /// A list that may change.
    #[derive(Default)]
    pub struct ListCapability {
        /// Whether changes can be subscribed to.
        opt list_changed: bool = "listChanged",
    }
}

object! {
    /// A list of resources that may change.
    #[derive(Default)]
    pub struct ResourcesCapability {
        /// Whether changes of one resource can be subscribed to.
        opt subscribe: bool = "subscribe",
        /// Whether changes of the list can be subscribed to.
        opt list_changed: bool = "listChanged",
    }
}

object! {
    /// A server's description of itself, the answer to `server/discover`.
    ///
    /// Implements [discovery](https://modelcontextprotocol.io/specification/2026-07-28/server/discover).
    pub struct DiscoverResult(lenient "resultType" = "complete") {
        /// The protocol versions it speaks.
        req supported_versions: Vec<String> = "supportedVersions",
        /// What it can do.
        req capabilities: ServerCapabilities = "capabilities",
        /// What a model should know about it.
        opt instructions: String = "instructions",
        /// For how many milliseconds a client may keep it.
        opt ttl_ms: i64 = "ttlMs",
        /// Who may share a kept copy.
        opt cache_scope: CacheScope = "cacheScope",
        /// Metadata, where the server says its name.
        opt meta: RawObject = "_meta",
    }
}

impl DiscoverResult {
    /// A server that speaks [`SUPPORTED_VERSIONS`] and can do this; not to be kept.
    #[must_use]
    pub fn new(capabilities: ServerCapabilities) -> Self {
        Self {
            supported_versions: SUPPORTED_VERSIONS.iter().map(ToString::to_string).collect(),
            capabilities,
            instructions: None,
            ttl_ms: Some(0),
            cache_scope: Some(CacheScope::Private),
            meta: None,
            extra: RawObject::new(),
        }
    }
}
