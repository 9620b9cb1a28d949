//! Reads what a person typed.

use super::content::FieldValue;
use super::field::{Choice, Field, FieldKind};
use super::number::Number;
use super::problem::Problem;

impl Field {
    /// Reads one value as a person types it, and checks it.
    ///
    /// Text is taken as it is. A number is written as in JSON; yes and no also as `y`, `n`, `true` and
    /// `false`; a choice by its value or by its title, without regard to case; several choices with commas
    /// between them, and nothing at all for none.
    ///
    /// ```
    /// use mrtr_core::form::{FormSchema, Field};
    ///
    /// let form = FormSchema::builder()
    ///     .field(Field::select("class", [("eco", "Economy"), ("biz", "Business")]))
    ///     .build()?;
    /// assert_eq!(form.fields()[0].enter("business"), Ok("biz".into()));
    /// # Ok::<(), mrtr_core::form::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What is wrong with it, in a sentence that names the field.
    pub fn enter(&self, typed: &str) -> Result<FieldValue, Problem> {
        let trimmed = typed.trim();
        let value = match &self.kind {
            FieldKind::Text(_) => Some(FieldValue::Text(typed.to_owned())),
            FieldKind::Number(_) => Number::parse(trimmed).map(FieldValue::Number),
            FieldKind::Boolean(_) => yes_or_no(trimmed).map(FieldValue::Boolean),
            FieldKind::Select(select) => Some(FieldValue::Text(chosen(&select.options, trimmed))),
            FieldKind::MultiSelect(many) => {
                Some(FieldValue::Many(all_chosen(&many.options, trimmed)))
            }
        };
        let value = value.ok_or_else(|| self.problem(&self.expected()))?;
        self.check(&value)?;
        Ok(value)
    }
}

fn yes_or_no(typed: &str) -> Option<bool> {
    match typed.to_lowercase().as_str() {
        "y" | "yes" | "true" => Some(true),
        "n" | "no" | "false" => Some(false),
        _ => None,
    }
}

/// The value that was meant; what was typed if that is none of them.
fn chosen(options: &[Choice], typed: &str) -> String {
    find(options, typed).unwrap_or(typed).to_owned()
}

fn all_chosen(options: &[Choice], typed: &str) -> Vec<String> {
    if typed.is_empty() {
        return Vec::new();
    }
    // A title may itself contain commas.
    if let Some(value) = find(options, typed) {
        return vec![value.to_owned()];
    }
    typed
        .split(',')
        .map(|part| chosen(options, part.trim()))
        .collect()
}

/// Exact values first, so that a title that equals another's value cannot take its place.
fn find<'a>(options: &'a [Choice], typed: &str) -> Option<&'a str> {
    let lower = typed.to_lowercase();
    let exact = options.iter().find(|option| option.value == typed);
    let title = || {
        options
            .iter()
            .find(|option| option.label().trim().to_lowercase() == lower)
    };
    let value = || {
        options
            .iter()
            .find(|option| option.value.to_lowercase() == lower)
    };
    exact
        .or_else(title)
        .or_else(value)
        .map(|option| option.value.as_str())
}
