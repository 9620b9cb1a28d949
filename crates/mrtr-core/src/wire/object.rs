//! JSON objects whose unknown members survive.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

/// An ordered JSON object whose member values are kept as the text they came in.
///
/// Holds `_meta` objects, free-form settings and the members of a message that this library does
/// not know, so that a relay passes them on unchanged: numbers keep their digits, nested objects
/// their order. A member that occurs twice makes decoding fail.
///
/// ```
/// use mrtr_core::wire::RawObject;
///
/// let text = r#"{"z":18446744073709551616,"a":{"y":1,"x":1.0}}"#;
/// let object: RawObject = serde_json::from_str(text)?;
/// assert_eq!(object.get("z").map(|v| v.get()), Some("18446744073709551616"));
/// assert_eq!(serde_json::to_string(&object)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct RawObject(Vec<(String, Box<RawValue>)>);

impl RawObject {
    /// An object without members.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The value of the member `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    /// The member `name` decoded as `T`; `None` when it is absent or not a `T`.
    pub fn get_as<'a, T: Deserialize<'a>>(&'a self, name: &str) -> Option<T> {
        self.get(name)
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
    }

    /// Sets the member `name`, in place when it is there and at the end when it is new.
    pub fn insert(&mut self, name: impl Into<String>, value: Box<RawValue>) {
        let name = name.into();
        match self.0.iter_mut().find(|(key, _)| *key == name) {
            Some(member) => member.1 = value,
            None => self.0.push((name, value)),
        }
    }

    /// Sets the member `name` to `value` encoded as JSON.
    ///
    /// # Errors
    /// When `value` cannot be written as JSON (a map with keys that are no strings, for example).
    pub fn insert_as(
        &mut self,
        name: impl Into<String>,
        value: &(impl Serialize + ?Sized),
    ) -> Result<(), serde_json::Error> {
        self.insert(name, serde_json::value::to_raw_value(value)?);
        Ok(())
    }

    /// Removes the member `name` and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Box<RawValue>> {
        let index = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.remove(index).1)
    }

    /// The members in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &RawValue)> {
        self.0.iter().map(|(key, value)| (key.as_str(), &**value))
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a member while decoding; `finish` finds the ones that occur twice.
    pub(crate) fn push(&mut self, name: String, value: Box<RawValue>) {
        self.0.push((name, value));
    }

    /// The object, unless a member occurs twice.
    pub(crate) fn finish<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.0.len() > 1 {
            let mut seen = HashSet::with_capacity(self.0.len());
            if let Some((name, _)) = self.0.iter().find(|(name, _)| !seen.insert(name.as_str())) {
                return Err(duplicate(name));
            }
        }
        Ok(self)
    }
}

impl fmt::Debug for RawObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.iter().map(|(key, value)| (key, value.get())))
            .finish()
    }
}

/// Equal when the members, their order and the text of their values are equal.
impl PartialEq for RawObject {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .iter()
                .zip(other.iter())
                .all(|(a, b)| a.0 == b.0 && a.1.get() == b.1.get())
    }
}

impl Serialize for RawObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = RawObject;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawObject, A::Error> {
                let mut object = RawObject::new();
                while let Some(Name(name)) = map.next_key()? {
                    object.push(name.into_owned(), map.next_value()?);
                }
                object.finish()
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// Writes the members into an object that is being written.
pub(crate) fn write_members<M: SerializeMap>(
    map: &mut M,
    members: &RawObject,
) -> Result<(), M::Error> {
    members
        .iter()
        .try_for_each(|(name, value)| map.serialize_entry(name, value))
}

/// Whether two values are written as the same JSON text.
pub(crate) fn same_json<T: Serialize + ?Sized>(a: &T, b: &T) -> bool {
    matches!((serde_json::to_string(a), serde_json::to_string(b)), (Ok(a), Ok(b)) if a == b)
}

/// A member name, borrowed from the input unless it has escapes (`Cow` alone would always copy).
pub(crate) struct Name<'de>(pub(crate) Cow<'de, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// Visitor methods that take a value of any type but an object and `null`, give `$value` for it, and
/// read on: a member of the wrong type must not make the whole message unreadable.
macro_rules! any_other_type {
    ($value:expr) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($value)
        }

        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($value)
        }

        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($value)
        }

        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($value)
        }

        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($value)
        }

        fn visit_seq<A: serde::de::SeqAccess<'de>>(
            self,
            mut seq: A,
        ) -> Result<Self::Value, A::Error> {
            while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
            Ok($value)
        }
    };
}
pub(crate) use any_other_type;

