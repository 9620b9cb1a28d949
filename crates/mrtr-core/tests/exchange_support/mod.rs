//! A server in three lines: what the tests of the client side share.

#![allow(dead_code)]

use std::time::Duration;

use mrtr_core::Timestamp;
use mrtr_core::exchange::{Exchange, ExchangeError, ExchangeLimits, Next};
use mrtr_core::wire::{InputRequests, InputResponse};
use serde_json::value::RawValue;

pub(crate) const PARAMS: &str = r#"{"name":"t","arguments":{"n" : 1.0, "u":"\u00e9"}}"#;
pub(crate) const DONE: &str = r#"{"resultType":"complete","content":[]}"#;

pub(crate) fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("JSON")
}

pub(crate) fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(1_785_000_000_000) + Duration::from_millis(millis)
}

pub(crate) fn call() -> Exchange {
    call_with(ExchangeLimits::default())
}

pub(crate) fn call_with(limits: ExchangeLimits) -> Exchange {
    Exchange::new("tools/call", raw(PARAMS), limits).expect("an object")
}

/// Sends the leg that is due and lets the server say `result`.
pub(crate) fn reply(call: &mut Exchange, result: &str) -> Result<Next, ExchangeError> {
    call.request(at(0))?;
    call.receive(&raw(result), at(0))
}

pub(crate) fn asked(next: Next) -> InputRequests {
    match next {
        Next::Ask(questions) => questions,
        other => panic!("not asked: {other:?}"),
    }
}

/// The answer to the open question `key`.
pub(crate) fn answer(call: &Exchange, key: &str, text: &str) -> (String, InputResponse) {
    let questions = call.questions().expect("open questions");
    let kind = questions.get(key).expect("the key").kind();
    let answer = InputResponse::decode(kind, &raw(text)).expect("an answer");
    (key.to_owned(), answer)
}

/// Gives one answer and returns the next leg.
pub(crate) fn answered(call: &mut Exchange, key: &str, text: &str) -> String {
    let answer = answer(call, key, text);
    call.answer(vec![answer], at(0)).expect("a good answer");
    call.request(at(0)).expect("a leg")
}

pub(crate) fn form(key: &str, state: Option<&str>) -> String {
    let state = state.map_or(String::new(), |state| format!(r#","requestState":{state}"#));
    format!(
        r#"{{"resultType":"input_required","inputRequests":{{"{key}":{{"method":"elicitation/create","params":{{"message":"?","requestedSchema":{{"type":"object","properties":{{"n":{{"type":"integer","minimum":1,"maximum":3}}}},"required":["n"]}}}}}}}}{state}}}"#
    )
}

pub(crate) fn roots(key: &str, state: Option<&str>) -> String {
    let state = state.map_or(String::new(), |state| format!(r#","requestState":{state}"#));
    format!(
        r#"{{"resultType":"input_required","inputRequests":{{"{key}":{{"method":"roots/list"}}}}{state}}}"#
    )
}

pub(crate) fn wait(state: &str) -> String {
    format!(r#"{{"resultType":"input_required","requestState":{state}}}"#)
}

pub(crate) const ROOTS: &str = r#"{"roots":[]}"#;
