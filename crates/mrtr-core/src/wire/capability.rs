//! What a client can be asked, as a set of bits.

use std::fmt;
use std::ops::BitOr;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor,
};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::object::{Name, any_other_type};
use super::raw;

/// One thing a client can be asked for.
///
/// Implements [`ClientCapabilities`](https://modelcontextprotocol.io/specification/2026-07-28/schema#clientcapabilities).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// `elicitation.form`: show a form.
    ElicitationForm,
    /// `elicitation.url`: send the user to a page.
    ElicitationUrl,
    /// `sampling`: ask the client's model. Deprecated by this revision.
    Sampling,
    /// `sampling.tools`: ask the client's model with tools. Deprecated by this revision.
    SamplingTools,
    /// `sampling.context`: include context of other servers. Deprecated by this revision.
    SamplingContext,
    /// `roots`: list the client's root folders. Deprecated by this revision.
    Roots,
}

impl Capability {
    /// Every capability.
    pub const ALL: [Self; 6] = [
        Self::ElicitationForm,
        Self::ElicitationUrl,
        Self::Sampling,
        Self::SamplingTools,
        Self::SamplingContext,
        Self::Roots,
    ];

    /// The path of the capability in the client's object, such as `elicitation.url`.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::ElicitationForm => "elicitation.form",
            Self::ElicitationUrl => "elicitation.url",
            Self::Sampling => "sampling",
            Self::SamplingTools => "sampling.tools",
            Self::SamplingContext => "sampling.context",
            Self::Roots => "roots",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path())
    }
}

/// A set of [`Capability`], one byte.
///
/// Read from what a client declares: an empty `elicitation` object (or one that names no mode)
/// means `form`; anything that is not an object declares nothing. `sampling.tools` and
/// `sampling.context` imply `sampling`. Written as the object `data.requiredCapabilities` of error
/// `-32021` wants.
///
/// ```
/// use mrtr_core::wire::{Capabilities, Capability};
///
/// let declared: Capabilities = serde_json::from_str(r#"{"elicitation":{}}"#)?;
/// assert!(declared.contains(Capability::ElicitationForm));
///
/// let missing = declared.missing(Capabilities::from(Capability::ElicitationUrl));
/// assert_eq!(serde_json::to_string(&missing)?, r#"{"elicitation":{"url":{}}}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Capabilities(u8);

impl Capabilities {
    /// No capability at all.
    pub const NONE: Self = Self(0);

    /// Whether `capability` is in the set.
    #[must_use]
    pub const fn contains(self, capability: Capability) -> bool {
        self.0 & capability.bit() != 0
    }

    /// Whether all of `others` are in the set.
    #[must_use]
    pub const fn contains_all(self, others: Self) -> bool {
        self.missing(others).is_empty()
    }

    /// Adds `capability`.
    pub fn insert(&mut self, capability: Capability) {
        self.0 |= capability.bit();
    }

    fn insert_if(&mut self, condition: bool, capability: Capability) {
        if condition {
            self.insert(capability);
        }
    }

    /// The set with `capability` added.
    #[must_use]
    pub const fn with(self, capability: Capability) -> Self {
        Self(self.0 | capability.bit())
    }

    /// What is in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Of `required`, what this set does not have.
    #[must_use]
    pub const fn missing(self, required: Self) -> Self {
        Self(required.0 & !self.0)
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members of the set.
    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::ALL
            .into_iter()
            .filter(move |capability| self.contains(*capability))
    }
}

impl From<Capability> for Capabilities {
    fn from(capability: Capability) -> Self {
        Self(capability.bit())
    }
}

impl FromIterator<Capability> for Capabilities {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        capabilities.into_iter().fold(Self::NONE, Self::with)
    }
}

impl BitOr for Capabilities {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}

impl fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.iter().map(Capability::path))
            .finish()
    }
}

