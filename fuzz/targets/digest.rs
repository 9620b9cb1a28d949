//! The digest of a call's arguments.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_core::json::canonical::digest_arguments;
use serde_json::value::RawValue;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let digest = digest_arguments(text);
    // Arguments have been read as JSON before; anything else only must not panic.
    if serde_json::from_str::<&RawValue>(text).is_ok() && digest.is_ok() {
        assert_eq!(digest_arguments(&format!("\n\t {text} \r")), digest);
    }
});
