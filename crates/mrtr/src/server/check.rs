//! What schemas demand beyond what the types of handlers ensure.

use mrtr_core::wire::CallToolResult;
use serde_json::Value;
use serde_json::value::RawValue;

use super::args::{BadArguments, Bounds};

/// Checks values against a schema as far as no type has done it.
pub(super) enum Check {
    /// The type is right; numbers and lengths may not be.
    Bounds(Bounds),
    /// Everything the schema says.
    #[cfg(feature = "json-schema")]
    Full(Box<jsonschema::Validator>),
}

impl Check {
    /// What a schema that was made from a type demands beyond the type, if
    /// anything.
    ///
    /// # Errors
    /// When it is no valid schema: the author's fault.
    pub(super) fn beyond_type(schema: &Value) -> Result<Option<Self>, String> {
        #[cfg(feature = "json-schema")]
        if says_more(schema) {
            return Self::full(schema).map(Some);
        }
        Ok(Bounds::of(schema).map(Self::Bounds))
    }

    /// All that a schema demands.
    ///
    /// # Errors
    /// When it is no valid schema, of a dialect that is not known, or refers to
    /// another document: the author's fault.
    #[cfg(feature = "json-schema")]
    pub(super) fn full(schema: &Value) -> Result<Self, String> {
        let validator = jsonschema::options().offline().build(schema);
        match validator {
            Ok(validator) => Ok(Self::Full(Box::new(validator))),
            Err(error) => Err(format!("no valid JSON Schema: {error}")),
        }
    }

    /// Whether a value passes; what is absent is an empty object.
    pub(super) fn check(&self, value: Option<&RawValue>) -> Result<(), BadArguments> {
        match self {
            Self::Bounds(bounds) => bounds.check(value),
            #[cfg(feature = "json-schema")]
            Self::Full(validator) => {
                let text = value.map_or("{}", RawValue::get);
                let value: Value = serde_json::from_str(text).map_err(BadArguments::new)?;
                first_problem(validator, &value).map_or(Ok(()), Err)
            }
        }
    }
}

/// Keywords that say more than a type and bounds of numbers and lengths. Some
/// of them a type may ensure; checking again does no harm.
#[cfg(feature = "json-schema")]
const MORE: [&str; 13] = [
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "maxContains",
    "maxProperties",
    "minContains",
    "minProperties",
    "not",
    "pattern",
    "propertyNames",
    "unevaluatedItems",
    "uniqueItems",
];

#[cfg(feature = "json-schema")]
fn says_more(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| MORE.contains(&name.as_str()) || says_more(value)),
        Value::Array(elements) => elements.iter().any(says_more),
        _ => false,
    }
}

#[cfg(feature = "json-schema")]
fn first_problem(validator: &jsonschema::Validator, value: &Value) -> Option<BadArguments> {
    use super::args::{Step, render};
    use jsonschema::paths::LocationSegment;

    let error = validator.iter_errors(value).next()?;
    let segments: Vec<LocationSegment<'_>> = error.instance_path().into_iter().collect();
    let path: Vec<Step<'_>> = segments
        .iter()
        .map(|segment| match segment {
            LocationSegment::Property(name) => Step::Member(name),
            LocationSegment::Index(index) => Step::Element(*index),
        })
        .collect();
    Some(match render(&path) {
        path if path.is_empty() => BadArguments::new(error),
        path => BadArguments::new(format_args!("`{path}`: {error}")),
    })
}

/// The structured content a tool promised.
pub(super) struct Promise {
    check: Option<Check>,
    /// For content with a `null`, which is also how serde writes numbers that
    /// JSON has not: infinity, and what is no number.
    with_null: Option<Check>,
}

impl Promise {
    /// What a schema that was written by hand demands.
    ///
    /// # Errors
    /// As [`Check::full`].
    #[cfg(feature = "json-schema")]
    pub(super) fn by_hand(schema: &Value) -> Result<Self, String> {
        Ok(Self {
            check: Some(Check::full(schema)?),
            with_null: None,
        })
    }

