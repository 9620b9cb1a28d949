//! How text stands in a header value: as it is, or in the Base64 sentinel form.

use std::borrow::Cow;
use std::fmt;

use base64_simd::STANDARD;
use http::HeaderValue;

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// A header value that cannot be what a client wrote: the peer's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvalidValue {
    /// Bytes other than visible ASCII, space and tab.
    Characters,
    /// Between the markers is no Base64 with padding.
    Base64,
    /// The Base64 holds something other than UTF-8.
    Utf8,
}

impl fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Characters => "contains characters that are not allowed in a header",
            Self::Base64 => "is marked as Base64 but does not decode",
            Self::Utf8 => "is marked as Base64 but does not hold UTF-8",
        })
    }
}

/// The text a header value stands for.
///
/// Implements [value encoding](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding).
pub(crate) fn decode(value: &HeaderValue) -> Result<Cow<'_, str>, InvalidValue> {
    // `to_str` is true for exactly the bytes the specification allows.
    let text = value.to_str().map_err(|_| InvalidValue::Characters)?;
    let Some(encoded) = sentinel(text) else {
        return Ok(text.into());
    };
    let bytes = STANDARD
        .decode_to_vec(encoded)
        .map_err(|_| InvalidValue::Base64)?;
    String::from_utf8(bytes)
        .map(Cow::Owned)
        .map_err(|_| InvalidValue::Utf8)
}

/// A header value that carries `text`: as it is when that is safe, otherwise in the Base64 sentinel
/// form. An empty text takes the sentinel form too, since intermediaries may drop empty headers.
///
/// Implements [value encoding](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding).
#[cfg(feature = "client")]
pub(crate) fn encode(text: &str) -> HeaderValue {
    let visible = |b: &u8| matches!(b, 0x21..=0x7E);
    let bytes = text.as_bytes();
    let framed = bytes.first().is_some_and(visible) && bytes.last().is_some_and(visible);
    let plain = bytes
        .iter()
        .all(|b| visible(b) || matches!(b, b' ' | b'\t'));
    if framed
        && plain
        && sentinel(text).is_none()
        && let Ok(value) = HeaderValue::from_str(text)
    {
        return value;
    }
    let encoded = format!("{PREFIX}{}{SUFFIX}", STANDARD.encode_to_string(bytes));
    HeaderValue::from_str(&encoded).unwrap_or_else(|_| HeaderValue::from_static("=?base64??="))
}

/// What stands between the markers; `None` when the value is plain.
fn sentinel(text: &str) -> Option<&str> {
    text.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_examples_of_the_page_decode_to_their_originals() {
        for (text, header) in [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ] {
            assert_eq!(decode(&HeaderValue::from_static(header)).unwrap(), text);
        }
    }

    #[cfg(feature = "client")]
    #[test]
    fn only_what_is_safe_in_a_header_stands_there_as_it_is() {
        for (text, header) in [
            ("us-west1", "us-west1"),
            ("file:///a b/c?d=1", "file:///a b/c?d=1"),
            ("a\tb", "a\tb"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("=?BASE64?literal?=", "=?BASE64?literal?="),
            ("=?base64?=", "=?base64?="),
            ("", "=?base64??="),
        ] {
            assert_eq!(encode(text).to_str().unwrap(), header, "{text:?}");
        }
    }

    #[test]
    fn a_value_without_both_markers_is_literal() {
        for literal in [
            "SGVsbG8=",
            "=?base64?SGVsbG8=",
            "SGVsbG8=?=",
            "=?BASE64?SGVsbG8=?=",
            "=?base64?=",
            "",
        ] {
            assert_eq!(decode(&HeaderValue::from_static(literal)).unwrap(), literal);
        }
    }

    #[test]
    fn base64_without_padding_or_with_foreign_characters_is_invalid() {
        for (value, why) in [
            ("=?base64?SGVsbG8?=", InvalidValue::Base64),
            ("=?base64?SGVs!!!bG8=?=", InvalidValue::Base64),
            ("=?base64?SGVsbG9=?=", InvalidValue::Base64),
            ("=?base64?SGVs bG8=?=", InvalidValue::Base64),
            ("=?base64?_-8=?=", InvalidValue::Base64),
            ("=?base64?/w==?=", InvalidValue::Utf8),
        ] {
            assert_eq!(
                decode(&HeaderValue::from_static(value)),
                Err(why),
                "{value}"
            );
        }
        let raw = HeaderValue::from_bytes("caf\u{e9}".as_bytes()).unwrap();
        assert_eq!(decode(&raw), Err(InvalidValue::Characters));
    }

    proptest! {
        #[cfg(feature = "client")]
        #[test]
        fn every_text_survives(text in any::<String>()) {
            let value = encode(&text);
            prop_assert_eq!(decode(&value).unwrap(), text);
        }

        #[test]
        fn any_text_in_base64_decodes_to_itself(text in any::<String>()) {
            let encoded = format!("{PREFIX}{}{SUFFIX}", STANDARD.encode_to_string(&text));
            let value = HeaderValue::from_str(&encoded).unwrap();
            prop_assert_eq!(decode(&value).unwrap(), text);
        }

        #[test]
        fn any_header_value_decodes_or_is_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(value) = HeaderValue::from_bytes(&bytes) {
                let _ = decode(&value);
            }
        }
    }
}
