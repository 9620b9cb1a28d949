//! Who is told of what.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Something that changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Change {
    Tools,
    Prompts,
    Resources,
    Resource(Arc<str>),
}

/// All subscriptions to one source of changes.
#[derive(Default)]
pub(super) struct Hub(Mutex<Subscribers>);

#[derive(Default)]
struct Subscribers {
    next: u64,
    open: HashMap<u64, Arc<Subscriber>>,
}

/// What one client wants to hear of, and what it has not heard yet.
#[derive(Default)]
struct Subscriber {
    mail: Mutex<Mail>,
    news: Notify,
}

#[derive(Default)]
struct Mail {
    /// What is wanted, and whether it waits already: a second change of the
    /// same kind tells a client nothing new, so no more wait than are wanted.
    wanted: HashMap<Change, bool>,
    waiting: VecDeque<Change>,
    ended: bool,
}

impl Hub {
    /// Adds a subscription; `None` when there are `limit` already.
    pub(super) fn subscribe(
        self: &Arc<Self>,
        wanted: impl IntoIterator<Item = Change>,
        limit: usize,
    ) -> Option<Subscription> {
        let mut subscribers = self.lock();
        if subscribers.open.len() >= limit {
            return None;
        }
        let subscriber = Arc::new(Subscriber::default());
        subscriber.lock().wanted = wanted.into_iter().map(|change| (change, false)).collect();
        let key = subscribers.next;
        subscribers.next += 1;
        subscribers.open.insert(key, subscriber.clone());
        Some(Subscription {
            hub: self.clone(),
            key,
            subscriber,
        })
    }

    pub(super) fn tell(&self, change: &Change) {
        for subscriber in self.lock().open.values() {
            subscriber.tell(change);
        }
    }

    pub(super) fn end(&self) {
        for subscriber in self.lock().open.values() {
            subscriber.lock().ended = true;
            subscriber.news.notify_one();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.lock().open.len()
    }

    fn lock(&self) -> MutexGuard<'_, Subscribers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscriber {
    fn tell(&self, change: &Change) {
        let mut mail = self.lock();
        if let Some(waits @ false) = mail.wanted.get_mut(change) {
            *waits = true;
            mail.waiting.push_back(change.clone());
            self.news.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Mail> {
        self.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One subscription; ends when dropped.
pub(super) struct Subscription {
    hub: Arc<Hub>,
    key: u64,
    subscriber: Arc<Subscriber>,
}

impl Subscription {
    /// The next change; `None` once the application has ended the
    /// subscription. To be awaited by one task only.
    pub(super) async fn next(&mut self) -> Option<Change> {
        loop {
            {
                let mut mail = self.subscriber.lock();
                if mail.ended {
                    return None;
                }
                if let Some(change) = mail.waiting.pop_front() {
                    if let Some(waits) = mail.wanted.get_mut(&change) {
                        *waits = false;
                    }
                    return Some(change);
                }
            }
            self.subscriber.news.notified().await;
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.hub.lock().open.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    fn resource(uri: &str) -> Change {
        Change::Resource(uri.into())
    }

    /// All that waits now.
    fn heard(subscription: &mut Subscription) -> Vec<Change> {
        std::iter::from_fn(|| subscription.next().now_or_never().flatten()).collect()
    }

    #[test]
    fn a_subscriber_hears_what_it_wants_and_nothing_else() {
        let hub = Arc::new(Hub::default());
        let wanted = [Change::Tools, resource("note://a")];
        let mut subscription = hub.subscribe(wanted.clone(), 1).expect("room");
        for change in [
            Change::Prompts,
            wanted[1].clone(),
            resource("note://b"),
            Change::Resources,
            Change::Tools,
        ] {
            hub.tell(&change);
        }
        assert_eq!(
            heard(&mut subscription),
            [wanted[1].clone(), wanted[0].clone()]
        );
    }

    #[test]
    fn changes_of_one_kind_wait_once_and_come_again_after_they_were_heard() {
        let hub = Arc::new(Hub::default());
        let wanted = [Change::Tools, Change::Prompts];
        let mut subscription = hub.subscribe(wanted, 1).expect("room");
        for _ in 0..1_000 {
            hub.tell(&Change::Tools);
            hub.tell(&Change::Prompts);
        }
        assert_eq!(heard(&mut subscription), [Change::Tools, Change::Prompts]);
        hub.tell(&Change::Tools);
        assert_eq!(heard(&mut subscription), [Change::Tools]);
    }

    #[test]
    fn there_are_no_more_subscriptions_than_allowed_and_a_dropped_one_makes_room() {
        let hub = Arc::new(Hub::default());
        let first = hub.subscribe([], 2).expect("room");
        let _second = hub.subscribe([], 2).expect("room");
        assert!(hub.subscribe([], 2).is_none());
        drop(first);
        assert_eq!(hub.len(), 1);
        assert!(hub.subscribe([], 2).is_some());
    }

    #[tokio::test]
    async fn an_end_wakes_who_waits_and_leaves_later_subscriptions_alone() {
        let hub = Arc::new(Hub::default());
        let mut subscription = hub.subscribe([Change::Tools], 2).expect("room");
        let waiting = tokio::spawn(async move { subscription.next().await });
        tokio::task::yield_now().await;
        hub.end();
        assert_eq!(waiting.await.expect("no panic"), None);
        let mut later = hub.subscribe([Change::Tools], 1).expect("room");
        assert!(later.next().now_or_never().is_none());
    }
}
