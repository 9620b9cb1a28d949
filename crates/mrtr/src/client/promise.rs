//! Whether the structured content of a tool is what its definition promises.
//!
//! Schema and content both come from the server, so how much work they can cause is bounded before it
//! begins, and nothing that a `$ref` points to is fetched.

mod cost;

use std::sync::OnceLock;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, Validator};
use mrtr_core::wire::{CallToolResult, RawObject, Tool};
use serde_json::Value;

use self::cost::{Cost, Size, Work};

/// Bytes of a compiled pattern.
const PATTERN_LIMIT: usize = 32 * 1024;

/// The output schema of a tool.
pub(crate) struct Promise {
    tool: String,
    schema: RawObject,
    check: OnceLock<Check>,
}

enum Check {
    Checked(Box<Validator>, Work),
    /// Checking is beyond this client.
    Unchecked,
    /// It is no schema that anybody could check; why.
    Broken(String),
}

impl Promise {
    /// `None` when the tool promises nothing.
    pub(crate) fn of(tool: &Tool) -> Option<Self> {
        Some(Self {
            tool: tool.name.clone(),
            schema: tool.output_schema.clone()?,
            check: OnceLock::new(),
        })
    }

    /// What is wrong with a result, if anything. One that says the tool failed owes nothing.
    pub(crate) fn check(&self, result: &CallToolResult) -> Result<(), String> {
        if result.is_error() {
            return Ok(());
        }
        let check = self.check.get_or_init(|| self.compile());
        let (validator, work) = match check {
            Check::Checked(validator, work) => (validator, work),
            Check::Unchecked => return Ok(()),
            Check::Broken(reason) => return Err(format!("its output schema is invalid: {reason}")),
        };
        let Some(content) = &result.structured_content else {
            return Err(
                "it has an output schema, but the result has no `structuredContent`".into(),
            );
        };
        let content: Value = serde_json::from_str(content.get())
            .map_err(|error| format!("its `structuredContent` cannot be read: {error}"))?;
        if !work.is_bearable(Size::of(&content)) {
            self.unchecked("it is too large");
            return Ok(());
        }
        let Err(error) = validator.validate(&content) else {
            return Ok(());
        };
        let place = error.instance_path().as_str().to_owned();
        let problem = cut(&error.masked().to_string());
        Err(match place.as_str() {
            "" => format!("its `structuredContent` does not fit its output schema: {problem}"),
            place => format!(
                "its `structuredContent` does not fit its output schema at `{}`: {problem}",
                cut(place)
            ),
        })
    }

    fn compile(&self) -> Check {
        let schema = match serde_json::to_value(&self.schema) {
            Ok(schema) => schema,
            Err(error) => return Check::Broken(error.to_string()),
        };
        let work = match Cost::of(&schema) {
            Cost::Bounded(work) => work,
            Cost::Unbounded => return self.unchecked("checking could go on without a bound"),
            Cost::Elsewhere(reference) => {
                return Check::Broken(format!(
                    "it refers to another document, `{}`, which is not fetched",
                    cut(&reference)
                ));
            }
        };
        // An engine without backtracking: patterns are the server's too.
        let patterns = PatternOptions::regex()
            .size_limit(PATTERN_LIMIT)
            .dfa_size_limit(PATTERN_LIMIT);
        let built = jsonschema::options()
            .offline()
            .with_pattern_options(patterns)
            .build(&schema);
        match built {
            Ok(validator) => Check::Checked(Box::new(validator), work),
            Err(error) => match error.kind() {
                ValidationErrorKind::Format { format } if format == "regex" => {
                    self.unchecked("the schema has a pattern that is not supported here")
                }
                _ => Check::Broken(cut(&error.to_string())),
            },
        }
    }

    fn unchecked(&self, reason: &str) -> Check {
        tracing::warn!(
            tool = ?self.tool,
            reason,
            "structured content is not checked against the output schema"
        );
        Check::Unchecked
    }
}

/// As much of a text that the server had its hands in as an error should repeat.
fn cut(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}
