//! Forms known when the program is compiled.
//!
//! The derive macro writes a [`FieldSpec`] for each field, has it checked by the compiler and makes the form
//! of them once, when it is first used.

use super::field::{
    BooleanKind, Choice, Field, FieldKind, Format, MultiSelectKind, NumberKind, SelectKind,
    TextKind,
};
use super::number::Number;
use super::reader::{Reader, read_field};
use super::render::render;
use super::schema::FormSchema;
use super::typed::FormField;
use super::write::raw;

/// What kind of field a Rust type is.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum KindSpec {
    /// Free text.
    Text,
    /// A whole number that fits the type.
    Integer {
        /// The type's smallest value.
        min: i128,
        /// The type's largest value.
        max: i128,
    },
    /// A number, whole or not.
    Number,
    /// Yes or no.
    Boolean,
    /// One of these values.
    Select(&'static [ChoiceSpec]),
    /// Any of these values.
    MultiSelect(&'static [ChoiceSpec]),
}

/// One value that can be chosen.
#[derive(Debug, Clone, Copy)]
pub struct ChoiceSpec {
    /// The value in the answer.
    pub value: &'static str,
    /// What to show instead of the value.
    pub title: Option<&'static str>,
}

/// A number as an attribute writes it.
#[derive(Debug, Clone, Copy)]
pub enum NumberSpec {
    /// Written without a point.
    Int(i128),
    /// Written with a point.
    Float(f64),
}

/// A default as an attribute writes it.
#[derive(Debug, Clone, Copy)]
pub enum DefaultSpec {
    /// Of a text or a select.
    Text(&'static str),
    /// Of a number.
    Number(NumberSpec),
    /// Of a yes or no.
    Boolean(bool),
    /// Of a multi select.
    Many(&'static [&'static str]),
}

/// One field of a derived form.
#[derive(Debug, Clone, Copy)]
pub struct FieldSpec {
    pub(super) name: &'static str,
    pub(super) kind: KindSpec,
    required: bool,
    /// What to call it on a screen.
    pub title: Option<&'static str>,
    /// A longer explanation.
    pub description: Option<&'static str>,
    /// The author states that it asks for no secret.
    pub not_secret: bool,
    /// Smallest number.
    pub min: Option<NumberSpec>,
    /// Largest number.
    pub max: Option<NumberSpec>,
    /// Least code points.
    pub min_length: Option<u32>,
    /// Most code points.
    pub max_length: Option<u32>,
    /// Least choices.
    pub min_items: Option<u32>,
    /// Most choices.
    pub max_items: Option<u32>,
    /// Name of the text's format.
    pub format: Option<&'static str>,
    /// Value to start from.
    pub default: Option<DefaultSpec>,
}

/// A field of a derived form together with its Rust type. Only [`field`] asks that the type can be a
/// field, so that a type that cannot is reported once.
#[derive(Debug, Clone, Copy)]
pub struct TypedSpec<T> {
    /// The field.
    pub spec: FieldSpec,
    /// Reads the field at this position of the form.
    pub read: fn(&mut Reader<'_>, usize) -> Option<T>,
}

/// A field of this type without attributes.
#[must_use]
pub const fn field<T: FormField>(name: &'static str) -> TypedSpec<T> {
    let spec = FieldSpec {
        name,
        kind: T::KIND,
        required: T::REQUIRED,
        title: None,
        description: None,
        not_secret: false,
        min: None,
        max: None,
        min_length: None,
        max_length: None,
        min_items: None,
        max_items: None,
        format: None,
        default: None,
    };
    TypedSpec {
        spec,
        read: read_field::<T>,
    }
}

impl FieldSpec {
    fn field(&self) -> Field {
        let kind = match self.kind {
            KindSpec::Text => FieldKind::Text(TextKind {
                min_length: self.min_length,
                max_length: self.max_length,
                format: self.format.map(Format::from_name),
                default: self.default.and_then(DefaultSpec::text),
            }),
            // Limits of 64 bits are left out: nobody reads them, and peers with doubles cannot.
            KindSpec::Integer { min, max } => FieldKind::Number(NumberKind {
                integer: true,
                minimum: self
                    .min
                    .or((min >= i32::MIN.into()).then_some(NumberSpec::Int(min)))
                    .map(Number::from),
                maximum: self
                    .max
                    .or((max <= u32::MAX.into()).then_some(NumberSpec::Int(max)))
                    .map(Number::from),
                default: self.default.and_then(DefaultSpec::number),
            }),
            KindSpec::Number => FieldKind::Number(NumberKind {
                integer: false,
                minimum: self.min.map(Number::from),
                maximum: self.max.map(Number::from),
                default: self.default.and_then(DefaultSpec::number),
            }),
            KindSpec::Boolean => FieldKind::Boolean(BooleanKind {
                default: match self.default {
                    Some(DefaultSpec::Boolean(value)) => Some(value),
                    _ => None,
                },
            }),
            KindSpec::Select(options) => FieldKind::Select(SelectKind {
                options: choices(options),
                default: self.default.and_then(DefaultSpec::text),
            }),
            KindSpec::MultiSelect(options) => FieldKind::MultiSelect(MultiSelectKind {
                options: choices(options),
                min_items: self.min_items,
                max_items: self.max_items,
                default: match self.default {
                    Some(DefaultSpec::Many(values)) => {
                        Some(values.iter().map(|&value| value.to_owned()).collect())
                    }
                    _ => None,
                },
            }),
        };
        let mut field = Field::new(self.name, kind);
        field.title = self.title.map(str::to_owned);
        field.description = self.description.map(str::to_owned);
        field.required = self.required;
        field
    }
}

/// The form of fields that were checked when they were compiled.
#[must_use]
pub fn schema(specs: &[FieldSpec]) -> FormSchema {
    let fields: Vec<Field> = specs.iter().map(FieldSpec::field).collect();
    FormSchema::from_parts(raw(render(&fields)), fields)
}

impl DefaultSpec {
    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.to_owned()),
            _ => None,
        }
    }

    fn number(self) -> Option<Number> {
        match self {
            Self::Number(number) => Some(number.into()),
            _ => None,
        }
    }
}

impl From<NumberSpec> for Number {
    fn from(number: NumberSpec) -> Self {
        match number {
            NumberSpec::Int(value) => Self::from(value),
            NumberSpec::Float(value) => Self::from_f64(value).unwrap_or_else(|| Self::from(0)),
        }
    }
}

fn choices(specs: &[ChoiceSpec]) -> Vec<Choice> {
    let titled = specs.iter().any(|spec| spec.title.is_some());
    let choice = |spec: &ChoiceSpec| Choice {
        value: spec.value.to_owned(),
        // The wire has titles for all choices or for none.
        title: titled.then(|| spec.title.unwrap_or(spec.value).to_owned()),
    };
    specs.iter().map(choice).collect()
}
