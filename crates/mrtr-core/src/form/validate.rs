//! Checks an answer against its form.

use std::collections::BTreeSet;

use serde_json::value::RawValue;

use super::content::{FieldValue, FormContent};
use super::field::{Choice, Field, FieldKind, Format, MultiSelectKind, NumberKind, TextKind};
use super::formats;
use super::members::Members;
use super::number::Number;
use super::problem::{Problem, Problems, clip};
use super::schema::FormSchema;

impl FormSchema {
    /// Checks the `content` of an accepted answer; no content counts as `{}`.
    ///
    /// A member that the form does not have is left out of the result if it is at least a value that content
    /// can have (text, number, boolean, list of texts).
    ///
    /// # Errors
    ///
    /// What is wrong, for whoever answered: ask again and say so.
    pub fn validate(&self, content: Option<&RawValue>) -> Result<FormContent, Problems> {
        self.validate_text(content.map_or("{}", RawValue::get))
    }

    /// The same for a text that need not be JSON.
    pub(crate) fn validate_text(&self, json: &str) -> Result<FormContent, Problems> {
        let whole = |message: &str| Problems::from(Problem::new("", message));
        if json.len() > Self::MAX_CONTENT_LEN {
            return Err(whole("The answer is longer than 32 KiB"));
        }
        let members = Members::read(json)
            .ok_or_else(|| whole("The answer must be an object with a value for each field"))?;
        if let Some(name) = members.duplicate() {
            let label = self
                .field(name)
                .map_or_else(|| clip(name, 80), Field::label);
            return Err(Problem::new(name, format!("{label} is given twice")).into());
        }
        let mut given: Vec<Option<&RawValue>> = vec![None; self.fields().len()];
        let mut strangers = Vec::new();
        for (name, value) in &members.0 {
            match self.position(name) {
                Some(i) => given[i] = Some(value),
                None if FieldValue::read(value.get()).is_some() => {}
                None => strangers.push(name),
            }
        }
        let mut problems = Problems::new();
        let mut valid = FormContent::new();
        for (field, value) in self.fields().iter().zip(given) {
            match value.map(|value| field.read(value)) {
                Some(Ok(value)) => valid.push(&field.name, value),
                Some(Err(problem)) => problems.push(problem),
                None if field.required => problems.push(field.missing()),
                None => {}
            }
        }
        for name in strangers {
            let name = clip(name, 80);
            let message = format!(
                "{name} is not a field of this form, and is not a value that a form can hold"
            );
            problems.push(Problem::new(name, message));
        }
        problems.or(valid)
    }

    /// Checks content that was put together here, such as by a client before it sends it.
    ///
    /// # Errors
    ///
    /// What is wrong, also a value for a field that the form does not have.
    pub fn check(&self, content: &FormContent) -> Result<(), Problems> {
        let mut problems = Problems::new();
        for field in self.fields() {
            match content.get(&field.name) {
                Some(value) => field
                    .check(value)
                    .err()
                    .into_iter()
                    .for_each(|problem| problems.push(problem)),
                None if field.required => problems.push(field.missing()),
                None => {}
            }
        }
        for (name, _) in content
            .iter()
            .filter(|(name, _)| self.position(name).is_none())
        {
            let name = clip(name, 80);
            problems.push(Problem::new(
                name.clone(),
                format!("{name} is not a field of this form"),
            ));
        }
        if content.to_json().len() > Self::MAX_CONTENT_LEN {
            problems.push(Problem::new("", "The answer is longer than 32 KiB"));
        }
        problems.or(())
    }
}

impl Field {
    /// Checks one value, as soon as it is entered.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in a sentence that names the field.
    pub fn check(&self, value: &FieldValue) -> Result<(), Problem> {
        let verdict = match (&self.kind, value) {
            (FieldKind::Text(kind), FieldValue::Text(text)) => check_text(kind, text),
            (FieldKind::Number(kind), FieldValue::Number(number)) => check_number(kind, number),
            (FieldKind::Boolean(_), FieldValue::Boolean(_)) => Ok(()),
            (FieldKind::Select(kind), FieldValue::Text(text)) => check_choice(&kind.options, text),
            (FieldKind::MultiSelect(kind), FieldValue::Many(values)) => check_choices(kind, values),
            _ => Err(self.expected()),
        };
        verdict.map_err(|predicate| self.problem(&predicate))
    }

    fn read(&self, json: &RawValue) -> Result<FieldValue, Problem> {
        let Some(value) = FieldValue::read(json.get()) else {
            let size = json
                .get()
                .starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
            return Err(match &self.kind {
                FieldKind::Number(_) if size => {
                    self.problem("is a number too long or too large to handle")
                }
                _ if json.get() == "null" && !self.required => {
                    self.problem(&format!("{}, or be left out", self.expected()))
                }
                _ => self.problem(&self.expected()),
            });
        };
        self.check(&value)?;
        Ok(value)
    }

    /// A problem of this field; the predicate goes on after its label: "must be ..".
    #[must_use]
    pub fn problem(&self, predicate: &str) -> Problem {
        Problem::new(
            self.name.clone(),
            format!("{} {predicate}", clip(&self.label(), 80)),
        )
    }

    pub(crate) fn missing(&self) -> Problem {
        self.problem("is required")
    }

