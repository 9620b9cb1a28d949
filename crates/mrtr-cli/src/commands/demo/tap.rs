//! What went over the wire.

use std::sync::{Arc, Mutex, PoisonError};

use http::HeaderMap;
use mrtr::client::{Direction, Traced};
use serde_json::Value;

/// Records the messages of a client.
#[derive(Clone, Default)]
pub(super) struct Tap(Arc<Mutex<Vec<Leg>>>);

/// One request and its reply.
#[derive(Clone, Default)]
pub(super) struct Leg {
    pub(super) headers: HeaderMap,
    pub(super) request: String,
    pub(super) status: u16,
    pub(super) reply: String,
}

impl Tap {
    pub(super) fn hook(&self) -> impl Fn(Traced<'_>) + Send + Sync + 'static {
        let tap = self.clone();
        move |traced| tap.add(&traced)
    }

    fn add(&self, traced: &Traced<'_>) {
        let mut legs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (traced.direction, legs.last_mut()) {
            (Direction::Sent, _) => legs.push(Leg {
                headers: traced.headers.cloned().unwrap_or_default(),
                request: traced.text.to_owned(),
                ..Leg::default()
            }),
            (Direction::Received, Some(leg)) => {
                leg.status = traced.status.unwrap_or_default();
                leg.reply = traced.text.to_owned();
            }
            (Direction::Received, None) => {}
        }
    }

    /// The last request, with its reply.
    pub(super) fn last(&self) -> Leg {
        let legs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        legs.last().cloned().unwrap_or_default()
    }
}

impl Leg {
    /// A member of the request's `params`.
    pub(super) fn param(&self, name: &str) -> Option<Value> {
        member(&self.request, "params", name)
    }

    /// A member of the reply's `result`.
    pub(super) fn result(&self, name: &str) -> Option<Value> {
        member(&self.reply, "result", name)
    }
}

fn member(message: &str, part: &str, name: &str) -> Option<Value> {
    let mut message: Value = serde_json::from_str(message).ok()?;
    Some(message.get_mut(part)?.get_mut(name)?.take())
}
