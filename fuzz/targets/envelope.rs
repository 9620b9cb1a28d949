//! A message that reaches a server.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_core::json::depth;
use mrtr_core::wire::{Incoming, InputResponses, RequestId};

fuzz_target!(|data: &[u8]| {
    if depth::check(data, depth::MAX_DEPTH).is_err() {
        return;
    }
    match Incoming::parse(data) {
        Ok(Incoming::Request(request)) => {
            let echo = serde_json::to_string(&request.id).expect("an id is written");
            let read: RequestId = serde_json::from_str(&echo).expect("an echoed id is read");
            assert_eq!(read, request.id);
            let _ = request.params.request_meta();
            let _ = InputResponses::parse(request.params.input_responses);
        }
        Ok(_) => {}
        Err(malformed) => {
            serde_json::to_string(&malformed.error()).expect("an error is written");
        }
    }
});
