//! Values told apart by one string member, decoded without an untagged guess.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::object::{Name, set};
use super::raw::reason;

/// The string value of the member `tag` of an object, `None` when the member is absent.
pub(crate) fn tag_of<'a>(
    raw: &'a RawValue,
    tag: &'static str,
) -> Result<Option<Cow<'a, str>>, serde_json::Error> {
    struct Tag(&'static str);
    impl<'de> Visitor<'de> for Tag {
        type Value = Option<Cow<'de, str>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = None;
            while let Some(Name(name)) = map.next_key()? {
                if name == self.0 {
                    let Name(value) = map.next_value()?;
                    set(&mut found, self.0, value)?;
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(found)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    deserializer.deserialize_map(Tag(tag))
}

/// Decodes the whole of a raw value, as an error of the deserializer at hand.
pub(crate) fn decode<T: DeserializeOwned, E: serde::de::Error>(raw: &RawValue) -> Result<T, E> {
    serde_json::from_str(raw.get()).map_err(|error| E::custom(reason(&error)))
}
