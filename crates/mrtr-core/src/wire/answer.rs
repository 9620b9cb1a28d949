//! What a client answers to input requests.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::elicitation::Elicited;
use super::object::{Name, duplicate};
use super::raw::{self, excerpt, reason};
use super::{Action, Cause, CreateMessageResult, ElicitResult, InputKind, ListRootsResult};

/// The answer to one input request.
///
/// There is no tag on the wire: what was asked decides how an answer is read, see
/// [`decode`](Self::decode).
///
/// Implements [`InputResponses`](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#inputresponses).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputResponse {
    /// What the user did.
    Elicit(ElicitResult),
    /// What the model answered. Deprecated by this revision.
    Sample(Box<CreateMessageResult>),
    /// The client's root folders. Deprecated by this revision.
    Roots(ListRootsResult),
}

impl InputResponse {
    /// Reads an answer to a request of the given kind, strictly by the schema.
    ///
    /// The content of an accepted form is an object but not validated against the form; an accepted
    /// URL, a decline and a cancel never have content (what came with them is dropped).
    ///
    /// # Errors
    /// Says what is wrong, in one sentence without the key.
    ///
    /// ```
    /// use mrtr_core::wire::{InputKind, InputResponse};
    /// use serde_json::value::RawValue;
    ///
    /// let raw: &RawValue = serde_json::from_str(r#"{"action":"accept","content":{"name":"A"}}"#)?;
    /// let InputResponse::Elicit(result) = InputResponse::decode(InputKind::ElicitForm, raw)? else { panic!() };
    /// assert_eq!(result.content.unwrap().get(), r#"{"name":"A"}"#);
    /// assert!(InputResponse::decode(InputKind::Roots, raw).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decode(kind: InputKind, raw: &RawValue) -> Result<Self, String> {
        let text = raw.get();
        let wrong = |error| not_an_answer(kind, &error);
        match kind {
            InputKind::ElicitForm => serde_json::from_str(text).map(Self::Elicit).map_err(wrong),
            InputKind::ElicitUrl => {
                let result: ElicitResult = serde_json::from_str(text).map_err(wrong)?;
                Ok(Self::Elicit(ElicitResult {
                    content: None,
                    ..result
                }))
            }
            InputKind::Sample => {
                let result: Box<CreateMessageResult> = serde_json::from_str(text).map_err(wrong)?;
                result.validate().map_err(|error| error.to_string())?;
                Ok(Self::Sample(result))
            }
            InputKind::Roots => {
                let result: ListRootsResult = serde_json::from_str(text).map_err(wrong)?;
                result.validate()?;
                Ok(Self::Roots(result))
            }
        }
    }

    /// As [`decode`](Self::decode) for a form or URL, without copying anything.
    pub(crate) fn decode_elicited(
        kind: InputKind,
        raw: &RawValue,
    ) -> Result<(Action, Option<&RawValue>), String> {
        let answer: Elicited<&RawValue> =
            serde_json::from_str(raw.get()).map_err(|error| not_an_answer(kind, &error))?;
        Ok((answer.action, answer.content))
    }

    /// Whether this answers a request of the given kind.
    #[must_use]
    pub const fn answers(&self, kind: InputKind) -> bool {
        matches!(
            (self, kind),
            (
                Self::Elicit(_),
                InputKind::ElicitForm | InputKind::ElicitUrl
            ) | (Self::Sample(_), InputKind::Sample)
                | (Self::Roots(_), InputKind::Roots)
        )
    }
}

fn not_an_answer(kind: InputKind, error: &serde_json::Error) -> String {
    format!("not an answer to {kind}: {}", reason(error))
}

impl From<ElicitResult> for InputResponse {
    fn from(result: ElicitResult) -> Self {
        Self::Elicit(result)
    }
}

impl From<CreateMessageResult> for InputResponse {
    fn from(result: CreateMessageResult) -> Self {
        Self::Sample(Box::new(result))
    }
}

