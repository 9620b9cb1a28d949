//! The requests that are being answered.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use mrtr_core::wire::RequestId;
use tokio::sync::{Notify, mpsc};

use crate::server::{Closing, Delivery, Loss, Notifier, Sink, Stream};

/// Every request whose response has not been written.
#[derive(Default)]
pub(super) struct Flights(Mutex<HashMap<RequestId, Arc<Flight>>>);

/// One request.
pub(super) struct Flight {
    id: RequestId,
    phase: Mutex<Phase>,
    cancelled: Notify,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    Cancelled,
    Answered,
}

/// A line on its way to the client.
pub(super) struct Outgoing {
    line: Bytes,
    kind: Kind,
}

enum Kind {
    /// Belongs to no request in flight.
    Stray,
    Notification(Arc<Flight>),
    Response(Arc<Flight>),
}

impl Flights {
    /// Takes a request in; `None` when one with the same id is in flight.
    pub(super) fn begin(&self, id: &RequestId) -> Option<Arc<Flight>> {
        match self.lock().entry(id.clone()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(vacant) => Some(
                vacant
                    .insert(Arc::new(Flight {
                        id: id.clone(),
                        phase: Mutex::new(Phase::Running),
                        cancelled: Notify::new(),
                    }))
                    .clone(),
            ),
        }
    }

    /// Stops a request; an id that is not in flight is nothing to worry about.
    pub(super) fn cancel(&self, id: &RequestId) {
        if let Some(flight) = self.lock().remove(id) {
            *flight.phase() = Phase::Cancelled;
            flight.cancelled.notify_one();
        }
    }

    /// The line, if it may still be written. To be called right before it is: from then on the id
    /// of a response is free again.
    pub(super) fn release(&self, outgoing: Outgoing) -> Option<Bytes> {
        match &outgoing.kind {
            Kind::Stray => {}
            Kind::Notification(flight) => {
                if *flight.phase() != Phase::Running {
                    return None;
                }
            }
            Kind::Response(flight) => {
                let mut flights = self.lock();
                let mut phase = flight.phase();
                if *phase != Phase::Running {
                    return None;
                }
                *phase = Phase::Answered;
                flights.remove(&flight.id);
            }
        }
        Some(outgoing.line)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Arc<Flight>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flight {
    /// Resolves once the client has cancelled the request.
    pub(super) async fn cancelled(&self) {
        self.cancelled.notified().await;
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outgoing {
    pub(super) const fn stray(line: Bytes) -> Self {
        Self {
            line,
            kind: Kind::Stray,
        }
    }

    pub(super) const fn response(line: Bytes, flight: Arc<Flight>) -> Self {
        Self {
            line,
            kind: Kind::Response(flight),
        }
    }
}

/// Where the notifications of one request go.
#[derive(Clone)]
pub(super) struct LineSink {
    pub(super) flight: Arc<Flight>,
    /// Weak, so that a handler which keeps its sink for ever does not keep the server running.
    pub(super) outgoing: mpsc::WeakSender<Outgoing>,
    pub(super) closing: Closing,
}

impl LineSink {
    fn line(&self, notification: Bytes) -> Outgoing {
        Outgoing {
            line: notification,
            kind: Kind::Notification(self.flight.clone()),
        }
    }
}

impl Notifier for LineSink {
    fn sink(&self) -> Arc<dyn Sink> {
        Arc::new(self.clone())
    }

    fn stream(&self) -> Option<Stream> {
        Some(Stream {
            sink: self.sink(),
            closing: self.closing.clone(),
            shared: true,
        })
    }
}

impl Sink for LineSink {
    fn send(&self, notification: Bytes, _: Loss) {
        if let Some(outgoing) = self.outgoing.upgrade() {
            // A client that does not read loses notifications; nobody waits for it.
            let _ = outgoing.try_send(self.line(notification));
        }
    }

    fn deliver(&self, notification: Bytes) -> Delivery<'_> {
        Box::pin(async {
            if let Some(outgoing) = self.outgoing.upgrade() {
                // Fails when the writer has failed, which ends everything.
                let _ = outgoing.send(self.line(notification)).await;
            }
        })
    }
}
