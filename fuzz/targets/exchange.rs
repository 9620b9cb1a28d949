//! A server's results, one a line, against a client that answers what it can.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_core::Timestamp;
use mrtr_core::exchange::{Exchange, ExchangeLimits, Next, Phase};
use mrtr_core::wire::{InputKind, InputResponse};
use serde_json::Value;
use serde_json::value::RawValue;

fuzz_target!(|data: &[u8]| {
    let now = Timestamp::from_secs(1_785_000_000);
    let params = RawValue::from_string(r#"{"name":"t"}"#.to_owned()).expect("JSON");
    let mut call =
        Exchange::new("tools/call", params, ExchangeLimits::default()).expect("an object");
    call.request(now).expect("a first leg");
    for line in data.split(|byte| *byte == b'\n') {
        let Ok(result) = serde_json::from_slice::<&RawValue>(line) else {
            return;
        };
        match call.receive(result, now) {
            Ok(Next::Wait { .. }) => {}
            Ok(Next::Ask(questions)) => {
                let answers = questions.iter().map(|(key, question)| {
                    let text = match question.kind() {
                        InputKind::ElicitForm | InputKind::ElicitUrl => r#"{"action":"decline"}"#,
                        InputKind::Sample => {
                            r#"{"role":"assistant","model":"m","content":{"type":"text","text":"x"}}"#
                        }
                        _ => r#"{"roots":[]}"#,
                    };
                    let text: &RawValue = serde_json::from_str(text).expect("JSON");
                    let answer = InputResponse::decode(question.kind(), text).expect("an answer");
                    (key.to_owned(), answer)
                });
                call.answer(answers.collect(), now)
                    .expect("good answers to all questions");
            }
            Ok(_) | Err(_) => {
                assert_eq!(call.phase(), Phase::Ended);
                return;
            }
        }
        let leg = call.request(now).expect("the next leg");
        serde_json::from_str::<&RawValue>(&leg).expect("a leg is JSON");
        // A value tree is narrower than the texts that pass through (lone surrogates, 1e999).
        let (Ok(leg), Ok(said)) = (
            serde_json::from_str::<Value>(&leg),
            serde_json::from_slice::<Value>(line),
        ) else {
            continue;
        };
        let state = said.get("requestState").filter(|state| !state.is_null());
        assert_eq!(leg.get("requestState"), state);
        let asked = said
            .get("inputRequests")
            .and_then(Value::as_object)
            .map_or(0, |map| map.len());
        let answered = leg
            .get("inputResponses")
            .and_then(Value::as_object)
            .map_or(0, |map| map.len());
        assert_eq!(answered, asked);
    }
});
