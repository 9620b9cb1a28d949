//! The `x-mcp-header` annotations of an input schema.

use std::collections::HashSet;
use std::fmt;

use http::HeaderName;
use serde_json::Value;

use super::PARAM_PREFIX;
use super::param::{ParamHeader, ParamHeaders};

const ANNOTATION: &str = "x-mcp-header";

/// Keywords that hold one schema, where an annotation cannot be reached statically.
const ONE_SCHEMA: [&str; 12] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// The same for keywords that hold a list or a map of schemas.
const MANY_SCHEMAS: [&str; 9] = [
    "$defs",
    "allOf",
    "anyOf",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "oneOf",
    "patternProperties",
    "prefixItems",
];

/// An `x-mcp-header` annotation that breaks the rules: the tool author's fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParamError {
    /// The property it stands at, as a dotted path; empty at the root.
    pub(crate) at: String,
    /// Which rule it breaks.
    pub(crate) problem: &'static str,
}

impl ParamError {
    /// The schema is nested so deeply that its annotations cannot be found.
    #[cfg(feature = "client")]
    pub(crate) fn unreadable() -> Self {
        Self {
            at: String::new(),
            problem: "cannot be found, since the schema is nested too deeply",
        }
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{ANNOTATION}` at `{}` {}", self.at, self.problem)
    }
}

impl std::error::Error for ParamError {}

impl ParamHeaders {
    /// Reads the annotations of a tool's input schema.
    pub(crate) fn from_schema(schema: &Value) -> Result<Self, ParamError> {
        let mut walk = Walk::default();
        walk.schema(schema, true)?;
        Ok(Self(walk.found))
    }
}

#[derive(Default)]
struct Walk {
    path: Vec<String>,
    names: HashSet<String>,
    found: Vec<ParamHeader>,
}

impl Walk {
    fn schema(&mut self, schema: &Value, reachable: bool) -> Result<(), ParamError> {
        let Value::Object(members) = schema else {
            return Ok(());
        };
        if let Some(annotation) = members.get(ANNOTATION) {
            let header = self.annotation(annotation, members.get("type"), reachable)?;
            self.found.push(header);
        }
        for (keyword, value) in members {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties {
                        self.path.push(name.clone());
                        self.schema(property, reachable)?;
                        self.path.pop();
                    }
                }
                // Earlier dialects have lists of schemas in some of them.
                (keyword, Value::Array(list))
                    if ONE_SCHEMA.contains(&keyword) || MANY_SCHEMAS.contains(&keyword) =>
                {
                    self.schemas(list)?;
                }
                (keyword, schema) if ONE_SCHEMA.contains(&keyword) => {
                    self.schemas(std::slice::from_ref(schema))?;
                }
                (keyword, Value::Object(map)) if MANY_SCHEMAS.contains(&keyword) => {
                    self.schemas(map.values())?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn schemas<'a>(
        &mut self,
        schemas: impl IntoIterator<Item = &'a Value>,
    ) -> Result<(), ParamError> {
        schemas
            .into_iter()
            .try_for_each(|schema| self.schema(schema, false))
    }

    fn annotation(
        &mut self,
        annotation: &Value,
        kind: Option<&Value>,
        reachable: bool,
    ) -> Result<ParamHeader, ParamError> {
        let problem = |problem| ParamError {
            at: self.path.join("."),
            problem,
        };
        if !reachable || self.path.is_empty() {
            return Err(problem(
                "is not reachable through `properties` alone from the root",
            ));
        }
        let name = annotation
            .as_str()
            .ok_or_else(|| problem("must be a string"))?;
        if name.is_empty() {
            return Err(problem("must not be empty"));
        }
        if !kind.is_some_and(is_primitive) {
            return Err(problem(
                "stands at a property whose `type` is not string, integer or boolean",
            ));
        }
        let header = HeaderName::from_bytes(format!("{PARAM_PREFIX}{name}").as_bytes())
            .map_err(|_| problem("must be an HTTP field name"))?;
        if self.names.contains(header.as_str()) {
            return Err(problem("names a header that another property names too"));
        }
        self.names.insert(header.as_str().to_owned());
        Ok(ParamHeader {
            name: header,
            path: self.path.clone(),
        })
    }
}

/// Whether a `type` allows exactly one of the types that fit a header, and perhaps `null`.
fn is_primitive(kind: &Value) -> bool {
    let fits = |kind: &Value| matches!(kind.as_str(), Some("string" | "integer" | "boolean"));
    match kind {
        Value::Array(kinds) => {
            let mut kinds = kinds.iter().filter(|kind| kind.as_str() != Some("null"));
            kinds.next().is_some_and(fits) && kinds.next().is_none()
        }
        kind => fits(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn params() -> ParamHeaders {
        ParamHeaders::from_schema(&json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "limit": {"type": "integer", "x-mcp-header": "Limit"},
            "dry": {"type": ["boolean", "null"], "x-mcp-header": "Dry-Run"},
            "to": {"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}},
            "x-mcp-header": {"type": "string"},
            "free": {"type": "string", "default": {"x-mcp-header": ""}}
        }}))
        .unwrap()
    }

    #[test]
    fn annotations_are_found_along_properties_with_their_path() {
        let found: Vec<_> = params()
            .0
            .iter()
            .map(|param| (param.name.to_string(), param.path.join(".")))
            .collect();
        let expected = [
            ("mcp-param-dry-run", "dry"),
            ("mcp-param-limit", "limit"),
            ("mcp-param-region", "region"),
            ("mcp-param-city", "to.city"),
        ];
        let mut found: Vec<_> = found
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        found.sort_by_key(|(_, path)| *path);
        assert_eq!(found, expected);
    }

    #[test]
    fn annotations_that_break_a_rule_are_refused() {
        let string = |name: Value| json!({"type": "string", "x-mcp-header": name});
        for (schema, problem) in [
            (json!({"properties": {"a": string(json!(""))}}), "empty"),
            (
                json!({"properties": {"a": string(json!(7))}}),
                "must be a string",
            ),
            (
                json!({"properties": {"a": string(json!("a b"))}}),
                "field name",
            ),
            (
                json!({"properties": {"a": string(json!("a\r\nb"))}}),
                "field name",
            ),
            (
                json!({"properties": {"a": string(json!("X")), "b": string(json!("x"))}}),
                "another",
            ),
            (
                json!({"properties": {"a": {"type": "number", "x-mcp-header": "A"}}}),
                "type",
            ),
            (
                json!({"properties": {"a": {"$ref": "#/$defs/x", "x-mcp-header": "A"}}}),
                "type",
            ),
            (
                json!({"properties": {"a": {"type": ["string", "integer"], "x-mcp-header": "A"}}}),
                "type",
            ),
            (
                json!({"properties": {"a": {"items": {"properties": {"b": string(json!("B"))}}}}}),
                "reachable",
            ),
            (
                json!({"properties": {"a": {"items": [{"properties": {"b": string(json!("B"))}}]}}}),
                "reachable",
            ),
            (
                json!({"properties": {"a": {"contentSchema": {"properties": {"b": string(json!("B"))}}}}}),
                "reachable",
            ),
            (
                json!({"oneOf": [{"properties": {"b": string(json!("B"))}}]}),
                "reachable",
            ),
            (
                json!({"$defs": {"d": {"properties": {"b": string(json!("B"))}}}}),
                "reachable",
            ),
            (string(json!("Root")), "reachable"),
        ] {
            let error = ParamHeaders::from_schema(&schema).unwrap_err();
            assert!(error.to_string().contains(problem), "{schema}: {error}");
        }
    }
}