impl From<ListRootsResult> for InputResponse {
    fn from(result: ListRootsResult) -> Self {
        Self::Roots(result)
    }
}

impl Serialize for InputResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Elicit(result) => result.serialize(serializer),
            Self::Sample(result) => result.serialize(serializer),
            Self::Roots(result) => result.serialize(serializer),
        }
    }
}

/// How much a client may answer at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnswerLimits {
    /// How many answers.
    pub count: usize,
    /// How many bytes one answer has as JSON text.
    pub each: usize,
    /// How many bytes all answers have together, keys included.
    pub total: usize,
}

/// 1024 answers of 32 KiB each, 256 KiB together.
impl Default for AnswerLimits {
    fn default() -> Self {
        Self {
            count: 1024,
            each: 32 * 1024,
            total: 256 * 1024,
        }
    }
}

/// The answers of a retried request by key, borrowed and not yet read.
///
/// ```
/// use mrtr_core::wire::InputResponses;
/// use serde_json::value::RawValue;
///
/// let raw: &RawValue = serde_json::from_str(r#"{"ok":{"action":"decline"}}"#)?;
/// let answers = InputResponses::parse(Some(raw))?;
/// assert!(answers.get("ok").is_some());
///
/// let raw: &RawValue = serde_json::from_str(r#"{"ok":7}"#)?;
/// assert!(InputResponses::parse(Some(raw)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct InputResponses<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> InputResponses<'a> {
    /// Reads the `inputResponses` of a request with the default [`AnswerLimits`]; absent means empty.
    ///
    /// # Errors
    /// [`Cause::InvalidParams`] when they are no object, an answer is no object, a key occurs twice
    /// or a limit is exceeded. It names the key.
    pub fn parse(raw: Option<&'a RawValue>) -> Result<Self, Cause> {
        Self::parse_with(raw, &AnswerLimits::default())
    }

    /// Reads the `inputResponses` of a request with other limits.
    ///
    /// # Errors
    /// See [`parse`](Self::parse).
    pub fn parse_with(raw: Option<&'a RawValue>, limits: &AnswerLimits) -> Result<Self, Cause> {
        let Some(raw) = raw else {
            return Ok(Self::default());
        };
        if !raw::is_object(raw) {
            return Err(Cause::InvalidParams(
                "`inputResponses` must be an object".into(),
            ));
        }
        let mut deserializer = serde_json::Deserializer::from_str(raw.get());
        deserializer
            .deserialize_map(Answers(limits))
            .map_err(|error| {
                Cause::InvalidParams(format!("`inputResponses`: {}", reason(&error)).into())
            })
    }

    /// The answer with this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.0
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, raw)| *raw)
    }

    /// The answers in the order they came.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(key, raw)| (&**key, *raw))
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
}

struct Answers<'l>(&'l AnswerLimits);

impl<'de> Visitor<'de> for Answers<'_> {
    type Value = InputResponses<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of answers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<InputResponses<'de>, A::Error> {
        let limits = self.0;
        let mut answers: Vec<(Cow<'de, str>, &'de RawValue)> = Vec::new();
        let mut total = 0;
        while let Some(Name(key)) = map.next_key()? {
            let raw: &'de RawValue = map.next_value()?;
            let bytes = raw.get().len();
            total += key.len() + bytes;
            let problem = if !raw::is_object(raw) {
                "must be an object"
            } else if bytes > limits.each {
                "is too large"
            } else if total > limits.total || answers.len() >= limits.count {
                "is more than may be answered at once"
            } else {
                answers.push((key, raw));
                continue;
            };
            return Err(A::Error::custom(format_args!(
                "the answer `{}` {problem}",
                excerpt(&key)
            )));
        }
        if answers.len() > 1 {
            let mut seen = HashSet::with_capacity(answers.len());
            if let Some((key, _)) = answers.iter().find(|(key, _)| !seen.insert(&**key)) {
                return Err(duplicate(key));
            }
        }
        Ok(InputResponses(answers))
    }
}
