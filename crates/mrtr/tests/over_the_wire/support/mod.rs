//! Servers and peers for tests that run everywhere.

#[macro_use]
pub(crate) mod case;
pub(crate) mod clock;
pub(crate) mod offer;
pub(crate) mod peer;
pub(crate) mod process;
pub(crate) mod script;

pub(crate) use case::{Case, Kind, Via};
pub(crate) use clock::Clock;
pub(crate) use offer::{Offer, builder, keyring};
pub(crate) use peer::{Answer, Peer};

use serde_json::{Value, json};

/// An accepted form.
pub(crate) fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

/// The yes of a person to `Cx::confirm`.
pub(crate) fn yes() -> Value {
    accept(json!({"confirmed": true}))
}

/// Sets members of an object.
pub(crate) fn merge(into: &mut Value, members: Value) {
    let (Some(into), Value::Object(members)) = (into.as_object_mut(), members) else {
        panic!("objects are merged");
    };
    into.extend(members);
}