/// The error for a member that occurs twice; long names are cut.
pub(crate) fn duplicate<E: serde::de::Error>(name: &str) -> E {
    E::custom(format_args!(
        "member `{}` occurs twice",
        super::raw::excerpt(name)
    ))
}

/// Stores a member once.
pub(crate) fn set<T, E: serde::de::Error>(
    slot: &mut Option<T>,
    name: &str,
    value: T,
) -> Result<(), E> {
    if slot.replace(value).is_some() {
        Err(duplicate(name))
    } else {
        Ok(())
    }
}

/// Checks a member that must have one value, such as `type`.
pub(crate) fn check_tag<E: serde::de::Error>(
    name: &str,
    expected: &str,
    found: &str,
) -> Result<(), E> {
    if expected == found {
        return Ok(());
    }
    Err(E::custom(format_args!(
        "`{name}` is `{}` where `{expected}` is expected",
        super::raw::excerpt(found)
    )))
}

/// Defines a struct that is one JSON object of the protocol: `req` members must be there, `opt`
/// ones may be, every other member is kept in `extra`. The tag in parentheses is written first;
/// when reading it must match, and may be absent only if it is marked `lenient`.
macro_rules! object {
    (
        $(#[$meta:meta])*
        pub struct $name:ident $(($($lenient:ident)? $tag:literal = $tag_value:literal))? {
            $( $(#[$field_meta:meta])* $kind:ident $field:ident : $ty:ty = $key:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$field_meta])* pub $field: $crate::wire::object::object!(@type $kind $ty), )*
            /// Members this library does not know, kept as they came.
            pub extra: $crate::wire::RawObject,
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Members;
                impl<'de> serde::de::Visitor<'de> for Members {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("a `", stringify!($name), "` object"))
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        use $crate::wire::object::{Name, set};
                        $( let mut $field: Option<$ty> = None; )*
                        let mut extra = $crate::wire::RawObject::new();
                        $( let mut tag: Option<()> = None; let _ = $tag; )?
                        while let Some(Name(name)) = map.next_key()? {
                            match &*name {
                                $( $key => set(&mut $field, $key, map.next_value()?)?, )*
                                $( $tag => {
                                    let Name(found) = map.next_value()?;
                                    $crate::wire::object::check_tag($tag, $tag_value, &found)?;
                                    set(&mut tag, $tag, ())?;
                                } )?
                                _ => extra.push(name.into_owned(), map.next_value()?),
                            }
                        }
                        $( $crate::wire::object::object!(@tag $($lenient)? tag $tag); )?
                        Ok($name {
                            $( $field: $crate::wire::object::object!(@take $kind $field $key), )*
                            extra: extra.finish()?,
                        })
                    }
                }
                deserializer.deserialize_map(Members)
            }
        }

        impl $name {
            /// Writes the members into an object that is being written.
            pub(crate) fn write<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $( map.serialize_entry($tag, $tag_value)?; )?
                $( $crate::wire::object::object!(@write $kind map self.$field, $key); )*
                $crate::wire::object::write_members(map, &self.extra)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(None)?;
                self.write(&mut map)?;
                serde::ser::SerializeMap::end(map)
            }
        }

        /// Equal when both are written as the same JSON text.
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                $crate::wire::object::same_json(self, other)
            }
        }
    };

    (@type req $ty:ty) => { $ty };
    (@type opt $ty:ty) => { Option<$ty> };
    (@take req $field:ident $key:literal) => {
        $field.ok_or_else(|| serde::de::Error::missing_field($key))?
    };
    (@take opt $field:ident $key:literal) => { $field };
    (@tag lenient $slot:ident $tag:literal) => { let _ = $slot; };
    (@tag $slot:ident $tag:literal) => {
        $slot.ok_or_else(|| <A::Error as serde::de::Error>::missing_field($tag))?
    };
    (@write req $map:ident $value:expr, $key:literal) => { $map.serialize_entry($key, &$value)? };
    (@write opt $map:ident $value:expr, $key:literal) => {
        if let Some(value) = &$value { $map.serialize_entry($key, value)?; }
    };
}
pub(crate) use object;
