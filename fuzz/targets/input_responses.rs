//! A client's answers, read as every kind.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_core::wire::{InputKind, InputResponse, InputResponses};
use serde_json::value::RawValue;

fuzz_target!(|data: &[u8]| {
    let Ok(raw) = serde_json::from_slice::<&RawValue>(data) else {
        return;
    };
    let Ok(answers) = InputResponses::parse(Some(raw)) else {
        return;
    };
    for (key, answer) in answers.iter() {
        assert!(answers.get(key).is_some());
        for kind in [
            InputKind::ElicitForm,
            InputKind::ElicitUrl,
            InputKind::Sample,
            InputKind::Roots,
        ] {
            if let Ok(answer) = InputResponse::decode(kind, answer) {
                let text = serde_json::to_string(&answer).expect("an answer is written");
                let raw: &RawValue = serde_json::from_str(&text).expect("as JSON");
                let again = InputResponse::decode(kind, raw).expect("and read again");
                assert_eq!(again, answer);
            }
        }
    }
});
