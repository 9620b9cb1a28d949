//! Scripted servers for the client's tests.

#![allow(dead_code)]

pub(crate) mod child;
pub(crate) mod http;
pub(crate) mod peer;
pub(crate) mod travel;

use mrtr::client::{Answers, BoxError, FormQuestion};
use mrtr::wire::{ElicitResult, ListRootsResult};
use serde_json::{Value, json};

/// A tool result that is done.
pub(crate) fn done() -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": "done"}]})
}

/// A result that asks `question` under `q` with the state `S1`.
pub(crate) fn asks(question: Value) -> Value {
    json!({"resultType": "input_required", "inputRequests": {"q": question}, "requestState": "S1"})
}

/// A form with one optional boolean.
pub(crate) fn form() -> Value {
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": "Sure?",
        "requestedSchema": {"type": "object", "properties": {"yes": {"type": "boolean"}}}}})
}

pub(crate) fn roots() -> Value {
    json!({"method": "roots/list"})
}

/// Accepts every form with `{"yes":true}`.
pub(crate) fn says_yes() -> Answers {
    Answers::new().form(|question: FormQuestion| async move {
        Ok::<ElicitResult, BoxError>(question.accept(&json!({"yes": true}))?)
    })
}

pub(crate) fn version_error(id: u64, supported: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32022,
        "message": "Unsupported protocol version", "data": {"supported": supported}}})
}

/// Answers a question for roots with none.
pub(crate) fn no_roots() -> Answers {
    Answers::new().roots(|_| async {
        let result: ListRootsResult = serde_json::from_value(json!({"roots": []}))?;
        Ok::<_, BoxError>(result)
    })
}
