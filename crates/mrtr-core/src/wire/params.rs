//! The parameters of a request, borrowed from its text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::meta::MetaMembers;
use super::object::{Name, any_other_type, set};
use super::raw::{self, JsonType};
use super::{Cause, InputResponses, RequestId, RequestMeta};

/// Every member of `params` that a method of the protocol uses, borrowed from the text of the
/// message and not yet looked into.
///
/// Decoded in one pass whatever the order of `method` and `params`. A member is checked when a
/// method asks for it through one of the functions, so that a wrong type in a member the method
/// does not use (an `inputResponses` on `tools/list`) is ignored.
///
/// ```
/// use mrtr_core::wire::Params;
///
/// let params: Params<'_> = serde_json::from_str(r#"{"name":"book","requestState":7,"uri":"\u0061"}"#)?;
/// assert_eq!(params.name()?, "book");
/// assert_eq!(params.uri()?, "a");
/// assert!(params.request_state().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Params<'a> {
    meta: Option<MetaMembers<'a>>,
    /// `name` of a tool or prompt.
    pub name: Option<&'a RawValue>,
    /// `uri` of a resource.
    pub uri: Option<&'a RawValue>,
    /// `arguments` of a tool or prompt.
    pub arguments: Option<&'a RawValue>,
    /// `inputResponses` of a retried request.
    pub input_responses: Option<&'a RawValue>,
    /// `requestState` of a retried request.
    pub request_state: Option<&'a RawValue>,
    /// `cursor` of a list request.
    pub cursor: Option<&'a RawValue>,
    /// `ref` of a completion request.
    pub reference: Option<&'a RawValue>,
    /// `argument` of a completion request.
    pub argument: Option<&'a RawValue>,
    /// `context` of a completion request.
    pub context: Option<&'a RawValue>,
    /// `notifications` of a subscription.
    pub notifications: Option<&'a RawValue>,
    /// `requestId` of a cancellation.
    pub request_id: Option<&'a RawValue>,
    /// `reason` of a cancellation.
    pub reason: Option<&'a RawValue>,
    /// `protocolVersion` of an `initialize` of an earlier revision.
    pub protocol_version: Option<&'a RawValue>,
    /// Set when `params` was there but no object.
    wrong_type: bool,
}

