//! Looking at raw JSON values without building a tree.

use std::borrow::Cow;

use serde_json::value::RawValue;

/// The JSON type of a value, read from its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonType {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

pub(crate) fn json_type(raw: &RawValue) -> JsonType {
    match raw.get().as_bytes().first() {
        Some(b'{') => JsonType::Object,
        Some(b'[') => JsonType::Array,
        Some(b'"') => JsonType::String,
        Some(b't' | b'f') => JsonType::Boolean,
        Some(b'n') => JsonType::Null,
        _ => JsonType::Number,
    }
}

pub(crate) fn is_object(raw: &RawValue) -> bool {
    json_type(raw) == JsonType::Object
}

pub(crate) fn is_null(raw: &RawValue) -> bool {
    json_type(raw) == JsonType::Null
}

/// `None` for an explicit `null`.
pub(crate) fn non_null(raw: Option<&RawValue>) -> Option<&RawValue> {
    raw.filter(|raw| !is_null(raw))
}

/// The text of a JSON string, borrowed unless it has escapes; `None` for any other type and for
/// escapes that are not Unicode (a lone surrogate).
pub(crate) fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(raw.get()).ok().map(Cow::Owned)
}

/// At most 64 characters of a peer's text, for error messages.
pub(crate) fn excerpt(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(64) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
    }
}

/// What a decoding error says, without its position: that counts from the start of whatever part
/// of a message was decoded, which nobody but this library knows. Cut to 300 bytes, since some
/// errors quote the peer's text in full.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let mut text = error.to_string();
    if let Some(end) = text.rfind(" at line ") {
        text.truncate(end);
    }
    if text.len() > 300 {
        let end = (0..=297)
            .rev()
            .find(|end| text.is_char_boundary(*end))
            .unwrap_or(0);
        text.truncate(end);
        text.push_str("...");
    }
    text
}
