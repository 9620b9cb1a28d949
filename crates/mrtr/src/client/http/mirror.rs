//! Tool arguments that the server wants mirrored into `Mcp-Param-*` headers.

use std::fmt;

use http::{HeaderName, HeaderValue};
use mrtr_core::exchange::HeaderNames;
use serde_json::Value;
use serde_json::value::RawValue;

use super::headers;

/// Which arguments of one tool are mirrored, read from the `x-mcp-header` annotations of its input
/// schema.
///
/// Implements [custom headers from tool parameters](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mirror(Vec<Mirrored>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Mirrored {
    header: HeaderName,
    path: Vec<String>,
}

/// The keywords whose values are schemas, lists of schemas, or objects of schemas.
const SCHEMA_KEYWORDS: [&str; 21] = [
    "$defs",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

const PREFIX: &str = "mcp-param-";
const ANNOTATION: &str = "x-mcp-header";

impl Mirror {
    /// Reads the annotations of an input schema.
    ///
    /// # Errors
    /// The broken constraint; the page wants the tool excluded then.
    pub(crate) fn of_schema(schema: &RawValue) -> Result<Self, BadAnnotation> {
        if !schema.get().contains("x-mcp-header") && !schema.get().contains('\\') {
            return Ok(Self::default());
        }
        let schema: Value = serde_json::from_str(schema.get())
            .map_err(|error| BadAnnotation(format!("the input schema cannot be read: {error}")))?;
        let mut mirror = Self::default();
        mirror.scan(&schema, &mut Vec::new(), true)?;
        Ok(mirror)
    }

    /// The mirror of a saved call.
    ///
    /// # Errors
    /// A name that is no header name.
    pub(crate) fn from_names(names: &HeaderNames) -> Result<Self, BadAnnotation> {
        let mut mirror = Self::default();
        for (name, path) in names {
            mirror.push(name, path)?;
        }
        Ok(mirror)
    }

    /// The names and paths to save with a call.
    pub(crate) fn names(&self) -> HeaderNames {
        let name = |header: &HeaderName| header.as_str()[PREFIX.len()..].to_owned();
        self.0
            .iter()
            .map(|mirrored| (name(&mirrored.header), mirrored.path.clone()))
            .collect()
    }

    /// Whether nothing is mirrored.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn scan(
        &mut self,
        schema: &Value,
        path: &mut Vec<String>,
        reachable: bool,
    ) -> Result<(), BadAnnotation> {
        let Some(schema) = schema.as_object() else {
            return Ok(());
        };
        if let Some(name) = schema.get(ANNOTATION) {
            if !reachable || path.is_empty() {
                return Err(BadAnnotation(format!(
                    "`{ANNOTATION}` stands where a call's arguments cannot be followed to"
                )));
            }
            self.annotate(name, schema.get("type"), path)?;
        }
        for (keyword, value) in schema {
            if keyword == "properties" {
                for (name, property) in value.as_object().into_iter().flatten() {
                    path.push(name.clone());
                    self.scan(property, path, reachable)?;
                    path.pop();
                }
            } else if SCHEMA_KEYWORDS.contains(&keyword.as_str()) {
                self.scan_all(keyword, value, path)?;
            }
        }
        Ok(())
    }

    /// Looks for annotations in places that may not have any.
    fn scan_all(
        &mut self,
        keyword: &str,
        value: &Value,
        path: &mut Vec<String>,
    ) -> Result<(), BadAnnotation> {
        let by_name = matches!(
            keyword,
            "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties"
        );
        match value {
            Value::Array(schemas) => schemas.iter().try_for_each(|s| self.scan(s, path, false)),
            Value::Object(schemas) if by_name => {
                schemas.values().try_for_each(|s| self.scan(s, path, false))
            }
            schema => self.scan(schema, path, false),
        }
    }

    fn annotate(
        &mut self,
        name: &Value,
        kind: Option<&Value>,
        path: &[String],
    ) -> Result<(), BadAnnotation> {
        let bad = |what: &str| BadAnnotation(format!("`{}`: {what}", path.join(".")));
        let name = name
            .as_str()
            .ok_or_else(|| bad("`x-mcp-header` is not a string"))?;
        if !is_primitive(kind) {
            return Err(bad(
                "`x-mcp-header` needs the type string, integer or boolean",
            ));
        }
        self.push(name, path)
    }

    fn push(&mut self, name: &str, path: &[String]) -> Result<(), BadAnnotation> {
        let bad = |what: &str| BadAnnotation(format!("`{}`: {what}", path.join(".")));
        if name.is_empty() {
            return Err(bad("`x-mcp-header` is empty"));
        }
        let header = HeaderName::from_bytes(format!("{PREFIX}{name}").as_bytes())
            .map_err(|_| bad("`x-mcp-header` is not a header name"))?;
        if self.0.iter().any(|mirrored| mirrored.header == header) {
            return Err(bad(&format!("the header name `{name}` is used twice")));
        }
        self.0.push(Mirrored {
            header,
            path: path.to_vec(),
        });
        Ok(())
    }

    /// The headers of a call with these arguments. A value that is absent, `null` or of no primitive
    /// type has no header.
    ///
    /// # Errors
    /// An integer beyond what every party reads alike (2^53 - 1).
    pub(crate) fn headers(
        &self,
        arguments: Option<&RawValue>,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, UnsafeInteger> {
        let (false, Some(arguments)) = (self.is_empty(), arguments) else {
            return Ok(Vec::new());
        };
        let arguments: Value = serde_json::from_str(arguments.get()).unwrap_or_default();
        let mut headers = Vec::with_capacity(self.0.len());
        for Mirrored { header, path } in &self.0 {
            let value = path
                .iter()
                .try_fold(&arguments, |value, name| value.as_object()?.get(name));
            let text = match value {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Bool(flag)) => flag.to_string(),
                Some(Value::Number(number)) => decimal(number).ok_or_else(|| UnsafeInteger {
                    argument: path.join("."),
                })?,
                _ => continue,
            };
            headers.push((header.clone(), headers::value(&text)));
        }
        Ok(headers)
    }
}

