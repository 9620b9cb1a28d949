//! The Rust types that a field can have.

use super::content::FieldValue;
use super::number::Number;
use super::spec::KindSpec;
use super::typed::{FormChoice, FormField};

impl FormField for String {
    const KIND: KindSpec = KindSpec::Text;

    fn read(value: &FieldValue) -> Result<Self, String> {
        match value {
            FieldValue::Text(text) => Ok(text.clone()),
            _ => Err("must be text".into()),
        }
    }
}

impl FormField for bool {
    const KIND: KindSpec = KindSpec::Boolean;

    fn read(value: &FieldValue) -> Result<Self, String> {
        match value {
            FieldValue::Boolean(value) => Ok(*value),
            _ => Err("must be yes or no (true or false)".into()),
        }
    }
}

impl FormField for Number {
    const KIND: KindSpec = KindSpec::Number;

    fn read(value: &FieldValue) -> Result<Self, String> {
        match value {
            FieldValue::Number(number) => Ok(number.clone()),
            _ => Err("must be a number".into()),
        }
    }
}

impl FormField for f64 {
    const KIND: KindSpec = KindSpec::Number;

    fn read(value: &FieldValue) -> Result<Self, String> {
        Number::read(value).map(|number| number.as_f64())
    }
}

impl FormField for f32 {
    const KIND: KindSpec = KindSpec::Number;

    fn read(value: &FieldValue) -> Result<Self, String> {
        let value = f64::read(value)? as f32;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(format!("must be between {} and {}", f32::MIN, f32::MAX))
        }
    }
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl FormField for $t {
            const KIND: KindSpec = KindSpec::Integer { min: <$t>::MIN as i128, max: <$t>::MAX as i128 };

            fn read(value: &FieldValue) -> Result<Self, String> {
                let number = Number::read(value)?;
                if !number.is_integer() {
                    return Err("must be a whole number".into());
                }
                let fitting = number.as_i128().and_then(|value| value.try_into().ok());
                fitting.ok_or_else(|| format!("must be between {} and {}", Self::MIN, Self::MAX))
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

impl<T: FormField> FormField for Option<T> {
    const KIND: KindSpec = T::KIND;
    const REQUIRED: bool = false;

    fn read(value: &FieldValue) -> Result<Self, String> {
        T::read(value).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: FormChoice> FormField for Vec<T> {
    const KIND: KindSpec = KindSpec::MultiSelect(T::CHOICES);

    fn read(value: &FieldValue) -> Result<Self, String> {
        let FieldValue::Many(values) = value else {
            return Err("must be a list".into());
        };
        let chosen: Option<Self> = values.iter().map(|value| T::from_value(value)).collect();
        chosen.ok_or_else(|| "contains a value that is not one of the choices".into())
    }
}

/// [`FormField::read`] of a derived choice.
///
/// # Errors
///
/// When the value is none of the choices.
pub fn read_choice<T: FormChoice>(value: &FieldValue) -> Result<T, String> {
    let chosen = match value {
        FieldValue::Text(text) => T::from_value(text),
        _ => None,
    };
    chosen.ok_or_else(|| "must be one of the choices".into())
}
