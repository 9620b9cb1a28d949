//! Reads a form that a peer sent.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::FieldValue;
use super::field::{
    BooleanKind, Choice, Field, FieldKind, Format, MultiSelectKind, NumberKind, SelectKind,
    TextKind,
};
use super::members::Members;
use super::number::Number;
use super::problem::clip;
use super::schema::FormSchema;

/// Why a requested schema cannot be read as a form. The fault of the peer that sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormError {
    field: Option<String>,
    reason: String,
}

impl FormError {
    fn form(reason: impl Into<String>) -> Self {
        Self {
            field: None,
            reason: reason.into(),
        }
    }

    fn field_of(name: &str, reason: impl Into<String>) -> Self {
        Self {
            field: Some(clip(name, 80)),
            reason: reason.into(),
        }
    }

    /// The name of the property at fault, cut after 80 characters; `None` when it is the form as a whole.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(name) => write!(f, "field `{name}` of the form {}", self.reason),
            None => write!(f, "the form {}", self.reason),
        }
    }
}

impl std::error::Error for FormError {}

pub(crate) fn parse_fields(json: &str) -> Result<Vec<Field>, FormError> {
    if json.len() > FormSchema::MAX_LEN {
        return Err(FormError::form(format!(
            "is longer than {} bytes",
            FormSchema::MAX_LEN
        )));
    }
    let top = object(json).map_err(FormError::form)?;
    let mut properties = None;
    let mut required: Vec<String> = Vec::new();
    for (keyword, value) in &top.0 {
        match &**keyword {
            _ if is_null(value) => {}
            "type" if read::<String>(value).as_deref() != Some("object") => {
                return Err(FormError::form("must have the type \"object\""));
            }
            "properties" => {
                let members = object(value.get())
                    .map_err(|why| FormError::form(format!("has `properties` that {why}")))?;
                properties = Some(members);
            }
            "required" => {
                required = read(value).ok_or_else(|| {
                    FormError::form("has a `required` that is not a list of names")
                })?;
            }
            _ => {}
        }
    }
    let properties = properties.unwrap_or(Members(Vec::new())).0;
    let required: BTreeSet<&str> = required.iter().map(String::as_str).collect();
    let described: BTreeSet<&str> = properties.iter().map(|(name, _)| &**name).collect();
    if described.union(&required).count() > FormSchema::MAX_FIELDS {
        return Err(FormError::form(format!(
            "has more than {} fields",
            FormSchema::MAX_FIELDS
        )));
    }
    let undescribed = required.difference(&described);
    let undescribed =
        undescribed.map(|name| Field::new(*name, FieldKind::Text(TextKind::default())));
    let mut fields = Vec::with_capacity(properties.len());
    for (name, value) in &properties {
        let mut field =
            parse_field(name, value).map_err(|reason| FormError::field_of(name, reason))?;
        field.required = required.contains(&**name);
        fields.push(field);
    }
    fields.extend(undescribed);
    Ok(fields)
}

/// The keywords of one property that mean something here.
#[derive(Default)]
struct Keywords<'a> {
    kind: Option<&'a RawValue>,
    title: Option<&'a RawValue>,
    description: Option<&'a RawValue>,
    format: Option<&'a RawValue>,
    default: Option<&'a RawValue>,
    write_only: Option<&'a RawValue>,
    min_length: Option<&'a RawValue>,
    max_length: Option<&'a RawValue>,
    minimum: Option<&'a RawValue>,
    maximum: Option<&'a RawValue>,
    min_items: Option<&'a RawValue>,
    max_items: Option<&'a RawValue>,
    values: Option<&'a RawValue>,
    names: Option<&'a RawValue>,
    one_of: Option<&'a RawValue>,
    any_of: Option<&'a RawValue>,
    items: Option<&'a RawValue>,
}

