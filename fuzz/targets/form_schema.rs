//! A form that reaches a client.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_core::form::FormSchema;
use serde_json::value::RawValue;

fuzz_target!(|data: &[u8]| {
    let Ok(raw) = serde_json::from_slice::<&RawValue>(data) else {
        return;
    };
    let Ok(form) = FormSchema::parse(raw) else {
        return;
    };
    assert_eq!(form.raw(), raw.get());
    for field in form.fields() {
        assert!(form.field(&field.name).is_some());
        let _ = field.secret_hint();
    }
    let _ = form.validate(None);
    let defaults = serde_json::value::to_raw_value(&form.defaults()).expect("content is written");
    let _ = form.validate(Some(&defaults));
});
