//! The data of an accepted form.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::number::Number;
use super::write::{raw, write_array, write_string};

/// The value of one field: the four types that the content of an answer may have.
///
/// See `ElicitResult.content` in the
/// [schema](https://modelcontextprotocol.io/specification/2026-07-28/schema#elicitresult).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum FieldValue {
    /// Text, also the value of a single select.
    Text(String),
    /// A number, exact.
    Number(Number),
    /// Yes or no.
    Boolean(bool),
    /// The chosen values of a multi select.
    Many(Vec<String>),
}

impl FieldValue {
    pub(crate) fn write(&self, out: &mut String) {
        match self {
            Self::Text(text) => write_string(out, text),
            Self::Number(number) => out.push_str(number.as_str()),
            Self::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Many(values) => write_array(out, values.iter().map(String::as_str)),
        }
    }
}

impl From<&str> for FieldValue {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for FieldValue {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Number> for FieldValue {
    fn from(value: Number) -> Self {
        Self::Number(value)
    }
}

impl From<i64> for FieldValue {
    fn from(value: i64) -> Self {
        Self::Number(value.into())
    }
}

impl From<bool> for FieldValue {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<Vec<String>> for FieldValue {
    fn from(value: Vec<String>) -> Self {
        Self::Many(value)
    }
}

/// The data of an accepted form: values by field name, in order.
///
/// What [`FormSchema::validate`](super::FormSchema::validate) returns holds only fields of that form, in
/// the form's order. A client fills one with [`insert`](Self::insert).
///
/// ```
/// use mrtr_core::form::FormContent;
///
/// let mut content = FormContent::new();
/// content.insert("name", "Ada");
/// content.insert("seats", 2);
/// assert_eq!(content.to_json(), r#"{"name":"Ada","seats":2}"#);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FormContent {
    members: Vec<(String, FieldValue)>,
}

impl FormContent {
    /// Content without any value: the answer to a form that only shows a message.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the value of a field and returns the one it replaces.
    pub fn insert(
        &mut self,
        name: impl Into<String>,
        value: impl Into<FieldValue>,
    ) -> Option<FieldValue> {
        let (name, value) = (name.into(), value.into());
        match self.members.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => Some(std::mem::replace(old, value)),
            None => {
                self.members.push((name, value));
                None
            }
        }
    }

    /// Takes the value of a field out.
    pub fn remove(&mut self, name: &str) -> Option<FieldValue> {
        let at = self.members.iter().position(|(known, _)| known == name)?;
        Some(self.members.remove(at).1)
    }

    /// The value of the field with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&FieldValue> {
        self.members
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }

    /// Names and values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &FieldValue)> {
        self.members
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// How many fields have a value.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether no field has a value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The content as compact JSON, the `content` member of an answer.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::from("{");
        for (i, (name, value)) in self.members.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            write_string(&mut out, name);
            out.push(':');
            value.write(&mut out);
        }
        out.push('}');
        out
    }

    /// [`to_json`](Self::to_json) as a raw JSON value.
    #[must_use]
    pub fn to_raw(&self) -> Box<RawValue> {
        raw(self.to_json())
    }

    /// Adds a member that is known not to be there yet.
    pub(crate) fn push(&mut self, name: &str, value: FieldValue) {
        self.members.push((name.to_owned(), value));
    }
}

impl Serialize for FormContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
