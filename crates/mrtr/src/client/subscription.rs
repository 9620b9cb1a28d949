//! Hearing of changes.

use std::fmt;
use std::sync::Arc;

use mrtr_core::exchange::{Exchange, Target};
use mrtr_core::wire::{Capabilities, ErrorCode, SubscriptionFilter};
use serde::Serialize;

use super::error::{BadReply, ClientError, Loss, SubscriptionLost, Unreachable, Usage};
use super::http::Reader;
use super::leg::{Fault, Leg};
use super::listener::{Change, End, Listener};
use super::session::Ready;
use super::stdio::Listening;
use super::{Client, json};

/// A standing subscription to changes at a server, made by [`Client::listen`].
///
/// While it stands, results that the client keeps are forgotten as soon as the server says that they
/// changed, whether the changes are read here or not. Changes that wait to be read are told once each.
///
/// Dropping it ends the subscription.
///
/// Implements [subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).
///
/// ```no_run
/// # async fn run(client: mrtr::client::Client) -> Result<(), mrtr::client::ClientError> {
/// use mrtr::client::Change;
/// use mrtr::wire::SubscriptionFilter;
///
/// let mut filter = SubscriptionFilter::default();
/// filter.tools_list_changed = Some(true);
/// let mut changes = client.listen(filter).await?;
/// while let Some(change) = changes.next().await? {
///     if change == Change::Tools {
///         println!("{} tools", client.list_tools().await?.len());
///     }
/// }
/// println!("the server ended the subscription");
/// # Ok(())
/// # }
/// ```
#[must_use = "dropping it ends the subscription"]
pub struct Subscription {
    listener: Arc<Listener>,
    target: Target,
    wanted: SubscriptionFilter,
    granted: SubscriptionFilter,
    _open: Open,
}

