//! Reading a result whose kind is not known: `resultType` decides first.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::object::{Name, set};
use super::raw::{self, excerpt, reason};
use super::{InputRequiredResult, RawObject};

/// How to read results that a server of this revision must not send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// An absent `resultType` means complete, as the specification asks for servers of earlier
    /// revisions; a `requestState` of `null` means none.
    #[default]
    Lenient,
    /// Both are errors. For diagnosis.
    Strict,
}

/// A result of a request that may be answered with a question.
///
/// Implements [`ResultType`](https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype).
///
/// ```
/// use mrtr_core::wire::{AnyResult, Strictness};
/// use serde_json::value::RawValue;
///
/// let raw: &RawValue = serde_json::from_str(
///     r#"{"resultType":"input_required","content":[],"inputRequests":{"q":{"method":"roots/list"}},"requestState":"S1"}"#,
/// )?;
/// let AnyResult::InputRequired(result) = AnyResult::parse(raw, Strictness::Lenient)? else { panic!() };
/// assert_eq!(result.request_state.as_deref(), Some("S1"));
/// assert!(result.input_requests.unwrap().get("q").is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyResult {
    /// The request is done; the whole result as it came.
    Complete(Box<RawValue>),
    /// The server needs input first.
    InputRequired(InputRequiredResult),
}

/// A result that breaks the protocol: the server's fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResultError {
    /// The result is no object, or a member is malformed; says which.
    Malformed(String),
    /// `resultType` is missing. Only in [`Strictness::Strict`].
    MissingResultType,
    /// `resultType` is neither `complete` nor `input_required`.
    UnknownResultType(String),
    /// An interim result with neither `inputRequests` nor `requestState`: there is nothing to do.
    Empty,
}

impl fmt::Display for ResultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(what) => write!(f, "the server sent a malformed result: {what}"),
            Self::MissingResultType => f.write_str("the server sent a result without `resultType`"),
            Self::UnknownResultType(found) => {
                write!(f, "the server sent a result of unknown type `{found}`")
            }
            Self::Empty => f.write_str(
                "the server asked for input but sent neither `inputRequests` nor `requestState`",
            ),
        }
    }
}

impl std::error::Error for ResultError {}

impl AnyResult {
    /// Reads a result.
    ///
    /// # Errors
    /// See [`ResultError`].
    pub fn parse(raw: &RawValue, strictness: Strictness) -> Result<Self, ResultError> {
        let malformed = |error: serde_json::Error| ResultError::Malformed(reason(&error));
        let members: Members<'_> = serde_json::from_str(raw.get()).map_err(malformed)?;
        let result_type = match members.result_type {
            None if strictness == Strictness::Strict => return Err(ResultError::MissingResultType),
            None => Cow::Borrowed("complete"),
            Some(raw) => raw::string(raw)
                .ok_or_else(|| ResultError::Malformed("`resultType` must be a string".into()))?,
        };
        match &*result_type {
            "complete" => Ok(Self::Complete(raw.to_owned())),
            InputRequiredResult::RESULT_TYPE => {
                members.input_required(strictness).map(Self::InputRequired)
            }
            other => Err(ResultError::UnknownResultType(excerpt(other).into_owned())),
        }
    }
}

#[derive(Default)]
struct Members<'a> {
    result_type: Option<&'a RawValue>,
    input_requests: Option<&'a RawValue>,
    request_state: Option<&'a RawValue>,
    meta: Option<&'a RawValue>,
    extra: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl Members<'_> {
    fn input_required(self, strictness: Strictness) -> Result<InputRequiredResult, ResultError> {
        let input_requests = self
            .input_requests
            .map(|raw| member("inputRequests", raw))
            .transpose()?;
        let request_state = match self.request_state {
            Some(raw) if raw::is_null(raw) && strictness == Strictness::Lenient => None,
            Some(raw) => Some(member("requestState", raw)?),
            None => None,
        };
        let mut extra = RawObject::new();
        for (name, value) in self.extra {
            extra.push(name.into_owned(), value.to_owned());
        }
        let result = InputRequiredResult {
            input_requests,
            request_state,
            meta: self.meta.map(|raw| member("_meta", raw)).transpose()?,
            extra: extra
                .finish::<serde_json::Error>()
                .map_err(|error| ResultError::Malformed(reason(&error)))?,
        };
        if result.is_state_only() && result.request_state.is_none() {
            return Err(ResultError::Empty);
        }
        Ok(result)
    }
}

fn member<'a, T: Deserialize<'a>>(name: &str, raw: &'a RawValue) -> Result<T, ResultError> {
    serde_json::from_str(raw.get())
        .map_err(|error| ResultError::Malformed(format!("`{name}`: {}", reason(&error))))
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ResultVisitor;
        impl<'de> Visitor<'de> for ResultVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a result object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Members::default();
                while let Some(Name(name)) = map.next_key()? {
                    let slot = match &*name {
                        "resultType" => &mut members.result_type,
                        "inputRequests" => &mut members.input_requests,
                        "requestState" => &mut members.request_state,
                        "_meta" => &mut members.meta,
                        _ => {
                            members.extra.push((name, map.next_value()?));
                            continue;
                        }
                    };
                    set(slot, &name, map.next_value()?)?;
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(ResultVisitor)
    }
}
