//! A result that reaches a client.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_core::wire::{AnyResult, Strictness};
use serde_json::value::RawValue;

fuzz_target!(|data: &[u8]| {
    let Ok(raw) = serde_json::from_slice::<&RawValue>(data) else {
        return;
    };
    let strict = AnyResult::parse(raw, Strictness::Strict);
    match AnyResult::parse(raw, Strictness::Lenient) {
        Ok(AnyResult::InputRequired(result)) => {
            let text = serde_json::to_string(&result).expect("a result is written");
            let raw: &RawValue = serde_json::from_str(&text).expect("as JSON");
            let Ok(AnyResult::InputRequired(again)) = AnyResult::parse(raw, Strictness::Strict)
            else {
                panic!("not read again: {text}");
            };
            assert_eq!(again.request_state, result.request_state);
            assert_eq!(again.input_requests, result.input_requests);
        }
        Ok(AnyResult::Complete(result)) => assert_eq!(result.get(), raw.get()),
        Ok(_) => {}
        Err(_) => assert!(strict.is_err(), "strict reading accepts more"),
    }
});
