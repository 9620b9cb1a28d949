//! JSON on one line.

use bytes::{Bytes, BytesMut};

/// The same JSON without line breaks.
///
/// JSON passed through as its author wrote it may be spread over lines. Inside strings a line
/// break is always escaped, so every raw one is insignificant white space.
pub(crate) fn one_line(json: Bytes) -> Bytes {
    if !json.iter().any(is_break) {
        return json;
    }
    let mut json = BytesMut::from(json);
    for byte in json.iter_mut().filter(|byte| is_break(byte)) {
        *byte = b' ';
    }
    json.freeze()
}

fn is_break(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_become_spaces_and_nothing_else_changes() {
        let spread = Bytes::from_static(b"{\r\n  \"a\\n\": \"\\r\xe2\x80\xa8\"\n}");
        assert_eq!(one_line(spread), "{    \"a\\n\": \"\\r\u{2028}\" }");
    }

    #[test]
    fn text_on_one_line_is_not_copied() {
        let line = Bytes::from(b"{\"a\":1}".to_vec());
        assert_eq!(one_line(line.clone()).as_ptr(), line.as_ptr());
    }
}
