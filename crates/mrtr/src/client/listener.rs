//! What a subscription hears: between the connection that feeds it and the caller who reads it.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mrtr_core::wire::{ErrorObject, RequestId, ServerNotification, SubscriptionFilter};
use tokio::sync::Notify;

use super::error::Loss;
use super::mistakes::Mistakes;

/// How many different changes may wait to be read.
const MOST_WAITING: usize = 1024;
/// How many bytes the URIs among them may have together.
const MOST_BYTES: usize = 1024 * 1024;

/// One change at a server, as a [`Subscription`](super::Subscription) tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools changed.
    Tools,
    /// The list of prompts changed.
    Prompts,
    /// The list of resources changed, or that of resource templates.
    Resources,
    /// A resource changed: one of those subscribed to, or one below it.
    Resource {
        /// Which one.
        uri: String,
    },
}

impl Change {
    const fn bytes(&self) -> usize {
        match self {
            Self::Resource { uri } => uri.len(),
            _ => 0,
        }
    }
}

/// How a subscription ended.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// The server ended it in good order.
    Closed,
    /// The server answered with an error.
    Rejected(ErrorObject),
    /// Nothing more comes, and nobody said so.
    Lost(Loss),
    /// The server broke the protocol.
    Bad(String),
}

pub(crate) struct Listener {
    id: u64,
    wanted: SubscriptionFilter,
    mistakes: Mistakes,
    state: Mutex<State>,
    heard: Notify,
}

#[derive(Default)]
struct State {
    granted: Option<SubscriptionFilter>,
    waiting: VecDeque<Change>,
    /// Of the URIs that wait.
    bytes: usize,
    end: Option<End>,
}

impl Listener {
    /// `id` is that of the request that subscribes.
    pub(crate) fn new(id: u64, wanted: SubscriptionFilter) -> Self {
        Self {
            id,
            wanted,
            mistakes: Mistakes::default(),
            state: Mutex::default(),
            heard: Notify::new(),
        }
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Takes a notification of this subscription.
    pub(crate) fn notification(&self, notification: ServerNotification) {
        let id = RequestId::from(self.id);
        if notification.subscription_id().is_some_and(|of| of != id) {
            if self.mistakes.are_worth_a_warning() {
                tracing::warn!(
                    method = notification.method(),
                    "a notification of another subscription was ignored"
                );
            }
            return;
        }
        let wanted = |flag: Option<bool>| flag == Some(true);
        let wish = &self.wanted;
        let (change, wanted) = match notification {
            ServerNotification::SubscriptionAcknowledged(params) => {
                self.state().granted.get_or_insert(params.notifications);
                self.heard.notify_one();
                return;
            }
            ServerNotification::Cancelled(params) => {
                if params.request_id == id {
                    self.end(End::Closed);
                }
                return;
            }
            ServerNotification::ToolsListChanged(_) => {
                (Change::Tools, wanted(wish.tools_list_changed))
            }
            ServerNotification::PromptsListChanged(_) => {
                (Change::Prompts, wanted(wish.prompts_list_changed))
            }
            ServerNotification::ResourcesListChanged(_) => {
                (Change::Resources, wanted(wish.resources_list_changed))
            }
            ServerNotification::ResourceUpdated(params) => {
                let wanted = wish.resource_subscriptions.is_some();
                (Change::Resource { uri: params.uri }, wanted)
            }
            _ => return,
        };
        if !wanted {
            if self.mistakes.are_worth_a_warning() {
                tracing::warn!(?change, "a change that was not subscribed to was ignored");
            }
            return;
        }
        self.change(change);
    }

    fn change(&self, change: Change) {
        let mut state = self.state();
        if state.granted.is_none() && self.mistakes.are_worth_a_warning() {
            tracing::warn!(?change, "a change came before the acknowledgement");
        }
        if state.end.is_some() || state.waiting.contains(&change) {
            return;
        }
        let bytes = state.bytes.saturating_add(change.bytes());
        if state.waiting.len() >= MOST_WAITING || bytes > MOST_BYTES {
            let waiting = state.waiting.len();
            let reason =
                format!("{waiting} changes wait to be read, and there is no room for more");
            state.end = Some(End::Lost(Loss::closed(reason)));
        } else {
            state.bytes = bytes;
            state.waiting.push_back(change);
        }
        drop(state);
        self.heard.notify_one();
    }

    /// Takes the answer to the request that subscribes, which ends the subscription.
    pub(crate) fn response(&self, outcome: Result<(), ErrorObject>) {
        self.end(match outcome {
            Ok(()) => End::Closed,
            Err(error) => End::Rejected(error),
        });
    }

    /// Nothing more comes. The first reason counts.
    pub(crate) fn end(&self, end: End) {
        self.state().end.get_or_insert(end);
        self.heard.notify_one();
    }

    pub(crate) fn is_over(&self) -> bool {
        self.state().end.is_some()
    }

    /// Waits until the subscription stands, and says what the server grants.
    pub(crate) async fn acknowledged(&self) -> Result<SubscriptionFilter, End> {
        loop {
            {
                let state = self.state();
                if let Some(granted) = &state.granted {
                    return Ok(granted.clone());
                }
                if let Some(end) = &state.end {
                    return Err(end.clone());
                }
            }
            self.heard.notified().await;
        }
    }

    /// The next change; what came before the end is handed out first.
    pub(crate) async fn next(&self) -> Result<Change, End> {
        loop {
            {
                let mut state = self.state();
                if let Some(change) = state.waiting.pop_front() {
                    state.bytes -= change.bytes();
                    return Ok(change);
                }
                if let Some(end) = &state.end {
                    return Err(end.clone());
                }
            }
            self.heard.notified().await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(number: u32, length: usize) -> Change {
        Change::Resource {
            uri: format!("file:///{number}/{}", "x".repeat(length)),
        }
    }

    #[tokio::test]
    async fn what_waits_to_be_read_is_bounded_in_bytes_too() {
        let listener = Listener::new(1, SubscriptionFilter::default());
        for number in 0..3 {
            listener.change(resource(number, MOST_BYTES / 2 - 100));
        }
        let read = [listener.next().await, listener.next().await];
        assert!(read.iter().all(Result::is_ok), "two of them have room");
        assert!(matches!(listener.next().await, Err(End::Lost(_))));
    }

    #[tokio::test]
    async fn what_was_read_makes_room() {
        let listener = Listener::new(1, SubscriptionFilter::default());
        for number in 0..10 {
            let change = resource(number, MOST_BYTES / 2);
            listener.change(change.clone());
            let read = listener.next().await;
            assert!(read.is_ok_and(|read| read == change));
        }
    }
}
