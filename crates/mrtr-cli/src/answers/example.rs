//! An answer to copy, change and paste.

use std::borrow::Cow;

use mrtr::form::{Field, FieldKind, FieldValue, FormContent, FormSchema, Format, Number};
use mrtr::wire::{ElicitRequest, InputRequest};
use shell_words::quote;

/// The option that answers `question`, with values to be changed. `None` when a key or a choice of the
/// server cannot be pasted safely.
pub(super) fn option(key: &str, question: &InputRequest) -> Option<String> {
    match question {
        InputRequest::Elicit(ElicitRequest::Form(form)) => {
            let answer = match form.schema.fields() {
                [] => "accept".to_owned(),
                [field] if matches!(field.kind, FieldKind::Boolean(_)) => "true".to_owned(),
                _ => content(&form.schema).to_json(),
            };
            pasted("--answer", &format!("{key}={answer}"))
        }
        InputRequest::Elicit(ElicitRequest::Url(_)) => pasted("--answer", &format!("{key}=accept")),
        InputRequest::Sample(_) => pasted("--sampling-answer", "..."),
        InputRequest::Roots(_) => pasted("--root", "DIR"),
        _ => None,
    }
}

/// Only printable ASCII: what looks right and is something else must not get into a shell.
fn pasted(option: &str, value: &str) -> Option<String> {
    let plain = value.bytes().all(|b| (b' '..=b'~').contains(&b));
    let value: Cow<'_, str> = quote(value);
    plain.then(|| format!("{option} {value}"))
}

/// Defaults where the form has them, and something of the right kind for the other required fields.
fn content(schema: &FormSchema) -> FormContent {
    let mut content = FormContent::new();
    let fields = schema.fields();
    let optional = fields.iter().all(|field| !field.required);
    for field in fields.iter().filter(|field| field.required || optional) {
        let value = field.default_value().unwrap_or_else(|| sample(field));
        content.insert(&field.name, value);
    }
    content
}

fn sample(field: &Field) -> FieldValue {
    match &field.kind {
        FieldKind::Text(text) => match &text.format {
            Some(Format::Email) => "name@example.com".into(),
            Some(Format::Uri) => "https://example.com".into(),
            Some(Format::Date) => "2026-07-28".into(),
            Some(Format::DateTime) => "2026-07-28T09:30:00Z".into(),
            _ => "...".into(),
        },
        FieldKind::Number(number) => {
            let bound = number.minimum.clone().or_else(|| number.maximum.clone());
            bound.unwrap_or_else(|| Number::from(0)).into()
        }
        FieldKind::Boolean(_) => true.into(),
        FieldKind::Select(select) => {
            let first = select.options.first();
            first
                .map_or_else(String::new, |option| option.value.clone())
                .into()
        }
        FieldKind::MultiSelect(many) => {
            let least = many.min_items.unwrap_or(1).max(1);
            let least = usize::try_from(least).unwrap_or(usize::MAX);
            let options = many.options.iter().take(least);
            options
                .map(|option| option.value.clone())
                .collect::<Vec<_>>()
                .into()
        }
        _ => "...".into(),
    }
}