/// A nullable primitive counts: a `null` value simply has no header.
fn is_primitive(kind: Option<&Value>) -> bool {
    let primitive = |kind: &Value| matches!(kind.as_str(), Some("string" | "integer" | "boolean"));
    match kind {
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds.iter().filter(|kind| kind.as_str() != Some("null"));
            kinds.next().is_some_and(primitive) && kinds.next().is_none()
        }
        Some(kind) => primitive(kind),
        None => false,
    }
}

/// The integer in digits (`42.0` is 42); a value with a fraction stays as it is, for the server to
/// refuse. `None` beyond 2^53 - 1.
fn decimal(number: &serde_json::Number) -> Option<String> {
    const SAFE: i64 = (1 << 53) - 1;
    if let Some(integer) = number.as_i64() {
        return (-SAFE..=SAFE)
            .contains(&integer)
            .then(|| integer.to_string());
    }
    let float = number.as_f64()?;
    if float.fract() != 0.0 {
        return Some(number.to_string());
    }
    (float.abs() <= SAFE as f64).then(|| (float as i64).to_string())
}

/// A tool's `x-mcp-header` annotations break their constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadAnnotation(String);

impl fmt::Display for BadAnnotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An argument that has to be mirrored is an integer beyond 2^53 - 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnsafeInteger {
    pub(crate) argument: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    fn of(schema: &str) -> Result<Mirror, BadAnnotation> {
        Mirror::of_schema(&raw(schema))
    }

    fn headers(schema: &str, arguments: &str) -> Vec<(String, String)> {
        let headers = of(schema).unwrap().headers(Some(&raw(arguments))).unwrap();
        let text = |value: HeaderValue| value.to_str().unwrap().to_owned();
        headers
            .into_iter()
            .map(|(name, value)| (name.to_string(), text(value)))
            .collect()
    }