impl<'a> Keywords<'a> {
    fn read(json: &'a str) -> Result<Self, String> {
        let mut keywords = Self::default();
        for (keyword, value) in object(json)?.0 {
            let slot = match &*keyword {
                "type" => &mut keywords.kind,
                "title" => &mut keywords.title,
                "description" => &mut keywords.description,
                "format" => &mut keywords.format,
                "default" => &mut keywords.default,
                "writeOnly" => &mut keywords.write_only,
                "minLength" => &mut keywords.min_length,
                "maxLength" => &mut keywords.max_length,
                "minimum" => &mut keywords.minimum,
                "maximum" => &mut keywords.maximum,
                "minItems" => &mut keywords.min_items,
                "maxItems" => &mut keywords.max_items,
                "enum" => &mut keywords.values,
                "enumNames" => &mut keywords.names,
                "oneOf" => &mut keywords.one_of,
                "anyOf" => &mut keywords.any_of,
                "items" => &mut keywords.items,
                _ => continue,
            };
            *slot = Some(value).filter(|value| !is_null(value));
        }
        Ok(keywords)
    }

    /// The type, also out of a list that only adds `null`.
    fn kind(&self) -> Result<&'static str, String> {
        let Some(kind) = self.kind else {
            return match (self.values.or(self.one_of), self.items) {
                (Some(_), _) => Ok("string"),
                (None, Some(_)) => Ok("array"),
                (None, None) => Err("does not say its type".into()),
            };
        };
        let name = read::<String>(kind).or_else(|| {
            let names: Vec<String> = read::<Vec<String>>(kind)?
                .into_iter()
                .filter(|name| name != "null")
                .collect();
            <[String; 1]>::try_from(names).ok().map(|[name]| name)
        });
        match name.as_deref() {
            Some("string") => Ok("string"),
            Some("number") => Ok("number"),
            Some("integer") => Ok("integer"),
            Some("boolean") => Ok("boolean"),
            Some("array") => Ok("array"),
            Some("object") => Err("is an object, but a form has no nested objects".into()),
            _ => Err("must have the type string, number, integer, boolean, or array for a choice of several".into()),
        }
    }
}

fn parse_field(name: &str, json: &RawValue) -> Result<Field, String> {
    let keywords = Keywords::read(json.get())?;
    let kind = match keywords.kind()? {
        "number" => number(&keywords, false)?,
        "integer" => number(&keywords, true)?,
        "boolean" => FieldKind::Boolean(BooleanKind::default()),
        "array" => multi_select(&keywords)?,
        _ => text_or_select(&keywords)?,
    };
    let mut field = Field::new(name, kind);
    field.title = keywords.title.and_then(read);
    field.description = keywords.description.and_then(read);
    field.write_only = keywords.write_only.and_then(read).unwrap_or(false);
    if let Some(default) = keywords.default {
        field.set_default(default);
    }
    Ok(field)
}

fn text_or_select(keywords: &Keywords<'_>) -> Result<FieldKind, String> {
    let options = match (keywords.one_of, keywords.values) {
        (Some(titled), _) => titled_choices(titled, "oneOf")?,
        (None, Some(values)) => choices(values, keywords.names)?,
        (None, None) => {
            return Ok(FieldKind::Text(TextKind {
                min_length: count(keywords.min_length, "minLength")?,
                max_length: count(keywords.max_length, "maxLength")?,
                format: keywords
                    .format
                    .and_then(read::<String>)
                    .map(|name| Format::from_name(&name)),
                default: None,
            }));
        }
    };
    Ok(FieldKind::Select(SelectKind {
        options,
        default: None,
    }))
}

fn number(keywords: &Keywords<'_>, integer: bool) -> Result<FieldKind, String> {
    let bound = |value: Option<&RawValue>, keyword| {
        let parse = |value: &RawValue| {
            Number::parse(value.get()).ok_or(format!("has a `{keyword}` that is not a number"))
        };
        value.map(parse).transpose()
    };
    Ok(FieldKind::Number(NumberKind {
        integer,
        minimum: bound(keywords.minimum, "minimum")?,
        maximum: bound(keywords.maximum, "maximum")?,
        default: None,
    }))
}

