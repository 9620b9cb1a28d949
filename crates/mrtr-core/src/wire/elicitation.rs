//! Asking the user: forms and pages, and what comes back.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::RawObject;
use super::object::{Name, object, same_json, set, write_members};
use super::raw;
use super::tagged::{decode, tag_of};
use crate::form::FormSchema;

/// A question to the user: the `params` of `elicitation/create`.
///
/// Implements [elicitation requests](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#elicitation-requests).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ElicitRequest {
    /// Fill in a form.
    Form(ElicitForm),
    /// Go to a page.
    Url(ElicitUrl),
}

impl ElicitRequest {
    /// A form to fill in.
    #[must_use]
    pub fn form(message: impl Into<String>, schema: FormSchema) -> Self {
        Self::Form(ElicitForm::new(message, schema))
    }

    /// A page to go to.
    #[must_use]
    pub fn url(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self::Url(ElicitUrl {
            message: message.into(),
            url: url.into(),
            extra: RawObject::new(),
        })
    }

    /// What the user is told.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Form(form) => &form.message,
            Self::Url(url) => &url.message,
        }
    }
}

/// A form to fill in.
///
/// Implements [form mode](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#form-mode-elicitation-requests).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ElicitForm {
    /// What the user is told.
    pub message: String,
    /// The fields. The text of the schema is passed on byte for byte.
    pub schema: FormSchema,
    /// Whether `"mode":"form"` is written; it may be left out.
    pub explicit_mode: bool,
    /// Members this library does not know, kept as they came.
    pub extra: RawObject,
}

impl ElicitForm {
    /// A form to fill in.
    #[must_use]
    pub fn new(message: impl Into<String>, schema: FormSchema) -> Self {
        Self {
            message: message.into(),
            schema,
            explicit_mode: true,
            extra: RawObject::new(),
        }
    }
}

/// Equal when both are written as the same JSON text.
impl PartialEq for ElicitForm {
    fn eq(&self, other: &Self) -> bool {
        same_json(self, other)
    }
}

object! {
    /// A page to go to. Whether the user did anything there is not the client's to say.
    ///
    /// Implements [URL mode](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode-elicitation-requests).
    pub struct ElicitUrl("mode" = "url") {
        /// Why the user should go there.
        req message: String = "message",
        /// Where to go.
        req url: String = "url",
    }
}

impl Serialize for ElicitRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Form(form) => form.serialize(serializer),
            Self::Url(url) => url.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ElicitRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let mode = tag_of(&raw, "mode").map_err(D::Error::custom)?;
        match mode.as_deref() {
            None | Some("form") => decode(&raw).map(Self::Form),
            Some("url") => decode(&raw).map(Self::Url),
            Some(mode) => Err(D::Error::custom(format_args!(
                "`mode` is `{}`, not `form` or `url`",
                raw::excerpt(mode)
            ))),
        }
    }
}

impl Serialize for ElicitForm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.explicit_mode {
            map.serialize_entry("mode", "form")?;
        }
        map.serialize_entry("message", &self.message)?;
        map.serialize_entry("requestedSchema", &self.schema)?;
        write_members(&mut map, &self.extra)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for ElicitForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = ElicitForm;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the params of a form")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ElicitForm, A::Error> {
                let (mut mode, mut message, mut schema) = (None, None, None);
                let mut extra = RawObject::new();
                while let Some(Name(name)) = map.next_key()? {
                    match &*name {
                        "mode" => {
                            let Name(found) = map.next_value()?;
                            super::object::check_tag("mode", "form", &found)?;
                            set(&mut mode, "mode", ())?;
                        }
                        "message" => set(&mut message, "message", map.next_value()?)?,
                        "requestedSchema" => {
                            let raw: Box<RawValue> = map.next_value()?;
                            let parsed = FormSchema::from_raw(raw).map_err(|error| {
                                A::Error::custom(format_args!("`requestedSchema`: {error}"))
                            })?;
                            set(&mut schema, "requestedSchema", parsed)?;
                        }
                        _ => extra.push(name.into_owned(), map.next_value()?),
                    }
                }
                Ok(ElicitForm {
                    message: message.ok_or_else(|| A::Error::missing_field("message"))?,
                    schema: schema.ok_or_else(|| A::Error::missing_field("requestedSchema"))?,
                    explicit_mode: mode.is_some(),
                    extra: extra.finish()?,
                })
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// What the user did with a question.
///
/// Implements [response actions](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#response-actions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Sent the form, or agreed to go to the page.
    Accept,
    /// Said no.
    Decline,
    /// Went away without a choice.
    Cancel,
}