    const DEEP: &str = r#"{"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "n":{"type":["integer","null"],"x-mcp-header":"N"},
        "on":{"type":"boolean","x-mcp-header":"On"},
        "where":{"type":"object","properties":{"zone":{"type":"string","x-mcp-\u0068eader":"Zone"}}},
        "x-mcp-header":{"type":"string","default":{"x-mcp-header":1}}}}"#;

    #[test]
    fn values_are_read_at_their_exact_path() {
        let got = headers(
            DEEP,
            r#"{"region":"us-west1","n":-7.0,"on":false,"where":{"zone":"é"},"zone":"no"}"#,
        );
        let want = [
            ("mcp-param-region", "us-west1"),
            ("mcp-param-n", "-7"),
            ("mcp-param-on", "false"),
            ("mcp-param-zone", "=?base64?w6k=?="),
        ];
        let mut got: Vec<_> = got.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let mut want = want.to_vec();
        got.sort_unstable();
        want.sort_unstable();
        assert_eq!(got, want);
    }

    #[test]
    fn a_saved_call_keeps_its_mirror() {
        let mirror = of(DEEP).unwrap();
        let mut names = mirror.names();
        let again = Mirror::from_names(&names).unwrap();
        assert_eq!(again.names(), names);
        let arguments = raw(r#"{"where":{"zone":"z"}}"#);
        assert_eq!(
            again.headers(Some(&arguments)),
            mirror.headers(Some(&arguments))
        );
        names.insert("a b".to_owned(), Vec::new());
        assert!(Mirror::from_names(&names).is_err());
    }

    #[test]
    fn what_is_null_absent_or_no_primitive_has_no_header() {
        assert!(headers(DEEP, r#"{"region":null,"n":[1],"where":7}"#).is_empty());
        assert!(of(DEEP).unwrap().headers(None).unwrap().is_empty());
    }

    #[test]
    fn integers_beyond_the_safe_range_are_not_mirrored_wrongly() {
        let mirror = of(DEEP).unwrap();
        let call = |n: &str| mirror.headers(Some(&raw(&format!("{{\"n\":{n}}}"))));
        assert_eq!(call("9007199254740991").unwrap()[0].1, "9007199254740991");
        for n in [
            "9007199254740992",
            "-9007199254740992",
            "1e300",
            "18446744073709551615",
        ] {
            assert_eq!(call(n).unwrap_err().argument, "n");
        }
        assert_eq!(call("1.5").unwrap()[0].1, "1.5");
    }

    #[test]
    fn a_definition_that_breaks_a_constraint_is_refused() {
        for properties in [
            r#"{"a":{"type":"string","x-mcp-header":""}}"#,
            r#"{"a":{"type":"string","x-mcp-header":"a b"}}"#,
            r#"{"a":{"type":"string","x-mcp-header":"a\r\n"}}"#,
            r#"{"a":{"type":"string","x-mcp-header":7}}"#,
            r#"{"a":{"type":"number","x-mcp-header":"A"}}"#,
            r#"{"a":{"type":"object","x-mcp-header":"A"}}"#,
            r#"{"a":{"x-mcp-header":"A"}}"#,
            r#"{"a":{"type":"string","x-mcp-header":"X"},"b":{"type":"string","x-mcp-header":"x"}}"#,
            r#"{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}"#,
            r#"{"a":{"anyOf":[{"type":"string","x-mcp-header":"A"}]}}"#,
            r#"{"a":{"not":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}}"#,
        ] {
            let schema = format!(r#"{{"type":"object","properties":{properties}}}"#);
            assert!(of(&schema).is_err(), "{schema}");
        }
        assert!(of(r#"{"type":"string","x-mcp-header":"A"}"#).is_err());
        assert!(of(r#"{"$defs":{"d":{"type":"string","x-mcp-header":"A"}}}"#).is_err());
    }
}
