//! The `_meta` of a request.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_core::trace::TraceContext;
use mrtr_core::wire::RequestMeta;
use serde_json::value::RawValue;

fuzz_target!(|data: &[u8]| {
    let Ok(raw) = serde_json::from_slice::<&RawValue>(data) else {
        return;
    };
    match RequestMeta::parse(Some(raw)) {
        Ok(meta) => {
            let _ = meta.client_info();
            if let Some(trace) = meta.trace_context() {
                let parent = trace.parent().to_string();
                let again = TraceContext::parse(Some(&parent), trace.state(), trace.baggage());
                assert_eq!(again, Some(trace));
            }
        }
        Err(cause) => {
            serde_json::to_string(&cause.error()).expect("an error is written");
        }
    }
});
