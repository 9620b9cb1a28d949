//! What a server asks for.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::object::{Name, duplicate, write_members};
use super::raw::{excerpt, reason};
use super::tagged::{decode, tag_of};
use super::{
    Capabilities, Capability, CreateMessageRequest, ElicitRequest, ListRootsRequest, RawObject,
};

/// One thing a server asks of the client.
///
/// Implements [`InputRequests`](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#inputrequests);
/// no other method decodes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// `elicitation/create`: ask the user.
    Elicit(ElicitRequest),
    /// `sampling/createMessage`: ask the client's model. Deprecated by this revision.
    Sample(Box<CreateMessageRequest>),
    /// `roots/list`: list the client's root folders. Deprecated by this revision.
    Roots(ListRootsRequest),
}

/// What kind of answer an input request wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// A form.
    ElicitForm,
    /// A page.
    ElicitUrl,
    /// An answer of a model.
    Sample,
    /// Root folders.
    Roots,
}

impl InputKind {
    /// The method of the request.
    #[must_use]
    pub const fn method(self) -> &'static str {
        match self {
            Self::ElicitForm | Self::ElicitUrl => "elicitation/create",
            Self::Sample => "sampling/createMessage",
            Self::Roots => "roots/list",
        }
    }
}

impl fmt::Display for InputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ElicitForm => "form elicitation",
            Self::ElicitUrl => "URL elicitation",
            Self::Sample => "sampling",
            Self::Roots => "roots",
        })
    }
}

impl InputRequest {
    /// What kind of answer this wants.
    #[must_use]
    pub const fn kind(&self) -> InputKind {
        match self {
            Self::Elicit(ElicitRequest::Form(_)) => InputKind::ElicitForm,
            Self::Elicit(ElicitRequest::Url(_)) => InputKind::ElicitUrl,
            Self::Sample(_) => InputKind::Sample,
            Self::Roots(_) => InputKind::Roots,
        }
    }

    /// What the client must have declared to be asked this.
    ///
    /// ```
    /// use mrtr_core::wire::{Capability, InputRequest};
    ///
    /// let ask: InputRequest = serde_json::from_str(
    ///     r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"tools":[]}}"#,
    /// )?;
    /// assert!(ask.required_capabilities().contains(Capability::SamplingTools));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn required_capabilities(&self) -> Capabilities {
        match self {
            Self::Elicit(ElicitRequest::Form(_)) => Capability::ElicitationForm.into(),
            Self::Elicit(ElicitRequest::Url(_)) => Capability::ElicitationUrl.into(),
            Self::Sample(request) => request.required_capabilities(),
            Self::Roots(_) => Capability::Roots.into(),
        }
    }
}

impl From<ElicitRequest> for InputRequest {
    fn from(request: ElicitRequest) -> Self {
        Self::Elicit(request)
    }
}

impl From<CreateMessageRequest> for InputRequest {
    fn from(request: CreateMessageRequest) -> Self {
        Self::Sample(Box::new(request))
    }
}

impl From<ListRootsRequest> for InputRequest {
    fn from(request: ListRootsRequest) -> Self {
        Self::Roots(request)
    }
}

impl Serialize for InputRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write(&RawObject::new(), serializer)
    }
}

impl<'de> Deserialize<'de> for InputRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::read(&raw).map(|(request, _)| request)
    }
}

impl InputRequest {
    /// Writes the request with these members beside `method` and `params`.
    fn write<S: Serializer>(&self, beside: &RawObject, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Elicit(params) => {
                map.serialize_entry("method", self.kind().method())?;
                map.serialize_entry("params", params)?;
            }
            Self::Sample(params) => {
                map.serialize_entry("method", self.kind().method())?;
                map.serialize_entry("params", params)?;
            }
            Self::Roots(request) => request.write(&mut map)?,
        }
        write_members(&mut map, beside)?;
        map.end()
    }

    /// Reads a request and the members beside `method` and `params`.
    fn read<E: serde::de::Error>(raw: &RawValue) -> Result<(Self, RawObject), E> {
        fn parts<P: DeserializeOwned, E: serde::de::Error>(
            raw: &RawValue,
        ) -> Result<(P, RawObject), E> {
            let mut beside: RawObject = decode(raw)?;
            beside.remove("method");
            let params = beside
                .remove("params")
                .ok_or_else(|| E::missing_field("params"))?;
            Ok((decode(&params)?, beside))
        }
        match tag_of(raw, "method")
            .map_err(|error| E::custom(reason(&error)))?
            .as_deref()
        {
            None => Err(E::missing_field("method")),
            Some("elicitation/create") => {
                parts(raw).map(|(params, beside)| (Self::Elicit(params), beside))
            }
            Some("sampling/createMessage") => {
                parts(raw).map(|(params, beside)| (Self::Sample(params), beside))
            }
            Some("roots/list") => Ok((Self::Roots(decode(raw)?), RawObject::new())),
            Some(other) => Err(E::custom(format_args!(
                "method `{}` cannot be asked of a client",
                excerpt(other)
            ))),
        }
    }
}

