//! Exact numbers as JSON writes them.

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

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
        (text.len() <= MAX_NUMBER_LEN && is_json_number(text.as_bytes()) && finite())
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
        let number = Decimal::of(&self.0);
        number.len == 0 || number.scale >= number.len as i64
    }

    /// The value as an integer; `None` when it is not whole or does not fit.
    #[must_use]
    pub fn as_i128(&self) -> Option<i128> {
        Decimal::of(&self.0).to_i128()
    }

    /// The nearest double. Always finite.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or_default()
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
        Decimal::of(&self.0).compare(&Decimal::of(&other.0))
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

fn is_json_number(text: &[u8]) -> bool {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let digits = |rest: &[u8]| rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(unsigned);
    if whole == 0 || (whole > 1 && unsigned[0] == b'0') {
        return false;
    }
    let mut rest = &unsigned[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let len = digits(fraction);
        if len == 0 {
            return false;
        }
        rest = &fraction[len..];
    }
    if let Some(exponent) = rest.strip_prefix(b"e").or(rest.strip_prefix(b"E")) {
        let exponent = exponent
            .strip_prefix(b"+")
            .or(exponent.strip_prefix(b"-"))
            .unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

/// `0.d1d2d3.. * 10^scale` without leading or trailing zeros; no digits at all is zero.
struct Decimal {
    negative: bool,
    digits: [u8; MAX_NUMBER_LEN],
    len: usize,
    scale: i64,
}

impl Decimal {
    fn of(text: &str) -> Self {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let mut out = Self {
            negative,
            digits: [0; MAX_NUMBER_LEN],
            len: 0,
            scale: 0,
        };
        let mut significant = 0;
        let mut in_fraction = false;
        for byte in mantissa.bytes() {
            if byte == b'.' {
                in_fraction = true;
                continue;
            }
            let leading_zero = out.len == 0 && byte == b'0';
            if !leading_zero && out.len < MAX_NUMBER_LEN {
                out.digits[out.len] = byte - b'0';
                out.len += 1;
                if byte != b'0' {
                    significant = out.len;
                }
            }
            out.scale += match (in_fraction, leading_zero) {
                (false, false) => 1,
                (true, true) => -1,
                _ => 0,
            };
        }
        out.len = significant;
        if out.len == 0 {
            return Self {
                negative: false,
                scale: 0,
                ..out
            };
        }
        let (sign, size) = match exponent.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, exponent.strip_prefix('+').unwrap_or(exponent)),
        };
        // Saturates far outside of what a double holds, with room left to add the mantissa's own scale.
        let size = size.trim_start_matches('0');
        let size = if size.is_empty() {
            0
        } else {
            size.parse::<i32>().unwrap_or(i32::MAX)
        };
        out.scale += sign * i64::from(size);
        out
    }

    fn digits(&self) -> &[u8] {
        &self.digits[..self.len]
    }

    fn compare(&self, other: &Self) -> Ordering {
        let sign = |d: &Self| {
            if d.len == 0 {
                0
            } else if d.negative {
                -1
            } else {
                1
            }
        };
        let magnitude = || {
            self.scale
                .cmp(&other.scale)
                .then_with(|| self.digits().cmp(other.digits()))
        };
        match sign(self).cmp(&sign(other)) {
            Ordering::Equal if self.len == 0 => Ordering::Equal,
            Ordering::Equal if self.negative => magnitude().reverse(),
            Ordering::Equal => magnitude(),
            unequal => unequal,
        }
    }

    fn to_i128(&self) -> Option<i128> {
        let len = self.len as i64;
        if self.len > 0 && (self.scale < len || self.scale > 39) {
            return None;
        }
        let zeros = std::iter::repeat_n(&0u8, (self.scale - len) as usize);
        self.digits()
            .iter()
            .chain(zeros)
            .try_fold(0i128, |value, digit| {
                let shifted = value.checked_mul(10)?;
                let digit = i128::from(*digit);
                if self.negative {
                    shifted.checked_sub(digit)
                } else {
                    shifted.checked_add(digit)
                }
            })
    }
}
