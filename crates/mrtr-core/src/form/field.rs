//! The fields a form can have.

use super::content::FieldValue;
use super::number::Number;
use super::secret;

/// One field of a form: a property of the requested schema.
///
/// Build one by hand with [`Field::text`], [`Field::integer`], [`Field::number`], [`Field::boolean`],
/// [`Field::select`] or [`Field::multi_select`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// The property's name, the key of its value in the answer.
    pub name: String,
    /// What to call the field on a screen; [`label`](Self::label) falls back to the name.
    pub title: Option<String>,
    /// A longer explanation.
    pub description: Option<String>,
    /// Whether an accepted answer must have a value for it.
    pub required: bool,
    /// What kind of value it takes.
    pub kind: FieldKind,
    pub(crate) write_only: bool,
}

/// What kind of value a field takes, with its bounds and default.
///
/// These are the variants of `PrimitiveSchemaDefinition` in the
/// [schema](https://modelcontextprotocol.io/specification/2026-07-28/schema).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldKind {
    /// Free text.
    Text(TextKind),
    /// A number or a whole number.
    Number(NumberKind),
    /// Yes or no.
    Boolean(BooleanKind),
    /// One of several values.
    Select(SelectKind),
    /// Any of several values.
    MultiSelect(MultiSelectKind),
}

/// Free text. Lengths are counted in Unicode code points.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextKind {
    /// Least number of code points.
    pub min_length: Option<u32>,
    /// Most code points.
    pub max_length: Option<u32>,
    /// What the text must look like.
    pub format: Option<Format>,
    /// Value to start from.
    pub default: Option<String>,
}

/// A number. Bounds are inclusive and compared exactly.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NumberKind {
    /// Only whole numbers (`1.0` is one).
    pub integer: bool,
    /// Smallest value.
    pub minimum: Option<Number>,
    /// Largest value.
    pub maximum: Option<Number>,
    /// Value to start from.
    pub default: Option<Number>,
}

/// Yes or no.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BooleanKind {
    /// Value to start from.
    pub default: Option<bool>,
}

/// One of several values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SelectKind {
    /// The values to choose from, in the order to show them.
    pub options: Vec<Choice>,
    /// Value to start from.
    pub default: Option<String>,
}

/// Any of several values, each at most once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MultiSelectKind {
    /// The values to choose from, in the order to show them.
    pub options: Vec<Choice>,
    /// Least number of values to choose.
    pub min_items: Option<u32>,
    /// Most values that may be chosen.
    pub max_items: Option<u32>,
    /// Values to start from.
    pub default: Option<Vec<String>>,
}

/// One value that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// The value in the answer.
    pub value: String,
    /// What to show instead of the value.
    pub title: Option<String>,
}

impl Choice {
    /// A choice shown as its value.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            title: None,
        }
    }

    /// A choice shown under a title.
    #[must_use]
    pub fn titled(value: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            title: Some(title.into()),
        }
    }

    /// What to show: the title, else the value.
    #[must_use]
    pub fn label(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.value)
    }
}

/// What a text must look like.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `email`: a mailbox by RFC 5321.
    Email,
    /// `uri`: an absolute URI by RFC 3986.
    Uri,
    /// `date`: a day of the calendar, `2026-07-28`.
    Date,
    /// `date-time`: a point in time by RFC 3339, `2026-07-28T09:30:00Z`.
    DateTime,
    /// Any other name: kept, not checked.
    Other(String),
}

impl Format {
    /// The format with this name on the wire.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        match name {
            "email" => Self::Email,
            "uri" => Self::Uri,
            "date" => Self::Date,
            "date-time" => Self::DateTime,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The name on the wire.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Other(name) => name,
        }
    }
}

impl Field {
    pub(crate) fn new(name: impl Into<String>, kind: FieldKind) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            required: true,
            kind,
            write_only: false,
        }
    }

    /// What to call the field on a screen: its title, else its name made readable (`arrival_date` becomes
    /// "Arrival date").
    #[must_use]
    pub fn label(&self) -> String {
        match self.title.as_deref().map(str::trim) {
            Some(title) if !title.is_empty() => title.to_owned(),
            _ => readable(&self.name),
        }
    }

    /// The value to start from, if the form names one that fits the field.
    #[must_use]
    pub fn default_value(&self) -> Option<FieldValue> {
        match &self.kind {
            FieldKind::Text(text) => text.default.clone().map(FieldValue::Text),
            FieldKind::Number(number) => number.default.clone().map(FieldValue::Number),
            FieldKind::Boolean(boolean) => boolean.default.map(FieldValue::Boolean),
            FieldKind::Select(select) => select.default.clone().map(FieldValue::Text),
            FieldKind::MultiSelect(many) => many.default.clone().map(FieldValue::Many),
        }
    }

    /// The word that makes this field look like a request for a password, key, token or payment credential.
    ///
    /// Forms must not ask for those
    /// ([elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation)): a client
    /// should warn before the person types. Looks at the name, the title, `writeOnly` and the format.
    #[must_use]
    pub fn secret_hint(&self) -> Option<&str> {
        if self.write_only {
            return Some("writeOnly");
        }
        if let FieldKind::Text(TextKind {
            format: Some(Format::Other(name)),
            ..
        }) = &self.kind
            && name == "password"
        {
            return Some("password");
        }
        secret::word_in(&self.name).or_else(|| self.title.as_deref().and_then(secret::word_in))
    }
}

/// `arrival_date`, `arrival-date` and `arrivalDate` as "Arrival date".
fn readable(name: &str) -> String {
    let mut out = String::new();
    let mut after_lower = false;
    for c in name.chars() {
        if matches!(c, '_' | '-' | '.' | ' ') {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
            after_lower = false;
            continue;
        }
        if out.is_empty() {
            out.extend(c.to_uppercase());
        } else if c.is_uppercase() && after_lower {
            out.push(' ');
            out.extend(c.to_lowercase());
        } else {
            out.push(c);
        }
        after_lower = c.is_lowercase();
    }
    let text = out.trim_end();
    if text.is_empty() {
        name.to_owned()
    } else {
        text.to_owned()
    }
}
