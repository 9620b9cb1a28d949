//! Numbers as they are written, without rounding.

use std::cmp::Ordering;
use std::fmt;

/// The exact value of a JSON number, borrowed from its text.
///
/// Two are equal when they are the same number, however they are written:
/// `1`, `1.0`, `1e0` and `10e-1` are, 9007199254740993 and 9007199254740992
/// are not, although both round to the same `f64`. `-0` is `0`. Nothing is
/// allocated or expanded, so `1e999999999` costs what its eleven characters do.
///
/// ```
/// use mrtr_core::json::Decimal;
///
/// assert_eq!(Decimal::parse("1.0")?, Decimal::parse("10e-1")?);
/// assert_ne!(Decimal::parse("9007199254740993")?, Decimal::parse("9007199254740992")?);
/// assert!(Decimal::parse("25e-1").is_ok_and(|n| !n.is_integer()));
/// # Ok::<(), mrtr_core::json::NumberError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Decimal<'a> {
    negative: bool,
    /// Digits without leading and trailing zeros, in two pieces around the
    /// point; both are empty for zero.
    digits: [&'a [u8]; 2],
    /// The power of ten that the last digit counts.
    exponent: i64,
}

impl<'a> Decimal<'a> {
    /// Reads a JSON number.
    ///
    /// # Errors
    /// When the text is not a JSON number, or its exponent is beyond 64 bits.
    pub fn parse(text: &'a str) -> Result<Self, NumberError> {
        Self::from_bytes(text.as_bytes())
    }

    pub(crate) fn from_bytes(text: &'a [u8]) -> Result<Self, NumberError> {
        let (negative, rest) = match text {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let (whole, rest) = take_digits(rest);
        if whole.is_empty() || (whole.len() > 1 && whole[0] == b'0') {
            return Err(NumberError::NotANumber);
        }
        let (fraction, rest) = match rest {
            [b'.', rest @ ..] => match take_digits(rest) {
                ([], _) => return Err(NumberError::NotANumber),
                found => found,
            },
            _ => (&[][..], rest),
        };
        let power = match rest {
            [] => Some(0),
            [b'e' | b'E', power @ ..] => parse_power(power)?,
            _ => return Err(NumberError::NotANumber),
        };

        let digits = trim(whole, fraction);
        let [whole_kept, fraction_kept] = digits;
        if whole_kept.is_empty() && fraction_kept.is_empty() {
            return Ok(Self {
                negative: false,
                digits,
                exponent: 0,
            });
        }
        let shift = if fraction_kept.is_empty() {
            trailing_zeros(whole) as i64
        } else {
            trailing_zeros(fraction) as i64 - fraction.len() as i64
        };
        let exponent = power
            .and_then(|power| power.checked_add(shift))
            .ok_or(NumberError::ExponentTooLarge)?;
        Ok(Self {
            negative,
            digits,
            exponent,
        })
    }

    /// Whether the value has no fractional part: `1.0` has none.
    #[must_use]
    pub const fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The value as an integer; `None` when it has a fractional part or does
    /// not fit.
    #[must_use]
    pub fn to_i128(&self) -> Option<i128> {
        // An i128 has 39 digits at most.
        if !(0..=39).contains(&self.exponent) {
            return None;
        }
        let zeros = std::iter::repeat_n(&b'0', self.exponent as usize);
        let mut digits = self.digits.iter().copied().flatten().chain(zeros);
        digits.try_fold(0i128, |value, digit| {
            let digit = i128::from(digit - b'0');
            let shifted = value.checked_mul(10)?;
            if self.negative {
                shifted.checked_sub(digit)
            } else {
                shifted.checked_add(digit)
            }
        })
    }

    fn is_zero(&self) -> bool {
        self.digits.iter().all(|piece| piece.is_empty())
    }

    /// Compares without the sign; neither may be zero.
    fn compare_magnitude(&self, other: &Self) -> Ordering {
        // The power of ten of the first digit; 128 bits because it may lie beyond 64.
        let first = |number: &Self| {
            let digits = number.digits[0].len() + number.digits[1].len();
            i128::from(number.exponent) + digits as i128
        };
        let digits = |number: &Self| {
            let [whole, fraction] = number.digits;
            whole.iter().chain(fraction)
        };
        first(self)
            .cmp(&first(other))
            .then_with(|| digits(self).cmp(digits(other)))
    }

    /// Appends an encoding that is the same for equal numbers only and that
    /// tells its own end.
    pub(crate) fn write_canonical(&self, out: &mut Vec<u8>) {
        if self.is_zero() {
            out.push(b'0');
            return;
        }
        out.push(if self.negative { b'-' } else { b'+' });
        let zigzag = (self.exponent << 1) ^ (self.exponent >> 63);
        let mut rest = zigzag as u64;
        while rest >= 0x80 {
            out.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        out.push(rest as u8);
        for piece in self.digits {
            out.extend_from_slice(piece);
        }
        out.push(0xff);
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal<'_> {}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal<'_> {
    /// By value, exactly.
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.is_zero(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        match (sign(self), sign(other)) {
            (1, 1) => self.compare_magnitude(other),
            (-1, -1) => other.compare_magnitude(self),
            (left, right) => left.cmp(&right),
        }
    }
}

fn take_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

/// The digits before and after the point, without the zeros at either end.
fn trim<'a>(whole: &'a [u8], fraction: &'a [u8]) -> [&'a [u8]; 2] {
    let whole = &whole[leading_zeros(whole)..];
    let fraction = &fraction[..fraction.len() - trailing_zeros(fraction)];
    if whole.is_empty() {
        [whole, &fraction[leading_zeros(fraction)..]]
    } else if fraction.is_empty() {
        [&whole[..whole.len() - trailing_zeros(whole)], fraction]
    } else {
        [whole, fraction]
    }
}

fn leading_zeros(digits: &[u8]) -> usize {
    digits.iter().take_while(|&&digit| digit == b'0').count()
}

fn trailing_zeros(digits: &[u8]) -> usize {
    digits
        .iter()
        .rev()
        .take_while(|&&digit| digit == b'0')
        .count()
}

/// The number after `e`; `None` when it does not fit 64 bits.
fn parse_power(text: &[u8]) -> Result<Option<i64>, NumberError> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(NumberError::NotANumber);
    }
    let magnitude = digits.iter().try_fold(0i64, |sum, digit| {
        sum.checked_mul(10)?.checked_add(i64::from(digit - b'0'))
    });
    Ok(magnitude.map(|power| if negative { -power } else { power }))
}

/// Why text is not a number of bounded exponent: the peer's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberError {
    /// The text is not a JSON number.
    NotANumber,
    /// The exponent does not fit 64 bits.
    ExponentTooLarge,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "not a JSON number",
            Self::ExponentTooLarge => "the exponent of a number is too large",
        })
    }
}

impl std::error::Error for NumberError {}

#[cfg(test)]
mod tests;
