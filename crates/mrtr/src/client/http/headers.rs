//! The request metadata that Streamable HTTP mirrors into headers.

use std::borrow::Cow;

use http::{HeaderName, HeaderValue};

/// `MCP-Protocol-Version`.
pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// `Mcp-Method`.
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// `Mcp-Name`.
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// A header value that carries `text`: as it is when that is safe, otherwise in the Base64 sentinel
/// form. An empty text takes the sentinel form too, since intermediaries may drop empty headers.
///
/// Implements [value encoding](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding).
pub(crate) fn value(text: &str) -> HeaderValue {
    let encoded = encode(text);
    HeaderValue::from_str(&encoded).unwrap_or_else(|_| HeaderValue::from_static("=?base64??="))
}

fn encode(text: &str) -> Cow<'_, str> {
    let visible = |b: &u8| matches!(b, 0x21..=0x7E);
    let bytes = text.as_bytes();
    let framed = bytes.first().is_some_and(visible) && bytes.last().is_some_and(visible);
    let plain = bytes
        .iter()
        .all(|b| visible(b) || matches!(b, b' ' | b'\t'));
    let sentinel = text.starts_with("=?base64?") && text.ends_with("?=");
    if framed && plain && !sentinel {
        return Cow::Borrowed(text);
    }
    let text = base64_simd::STANDARD.encode_to_string(bytes);
    Cow::Owned(format!("=?base64?{text}?="))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_are_encoded_as_the_table_of_the_page_says() {
        for (text, header) in [
            ("us-west1", "us-west1"),
            ("file:///a b/c?d=1", "file:///a b/c?d=1"),
            ("a\tb", "a\tb"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("=?BASE64?literal?=", "=?BASE64?literal?="),
            ("", "=?base64??="),
        ] {
            assert_eq!(value(text).to_str().unwrap(), header, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_text_survives(text in any::<String>()) {
            let header = value(&text);
            let header = header.to_str().unwrap();
            let inner = header.strip_prefix("=?base64?").and_then(|h| h.strip_suffix("?="));
            let read = match inner {
                Some(inner) => {
                    String::from_utf8(base64_simd::STANDARD.decode_to_vec(inner).unwrap()).unwrap()
                }
                None => header.to_owned(),
            };
            prop_assert_eq!(read, text);
        }
    }
}
