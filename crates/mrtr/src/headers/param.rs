//! Tool arguments that travel in `Mcp-Param-*` headers as well.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use http::{HeaderMap, HeaderName};
use mrtr_core::json::Decimal;
use serde::Deserializer as _;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::PARAM_PREFIX;
use super::value::decode;

const ANNOTATION: &str = "x-mcp-header";

/// Keywords that hold one schema, where an annotation cannot be reached statically.
const ONE_SCHEMA: [&str; 10] = [
    "additionalProperties",
    "contains",
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
const MANY_SCHEMAS: [&str; 8] = [
    "$defs",
    "allOf",
    "anyOf",
    "definitions",
    "dependentSchemas",
    "oneOf",
    "patternProperties",
    "prefixItems",
];

/// The arguments of one tool that are mirrored in headers.
///
/// Implements [custom headers](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#schema-extension).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ParamHeaders(pub(super) Vec<ParamHeader>);

/// One mirrored argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParamHeader {
    /// The whole name of the header.
    pub(super) name: HeaderName,
    /// The chain of property names that leads to the argument.
    pub(super) path: Vec<String>,
}

/// An `x-mcp-header` annotation that breaks the rules: the tool author's fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParamError {
    /// The property it stands at, as a dotted path; empty at the root.
    pub(crate) at: String,
    /// Which rule it breaks.
    pub(crate) problem: &'static str,
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

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks that every header says what the arguments say; the error tells which does not.
    pub(crate) fn check(
        &self,
        headers: &HeaderMap,
        arguments: Option<&RawValue>,
    ) -> Result<(), String> {
        self.0
            .iter()
            .try_for_each(|param| param.check(headers, arguments))
    }
}

impl ParamHeader {
    fn check(&self, headers: &HeaderMap, arguments: Option<&RawValue>) -> Result<(), String> {
        let name = &self.name;
        let mut values = headers.get_all(name).iter();
        let written = values.next();
        if values.next().is_some() {
            return Err(format!("{name} is given more than once"));
        }
        let value = self
            .find(arguments)
            .map_err(|_| format!("the body names the value of {name} more than once"))?;
        match (written, value.as_deref().map(Text::of)) {
            (None, None | Some(Text::Other)) => Ok(()),
            (None, Some(_)) => Err(format!(
                "{name} is missing although the body has `{}`",
                self.path.join(".")
            )),
            (Some(_), None) => Err(format!(
                "{name} is given but the body has no `{}`",
                self.path.join(".")
            )),
            (Some(written), Some(value)) => {
                let written = decode(written).map_err(|error| format!("{name} {error}"))?;
                if value.matches(&written) {
                    Ok(())
                } else {
                    Err(format!("{name} does not match the body"))
                }
            }
        }
    }

    /// The value in the arguments; `None` when it is absent or `null`.
    pub(super) fn find(
        &self,
        arguments: Option<&RawValue>,
    ) -> Result<Option<Box<RawValue>>, serde_json::Error> {
        let mut at = arguments.map(Cow::Borrowed);
        for name in &self.path {
            let Some(value) = at else { return Ok(None) };
            if !value.get().starts_with('{') {
                return Ok(None);
            }
            at = member(&value, name)?.map(Cow::Owned);
        }
        Ok(at
            .filter(|value| value.get() != "null")
            .map(Cow::into_owned))
    }
}

/// What a value in the arguments looks like in a header.
enum Text<'a> {
    String(Cow<'a, str>),
    Number(&'a str),
    Bool(&'a str),
    /// Nothing a header can carry; the input schema will refuse it.
    Other,
}

impl<'a> Text<'a> {
    fn of(value: &'a RawValue) -> Self {
        let text = value.get();
        match text.as_bytes().first() {
            Some(b'"') => serde_json::from_str(text).map_or(Self::Other, Self::String),
            Some(b't' | b'f') => Self::Bool(text),
            Some(b'-' | b'0'..=b'9') => Self::Number(text),
            _ => Self::Other,
        }
    }

    fn matches(&self, written: &str) -> bool {
        match self {
            Self::String(text) => text == written,
            Self::Bool(text) => *text == written,
            Self::Number(text) => {
                matches!((Decimal::parse(text), Decimal::parse(written)), (Ok(a), Ok(b)) if a == b)
            }
            Self::Other => false,
        }
    }
}

/// The member `wanted` of an object; an error when it is there twice.
fn member(object: &RawValue, wanted: &str) -> Result<Option<Box<RawValue>>, serde_json::Error> {
    struct Find<'w>(&'w str);
    impl<'de> Visitor<'de> for Find<'_> {
        type Value = Option<Box<RawValue>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = None;
            while let Some(Key(name)) = map.next_key()? {
                if name != self.0 {
                    map.next_value::<IgnoredAny>()?;
                } else if found.replace(map.next_value()?).is_some() {
                    return Err(A::Error::custom("duplicate member"));
                }
            }
            Ok(found)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(object.get());
    deserializer.deserialize_map(Find(wanted))
}

#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

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
                (keyword, schema) if ONE_SCHEMA.contains(&keyword) => {
                    self.schemas(std::slice::from_ref(schema))?;
                }
                (keyword, Value::Array(list)) if MANY_SCHEMAS.contains(&keyword) => {
                    self.schemas(list)?;
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

    fn check(headers: &[(&str, &str)], arguments: Option<&str>) -> Result<(), String> {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect::<Vec<(HeaderName, http::HeaderValue)>>();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, value);
        }
        let arguments = arguments.map(|text| serde_json::from_str::<&RawValue>(text).unwrap());
        params().check(&map, arguments)
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

    #[test]
    fn headers_must_say_what_the_arguments_say() {
        let full = r#"{"region":"us-west1","limit":42.0,"dry":true,"to":{"city":"Zürich"}}"#;
        let headers = [
            ("mcp-param-region", "us-west1"),
            ("mcp-param-limit", "42"),
            ("mcp-param-dry-run", "true"),
            ("mcp-param-city", "=?base64?WsO8cmljaA==?="),
        ];
        assert_eq!(check(&headers, Some(full)), Ok(()));
        for (at, wrong) in [
            (0, "us-east1"),
            (0, "US-WEST1"),
            (0, "=?base64?dXMtd2VzdDE?="),
            (1, "42.5"),
            (1, "forty-two"),
            (2, "True"),
            (3, "Zurich"),
        ] {
            let mut headers = headers;
            headers[at].1 = wrong;
            assert!(check(&headers, Some(full)).is_err(), "{wrong}");
        }
        for missing in 0..headers.len() {
            let mut headers = headers.to_vec();
            headers.remove(missing);
            assert!(check(&headers, Some(full)).unwrap_err().contains("missing"));
        }
    }

    #[test]
    fn absent_and_null_arguments_expect_no_header() {
        for arguments in [
            None,
            Some("{}"),
            Some(r#"{"region":null,"to":null}"#),
            Some("[]"),
        ] {
            assert_eq!(check(&[], arguments), Ok(()));
            assert!(check(&[("mcp-param-region", "x")], arguments).is_err());
        }
    }

    #[test]
    fn a_header_or_an_argument_given_twice_is_refused() {
        let twice = [("mcp-param-region", "a"), ("mcp-param-region", "a")];
        assert!(
            check(&twice, Some(r#"{"region":"a"}"#))
                .unwrap_err()
                .contains("more than once")
        );
        let body = Some(r#"{"region":"a","r\u0065gion":"b"}"#);
        assert!(
            check(&[("mcp-param-region", "a")], body)
                .unwrap_err()
                .contains("more than once")
        );
    }
}
