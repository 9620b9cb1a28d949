//! Numbers that are written the way people write them.

use std::fmt;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Error as _, Serialize, Serializer};

/// A finite number; whole ones are written without a fraction (`1`, not `1.0`).
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Decimal(f64);

impl Decimal {
    /// The number as a float.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl From<f64> for Decimal {
    fn from(number: f64) -> Self {
        Self(number)
    }
}

impl From<Decimal> for f64 {
    fn from(number: Decimal) -> Self {
        number.0
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if !self.0.is_finite() {
            return Err(S::Error::custom("JSON has no number for infinity or NaN"));
        }
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            #[allow(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
            return serializer.serialize_i64(self.0 as i64);
        }
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self)
    }
}