    /// What the field takes, to go on after its label.
    pub(crate) fn expected(&self) -> String {
        match &self.kind {
            FieldKind::Text(kind) => expected_text(kind),
            FieldKind::Number(kind) => {
                let range = range(kind.minimum.as_ref(), kind.maximum.as_ref());
                let range = range.map(|range| format!(" {range}")).unwrap_or_default();
                format!(
                    "must be a {}number{range}",
                    if kind.integer { "whole " } else { "" }
                )
            }
            FieldKind::Boolean(_) => "must be yes or no (true or false)".into(),
            FieldKind::Select(kind) => format!("must be one of: {}", listed(&kind.options)),
            FieldKind::MultiSelect(kind) => {
                format!("must be a list chosen from: {}", listed(&kind.options))
            }
        }
    }
}

impl FieldValue {
    /// Reads any value that the content of an answer may have.
    pub(crate) fn read(json: &str) -> Option<Self> {
        match json.as_bytes().first()? {
            b'"' => serde_json::from_str(json).ok().map(Self::Text),
            b'[' => serde_json::from_str(json).ok().map(Self::Many),
            b't' | b'f' => serde_json::from_str(json).ok().map(Self::Boolean),
            _ => Number::parse(json).map(Self::Number),
        }
    }
}

fn check_text(kind: &TextKind, text: &str) -> Result<(), String> {
    let length = text.chars().count();
    let short = kind.min_length.is_some_and(|min| length < min as usize);
    let long = kind.max_length.is_some_and(|max| length > max as usize);
    if short || long {
        let most = match (kind.min_length, kind.max_length) {
            (Some(min), Some(max)) if min == max => format!("exactly {}", plural(max, "character")),
            (Some(min), Some(max)) if min > 0 => {
                format!("between {min} and {}", plural(max, "character"))
            }
            (_, Some(max)) if long => format!("at most {}", plural(max, "character")),
            (min, _) => format!("at least {}", plural(min.unwrap_or(0), "character")),
        };
        return Err(format!("must be {most} long, not {length}"));
    }
    let fits = match &kind.format {
        Some(Format::Email) => formats::is_email(text),
        Some(Format::Uri) => formats::is_uri(text),
        Some(Format::Date) => formats::is_date(text),
        Some(Format::DateTime) => formats::is_date_time(text),
        Some(Format::Other(_)) | None => true,
    };
    if fits {
        Ok(())
    } else {
        Err(expected_text(kind))
    }
}

fn expected_text(kind: &TextKind) -> String {
    let what = match &kind.format {
        Some(Format::Email) => "an email address, like name@example.com",
        Some(Format::Uri) => "a complete URL, like https://example.com/page",
        Some(Format::Date) => "a date, like 2026-07-28",
        Some(Format::DateTime) => "a date and time with its time zone, like 2026-07-28T09:30:00Z",
        Some(Format::Other(_)) | None => "text",
    };
    format!("must be {what}")
}

fn check_number(kind: &NumberKind, number: &Number) -> Result<(), String> {
    let range = range(kind.minimum.as_ref(), kind.maximum.as_ref());
    if kind.integer && !number.is_integer() {
        let range = range.map(|range| format!(" {range}")).unwrap_or_default();
        return Err(format!("must be a whole number{range}"));
    }
    let outside = kind.minimum.as_ref().is_some_and(|min| number < min)
        || kind.maximum.as_ref().is_some_and(|max| number > max);
    match range {
        Some(range) if outside => Err(format!("must be {range}")),
        _ => Ok(()),
    }
}

fn range(minimum: Option<&Number>, maximum: Option<&Number>) -> Option<String> {
    match (minimum, maximum) {
        (Some(min), Some(max)) if min == max => Some(format!("exactly {min}")),
        (Some(min), Some(max)) => Some(format!("between {min} and {max}")),
        (Some(min), None) => Some(format!("at least {min}")),
        (None, Some(max)) => Some(format!("at most {max}")),
        (None, None) => None,
    }
}

fn check_choice(options: &[Choice], value: &str) -> Result<(), String> {
    if options.iter().any(|option| option.value == value) {
        return Ok(());
    }
    Err(format!("must be one of: {}", listed(options)))
}

fn check_choices(kind: &MultiSelectKind, values: &[String]) -> Result<(), String> {
    let mut strange: BTreeSet<&str> = values.iter().map(String::as_str).collect();
    for option in &kind.options {
        strange.remove(option.value.as_str());
    }
    if !strange.is_empty() {
        return Err(format!("can only contain: {}", listed(&kind.options)));
    }
    let mut seen = BTreeSet::new();
    if let Some(value) = values.iter().find(|value| !seen.insert(*value)) {
        return Err(format!("contains {} twice", clip(value, 40)));
    }
    let few = kind
        .min_items
        .is_some_and(|min| values.len() < min as usize);
    let many = kind
        .max_items
        .is_some_and(|max| values.len() > max as usize);
    if !few && !many {
        return Ok(());
    }
    Err(match (kind.min_items, kind.max_items) {
        (Some(min), Some(max)) if min == max => format!("needs exactly {}", plural(max, "choice")),
        (Some(min), Some(max)) if min > 0 => {
            format!("needs between {min} and {}", plural(max, "choice"))
        }
        (_, Some(max)) if many => format!("takes at most {}", plural(max, "choice")),
        (min, _) => format!("needs at least {}", plural(min.unwrap_or(0), "choice")),
    })
}

/// The first few values, for a sentence.
fn listed(options: &[Choice]) -> String {
    const SHOWN: usize = 8;
    let mut out = String::new();
    for (i, option) in options.iter().take(SHOWN).enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        out.push_str(&clip(&option.value, 30));
    }
    match options.len().saturating_sub(SHOWN) {
        0 if options.is_empty() => "(nothing)".into(),
        0 => out,
        more => format!("{out} and {more} more"),
    }
}

fn plural(count: u32, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}
