//! Writes JSON text.

use std::fmt::Write as _;

use serde_json::value::RawValue;

pub(crate) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Writing to a string cannot fail.
            c if c < ' ' => _ = write!(out, "\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
}

pub(crate) fn write_array<'a>(out: &mut String, values: impl IntoIterator<Item = &'a str>) {
    out.push('[');
    for (i, value) in values.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_string(out, value);
    }
    out.push(']');
}

/// Wraps text that this module wrote.
pub(crate) fn raw(json: String) -> Box<RawValue> {
    RawValue::from_string(json).expect("the writer above writes JSON")
}
