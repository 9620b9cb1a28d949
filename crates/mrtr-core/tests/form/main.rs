//! Forms as their users meet them.

mod answers;
mod build;
mod derive;
mod entry;
mod official;
mod peer;
mod properties;

use mrtr_core::form::{FormContent, FormSchema, Problems};
use serde_json::value::RawValue;

fn form(json: &str) -> FormSchema {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// A form with this one property, required.
fn form_of(property: &str) -> FormSchema {
    form(&format!(
        r#"{{"type":"object","properties":{{"x":{property}}},"required":["x"]}}"#
    ))
}

fn refusal(json: &str) -> String {
    match serde_json::from_str::<FormSchema>(json) {
        Ok(_) => panic!("accepted: {json}"),
        Err(error) => error.to_string(),
    }
}

fn answer(form: &FormSchema, content: &str) -> Result<FormContent, Problems> {
    let content: &RawValue = serde_json::from_str(content).expect("JSON");
    form.validate(Some(content))
}

/// What the person is told.
fn told(form: &FormSchema, content: &str) -> String {
    answer(form, content).expect_err("refused").to_string()
}
