//! A form as it travels.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::content::FormContent;
use super::field::Field;
use super::parse::{FormError, parse_fields};

/// A requested schema: the fields of a form together with the exact JSON text it travels as.
///
/// The text is never rewritten, so keywords that this library does not know, the order of members and even
/// white space survive a relay. Cloning is cheap.
///
/// See [elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).
///
/// ```
/// use mrtr_core::form::FormSchema;
/// use serde_json::value::RawValue;
///
/// let json = r#"{"type":"object","properties":{"seats":{"type":"integer","minimum":1,"maximum":9}},"required":["seats"]}"#;
/// let form: FormSchema = serde_json::from_str(json)?;
/// assert_eq!(form.raw(), json);
///
/// let answer = RawValue::from_string(r#"{"seats":12}"#.into())?;
/// let problems = form.validate(Some(&answer)).unwrap_err();
/// assert_eq!(problems.to_string(), "Seats must be between 1 and 9.");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub struct FormSchema(Arc<Parts>);

struct Parts {
    raw: Box<RawValue>,
    digest: [u8; 16],
    fields: Vec<Field>,
    /// Positions of the fields, sorted by name.
    by_name: Vec<u16>,
}

impl FormSchema {
    /// Most fields a form can have.
    pub const MAX_FIELDS: usize = 256;
    /// Most values a select can offer.
    pub const MAX_OPTIONS: usize = 10_000;
    /// Longest JSON text of a form, in bytes.
    pub const MAX_LEN: usize = 256 * 1024;
    /// Longest JSON text of an answer's content, in bytes.
    pub const MAX_CONTENT_LEN: usize = 32 * 1024;

    /// Reads a form that a peer sent.
    ///
    /// Tolerant where nothing is lost: unknown keywords and formats are kept in the text and not checked, a
    /// `default` that does not fit its field is ignored, a name in `required` without a property becomes a
    /// plain text field, and a form without fields is one that only shows its message.
    ///
    /// # Errors
    ///
    /// The peer's fault: not an object, a property that is not one of the kinds a form can have (nested
    /// objects, lists without choices), a bound of the wrong type, a name twice, or larger than the limits
    /// above. The form cannot be shown; do not answer it with an accept.
    pub fn parse(json: &RawValue) -> Result<Self, FormError> {
        Self::from_raw(json.to_owned())
    }

    /// [`parse`](Self::parse) without copying the text.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn from_raw(json: Box<RawValue>) -> Result<Self, FormError> {
        let fields = parse_fields(json.get())?;
        Ok(Self::from_parts(json, fields))
    }

    /// `fields` are what `raw` says; their names differ and there are at most `MAX_FIELDS`.
    pub(crate) fn from_parts(raw: Box<RawValue>, fields: Vec<Field>) -> Self {
        let mut digest = [0; 16];
        digest.copy_from_slice(&blake3::hash(raw.get().as_bytes()).as_bytes()[..16]);
        let mut by_name: Vec<u16> = (0..).take(fields.len()).collect();
        by_name.sort_unstable_by_key(|i| fields[usize::from(*i)].name.as_str());
        Self(Arc::new(Parts {
            raw,
            digest,
            fields,
            by_name,
        }))
    }

    /// The JSON text of the form.
    #[must_use]
    pub fn raw(&self) -> &str {
        self.0.raw.get()
    }

    /// The JSON text of the form, as a value to embed in a message.
    #[must_use]
    pub fn as_raw_value(&self) -> &RawValue {
        &self.0.raw
    }

    /// The first 16 bytes of the BLAKE3 hash of the JSON text.
    #[must_use]
    pub fn digest(&self) -> [u8; 16] {
        self.0.digest
    }

    /// The fields, in the order to show them.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.0.fields
    }

    /// The field with this wire name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.position(name).map(|i| &self.0.fields[i])
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let Parts {
            fields, by_name, ..
        } = &*self.0;
        let at = by_name
            .binary_search_by(|i| fields[usize::from(*i)].name.as_str().cmp(name))
            .ok()?;
        Some(usize::from(by_name[at]))
    }

    /// The content that a client starts from: every field that has a default, set to it.
    #[must_use]
    pub fn defaults(&self) -> FormContent {
        let mut content = FormContent::new();
        for field in self.fields() {
            if let Some(value) = field.default_value() {
                content.push(&field.name, value);
            }
        }
        content
    }
}

impl PartialEq for FormSchema {
    /// Whether both are the same text.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.raw() == other.raw()
    }
}

impl Eq for FormSchema {}

impl fmt::Debug for FormSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FormSchema").field(&self.raw()).finish()
    }
}

impl Serialize for FormSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FormSchema {
    /// Only directly from JSON text: a raw value does not pass through buffering (`untagged`, `flatten`).
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::from_raw(raw).map_err(serde::de::Error::custom)
    }
}