/// Keeps the subscription open; ends it when dropped.
pub(crate) enum Open {
    /// Without a reader when there was no stream.
    Http(#[expect(dead_code, reason = "held")] Option<Reader>),
    Stream(#[expect(dead_code, reason = "held")] Listening),
}

impl Subscription {
    /// What the server grants of what was wanted: changes of other kinds never come.
    #[must_use]
    pub fn granted(&self) -> &SubscriptionFilter {
        &self.granted
    }

    /// What was wanted and is not granted. Read these anew from time to time.
    #[must_use]
    pub fn missing(&self) -> SubscriptionFilter {
        let flag = |wanted: Option<bool>, granted: Option<bool>| {
            (wanted == Some(true) && granted != Some(true)).then_some(true)
        };
        let (wanted, granted) = (&self.wanted, &self.granted);
        let uris = granted.resource_subscriptions.as_deref().unwrap_or(&[]);
        let missing = wanted.resource_subscriptions.iter().flatten();
        let missing: Vec<_> = missing.filter(|uri| !uris.contains(uri)).cloned().collect();
        let mut filter = SubscriptionFilter::default();
        filter.tools_list_changed = flag(wanted.tools_list_changed, granted.tools_list_changed);
        filter.prompts_list_changed =
            flag(wanted.prompts_list_changed, granted.prompts_list_changed);
        filter.resources_list_changed = flag(
            wanted.resources_list_changed,
            granted.resources_list_changed,
        );
        filter.resource_subscriptions = Some(missing).filter(|missing| !missing.is_empty());
        filter
    }

    /// Waits for the next change; `None` when the server ended the subscription in good order. Dropping
    /// the future loses nothing.
    ///
    /// A subscription that was lost is not renewed by itself: [listen](Client::listen) again, and read
    /// anew what may have changed in between.
    ///
    /// # Errors
    /// [`ClientError::SubscriptionLost`] when the connection or the process went away, or when the
    /// caller left 1024 different changes unread; [`ClientError::Exchange`] and
    /// [`ClientError::BadReply`] when the server ended it otherwise. It stays ended.
    pub async fn next(&mut self) -> Result<Option<Change>, ClientError> {
        match self.listener.next().await {
            Ok(change) => Ok(Some(change)),
            Err(End::Closed) => Ok(None),
            Err(end) => Err(failed(end, &self.target, None)),
        }
    }
}

impl Client {
    /// Subscribes to changes, and returns when the server has acknowledged it.
    ///
    /// # Errors
    /// [`ClientError`]; [`Exchange`](ClientError::Exchange) when the server knows no subscriptions,
    /// [`SubscriptionLost`](ClientError::SubscriptionLost) when it does not acknowledge within
    /// [`ClientLimits::leg`](super::ClientLimits::leg).
    pub async fn listen(&self, wanted: SubscriptionFilter) -> Result<Subscription, ClientError> {
        #[derive(Serialize)]
        struct Params<'a> {
            notifications: &'a SubscriptionFilter,
        }
        let session = &self.session;
        let params = json(&Params {
            notifications: &wanted,
        })?;
        let mut refusals = 0;
        loop {
            let ready = session.ready().await?;
            let version = session.versions.current();
            let limits = session.limits.call;
            let mut exchange = Exchange::new("subscriptions/listen", params.clone(), limits)
                .map_err(Usage::new)?;
            exchange
                .set_meta(session.meta(&version, Capabilities::NONE, None, |_| {})?)
                .map_err(Usage::new)?;
            let leg = Leg {
                id: session.next_id(),
                method: exchange.method().to_owned(),
                name: None,
                params: exchange.request(session.clock.now())?,
                version: version.clone(),
                headers: Vec::new(),
            };
            let listener = Arc::new(Listener::new(leg.id, wanted.clone()));
            let after = session.limits.leg;
            let opening = tokio::time::timeout(after, open(&ready, &leg, &listener)).await;
            let end = match opening.unwrap_or(Err(Fault::Lost(Loss::Timeout { after }))) {
                Ok(Ok((open, granted))) => {
                    return Ok(Subscription {
                        listener,
                        target: session.target.clone(),
                        wanted,
                        granted,
                        _open: open,
                    });
                }
                Ok(Err(end)) => end,
                Err(Fault::NotSent(unreachable)) if matches!(ready, Ready::Http { .. }) => {
                    return Err(unreachable.into());
                }
                Err(Fault::NotSent(unreachable)) => {
                    let reason = ready.explain(unreachable.reason()).await;
                    return Err(Unreachable::new(reason).into());
                }
                Err(Fault::Lost(Loss::Closed { reason })) => {
                    End::Lost(Loss::closed(ready.explain(&reason).await))
                }
                Err(Fault::Lost(loss)) => End::Lost(loss),
                Err(Fault::Bad(bad)) => return Err(bad.into()),
                Err(Fault::Status(status)) => return Err(ClientError::Status(status)),
            };
            match end {
                End::Rejected(error) if error.code == ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => {
                    refusals += 1;
                    session.refused_version(&version, &error, refusals)?;
                }
                end => return Err(failed(end, &session.target, Some(exchange))),
            }
        }
    }
}

/// Sends the request and waits for the acknowledgement.
async fn open(
    ready: &Ready<'_>,
    leg: &Leg,
    listener: &Arc<Listener>,
) -> Result<Result<(Open, SubscriptionFilter), End>, Fault> {
    let open = ready.listen(leg, listener).await?;
    let granted = listener.acknowledged().await;
    Ok(granted.map(|granted| (open, granted)))
}

/// The error for an end that was not in good order.
fn failed(end: End, target: &Target, exchange: Option<Exchange>) -> ClientError {
    let lost = |loss| {
        SubscriptionLost {
            target: target.clone(),
            loss,
        }
        .into()
    };
    match (end, exchange) {
        (End::Rejected(error), Some(mut exchange)) => exchange.reject(error).into(),
        (End::Rejected(error), None) => lost(Loss::closed(error.to_string())),
        (End::Lost(loss), _) => lost(loss),
        (End::Bad(reason), _) => BadReply::new(reason).into(),
        (End::Closed, _) => {
            BadReply::new("it ends the subscription without acknowledging it").into()
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription")
            .field("server", &self.target)
            .field("granted", &self.granted)
            .finish_non_exhaustive()
    }
}
