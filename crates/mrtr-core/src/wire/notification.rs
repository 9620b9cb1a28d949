//! What a server tells a client without being asked, and how a client cancels.

use serde::Serialize;
use serde::ser::Serializer;
use serde_json::value::{RawValue, to_raw_value};

use super::object::object;
use super::raw::reason;
use super::{
    Decimal, LoggingLevel, ProgressToken, RawObject, RequestId, SubscriptionFilter, meta_key,
};

object! {
    /// How far a request has come: the `params` of `notifications/progress`.
    ///
    /// Implements [progress](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress).
    pub struct ProgressParams {
        /// The token of the request.
        req progress_token: ProgressToken = "progressToken",
        /// How much is done; must grow from one notification to the next.
        req progress: Decimal = "progress",
        /// How much there is to do, if known.
        opt total: Decimal = "total",
        /// What is being done.
        opt message: String = "message",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

object! {
    /// A log message: the `params` of `notifications/message`. Deprecated by this revision.
    ///
    /// Implements [log messages](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#log-message-notifications).
    pub struct LoggingMessageParams {
        /// How severe it is.
        req level: LoggingLevel = "level",
        /// Which part of the server says it.
        opt logger: String = "logger",
        /// What it says: any JSON value.
        req data: Box<RawValue> = "data",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

object! {
    /// The `params` of `notifications/cancelled`.
    ///
    /// Implements [cancellation](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation).
    pub struct CancelledParams {
        /// The request that is no longer wanted.
        req request_id: RequestId = "requestId",
        /// Why, for people.
        opt reason: String = "reason",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

object! {
    /// A resource changed: the `params` of `notifications/resources/updated`.
    ///
    /// Implements [`ResourceUpdatedNotification`](https://modelcontextprotocol.io/specification/2026-07-28/schema#resourceupdatednotification).
    pub struct ResourceUpdatedParams {
        /// The resource.
        req uri: String = "uri",
        /// Metadata, with the subscription it belongs to.
        opt meta: RawObject = "_meta",
    }
}

object! {
    /// A list changed: the `params` of `notifications/tools/list_changed` and its like.
    #[derive(Default)]
    pub struct ListChangedParams {
        /// Metadata, with the subscription it belongs to.
        opt meta: RawObject = "_meta",
    }
}

object! {
    /// A subscription stands: the `params` of `notifications/subscriptions/acknowledged`.
    ///
    /// Implements [`SubscriptionsAcknowledgedNotification`](https://modelcontextprotocol.io/specification/2026-07-28/schema#subscriptionsacknowledgednotification).
    pub struct SubscriptionAcknowledgedParams {
        /// What of the wish the server grants.
        req notifications: SubscriptionFilter = "notifications",
        /// Metadata, with the subscription it belongs to.
        opt meta: RawObject = "_meta",
    }
}

/// What a server tells a client; writes its `params`.
///
/// ```
/// use mrtr_core::wire::{ProgressParams, ServerNotification};
///
/// let progress = ServerNotification::Progress(ProgressParams::new("t1".into(), 3.0));
/// assert_eq!(progress.method(), "notifications/progress");
/// assert_eq!(serde_json::to_string(&progress)?, r#"{"progressToken":"t1","progress":3}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ServerNotification {
    /// How far a request has come.
    Progress(ProgressParams),
    /// A log message. Deprecated by this revision.
    Message(LoggingMessageParams),
    /// A subscription was ended by the server, on stdio.
    Cancelled(CancelledParams),
    /// A resource changed.
    ResourceUpdated(ResourceUpdatedParams),
    /// The list of resources changed.
    ResourcesListChanged(ListChangedParams),
    /// The list of tools changed.
    ToolsListChanged(ListChangedParams),
    /// The list of prompts changed.
    PromptsListChanged(ListChangedParams),
    /// A subscription stands.
    SubscriptionAcknowledged(SubscriptionAcknowledgedParams),
}

impl ServerNotification {
    /// The method of the message.
    #[must_use]
    pub const fn method(&self) -> &'static str {
        match self {
            Self::Progress(_) => "notifications/progress",
            Self::Message(_) => "notifications/message",
            Self::Cancelled(_) => "notifications/cancelled",
            Self::ResourceUpdated(_) => "notifications/resources/updated",
            Self::ResourcesListChanged(_) => "notifications/resources/list_changed",
            Self::ToolsListChanged(_) => "notifications/tools/list_changed",
            Self::PromptsListChanged(_) => "notifications/prompts/list_changed",
            Self::SubscriptionAcknowledged(_) => "notifications/subscriptions/acknowledged",
        }
    }

