//! Tool arguments that travel in `Mcp-Param-*` headers as well.

use std::borrow::Cow;
use std::fmt;

use http::HeaderName;
use serde::Deserializer as _;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The arguments of one tool that are mirrored in headers.
///
/// Implements [custom headers](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#schema-extension).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ParamHeaders(pub(super) Vec<ParamHeader>);

/// One mirrored argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParamHeader {
    /// The whole name of the header.
    pub(super) name: HeaderName,
    /// The chain of property names that leads to the argument.
    pub(super) path: Vec<String>,
}

#[cfg(feature = "server")]
impl ParamHeaders {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl ParamHeader {
    /// The value in the arguments; `None` when it is absent or `null`.
    pub(super) fn find(
        &self,
        arguments: Option<&RawValue>,
    ) -> Result<Option<Box<RawValue>>, serde_json::Error> {
        let mut at = arguments.map(Cow::Borrowed);
        for name in &self.path {
            let Some(value) = at else { return Ok(None) };
            if !value.get().starts_with('{') {
                return Ok(None);
            }
            at = member(&value, name)?.map(Cow::Owned);
        }
        Ok(at
            .filter(|value| value.get() != "null")
            .map(Cow::into_owned))
    }
}

/// The member `wanted` of an object; an error when it is there twice.
fn member(object: &RawValue, wanted: &str) -> Result<Option<Box<RawValue>>, serde_json::Error> {
    struct Find<'w>(&'w str);
    impl<'de> Visitor<'de> for Find<'_> {
        type Value = Option<Box<RawValue>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = None;
            while let Some(Key(name)) = map.next_key()? {
                if name != self.0 {
                    map.next_value::<IgnoredAny>()?;
                } else if found.replace(map.next_value()?).is_some() {
                    return Err(A::Error::custom("duplicate member"));
                }
            }
            Ok(found)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(object.get());
    deserializer.deserialize_map(Find(wanted))
}

#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
