//! Subscribing to changes.

use super::object::object;
use super::{ClientMeta, RawObject, RequestId};

object! {
    /// Which changes a client wants to hear of.
    ///
    /// Implements [`SubscriptionFilter`](https://modelcontextprotocol.io/specification/2026-07-28/schema#subscriptionfilter).
    #[derive(Default)]
    pub struct SubscriptionFilter {
        /// The list of tools.
        opt tools_list_changed: bool = "toolsListChanged",
        /// The list of prompts.
        opt prompts_list_changed: bool = "promptsListChanged",
        /// The list of resources.
        opt resources_list_changed: bool = "resourcesListChanged",
        /// Resources, by address.
        opt resource_subscriptions: Vec<String> = "resourceSubscriptions",
    }
}

object! {
    /// The `params` of `subscriptions/listen`.
    ///
    /// Implements [subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).
    pub struct ListenParams {
        /// Metadata every request carries.
        req meta: ClientMeta = "_meta",
        /// What to hear of.
        req notifications: SubscriptionFilter = "notifications",
    }
}

object! {
    /// The end of a subscription.
    ///
    /// Implements [`SubscriptionsListenResult`](https://modelcontextprotocol.io/specification/2026-07-28/schema#subscriptionslistenresult).
    pub struct ListenResult(lenient "resultType" = "complete") {
        /// Which subscription ended.
        req meta: SubscriptionMeta = "_meta",
    }
}

object! {
    /// The `_meta` of what belongs to a subscription.
    pub struct SubscriptionMeta {
        /// The id of the request that opened the subscription.
        req subscription_id: RequestId = "io.modelcontextprotocol/subscriptionId",
    }
}

impl ListenResult {
    /// The end of the subscription that the request `id` opened.
    #[must_use]
    pub const fn new(id: RequestId) -> Self {
        Self {
            meta: SubscriptionMeta {
                subscription_id: id,
                extra: RawObject::new(),
            },
            extra: RawObject::new(),
        }
    }
}