    /// Reads a notification; `None` when the method is unknown, which a client ignores.
    ///
    /// # Errors
    /// What is wrong with the `params` of a known method.
    pub fn decode(method: &str, params: Option<&RawValue>) -> Result<Option<Self>, String> {
        let text = params.map_or("{}", RawValue::get);
        let notification = match method {
            "notifications/progress" => serde_json::from_str(text).map(Self::Progress),
            "notifications/message" => serde_json::from_str(text).map(Self::Message),
            "notifications/cancelled" => serde_json::from_str(text).map(Self::Cancelled),
            "notifications/resources/updated" => {
                serde_json::from_str(text).map(Self::ResourceUpdated)
            }
            "notifications/resources/list_changed" => {
                serde_json::from_str(text).map(Self::ResourcesListChanged)
            }
            "notifications/tools/list_changed" => {
                serde_json::from_str(text).map(Self::ToolsListChanged)
            }
            "notifications/prompts/list_changed" => {
                serde_json::from_str(text).map(Self::PromptsListChanged)
            }
            "notifications/subscriptions/acknowledged" => {
                serde_json::from_str(text).map(Self::SubscriptionAcknowledged)
            }
            _ => return Ok(None),
        };
        notification.map(Some).map_err(|error| reason(&error))
    }

    /// Marks the notification as belonging to the subscription that the request `id` opened.
    #[must_use]
    pub fn for_subscription(mut self, id: &RequestId) -> Self {
        if let Ok(id) = to_raw_value(id) {
            self.meta_mut()
                .get_or_insert_default()
                .insert(meta_key::SUBSCRIPTION_ID, id);
        }
        self
    }

    /// The id of the request that opened the subscription it belongs to, if it says so.
    ///
    /// ```
    /// use mrtr_core::wire::{RequestId, ResourceUpdatedParams, ServerNotification};
    ///
    /// let updated = ServerNotification::ResourceUpdated(ResourceUpdatedParams::new("note://a"));
    /// assert_eq!(updated.subscription_id(), None);
    /// let id = RequestId::from(7);
    /// assert_eq!(updated.for_subscription(&id).subscription_id(), Some(id));
    /// ```
    #[must_use]
    pub fn subscription_id(&self) -> Option<RequestId> {
        self.meta()?.get_as(meta_key::SUBSCRIPTION_ID)
    }

    fn meta(&self) -> Option<&RawObject> {
        match self {
            Self::Progress(params) => params.meta.as_ref(),
            Self::Message(params) => params.meta.as_ref(),
            Self::Cancelled(params) => params.meta.as_ref(),
            Self::ResourceUpdated(params) => params.meta.as_ref(),
            Self::ResourcesListChanged(params)
            | Self::ToolsListChanged(params)
            | Self::PromptsListChanged(params) => params.meta.as_ref(),
            Self::SubscriptionAcknowledged(params) => params.meta.as_ref(),
        }
    }

    fn meta_mut(&mut self) -> &mut Option<RawObject> {
        match self {
            Self::Progress(params) => &mut params.meta,
            Self::Message(params) => &mut params.meta,
            Self::Cancelled(params) => &mut params.meta,
            Self::ResourceUpdated(params) => &mut params.meta,
            Self::ResourcesListChanged(params)
            | Self::ToolsListChanged(params)
            | Self::PromptsListChanged(params) => &mut params.meta,
            Self::SubscriptionAcknowledged(params) => &mut params.meta,
        }
    }
}

impl Serialize for ServerNotification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Progress(params) => params.serialize(serializer),
            Self::Message(params) => params.serialize(serializer),
            Self::Cancelled(params) => params.serialize(serializer),
            Self::ResourceUpdated(params) => params.serialize(serializer),
            Self::ResourcesListChanged(params)
            | Self::ToolsListChanged(params)
            | Self::PromptsListChanged(params) => params.serialize(serializer),
            Self::SubscriptionAcknowledged(params) => params.serialize(serializer),
        }
    }
}

impl ProgressParams {
    /// This much is done of the request with this token.
    #[must_use]
    pub fn new(progress_token: ProgressToken, progress: f64) -> Self {
        Self {
            progress_token,
            progress: progress.into(),
            total: None,
            message: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl LoggingMessageParams {
    /// A log message; `data` is any JSON value.
    #[must_use]
    pub const fn new(level: LoggingLevel, data: Box<RawValue>) -> Self {
        Self {
            level,
            logger: None,
            data,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl CancelledParams {
    /// The request `request_id` is no longer wanted.
    #[must_use]
    pub const fn new(request_id: RequestId, reason: Option<String>) -> Self {
        Self {
            request_id,
            reason,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl ResourceUpdatedParams {
    /// The resource at `uri` changed.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl SubscriptionAcknowledgedParams {
    /// These wishes are granted.
    #[must_use]
    pub const fn new(notifications: SubscriptionFilter) -> Self {
        Self {
            notifications,
            meta: None,
            extra: RawObject::new(),
        }
    }
}
