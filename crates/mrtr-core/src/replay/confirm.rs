//! Yes or no, before something that cannot be undone.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Refused;
use super::ask::{Answerable, Ask, Reading, Sealed};
use super::question::Question;
use super::shared::Shared;
use crate::form::FormSchema;

const SCHEMA: &str = r#"{"type":"object","properties":{"confirmed":{"type":"boolean","title":"Yes, go ahead"}},"required":["confirmed"]}"#;

fn schema() -> Result<&'static FormSchema, &'static str> {
    static PARSED: OnceLock<Result<FormSchema, String>> = OnceLock::new();
    PARSED
        .get_or_init(|| {
            let raw = RawValue::from_string(SCHEMA.to_owned()).map_err(|e| e.to_string())?;
            FormSchema::from_raw(raw).map_err(|e| e.to_string())
        })
        .as_ref()
        .map_err(String::as_str)
}

#[derive(Deserialize)]
struct Content {
    confirmed: bool,
}

/// A question for consent: one required boolean, and only a literal `true` is
/// a yes. Everything else (`false`, no value, another type, a decline) is
/// [`Refused::Declined`].
///
/// It is never satisfied by an answer that came without a state: consent must
/// follow the question. Made by [`Cx::confirm`](super::Cx::confirm).
#[derive(Debug)]
#[must_use = "nothing is confirmed until it is awaited and `Ok`"]
pub struct Confirm(Ask<()>);

impl Confirm {
    pub(crate) fn issue(shared: &Arc<Shared>, key: Arc<str>, message: String) -> Self {
        Self(match question(message) {
            Ok(question) => Ask::issue(shared, key, question, true, read),
            Err(problem) => Ask::refuse(shared, key, problem),
        })
    }
}

fn question(message: String) -> Result<Question, String> {
    Ok(Question::form(message, schema()?.clone()))
}

fn read(content: &str) -> Reading<()> {
    match serde_json::from_str(content) {
        Ok(Content { confirmed: true }) => Reading::Value(()),
        _ => Reading::No,
    }
}

impl Sealed for Confirm {}

impl Answerable for Confirm {
    type Value = ();

    fn settle(&mut self) -> Poll<Result<(), Refused>> {
        self.0.settle()
    }

    fn block(&mut self) {
        self.0.block();
    }
}

impl Future for Confirm {
    type Output = Result<(), Refused>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_literal_true_is_a_yes() {
        assert!(matches!(read(r#"{"confirmed":true}"#), Reading::Value(())));
        for no in [
            "{}",
            r#"{"confirmed":false}"#,
            r#"{"confirmed":"true"}"#,
            r#"{"confirmed":1}"#,
            r#"{"confirmed":null}"#,
            r#"{"confirmed":[true]}"#,
            r#"{"Confirmed":true}"#,
            r#"{"confirmed":false,"confirmed":true}"#,
            "true",
        ] {
            assert!(matches!(read(no), Reading::No), "{no}");
        }
    }

    #[test]
    fn the_form_is_one_that_can_be_sent() {
        assert_eq!(schema().map(FormSchema::raw), Ok(SCHEMA));
    }
}