/// The things a server asks for, by key, in order.
///
/// Keys are the server's and unique; a key that occurs twice does not decode. Members this library
/// does not know survive, also those beside `method` and `params`.
///
/// ```
/// use mrtr_core::wire::{InputKind, InputRequests};
///
/// let asks: InputRequests = serde_json::from_str(r#"{"where":{"method":"roots/list"}}"#)?;
/// assert_eq!(asks.get("where").map(|ask| ask.kind()), Some(InputKind::Roots));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputRequests(Vec<Entry>);

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    key: String,
    request: InputRequest,
    /// Members beside `method` and `params`, kept as they came.
    beside: RawObject,
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.request.write(&self.beside, serializer)
    }
}

impl InputRequests {
    /// Nothing asked.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a request at the end, or replaces the one with the same key.
    pub fn insert(&mut self, key: impl Into<String>, request: impl Into<InputRequest>) {
        let entry = Entry {
            key: key.into(),
            request: request.into(),
            beside: RawObject::new(),
        };
        match self.0.iter_mut().find(|known| known.key == entry.key) {
            Some(known) => *known = entry,
            None => self.0.push(entry),
        }
    }

    /// The request with this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&InputRequest> {
        self.iter()
            .find(|(known, _)| *known == key)
            .map(|(_, request)| request)
    }

    /// The requests in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &InputRequest)> {
        self.0
            .iter()
            .map(|entry| (entry.key.as_str(), &entry.request))
    }

    /// Key and request, and whether there are no members beside `method` and `params`.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &InputRequest, bool)> {
        self.0
            .iter()
            .map(|entry| (&*entry.key, &entry.request, entry.beside.is_empty()))
    }

    pub(super) fn append_entry(&self, at: usize, out: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(out, &self.0[at])
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What the client must have declared to be asked all of them.
    #[must_use]
    pub fn required_capabilities(&self) -> Capabilities {
        self.0.iter().fold(Capabilities::NONE, |all, entry| {
            all | entry.request.required_capabilities()
        })
    }
}

/// Of two requests with the same key the later one stays.
impl<K: Into<String>, R: Into<InputRequest>> FromIterator<(K, R)> for InputRequests {
    fn from_iter<I: IntoIterator<Item = (K, R)>>(requests: I) -> Self {
        let mut all = Self::new();
        requests
            .into_iter()
            .for_each(|(key, request)| all.insert(key, request));
        all
    }
}

impl IntoIterator for InputRequests {
    type Item = (String, InputRequest);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        let requests = self.0.into_iter().map(|entry| (entry.key, entry.request));
        requests.collect::<Vec<_>>().into_iter()
    }
}

impl Serialize for InputRequests {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|entry| (&entry.key, entry)))
    }
}

impl<'de> Deserialize<'de> for InputRequests {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = InputRequests;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of input requests")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<InputRequests, A::Error> {
                let (mut requests, mut seen) = (Vec::new(), HashSet::new());
                while let Some(Name(key)) = map.next_key()? {
                    let raw: Box<RawValue> = map.next_value()?;
                    let (request, beside) =
                        InputRequest::read(&raw).map_err(|error: A::Error| {
                            A::Error::custom(format_args!("`{}`: {error}", excerpt(&key)))
                        })?;
                    if !seen.insert(key.to_string()) {
                        return Err(duplicate(&key));
                    }
                    requests.push(Entry {
                        key: key.into_owned(),
                        request,
                        beside,
                    });
                }
                Ok(InputRequests(requests))
            }
        }
        deserializer.deserialize_map(Members)
    }
}