/// What came back from a question to the user.
///
/// Content exists only beside [`Action::Accept`]: decoding drops what came with any other action,
/// so that it cannot be acted upon.
///
/// Implements [`ElicitResult`](https://modelcontextprotocol.io/specification/2026-07-28/schema#elicitresult).
///
/// ```
/// use mrtr_core::wire::{Action, ElicitResult};
///
/// let result: ElicitResult = serde_json::from_str(r#"{"action":"decline","content":{"city":"Paris"}}"#)?;
/// assert_eq!(result.action, Action::Decline);
/// assert!(result.content.is_none());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ElicitResult {
    /// What the user did.
    pub action: Action,
    /// What the user filled in: an object, as it came. Not validated against any form yet.
    pub content: Option<Box<RawValue>>,
    /// Members this library does not know, kept as they came.
    pub extra: RawObject,
}

impl ElicitResult {
    /// The user agreed; `content` is the form as filled in, `None` for a page.
    #[must_use]
    pub const fn accept(content: Option<Box<RawValue>>) -> Self {
        Self {
            action: Action::Accept,
            content,
            extra: RawObject::new(),
        }
    }

    /// The user said no.
    #[must_use]
    pub const fn decline() -> Self {
        Self {
            action: Action::Decline,
            content: None,
            extra: RawObject::new(),
        }
    }

    /// The user went away.
    #[must_use]
    pub const fn cancel() -> Self {
        Self {
            action: Action::Cancel,
            content: None,
            extra: RawObject::new(),
        }
    }
}

/// Equal when both are written as the same JSON text.
impl PartialEq for ElicitResult {
    fn eq(&self, other: &Self) -> bool {
        same_json(self, other)
    }
}

impl Serialize for ElicitResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("action", &self.action)?;
        if let (Action::Accept, Some(content)) = (self.action, &self.content) {
            map.serialize_entry("content", content)?;
        }
        write_members(&mut map, &self.extra)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for ElicitResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Elicited {
            action,
            content,
            extra,
        } = Elicited::deserialize(deserializer)?;
        Ok(Self {
            action,
            content,
            extra,
        })
    }
}

/// An [`ElicitResult`] whose content is borrowed or owned.
pub(super) struct Elicited<C> {
    pub(super) action: Action,
    pub(super) content: Option<C>,
    extra: RawObject,
}

impl<'de, C> Deserialize<'de> for Elicited<C>
where
    C: Deserialize<'de> + Deref<Target = RawValue>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<C>(PhantomData<C>);
        impl<'de, C> Visitor<'de> for Members<C>
        where
            C: Deserialize<'de> + Deref<Target = RawValue>,
        {
            type Value = Elicited<C>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with an `action`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Elicited<C>, A::Error> {
                let (mut action, mut content) = (None, None::<C>);
                let mut extra = RawObject::new();
                while let Some(Name(name)) = map.next_key()? {
                    match &*name {
                        "action" => set(&mut action, "action", map.next_value()?)?,
                        "content" => set(&mut content, "content", map.next_value()?)?,
                        _ => extra.push(name.into_owned(), map.next_value()?),
                    }
                }
                let action = action.ok_or_else(|| A::Error::missing_field("action"))?;
                let content =
                    content.filter(|content| action == Action::Accept && !raw::is_null(content));
                if content
                    .as_deref()
                    .is_some_and(|content| !raw::is_object(content))
                {
                    return Err(A::Error::custom("`content` must be an object"));
                }
                Ok(Elicited {
                    action,
                    content,
                    extra: extra.finish()?,
                })
            }
        }
        deserializer.deserialize_map(Members(PhantomData))
    }
}
