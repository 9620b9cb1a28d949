//! Request ids, echoed exactly as they came.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::value::RawValue;

use super::raw;

/// The id of a request: a string or an integer of at most
/// [`MAX_BYTES`](Self::MAX_BYTES).
///
/// Equality and hashing look at the decoded value (`"a"` equals `"\u0061"`, `1` equals `1.0`, the
/// number `7` and the string `"7"` differ); writing it gives back the very text that was read, so
/// `18446744073709551616` and `"007"` come back unharmed.
///
/// Implements [`RequestId`](https://modelcontextprotocol.io/specification/2026-07-28/basic#requests).
/// Progress tokens follow the same rules, see [`ProgressToken`].
///
/// ```
/// use mrtr_core::wire::RequestId;
///
/// let id: RequestId = serde_json::from_str("18446744073709551616")?;
/// assert_eq!(serde_json::to_string(&id)?, "18446744073709551616");
/// assert_eq!(RequestId::from(7), serde_json::from_str("7")?);
/// assert_ne!(RequestId::from(7), RequestId::from("7"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub struct RequestId(Repr);

/// An opaque token that ties progress notifications to a request; a string or an integer.
///
/// Implements [progress](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress).
pub type ProgressToken = RequestId;

/// Why a JSON value cannot be a request id: it is neither a string nor an
/// integer, or too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidId;

#[derive(Clone)]
enum Repr {
    /// An integer whose text is what `i128` prints.
    Int(i128),
    /// A string that is written without escapes, or one made here.
    Text(Box<str>),
    /// Anything whose text differs from how this library would write it.
    Raw(Box<RawValue>, Value),
}

#[derive(Clone)]
enum Value {
    Int(i128),
    /// Canonical digits of an integer beyond `i128`.
    Big(Box<str>),
    Text(Box<str>),
}

#[derive(PartialEq, Eq, Hash)]
enum View<'a> {
    Int(i128),
    Big(&'a str),
    Text(&'a str),
}

impl RequestId {
    /// Longest JSON text of an id. A peer picks it, and it is written again
    /// into everything that belongs to the request.
    pub const MAX_BYTES: usize = 1024;

    /// Reads an id.
    ///
    /// # Errors
    /// When the value is neither a string nor an integer (`null`, `1.5`, `1e3`, `true`, an object),
    /// or longer than [`MAX_BYTES`](Self::MAX_BYTES).
    pub fn parse(value: &RawValue) -> Result<Self, InvalidId> {
        let text = value.get();
        if text.len() > Self::MAX_BYTES {
            return Err(InvalidId);
        }
        if let Some(decoded) = raw::string(value) {
            return Ok(Self(match decoded {
                Cow::Borrowed(text) => Repr::Text(text.into()),
                Cow::Owned(text) => Repr::Raw(value.to_owned(), Value::Text(text.into())),
            }));
        }
        let digits = integer_digits(text).ok_or(InvalidId)?;
        let canonical = digits.len() == text.len() && text != "-0";
        Ok(Self(match digits.parse::<i128>() {
            Ok(number) if canonical => Repr::Int(number),
            Ok(number) => Repr::Raw(value.to_owned(), Value::Int(number)),
            Err(_) => Repr::Raw(value.to_owned(), Value::Big(digits.into())),
        }))
    }

    /// The decoded string, when the id is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self.view() {
            View::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, when the id is an integer that fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.view() {
            View::Int(number) => number.try_into().ok(),
            _ => None,
        }
    }

    fn view(&self) -> View<'_> {
        match &self.0 {
            Repr::Int(number) | Repr::Raw(_, Value::Int(number)) => View::Int(*number),
            Repr::Raw(_, Value::Big(digits)) => View::Big(digits),
            Repr::Text(text) | Repr::Raw(_, Value::Text(text)) => View::Text(text),
        }
    }
}

/// The integer's digits without a zero fraction (`1.0` gives `1`); `None` when it has a real
/// fraction or an exponent, or is no number at all.
fn integer_digits(text: &str) -> Option<&str> {
    let digits = match text.split_once('.') {
        None => text,
        Some((whole, fraction)) if fraction.bytes().all(|b| b == b'0') => whole,
        Some(_) => return None,
    };
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    (!unsigned.is_empty() && unsigned.bytes().all(|b| b.is_ascii_digit())).then_some(digits)
}

/// Whether a value is what the protocol allows as a progress token or id.
pub(crate) fn is_string_or_integer(value: &RawValue) -> bool {
    value.get().len() <= RequestId::MAX_BYTES
        && (raw::string(value).is_some() || integer_digits(value.get()).is_some())
}

impl PartialEq for RequestId {
    fn eq(&self, other: &Self) -> bool {
        self.view() == other.view()
    }
}

impl Eq for RequestId {}

impl Hash for RequestId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.view().hash(state);
    }
}

impl From<i32> for RequestId {
    fn from(number: i32) -> Self {
        Self(Repr::Int(number.into()))
    }
}

impl From<i64> for RequestId {
    fn from(number: i64) -> Self {
        Self(Repr::Int(number.into()))
    }
}

impl From<u64> for RequestId {
    fn from(number: u64) -> Self {
        Self(Repr::Int(number.into()))
    }
}

impl From<&str> for RequestId {
    fn from(text: &str) -> Self {
        Self(Repr::Text(text.into()))
    }
}

impl From<String> for RequestId {
    fn from(text: String) -> Self {
        Self(Repr::Text(text.into()))
    }
}

/// The JSON text of the id, as it is written on the wire.
impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Int(number) => number.fmt(f),
            Repr::Text(text) => f.write_str(&serde_json::to_string(text).map_err(|_| fmt::Error)?),
            Repr::Raw(raw, _) => f.write_str(raw.get()),
        }
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestId({self})")
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Repr::Int(number) => serializer.serialize_i128(*number),
            Repr::Text(text) => serializer.serialize_str(text),
            Repr::Raw(raw, _) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::parse(&raw).map_err(D::Error::custom)
    }
}

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id must be a string or an integer of at most 1024 bytes")
    }
}

impl std::error::Error for InvalidId {}
