//! Answering `subscriptions/listen`.

use std::collections::HashSet;
use std::time::Duration;

use mrtr_core::wire::{
    CancelledParams, Cause, ListChangedParams, ListenResult, RequestId, ResourceUpdatedParams,
    ServerNotification, SubscriptionAcknowledgedParams, SubscriptionFilter, write_notification,
};

use super::hub::{Change, Subscription};
use crate::server::methods::Asking;
use crate::server::{Caller, Reply, Server, Sink};

/// Most resources of one subscription.
const MAX_RESOURCES: usize = 1_000;
/// When to try again for who found no room.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// What a client is told when there is no room for its subscription.
pub(crate) const fn too_many_subscriptions() -> Cause {
    Cause::TooManyRequests {
        retry_after: RETRY_AFTER,
    }
}

impl Server {
    /// Most subscriptions that are open at a time.
    pub(crate) fn max_subscriptions(&self) -> usize {
        self.inner.subscriptions.limit
    }

    /// Acknowledges the subscription, then tells of changes until the
    /// transport or the application ends it. Dropping the future ends it too.
    pub(in crate::server) async fn listen(&self, asking: &Asking<'_>) -> Result<Reply, Cause> {
        let request = asking.request;
        let wanted = request
            .params
            .decode("notifications", request.params.notifications)?;
        let mut stream = asking.notifier.stream().ok_or(Cause::MethodNotFound {
            method: request.method.clone().into_owned(),
        })?;
        let granted = self.granted(wanted, asking.caller)?;
        let subscriptions = &self.inner.subscriptions;
        let mut subscription = subscriptions
            .changes
            .hub
            .subscribe(changes_of(&granted), subscriptions.limit)
            .ok_or_else(|| {
                tracing::warn!(limit = subscriptions.limit, "too many subscriptions");
                too_many_subscriptions()
            })?;
        tracing::debug!("subscribed");
        let id = &request.id;
        let sink = &*stream.sink;
        // Comes first whatever happens: nothing may name the subscription before.
        let acknowledged = SubscriptionAcknowledgedParams::new(granted);
        let acknowledged = ServerNotification::SubscriptionAcknowledged(acknowledged);
        deliver(sink, id, acknowledged).await?;
        tokio::select! {
            biased;
            () = stream.closing.begun() => {}
            told = tell(sink, id, &mut subscription) => told?,
        }
        tracing::debug!("the subscription ends");
        if stream.shared {
            let cancelled = CancelledParams::new(id.clone(), None);
            deliver(sink, id, ServerNotification::Cancelled(cancelled)).await?;
        }
        let mut result = ListenResult::new(id.clone());
        for (name, value) in self.inner.server_meta.members().iter() {
            result.meta.extra.insert(name, value.to_owned());
        }
        let result = serde_json::to_vec(&result).map_err(unwritable)?;
        Ok(Reply::prepared(id, &result))
    }

    /// What of a wish the server grants: what it has and announces.
    fn granted(
        &self,
        wanted: SubscriptionFilter,
        caller: &Caller,
    ) -> Result<SubscriptionFilter, Cause> {
        let registry = &self.inner.registry;
        let announced = self.inner.subscriptions.changes.announced;
        let grant = |wanted: Option<bool>, has: bool| {
            (wanted == Some(true) && has && announced.lists).then_some(true)
        };
        let mut granted = SubscriptionFilter::default();
        granted.tools_list_changed = grant(wanted.tools_list_changed, registry.tool_list.is_some());
        granted.prompts_list_changed =
            grant(wanted.prompts_list_changed, registry.prompt_list.is_some());
        granted.resources_list_changed = grant(
            wanted.resources_list_changed,
            registry.resource_list.is_some(),
        );
        let Some(mut uris) = wanted.resource_subscriptions else {
            return Ok(granted);
        };
        if uris.len() > MAX_RESOURCES {
            let what = format!("`notifications`: more than {MAX_RESOURCES} resources");
            return Err(Cause::InvalidParams(what.into()));
        }
        if announced.resources && registry.resource_list.is_some() {
            let mut seen = HashSet::new();
            uris.retain(|uri| {
                seen.insert(uri.clone())
                    && registry.find(uri).is_some()
                    && self.inner.subscriptions.allows(caller, uri)
            });
            granted.resource_subscriptions = Some(uris);
        }
        Ok(granted)
    }
}

fn changes_of(granted: &SubscriptionFilter) -> impl Iterator<Item = Change> {
    let lists = [
        (granted.tools_list_changed, Change::Tools),
        (granted.prompts_list_changed, Change::Prompts),
        (granted.resources_list_changed, Change::Resources),
    ];
    let uris = granted.resource_subscriptions.iter().flatten();
    lists
        .into_iter()
        .filter_map(|(granted, change)| (granted == Some(true)).then_some(change))
        .chain(uris.map(|uri| Change::Resource(uri.as_str().into())))
}

/// Delivers each change, as fast as the client takes them.
async fn tell(
    sink: &dyn Sink,
    id: &RequestId,
    subscription: &mut Subscription,
) -> Result<(), Cause> {
    while let Some(change) = subscription.next().await {
        deliver(sink, id, notification_of(change)).await?;
    }
    Ok(())
}

async fn deliver(
    sink: &dyn Sink,
    id: &RequestId,
    notification: ServerNotification,
) -> Result<(), Cause> {
    let notification = notification.for_subscription(id);
    let written = write_notification(notification.method(), &notification).map_err(unwritable)?;
    sink.deliver(written.into()).await;
    Ok(())
}

fn notification_of(change: Change) -> ServerNotification {
    let list = ListChangedParams::default();
    match change {
        Change::Tools => ServerNotification::ToolsListChanged(list),
        Change::Prompts => ServerNotification::PromptsListChanged(list),
        Change::Resources => ServerNotification::ResourcesListChanged(list),
        Change::Resource(uri) => {
            ServerNotification::ResourceUpdated(ResourceUpdatedParams::new(&*uri))
        }
    }
}

fn unwritable(error: serde_json::Error) -> Cause {
    tracing::error!(%error, "a notification cannot be written as JSON");
    Cause::Fault
}