    /// What a schema that was made from a type demands beyond the type, if
    /// anything.
    ///
    /// # Errors
    /// As [`Check::beyond_type`].
    pub(super) fn beyond_type(schema: &Value) -> Result<Option<Self>, String> {
        let check = Check::beyond_type(schema)?;
        #[cfg(feature = "json-schema")]
        let with_null = has_number(schema)
            .then(|| Check::full(schema))
            .transpose()?;
        #[cfg(not(feature = "json-schema"))]
        let with_null = None;
        let any = check.is_some() || with_null.is_some();
        Ok(any.then_some(Self { check, with_null }))
    }

    /// Whether a result keeps it. One that says the tool failed owes nothing.
    pub(super) fn check(&self, result: &CallToolResult) -> Result<(), String> {
        if result.is_error() {
            return Ok(());
        }
        let Some(content) = result.structured_content.as_deref() else {
            return Err(
                "the tool has an output schema, but the result no `structuredContent`".into(),
            );
        };
        let has_null = || memchr::memmem::find(content.get().as_bytes(), b"null").is_some();
        let with_null = self.with_null.as_ref().filter(|_| has_null());
        self.check
            .iter()
            .chain(with_null)
            .try_for_each(|check| check.check(Some(content)))
            .map_err(|problem| problem.to_string())
    }
}

/// Whether anything may be a number that is no integer.
#[cfg(feature = "json-schema")]
fn has_number(schema: &Value) -> bool {
    match schema {
        Value::String(kind) => kind == "number",
        Value::Object(members) => members.values().any(has_number),
        Value::Array(elements) => elements.iter().any(has_number),
        _ => false,
    }
}

#[cfg(all(test, feature = "json-schema"))]
mod tests {
    use super::*;
    use serde_json::json;

    fn full(schema: &Value) -> Check {
        Check::full(schema).expect("a schema")
    }

    fn problem(check: &Check, value: &str) -> Option<String> {
        let value = serde_json::from_str(value).expect("JSON");
        check
            .check(Some(value))
            .err()
            .map(|problem| problem.to_string())
    }

    #[test]
    fn a_problem_is_named_with_the_path_to_it() {
        let schema = json!({"properties": {"seats": {"items": {"properties": {
            "row": {"type": "integer"}}}}}});
        let check = full(&schema);
        assert_eq!(problem(&check, r#"{"seats":[{"row":1}]}"#), None);
        assert_eq!(
            problem(&check, r#"{"seats":[{"row":1},{"row":"x"}]}"#).expect("a problem"),
            r#"`seats[1].row`: "x" is not of type "integer""#
        );
    }

    #[test]
    fn absent_is_an_empty_object() {
        let check = full(&json!({"required": ["a"]}));
        assert!(check.check(None).is_err());
    }

    #[test]
    fn schemas_that_cannot_be_checked_are_refused_without_any_network() {
        for (schema, said) in [
            (json!({"type": "nothing"}), "no valid JSON Schema"),
            (json!({"minimum": "1"}), "no valid JSON Schema"),
            (
                json!({"properties": {"a": {"$ref": "https://example.com/schema.json"}}}),
                "https://example.com/schema.json",
            ),
            (
                json!({"$schema": "https://example.com/dialect"}),
                "https://example.com/dialect",
            ),
        ] {
            let problem = Check::full(&schema).err().expect("refused");
            assert!(problem.contains(said), "{problem}");
        }
    }

    #[test]
    fn only_what_a_type_cannot_ensure_is_checked_again() {
        for schema in [
            json!({"type": "object", "properties": {"a": {"type": "string", "enum": ["x"]}}}),
            json!({"properties": {"a": {"type": "integer", "format": "uint8",
                "minimum": 0, "maximum": 255}}}),
            json!({}),
        ] {
            assert!(
                Check::beyond_type(&schema).expect("a schema").is_none(),
                "{schema}"
            );
        }
        let bounded = json!({"properties": {"a": {"maximum": 5}}});
        let check = Check::beyond_type(&bounded).expect("a schema");
        assert!(matches!(check, Some(Check::Bounds(_))));
        let patterned = json!({"properties": {"a": {"pattern": "^x"}}});
        let check = Check::beyond_type(&patterned)
            .expect("a schema")
            .expect("a check");
        assert!(problem(&check, r#"{"a":"y"}"#).is_some());
        assert!(problem(&check, r#"{"a":"xy"}"#).is_none());
    }
}