fn multi_select(keywords: &Keywords<'_>) -> Result<FieldKind, String> {
    let no_choices = || "is a list without choices, which a form cannot have".to_owned();
    let items = Keywords::read(keywords.items.ok_or_else(no_choices)?.get())?;
    let options = match (items.any_of, items.one_of, items.values) {
        (Some(titled), _, _) => titled_choices(titled, "anyOf")?,
        (None, Some(titled), _) => titled_choices(titled, "oneOf")?,
        (None, None, Some(values)) => choices(values, items.names)?,
        (None, None, None) => return Err(no_choices()),
    };
    Ok(FieldKind::MultiSelect(MultiSelectKind {
        options,
        min_items: count(keywords.min_items, "minItems")?,
        max_items: count(keywords.max_items, "maxItems")?,
        default: None,
    }))
}

fn choices(values: &RawValue, names: Option<&RawValue>) -> Result<Vec<Choice>, String> {
    let values: Vec<String> = read(values).ok_or("has an `enum` that is not a list of texts")?;
    let mut names = names
        .and_then(read::<Vec<String>>)
        .unwrap_or_default()
        .into_iter();
    bounded(
        values
            .into_iter()
            .map(|value| Choice {
                value,
                title: names.next(),
            })
            .collect(),
    )
}

fn titled_choices(list: &RawValue, keyword: &str) -> Result<Vec<Choice>, String> {
    let wrong = || format!("has a `{keyword}` that is not a list of `const` texts with titles");
    let list: Vec<&RawValue> = serde_json::from_str(list.get()).map_err(|_| wrong())?;
    let choice = |option: &RawValue| {
        let members = Members::read(option.get())?.0;
        let member = |name: &str| {
            members
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| *value)
        };
        Some(Choice {
            value: read(member("const")?)?,
            title: member("title").and_then(read),
        })
    };
    bounded(
        list.into_iter()
            .map(choice)
            .collect::<Option<_>>()
            .ok_or_else(wrong)?,
    )
}

/// Each value once, within the limit.
fn bounded(mut options: Vec<Choice>) -> Result<Vec<Choice>, String> {
    if options.len() > FormSchema::MAX_OPTIONS {
        return Err(format!("has more than {} choices", FormSchema::MAX_OPTIONS));
    }
    let mut seen = BTreeSet::new();
    options.retain(|option| seen.insert(option.value.clone()));
    Ok(options)
}

impl Field {
    /// Sets the default if it is a value that the field takes.
    fn set_default(&mut self, json: &RawValue) {
        let Some(value) = FieldValue::read(json.get()).filter(|value| self.check(value).is_ok())
        else {
            return;
        };
        match (&mut self.kind, value) {
            (FieldKind::Text(text), FieldValue::Text(value)) => text.default = Some(value),
            (FieldKind::Number(number), FieldValue::Number(value)) => number.default = Some(value),
            (FieldKind::Boolean(boolean), FieldValue::Boolean(value)) => {
                boolean.default = Some(value)
            }
            (FieldKind::Select(select), FieldValue::Text(value)) => select.default = Some(value),
            (FieldKind::MultiSelect(many), FieldValue::Many(values)) => many.default = Some(values),
            _ => {}
        }
    }
}

/// A number of characters or items. Larger than 32 bits is no limit in practice.
fn count(value: Option<&RawValue>, keyword: &str) -> Result<Option<u32>, String> {
    let Some(value) = value else { return Ok(None) };
    let number = Number::parse(value.get()).filter(|n| n.is_integer() && *n >= Number::from(0));
    let number = number
        .ok_or_else(|| format!("has a `{keyword}` that is not a whole number from zero up"))?;
    let clamped = number
        .as_i128()
        .and_then(|n| u32::try_from(n).ok())
        .unwrap_or(u32::MAX);
    Ok(Some(clamped))
}

fn object(json: &str) -> Result<Members<'_>, String> {
    let members = Members::read(json).ok_or("is not an object")?;
    match members.duplicate() {
        Some(name) => Err(format!("has `{}` twice", clip(name, 80))),
        None => Ok(members),
    }
}

fn read<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}
