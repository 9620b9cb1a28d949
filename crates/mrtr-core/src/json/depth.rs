//! A bound on nesting, checked before anything decodes the text.

use std::fmt;

/// Deepest nesting accepted where nothing else is said.
pub const MAX_DEPTH: usize = 64;

/// Checks that arrays and objects in `text` nest at most `max` deep.
///
/// `{}` is 1 deep, `7` is 0 deep. One pass over the bytes, no allocation, no
/// recursion. The text need not be valid JSON: this bounds what a decoder will
/// recurse into, and leaves every other mistake for the decoder to find.
///
/// ```
/// use mrtr_core::json::depth;
///
/// assert!(depth::check(br#"{"a":[1,"[[["]}"#, 2).is_ok());
/// assert!(depth::check(br#"{"a":[[1]]}"#, 2).is_err());
/// ```
///
/// # Errors
/// [`TooDeep`] at the first bracket beyond the bound.
pub fn check(text: &[u8], max: usize) -> Result<(), TooDeep> {
    // Nearly all messages have fewer brackets than they may nest, and counting is quick.
    if opening_brackets(text) <= max {
        return Ok(());
    }
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => at = skip_string(text, at),
            b'{' | b'[' => {
                depth += 1;
                if depth > max {
                    return Err(TooDeep { max });
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

/// How many there are, in strings too.
fn opening_brackets(text: &[u8]) -> usize {
    // `[` and `{` differ in one bit. Short sums of bytes are what the compiler makes vectors of.
    let in_short = |part: &[u8]| {
        let opening = part.iter().map(|byte| u8::from(byte | 0x20 == b'{'));
        usize::from(opening.fold(0u8, u8::wrapping_add))
    };
    text.chunks(255).map(in_short).sum()
}

/// The position after the quote that ends the string whose content starts at
/// `at`, or the end of the text.
fn skip_string(text: &[u8], mut at: usize) -> usize {
    while let Some(rest) = text.get(at..) {
        match memchr::memchr2(b'"', b'\\', rest) {
            Some(found) if rest[found] == b'"' => return at + found + 1,
            Some(found) => at += found + 2,
            None => break,
        }
    }
    text.len()
}

/// Arrays and objects nest deeper than allowed: the peer's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooDeep {
    /// The bound.
    pub max: usize,
}

impl fmt::Display for TooDeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "arrays and objects nest more than {} deep", self.max)
    }
}

impl std::error::Error for TooDeep {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bound_itself_is_allowed_and_one_more_is_not() {
        let nested = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert_eq!(check(nested(64).as_bytes(), MAX_DEPTH), Ok(()));
        assert_eq!(
            check(nested(65).as_bytes(), MAX_DEPTH),
            Err(TooDeep { max: 64 })
        );
        assert_eq!(check(b"7", 0), Ok(()));
        assert_eq!(check(b"{}", 0), Err(TooDeep { max: 0 }));
    }

    #[test]
    fn siblings_do_not_add_up() {
        assert_eq!(check(b"[{},{},[[]],{}]", 3), Ok(()));
        assert_eq!(check("[]".repeat(1000).as_bytes(), 1), Ok(()));
    }

    #[test]
    fn any_number_of_brackets_is_counted() {
        for deep in [65, 255, 256, 257, 512, 70_000] {
            let text = "{[".repeat(deep);
            assert!(check(text.as_bytes(), MAX_DEPTH).is_err(), "{deep}");
            assert_eq!(opening_brackets(text.as_bytes()), 2 * deep);
        }
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        assert_eq!(check(br#"{"[[\"[[\\":"[[{{\\"}"#, 1), Ok(()));
        assert!(check(br#"["\\",[1]]"#, 1).is_err(), "the string ended");
    }

    #[test]
    fn closing_too_often_does_not_buy_depth() {
        assert!(check(b"]]]][[", 1).is_err());
    }

    fn depth_of(value: &serde_json::Value) -> usize {
        match value {
            serde_json::Value::Array(items) => 1 + items.iter().map(depth_of).max().unwrap_or(0),
            serde_json::Value::Object(members) => {
                1 + members.values().map(depth_of).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    fn value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<String>().prop_map(Into::into),
            r#"[\[\]{}"\\]{0,6}"#.prop_map(Into::into),
        ];
        leaf.prop_recursive(6, 40, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                proptest::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn it_counts_what_a_decoder_would(value in value()) {
            let (text, depth) = (value.to_string(), depth_of(&value));
            prop_assert!(check(text.as_bytes(), depth).is_ok());
            if depth > 0 {
                prop_assert!(check(text.as_bytes(), depth - 1).is_err());
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>, max in 0usize..4) {
            let _ = check(&bytes, max);
        }
    }
}
