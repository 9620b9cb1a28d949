//! What a request has to say before its reply: a bounded queue that never makes the handler wait.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

use crate::server::{Delivery, Loss, Sink};

/// Notifications of one request, and its reply once it has been told to come as an event.
#[derive(Debug)]
pub(super) struct Outbox {
    capacity: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<(Loss, Bytes)>,
    end: Option<End>,
    /// Set once something was delivered that must not be lost.
    committed: bool,
    waker: Option<Waker>,
    /// Of who waits for room.
    deliverer: Option<Waker>,
}

#[derive(Debug)]
enum End {
    /// Nothing more is taken; the reply goes another way.
    Closed,
    /// Nothing more is taken; this comes last.
    Reply(Bytes),
}

/// What there is to send.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Messages(Vec<Bytes>),
    /// The last message.
    Reply(Bytes),
    /// Nothing, for ever.
    End,
    /// Nothing now; the waker was kept.
    Nothing,
}

impl Outbox {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            state: Mutex::default(),
        }
    }

    /// Whether a notification waits; keeps the waker when none does.
    pub(super) fn has_messages(&self, cx: &Context<'_>) -> bool {
        let mut state = self.lock();
        if state.queue.is_empty() {
            keep(&mut state.waker, cx);
        }
        !state.queue.is_empty()
    }

    /// Whether the reply is a stream whatever else comes.
    pub(super) fn is_committed(&self) -> bool {
        self.lock().committed
    }

    /// What to send next; keeps the waker when there is nothing yet.
    pub(super) fn next(&self, cx: &Context<'_>) -> Next {
        let mut state = self.lock();
        if !state.queue.is_empty() {
            return Next::Messages(state.take());
        }
        match state.end.take() {
            Some(End::Reply(reply)) => {
                state.end = Some(End::Closed);
                Next::Reply(reply)
            }
            Some(End::Closed) => {
                state.end = Some(End::Closed);
                Next::End
            }
            None => {
                keep(&mut state.waker, cx);
                Next::Nothing
            }
        }
    }

    /// Takes nothing more and gives what has come.
    pub(super) fn close(&self) -> Vec<Bytes> {
        let mut state = self.lock();
        let rest = state.take();
        state.finish(End::Closed);
        rest
    }

    /// Takes nothing more; the reply comes after what is queued.
    pub(super) fn finish(&self, reply: Bytes) {
        self.lock().finish(End::Reply(reply));
    }

    /// Ends the stream without a reply, unless it has one.
    pub(super) fn abandon(&self) {
        let mut state = self.lock();
        if state.end.is_none() {
            state.finish(End::Closed);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for Outbox {
    /// When the queue is full, progress gives way: the oldest is dropped for what is new. What
    /// finds no progress to replace is lost.
    fn send(&self, notification: Bytes, loss: Loss) {
        let mut state = self.lock();
        if state.end.is_some() {
            return;
        }
        if state.queue.len() >= self.capacity {
            let superseded = state
                .queue
                .iter()
                .position(|(loss, _)| *loss == Loss::Superseded);
            match superseded {
                Some(oldest) => drop(state.queue.remove(oldest)),
                None => return,
            }
        }
        state.push(loss, notification);
    }

    /// One deliverer at a time is woken: a request has no more.
    fn deliver(&self, notification: Bytes) -> Delivery<'_> {
        let mut notification = Some(notification);
        Box::pin(poll_fn(move |cx| {
            let mut state = self.lock();
            if state.end.is_none() {
                if state.queue.len() >= self.capacity.max(1) {
                    keep(&mut state.deliverer, cx);
                    return Poll::Pending;
                }
                if let Some(notification) = notification.take() {
                    state.committed = true;
                    state.push(Loss::Distinct, notification);
                }
            }
            Poll::Ready(())
        }))
    }
}

impl State {
    fn push(&mut self, loss: Loss, notification: Bytes) {
        self.queue.push_back((loss, notification));
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn take(&mut self) -> Vec<Bytes> {
        if let Some(waker) = self.deliverer.take() {
            waker.wake();
        }
        self.queue.drain(..).map(|(_, message)| message).collect()
    }

    fn finish(&mut self, end: End) {
        self.end = Some(end);
        for waker in [self.waker.take(), self.deliverer.take()] {
            waker.into_iter().for_each(Waker::wake);
        }
    }
}

fn keep(slot: &mut Option<Waker>, cx: &Context<'_>) {
    match slot {
        Some(waker) => waker.clone_from(cx.waker()),
        None => *slot = Some(cx.waker().clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(outbox: &Outbox) -> Next {
        outbox.next(&Context::from_waker(Waker::noop()))
    }

    fn messages(texts: &[&'static str]) -> Next {
        Next::Messages(
            texts
                .iter()
                .map(|text| Bytes::from_static(text.as_bytes()))
                .collect(),
        )
    }

    #[test]
    fn a_full_queue_drops_the_oldest_progress_and_keeps_every_log_message_it_has() {
        let outbox = Outbox::new(3);
        for (loss, text) in [
            (Loss::Superseded, "p1"),
            (Loss::Distinct, "l1"),
            (Loss::Superseded, "p2"),
            (Loss::Superseded, "p3"),
            (Loss::Distinct, "l2"),
            (Loss::Distinct, "l3"),
            (Loss::Distinct, "lost"),
            (Loss::Superseded, "lost"),
        ] {
            outbox.send(Bytes::from_static(text.as_bytes()), loss);
        }
        assert_eq!(next(&outbox), messages(&["l1", "l2", "l3"]));
        assert_eq!(next(&outbox), Next::Nothing);
    }

    #[test]
    fn the_reply_comes_last_and_nothing_after_it() {
        let outbox = Outbox::new(3);
        outbox.send(Bytes::from_static(b"p"), Loss::Superseded);
        outbox.finish(Bytes::from_static(b"reply"));
        outbox.send(Bytes::from_static(b"late"), Loss::Distinct);
        outbox.abandon();
        assert_eq!(next(&outbox), messages(&["p"]));
        assert_eq!(next(&outbox), Next::Reply(Bytes::from_static(b"reply")));
        assert_eq!(next(&outbox), Next::End);
    }

    #[test]
    fn a_closed_queue_gives_what_it_has_and_takes_no_more() {
        let outbox = Outbox::new(3);
        outbox.send(Bytes::from_static(b"p"), Loss::Superseded);
        assert_eq!(outbox.close(), [&b"p"[..]]);
        outbox.send(Bytes::from_static(b"late"), Loss::Superseded);
        assert_eq!(next(&outbox), Next::End);
    }
}
