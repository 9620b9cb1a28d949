//! The arguments of a tool.

use std::any::TypeId;
use std::fmt;

use mrtr_core::wire::RawObject;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::path::{offset_of, path_at};

/// Longest part of an explanation that quotes the caller, in characters.
const MAX_QUOTE: usize = 300;

/// Why arguments do not fit: told to whoever sent them, so that they can do
/// better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadArguments(String);

impl BadArguments {
    pub(crate) fn new(problem: impl fmt::Display) -> Self {
        let problem = problem.to_string();
        match problem.char_indices().nth(MAX_QUOTE) {
            None => Self(problem),
            Some((end, _)) => Self(format!("{}...", &problem[..end])),
        }
    }
}

impl fmt::Display for BadArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reads the `arguments` of a tool; absent ones are an empty object.
pub(crate) fn from_json<A: DeserializeOwned + 'static>(
    arguments: Option<&RawValue>,
) -> Result<A, BadArguments> {
    let text = arguments.map_or("{}", RawValue::get);
    if TypeId::of::<A>() == TypeId::of::<()>() {
        return nothing(text);
    }
    serde_json::from_str(text).map_err(|error| explain(text, &error))
}

/// `()` is an object without members.
fn nothing<A: DeserializeOwned>(text: &str) -> Result<A, BadArguments> {
    if text != "{}" {
        let members: RawObject =
            serde_json::from_str(text).map_err(|error| explain(text, &error))?;
        if let Some((name, _)) = members.iter().next() {
            return Err(BadArguments::new(format_args!(
                "it takes no arguments, but `{name}` was given"
            )));
        }
    }
    serde_json::from_str("null").map_err(BadArguments::new)
}

#[cold]
fn explain(text: &str, error: &serde_json::Error) -> BadArguments {
    let mut reason = error.to_string();
    // Lines and columns say nothing to whoever did not see the text.
    if let Some(end) = reason.rfind(" at line ") {
        reason.truncate(end);
    }
    match path_at(text, offset_of(text, error.line(), error.column())) {
        path if path.is_empty() => BadArguments::new(reason),
        path => BadArguments::new(format_args!("`{path}`: {reason}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Trip {
        to: String,
        nights: Option<u8>,
    }

    fn read<A: DeserializeOwned + 'static>(text: &str) -> Result<A, String> {
        let raw: &RawValue = serde_json::from_str(text).expect("JSON");
        from_json(Some(raw)).map_err(|problem| problem.to_string())
    }

    #[test]
    fn an_explanation_names_the_member_and_no_line() {
        assert_eq!(
            read::<Trip>(r#"{"to":"Oslo","nights":"two"}"#),
            Err("`nights`: invalid type: string \"two\", expected u8".into())
        );
        assert_eq!(read::<Trip>("{}"), Err("missing field `to`".into()));
    }

    #[test]
    fn absent_arguments_are_an_empty_object() {
        assert_eq!(from_json::<()>(None), Ok(()));
        assert_eq!(
            from_json::<Trip>(None),
            Err(BadArguments::new("missing field `to`"))
        );
    }

    #[test]
    fn no_arguments_means_none() {
        assert_eq!(read::<()>("{}"), Ok(()));
        assert_eq!(read::<()>("{ }"), Ok(()));
        assert_eq!(
            read::<()>(r#"{"x":1}"#),
            Err("it takes no arguments, but `x` was given".into())
        );
    }

    #[test]
    fn what_is_quoted_is_bounded() {
        let long = format!(r#"{{"to":"a","nights":"{}"}}"#, "x".repeat(10_000));
        assert!(read::<Trip>(&long).expect_err("no number").len() < 400);
    }
}
