//! Lists of what a server offers, and how long they may be kept.

use std::time::Duration;

use super::object::object;
use super::{Prompt, RawObject, ReadResourceResult, Resource, ResourceTemplate, Tool};

/// Who may share a kept copy of a result.
///
/// Implements the [cache scope](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cache-scope-field).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum CacheScope {
    /// Everybody.
    Public,
    /// Only whoever asked, with the same authorization.
    #[default]
    Private,
}

/// For how long and by whom a result may be kept.
///
/// The default, no time and private, is what a client assumes when a server says nothing.
///
/// Implements [caching](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheHints {
    /// For how many milliseconds.
    pub ttl_ms: u64,
    /// By whom.
    pub scope: CacheScope,
}

impl CacheHints {
    /// May be kept for `ttl`, rounded down to milliseconds, in this scope.
    #[must_use]
    pub fn new(ttl: Duration, scope: CacheScope) -> Self {
        Self {
            ttl_ms: u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX),
            scope,
        }
    }

    fn read(ttl_ms: Option<i64>, scope: Option<CacheScope>) -> Self {
        Self {
            ttl_ms: ttl_ms.and_then(|ttl| ttl.try_into().ok()).unwrap_or(0),
            scope: scope.unwrap_or_default(),
        }
    }

    fn ttl_for_wire(self) -> i64 {
        self.ttl_ms.try_into().unwrap_or(i64::MAX)
    }
}

macro_rules! list_result {
    ($(#[$meta:meta])* $name:ident, $items:ident: $item:ty = $key:literal) => {
        object! {
            $(#[$meta])*
            pub struct $name(lenient "resultType" = "complete") {
                /// What there is, in the server's order.
                req $items: Vec<$item> = $key,
                /// Where the next page starts; absent on the last one.
                opt next_cursor: String = "nextCursor",
                /// For how many milliseconds a client may keep it.
                opt ttl_ms: i64 = "ttlMs",
                /// Who may share a kept copy.
                opt cache_scope: CacheScope = "cacheScope",
                /// Metadata.
                opt meta: RawObject = "_meta",
            }
        }

        impl $name {
            /// One page of a list.
            #[must_use]
            pub fn new($items: Vec<$item>, hints: CacheHints) -> Self {
                Self {
                    $items,
                    next_cursor: None,
                    ttl_ms: Some(hints.ttl_for_wire()),
                    cache_scope: Some(hints.scope),
                    meta: None,
                    extra: RawObject::new(),
                }
            }

            /// How long the page may be kept; a negative time counts as none.
            #[must_use]
            pub fn cache_hints(&self) -> CacheHints {
                CacheHints::read(self.ttl_ms, self.cache_scope)
            }
        }
    };
}

list_result! {
    /// The tools of a server.
    ///
    /// Implements [listing tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools).
    ListToolsResult, tools: Tool = "tools"
}

list_result! {
    /// The prompts of a server.
    ///
    /// Implements [listing prompts](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#listing-prompts).
    ListPromptsResult, prompts: Prompt = "prompts"
}

list_result! {
    /// The resources of a server.
    ///
    /// Implements [listing resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#listing-resources).
    ListResourcesResult, resources: Resource = "resources"
}

list_result! {
    /// The resource templates of a server.
    ///
    /// Implements [resource templates](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates).
    ListResourceTemplatesResult, resource_templates: ResourceTemplate = "resourceTemplates"
}

impl ReadResourceResult {
    /// Sets how long the contents may be kept.
    #[must_use]
    pub fn with_cache_hints(mut self, hints: CacheHints) -> Self {
        self.ttl_ms = Some(hints.ttl_for_wire());
        self.cache_scope = Some(hints.scope);
        self
    }

    /// How long the contents may be kept; a negative time counts as none.
    #[must_use]
    pub fn cache_hints(&self) -> CacheHints {
        CacheHints::read(self.ttl_ms, self.cache_scope)
    }
}

impl super::DiscoverResult {
    /// How long the description may be kept; a negative time counts as none.
    #[must_use]
    pub fn cache_hints(&self) -> CacheHints {
        CacheHints::read(self.ttl_ms, self.cache_scope)
    }

    /// Sets how long the description may be kept.
    #[must_use]
    pub fn with_cache_hints(mut self, hints: CacheHints) -> Self {
        self.ttl_ms = Some(hints.ttl_for_wire());
        self.cache_scope = Some(hints.scope);
        self
    }
}
