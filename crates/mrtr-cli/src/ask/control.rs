//! The controls that a question is made of.

use std::sync::Arc;

use mrtr::form::{Field, FieldKind, Format, Number};

use crate::show::{LABEL, clean};

/// Why a control gave no value.
#[derive(Debug)]
pub(crate) enum Left {
    /// The person wants out of this control (Esc).
    Back,
    /// The person ends the program (Ctrl-C).
    Interrupted,
    /// The terminal does not work.
    Broken(String),
}

/// Says what is wrong with a text, or with a choice by positions.
pub(crate) type Check<T> = Arc<dyn Fn(&T) -> Result<(), String> + Send + Sync>;

/// What is written around a control. All of it is clean.
pub(crate) struct Label {
    /// What is asked for.
    pub(crate) text: String,
    /// What fits.
    pub(crate) help: String,
}

/// A place with form controls: a terminal, or a script in tests.
pub(crate) trait Controls {
    /// A line of text that starts as `start` and ends only when `check` is content.
    fn line(&mut self, label: &Label, start: &str, check: Check<str>) -> Result<String, Left>;

    /// One of `options`; the cursor starts at `start`.
    fn one(&mut self, label: &Label, options: &[String], start: usize) -> Result<usize, Left>;

    /// Any of `options`; `chosen` are ticked at first.
    fn many(
        &mut self,
        label: &Label,
        options: &[String],
        chosen: &[usize],
        check: Check<[usize]>,
    ) -> Result<Vec<usize>, Left>;

    /// Yes or no; without a `start` one of them has to be typed.
    fn yes_no(&mut self, label: &Label, start: Option<bool>) -> Result<bool, Left>;

    /// A day, as `2026-07-28`; the calendar opens at `start`, or today.
    fn day(&mut self, label: &Label, start: Option<&str>) -> Result<String, Left>;

    /// Whether days can be picked; else they are typed.
    fn has_calendar(&self) -> bool;

    /// A line between controls.
    fn say(&mut self, text: &str);

    /// A server's text between controls.
    fn quote(&mut self, text: &str);

    /// A warning.
    fn warn(&mut self, text: &str);
}

/// What a field takes, in a few words.
pub(crate) fn hint(field: &Field) -> String {
    match &field.kind {
        FieldKind::Text(text) => {
            let what = match &text.format {
                None => "text".to_owned(),
                Some(Format::Email) => "an email address".to_owned(),
                Some(Format::Uri) => "a complete URL".to_owned(),
                Some(Format::Date) => "a date like 2026-07-28".to_owned(),
                Some(Format::DateTime) => "a date and time like 2026-07-28T09:30:00Z".to_owned(),
                Some(Format::Other(name)) => format!("text ({})", clean::line(name, 40)),
                Some(_) => "text".to_owned(),
            };
            let min = text.min_length.filter(|min| *min > 0);
            let (min, max) = (min.map(Number::from), text.max_length.map(Number::from));
            bounded(what, range(min.as_ref(), max.as_ref()), " characters")
        }
        FieldKind::Number(number) => {
            let what = if number.integer {
                "a whole number"
            } else {
                "a number"
            };
            let range = range(number.minimum.as_ref(), number.maximum.as_ref());
            range.map_or(what.to_owned(), |range| format!("{what} {range}"))
        }
        FieldKind::Boolean(_) => "yes or no".to_owned(),
        FieldKind::Select(_) => "one of the choices".to_owned(),
        FieldKind::MultiSelect(many) => {
            let min = many.min_items.filter(|min| *min > 0);
            let (min, max) = (min.map(Number::from), many.max_items.map(Number::from));
            bounded(
                "any of the choices".to_owned(),
                range(min.as_ref(), max.as_ref()),
                "",
            )
        }
        _ => "a value".to_owned(),
    }
}

fn bounded(what: String, range: Option<String>, unit: &str) -> String {
    match range {
        Some(range) => format!("{what}, {range}{unit}"),
        None => what,
    }
}

fn range(min: Option<&Number>, max: Option<&Number>) -> Option<String> {
    Some(match (min, max) {
        (Some(min), Some(max)) if min == max => format!("exactly {min}"),
        (Some(min), Some(max)) => format!("between {min} and {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => return None,
    })
}

/// What a field is called.
pub(crate) fn label(field: &Field) -> String {
    let text = clean::line(&field.label(), LABEL);
    if text.is_empty() {
        return "(no name)".to_owned();
    }
    text
}
