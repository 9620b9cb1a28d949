//! The requests of a connection that wait for an answer, and who gets what comes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mrtr_core::wire::{ProgressParams, RequestId, Response, ServerMessage, ServerNotification};
use tokio::sync::{mpsc, oneshot};

use crate::client::error::{Loss, Unreachable};
use crate::client::leg::{Fault, Reply};
use crate::client::listener::{End, Listener};
use crate::client::trace::Hooks;

#[derive(Default)]
pub(super) struct Table {
    slots: HashMap<u64, Slot>,
    closed: Option<String>,
}

struct Slot {
    /// Whether writing it began, so that the server may know of it.
    written: bool,
    waiter: Waiter,
}

/// Who waits for what comes of a request.
pub(super) enum Waiter {
    Answer {
        reply: oneshot::Sender<Result<Reply, Fault>>,
        progress: mpsc::Sender<ProgressParams>,
    },
    Changes(Arc<Listener>),
}

pub(super) fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Table {
    /// Why the connection is of no more use, once it is.
    pub(super) fn closed(&self) -> Option<&str> {
        self.closed.as_deref()
    }

    /// # Errors
    /// Why the connection is of no more use.
    pub(super) fn wait(&mut self, id: u64, waiter: Waiter) -> Result<(), String> {
        if let Some(reason) = &self.closed {
            return Err(reason.clone());
        }
        let slot = Slot {
            written: false,
            waiter,
        };
        self.slots.insert(id, slot);
        Ok(())
    }

    /// Whether a request still has to be written; from here on the server may know of it.
    pub(super) fn write(&mut self, id: u64) -> bool {
        let slot = self.slots.get_mut(&id);
        slot.is_some_and(|slot| {
            slot.written = true;
            true
        })
    }

    /// Nobody waits any more; whether the server has to be told.
    pub(super) fn give_up(&mut self, id: u64) -> bool {
        self.slots.remove(&id).is_some_and(|slot| slot.written)
    }

    pub(super) fn close(&mut self, reason: &str) {
        self.closed.get_or_insert_with(|| reason.to_owned());
        for (_, slot) in self.slots.drain() {
            match slot.waiter {
                Waiter::Answer { reply, .. } => {
                    let _ = reply.send(Err(match slot.written {
                        true => Fault::Lost(Loss::closed(reason)),
                        false => Fault::NotSent(Unreachable::new(reason)),
                    }));
                }
                Waiter::Changes(listener) => listener.end(End::Lost(Loss::closed(reason))),
            }
        }
    }

    fn respond(&mut self, response: Response<'_>) {
        let id = match &response.id {
            Some(id) => number(id),
            // An error whose request could not be read: it is clear whose it is when only one waits.
            None => {
                let mut written = self.slots.iter().filter(|(_, slot)| slot.written);
                let only = written.next().map(|(id, _)| *id);
                only.filter(|_| written.next().is_none())
            }
        };
        match id
            .and_then(|id| self.slots.remove(&id))
            .map(|slot| slot.waiter)
        {
            Some(Waiter::Answer { reply, .. }) => {
                let outcome = response.outcome.map(ToOwned::to_owned);
                let _ = reply.send(Ok(outcome));
            }
            Some(Waiter::Changes(listener)) => listener.response(response.outcome.map(drop)),
            None => tracing::debug!("an answer came to no open request and was ignored"),
        }
    }

    fn progress(&self, params: ProgressParams) {
        let slot = number(&params.progress_token).and_then(|id| self.slots.get(&id));
        if let Some(Waiter::Answer { progress, .. }) = slot.map(|slot| &slot.waiter) {
            let _ = progress.try_send(params);
        }
    }

    fn listener(&self, id: &RequestId) -> Option<&Arc<Listener>> {
        match &self.slots.get(&number(id)?)?.waiter {
            Waiter::Changes(listener) => Some(listener),
            Waiter::Answer { .. } => None,
        }
    }

    /// The server ended a subscription.
    fn cancelled(&mut self, id: &RequestId) {
        if let Some(listener) = self.listener(id).cloned() {
            self.slots.remove(&listener.id());
            listener.end(End::Closed);
        }
    }
}

pub(super) fn dispatch(line: &[u8], table: &Mutex<Table>, hooks: &Hooks) {
    match ServerMessage::parse(line) {
        Ok(ServerMessage::Response(response)) => lock(table).respond(response),
        Ok(ServerMessage::Notification { method, params }) => {
            match ServerNotification::decode(&method, params) {
                Ok(Some(notification)) => tell(notification, table, hooks),
                Ok(None) => tracing::debug!(?method, "an unknown notification was ignored"),
                Err(error) if hooks.mistakes.are_worth_a_warning() => {
                    tracing::warn!(?method, error, "a malformed notification was ignored");
                }
                Err(_) => {}
            }
        }
        Ok(ServerMessage::Request { method, .. }) if hooks.mistakes.are_worth_a_warning() => {
            tracing::warn!(
                ?method,
                "the server sent a request, which this revision forbids"
            );
        }
        Ok(_) => {}
        Err(error) if hooks.mistakes.are_worth_a_warning() => {
            tracing::warn!(error = ?error.to_string(), "the server wrote a line that is not a message");
        }
        Err(_) => {}
    }
}

fn tell(notification: ServerNotification, table: &Mutex<Table>, hooks: &Hooks) {
    match (notification.subscription_id(), notification) {
        (_, ServerNotification::Progress(params)) => lock(table).progress(params),
        (_, ServerNotification::Cancelled(params)) => lock(table).cancelled(&params.request_id),
        (Some(id), notification) => {
            hooks.changed(&notification);
            match lock(table).listener(&id) {
                Some(listener) => listener.notification(notification),
                None => tracing::debug!(?id, "a notification of no open subscription was ignored"),
            }
        }
        (None, notification) => hooks.notification(notification),
    }
}

fn number(id: &RequestId) -> Option<u64> {
    u64::try_from(id.as_i64()?).ok()
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, SeekFrom};

    use super::*;

    #[test]
    fn what_a_server_sends_stays_on_its_line_of_the_log() {
        let mut log = tempfile::tempfile().unwrap();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(Mutex::new(log.try_clone().unwrap()))
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            let (table, hooks) = (Mutex::default(), Hooks::default());
            for line in [
                r#"{"jsonrpc":"2.0","id":1,"method":"\u001b[2J\nforged"}"#,
                r#"{"jsonrpc":"2.0","method":"\u001b[2J\nforged"}"#,
                "\u{1b}[2J",
            ] {
                dispatch(line.as_bytes(), &table, &hooks);
            }
        });
        log.seek(SeekFrom::Start(0)).unwrap();
        let text = std::io::read_to_string(log).unwrap();
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