/// The paths of the members, comma-separated: `elicitation.form, roots`.
impl fmt::Display for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, capability) in self.iter().enumerate() {
            write!(f, "{}{capability}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// The flags of one capability object, such as `{"form":{},"url":{}}`, in a fixed order.
struct Flags<const N: usize>([(&'static str, bool); N]);

impl<const N: usize> Serialize for Flags<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, _) in self.0.iter().filter(|(_, on)| *on) {
            map.serialize_entry(name, &Flags([]))?;
        }
        map.end()
    }
}

impl Serialize for Capabilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let has = |capability| self.contains(capability);
        let elicitation = Flags([
            ("form", has(Capability::ElicitationForm)),
            ("url", has(Capability::ElicitationUrl)),
        ]);
        let sampling = Flags([
            ("tools", has(Capability::SamplingTools)),
            ("context", has(Capability::SamplingContext)),
        ]);
        let mut map = serializer.serialize_map(None)?;
        if elicitation.0.iter().any(|(_, on)| *on) {
            map.serialize_entry("elicitation", &elicitation)?;
        }
        if has(Capability::Sampling) || sampling.0.iter().any(|(_, on)| *on) {
            map.serialize_entry("sampling", &sampling)?;
        }
        if has(Capability::Roots) {
            map.serialize_entry("roots", &Flags([]))?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Capabilities {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Declared::deserialize(deserializer)? {
            Declared::Set(set) => Ok(set),
            _ => Err(D::Error::custom("a client capabilities object is expected")),
        }
    }
}

/// What stands where capabilities belong.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Declared {
    /// Nothing or `null`.
    #[default]
    Absent,
    Set(Capabilities),
    WrongType,
}

impl<'de> Deserialize<'de> for Declared {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DeclaredVisitor)
    }
}

struct DeclaredVisitor;

impl<'de> Visitor<'de> for DeclaredVisitor {
    type Value = Declared;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a client capabilities object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Declared, A::Error> {
        let mut set = Capabilities::NONE;
        while let Some(Name(name)) = map.next_key()? {
            match &*name {
                "elicitation" => match map.next_value_seed(Modes(["form", "url"]))? {
                    Flag::Object([Flag::Absent, Flag::Absent]) => {
                        set.insert(Capability::ElicitationForm)
                    }
                    Flag::Object([form, url]) => {
                        set.insert_if(form.is_object(), Capability::ElicitationForm);
                        set.insert_if(url.is_object(), Capability::ElicitationUrl);
                    }
                    _ => {}
                },
                "sampling" => {
                    if let Flag::Object([tools, context]) =
                        map.next_value_seed(Modes(["tools", "context"]))?
                    {
                        set.insert(Capability::Sampling);
                        set.insert_if(tools.is_object(), Capability::SamplingTools);
                        set.insert_if(context.is_object(), Capability::SamplingContext);
                    }
                }
                "roots" => set.insert_if(
                    map.next_value_seed(Modes([]))?.is_object(),
                    Capability::Roots,
                ),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Declared::Set(set))
    }

    fn visit_unit<E>(self) -> Result<Declared, E> {
        Ok(Declared::Absent)
    }

    any_other_type!(Declared::WrongType);
}

/// What stands where the object of one capability belongs, and what it says inside.
#[derive(Clone, Copy)]
enum Flag<T = ()> {
    Absent,
    Object(T),
    WrongType,
}

impl<T> Flag<T> {
    const fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }
}

/// Reads the object of a capability and which of these members it has.
struct Modes<const N: usize>([&'static str; N]);

impl<'de, const N: usize> DeserializeSeed<'de> for Modes<N> {
    type Value = Flag<[Flag; N]>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for Modes<N> {
    type Value = Flag<[Flag; N]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a capability object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut modes = [Flag::Absent; N];
        while let Some(Name(name)) = map.next_key()? {
            let raw: &'de RawValue = map.next_value()?;
            if let Some(index) = self.0.iter().position(|known| *known == name) {
                modes[index] = if raw::is_object(raw) {
                    Flag::Object(())
                } else {
                    Flag::WrongType
                };
            }
        }
        Ok(Flag::Object(modes))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Flag::WrongType)
    }

    any_other_type!(Flag::WrongType);
}
