//! Reads one level of a JSON object without building a tree.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object, in order, their values unread.
pub(crate) struct Members<'a>(pub(crate) Vec<(Cow<'a, str>, &'a RawValue)>);

/// Most members read of one object.
const MAX_MEMBERS: usize = 4096;

impl<'a> Members<'a> {
    /// `None` when the text is not an object of at most 4096 members with readable names.
    pub(crate) fn read(json: &'a str) -> Option<Self> {
        if !json.trim_ascii_start().starts_with('{') {
            return None;
        }
        serde_json::from_str(json).ok()
    }

    /// The first name that occurs more than once.
    pub(crate) fn duplicate(&self) -> Option<&str> {
        // Most forms are short.
        if self.0.len() <= 16 {
            let again = |(at, (name, _)): &(usize, &(Cow<'_, str>, &RawValue))| {
                self.0[..*at].iter().any(|(other, _)| other == name)
            };
            return self
                .0
                .iter()
                .enumerate()
                .find(again)
                .map(|(_, (name, _))| &**name);
        }
        let mut names: Vec<&str> = self.0.iter().map(|(name, _)| &**name).collect();
        names.sort_unstable();
        names
            .windows(2)
            .find(|pair| pair[0] == pair[1])
            .map(|pair| pair[0])
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(name) = map.next_key::<Name<'de>>()? {
                    if members.len() == MAX_MEMBERS {
                        return Err(de::Error::custom("too many members"));
                    }
                    members.push((name.0, map.next_value::<&'de RawValue>()?));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(V)
    }
}

/// A string that is borrowed unless it has escapes.
pub(crate) struct Name<'a>(pub(crate) Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(V)
    }
}
