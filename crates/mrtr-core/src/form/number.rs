//! Exact numbers as JSON writes them.

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::json::Decimal;

/// Longest number text accepted, in bytes.
pub(crate) const MAX_NUMBER_LEN: usize = 128;

/// A number of a form, kept exactly as it was written.
///
/// `9007199254740993` stays `9007199254740993`: nothing passes through a double on the way. Two numbers are
/// equal when their values are, so `1`, `1.0` and `10e-1` are the same number. `NaN` and the infinities
/// cannot be written in JSON and so do not exist here; a number too large for a double is refused as well,
/// because most peers could not read it.
///
/// ```
/// use mrtr_core::form::Number;
///
/// let seats = Number::parse("3.0").expect("a JSON number");
/// assert!(seats.is_integer());
/// assert_eq!(seats, Number::from(3));
/// assert_eq!(seats.as_i128(), Some(3));
/// ```
#[derive(Clone)]
pub struct Number(Box<str>);

impl Number {
    /// Reads a number written by the rules of JSON; at most 128 bytes long and finite as a double.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let finite = || text.parse::<f64>().is_ok_and(f64::is_finite);
        (text.len() <= MAX_NUMBER_LEN && Decimal::parse(text).is_ok() && finite())
            .then(|| Self(text.into()))
    }

    /// The number of a finite double; `None` for NaN and the infinities.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let size = value.abs();
        let text = if value == 0.0 {
            "0".to_owned()
        } else if (1e-7..1e16).contains(&size) {
            value.to_string()
        } else {
            format!("{value:e}")
        };
        Some(Self(text.into()))
    }

    /// The number as JSON text, exactly as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the value is a whole number, however it is written: `1.0` and `1e2` are.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.decimal().is_some_and(|number| number.is_integer())
    }

    /// The value as an integer; `None` when it is not whole or does not fit.
    #[must_use]
    pub fn as_i128(&self) -> Option<i128> {
        self.decimal()?.to_i128()
    }

    /// The nearest double. Always finite.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or_default()
    }

    /// Never `None`: the text was checked.
    fn decimal(&self) -> Option<Decimal<'_>> {
        Decimal::parse(&self.0).ok()
    }
}

macro_rules! from_integers {
    ($($t:ty)*) => {$(
        impl From<$t> for Number {
            fn from(value: $t) -> Self {
                Self(value.to_string().into())
            }
        }
    )*};
}
from_integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 usize);

/// A double that JSON cannot write: NaN or an infinity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotFinite;

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a finite number")
    }
}

impl std::error::Error for NotFinite {}

impl TryFrom<f64> for Number {
    type Error = NotFinite;

    fn try_from(value: f64) -> Result<Self, NotFinite> {
        Self::from_f64(value).ok_or(NotFinite)
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        self.decimal().cmp(&other.decimal())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serde_json::from_str::<&RawValue>(&self.0) {
            Ok(raw) => raw.serialize(serializer),
            Err(error) => Err(serde::ser::Error::custom(error)),
        }
    }
}