impl<'a> Params<'a> {
    /// What `_meta` says; the same as [`RequestMeta::parse`] without reading the text again.
    ///
    /// # Errors
    /// See [`RequestMeta::parse`].
    pub fn request_meta(&self) -> Result<RequestMeta<'a>, Cause> {
        self.check()?;
        self.meta.unwrap_or_default().interpret()
    }

    /// The protocol version in `_meta`, when it is there and a string.
    #[must_use]
    pub fn declared_version(&self) -> Option<Cow<'a, str>> {
        self.meta?.declared_version()
    }

    /// The `name` of the tool or prompt.
    ///
    /// # Errors
    /// When it is missing or no string.
    pub fn name(&self) -> Result<Cow<'a, str>, Cause> {
        self.required_string("name", self.name)
    }

    /// The `uri` of the resource.
    ///
    /// # Errors
    /// When it is missing or no string.
    pub fn uri(&self) -> Result<Cow<'a, str>, Cause> {
        self.required_string("uri", self.uri)
    }

    /// The `arguments` object; `None` when it is absent or `null`.
    ///
    /// # Errors
    /// When it is neither an object nor `null`.
    pub fn arguments(&self) -> Result<Option<&'a RawValue>, Cause> {
        self.check()?;
        object("arguments", raw::non_null(self.arguments))
    }

    /// The client's answers; empty when there are none.
    ///
    /// # Errors
    /// When they are not an object of objects or exceed the bounds of [`InputResponses::parse`].
    pub fn input_responses(&self) -> Result<InputResponses<'a>, Cause> {
        self.check()?;
        InputResponses::parse(self.input_responses)
    }

    /// The state the client echoes; `None` when it is absent or `null` (a first round).
    ///
    /// # Errors
    /// When it is neither a string nor `null`.
    pub fn request_state(&self) -> Result<Option<Cow<'a, str>>, Cause> {
        self.check()?;
        string("requestState", raw::non_null(self.request_state))
    }

    /// The `cursor` of a list request; `None` (from the start) when it is absent or `null`.
    ///
    /// # Errors
    /// When it is neither a string nor `null`.
    pub fn cursor(&self) -> Result<Option<Cow<'a, str>>, Cause> {
        self.check()?;
        string("cursor", raw::non_null(self.cursor))
    }

    /// The `requestId` of a cancellation.
    ///
    /// # Errors
    /// When it is missing or no id.
    pub fn request_id(&self) -> Result<RequestId, Cause> {
        self.check()?;
        let raw = self.request_id.ok_or_else(|| missing("requestId"))?;
        RequestId::parse(raw)
            .map_err(|error| Cause::InvalidParams(format!("`requestId`: {error}").into()))
    }

    /// The `reason` of a cancellation, when it is a string.
    #[must_use]
    pub fn reason(&self) -> Option<Cow<'a, str>> {
        raw::string(self.reason?)
    }

    /// A required member of a type that serde reads, such as [`CompletionReference`](super::CompletionReference) from
    /// `reference`.
    ///
    /// # Errors
    /// When it is missing or does not decode.
    pub fn decode<T: Deserialize<'a>>(
        &self,
        member: &'static str,
        raw: Option<&'a RawValue>,
    ) -> Result<T, Cause> {
        self.check()?;
        let raw = raw.ok_or_else(|| missing(member))?;
        serde_json::from_str(raw.get()).map_err(|error| {
            Cause::InvalidParams(format!("`{member}`: {}", raw::reason(&error)).into())
        })
    }

    /// Whether `params` was an object (or absent, or `null`).
    ///
    /// # Errors
    /// When it was anything else.
    pub fn check(&self) -> Result<(), Cause> {
        if self.wrong_type {
            Err(Cause::InvalidParams("`params` must be an object".into()))
        } else {
            Ok(())
        }
    }

    fn required_string(
        &self,
        member: &'static str,
        raw: Option<&'a RawValue>,
    ) -> Result<Cow<'a, str>, Cause> {
        self.check()?;
        string(member, raw)?.ok_or_else(|| missing(member))
    }
}

fn missing(member: &'static str) -> Cause {
    Cause::InvalidParams(format!("`{member}` is missing").into())
}

/// A member that must be a string if it is there.
pub(super) fn string<'a>(
    member: &'static str,
    raw: Option<&'a RawValue>,
) -> Result<Option<Cow<'a, str>>, Cause> {
    let Some(raw) = raw else { return Ok(None) };
    match raw::string(raw) {
        Some(text) => Ok(Some(text)),
        None if raw::json_type(raw) == JsonType::String => Err(Cause::InvalidParams(
            format!("`{member}` is not valid Unicode").into(),
        )),
        None => Err(Cause::InvalidParams(
            format!("`{member}` must be a string").into(),
        )),
    }
}

/// A member that must be an object if it is there.
pub(super) fn object<'a>(
    member: &'static str,
    raw: Option<&'a RawValue>,
) -> Result<Option<&'a RawValue>, Cause> {
    match raw {
        Some(raw) if !raw::is_object(raw) => Err(Cause::InvalidParams(
            format!("`{member}` must be an object").into(),
        )),
        _ => Ok(raw),
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Params<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Params<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a params object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Params<'de>, A::Error> {
        let mut params = Params::default();
        while let Some(Name(name)) = map.next_key()? {
            let slot = match &*name {
                "_meta" => {
                    set(&mut params.meta, "_meta", map.next_value()?)?;
                    continue;
                }
                "name" => &mut params.name,
                "uri" => &mut params.uri,
                "arguments" => &mut params.arguments,
                "inputResponses" => &mut params.input_responses,
                "requestState" => &mut params.request_state,
                "cursor" => &mut params.cursor,
                "ref" => &mut params.reference,
                "argument" => &mut params.argument,
                "context" => &mut params.context,
                "notifications" => &mut params.notifications,
                "requestId" => &mut params.request_id,
                "reason" => &mut params.reason,
                "protocolVersion" => &mut params.protocol_version,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            set(slot, &name, map.next_value()?)?;
        }
        Ok(params)
    }

    fn visit_unit<E>(self) -> Result<Params<'de>, E> {
        Ok(Params::default())
    }

    any_other_type!(Params {
        wrong_type: true,
        ..Params::default()
    });
}
