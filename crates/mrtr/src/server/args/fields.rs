//! The names of a struct's fields in the order they are declared.

use std::fmt;

use serde::de::{self, DeserializeOwned, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// The field names of `A` as they are written in JSON; empty when serde does
/// not tell, as with flattened fields.
///
/// A derived `Deserialize` hands its field names to the deserializer before
/// it reads anything: asked with one that then fails, it reads nothing.
pub(crate) fn of<A: DeserializeOwned>() -> &'static [&'static str] {
    match A::deserialize(Probe) {
        Err(Told(fields)) => fields,
        Ok(_) => &[],
    }
}

struct Probe;

#[derive(Debug)]
struct Told(&'static [&'static str]);

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("only asked for the fields")
    }
}

impl std::error::Error for Told {}

impl de::Error for Told {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}

impl<'de> Deserializer<'de> for Probe {
    type Error = Told;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Told> {
        Err(Told(&[]))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Told> {
        Err(Told(fields))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Told> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[expect(dead_code, reason = "only asked for its fields")]
    struct Plain {
        zebra: u8,
        apple_tree: Option<u8>,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only asked for its fields")]
    struct Wrapped(Plain);

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only asked for its fields")]
    struct Flat {
        #[serde(flatten)]
        plain: Plain,
    }

    #[test]
    fn fields_come_in_declared_order_under_their_json_names() {
        assert_eq!(of::<Plain>(), ["zebra", "appleTree"]);
        assert_eq!(of::<Wrapped>(), ["zebra", "appleTree"]);
        assert!(of::<Flat>().is_empty());
        assert!(of::<u8>().is_empty());
        assert!(of::<()>().is_empty());
    }
}
