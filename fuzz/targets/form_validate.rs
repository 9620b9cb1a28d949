//! A form, a line break, and the content that someone filled in.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_core::form::FormSchema;
use serde_json::value::RawValue;

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(2, |byte| *byte == b'\n');
    let (Some(schema), Some(content)) = (parts.next(), parts.next()) else {
        return;
    };
    let Ok(schema) = serde_json::from_slice::<&RawValue>(schema) else {
        return;
    };
    let (Ok(form), Ok(content)) = (
        FormSchema::parse(schema),
        serde_json::from_slice::<&RawValue>(content),
    ) else {
        return;
    };
    match form.validate(Some(content)) {
        Ok(valid) => {
            let again = serde_json::value::to_raw_value(&valid).expect("content is written");
            form.validate(Some(&again))
                .expect("valid content stays valid");
        }
        Err(problems) => {
            assert!(!problems.is_empty());
            assert!(problems.to_string().len() < 64 * 1024);
        }
    }
});
