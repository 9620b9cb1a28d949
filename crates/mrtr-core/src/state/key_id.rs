//! The public name of a key.

use std::fmt;
use std::str::FromStr;

/// The public name of a key: the first eight characters after the prefix of
/// every text sealed with it.
///
/// It is computed from the secret, but the secret cannot be computed from it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyId(pub(super) [u8; 6]);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&base64_simd::URL_SAFE_NO_PAD.encode_to_string(self.0))
    }
}

/// The text that is shown.
impl FromStr for KeyId {
    type Err = NotAKeyId;

    fn from_str(text: &str) -> Result<Self, NotAKeyId> {
        let bytes = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text);
        let id = bytes.ok().and_then(|bytes| bytes.try_into().ok());
        id.map(Self).ok_or(NotAKeyId)
    }
}

/// A text that names no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAKeyId;

impl fmt::Display for NotAKeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key id has 8 characters, as `mrtr keys show` prints them")
    }
}

impl std::error::Error for NotAKeyId {}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_shown_and_nothing_else_is() {
        let id = KeyId([0xfb, 0xff, 0, 1, 2, 3]);
        assert_eq!(id.to_string(), "-_8AAQID");
        assert_eq!("-_8AAQID".parse(), Ok(id));
        for text in ["", "-_8AAQI", "-_8AAQIDA", "+/8AAQID", "-_8AAQID="] {
            assert_eq!(text.parse::<KeyId>(), Err(NotAKeyId), "{text}");
        }
    }
}
