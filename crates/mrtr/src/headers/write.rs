//! The headers that a client makes of a tool's arguments.

use std::fmt;

use http::{HeaderName, HeaderValue};
use mrtr_core::exchange::HeaderNames;
use serde_json::value::RawValue;

use super::param::{ParamHeader, ParamHeaders};
use super::{PARAM_PREFIX, encode};

/// The largest integer that every party reads alike.
const SAFE: i64 = (1 << 53) - 1;

impl ParamHeaders {
    /// The headers of a call with these arguments. A value that is absent, `null` or of a type that
    /// does not fit a header has none.
    pub(crate) fn write(
        &self,
        arguments: Option<&RawValue>,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, Unwritable> {
        let mut headers = Vec::with_capacity(self.0.len());
        for param in &self.0 {
            let unwritable = |why| Unwritable {
                argument: param.path.join("."),
                why,
            };
            let value = param
                .find(arguments)
                .map_err(|_| unwritable("is given twice"))?;
            let value = value.as_deref().map(|value| text(value)).transpose();
            let value = value.map_err(unwritable)?.flatten();
            headers.extend(value.map(|text| (param.name.clone(), encode(&text))));
        }
        Ok(headers)
    }

    /// The names and paths, to be saved with a call.
    pub(crate) fn names(&self) -> HeaderNames {
        let name = |name: &HeaderName| name.as_str().replacen(PARAM_PREFIX, "", 1);
        let params = self.0.iter();
        params
            .map(|param| (name(&param.name), param.path.clone()))
            .collect()
    }

    /// What [`names`](Self::names) gave; `None` when a name is no header name.
    pub(crate) fn from_names(names: &HeaderNames) -> Option<Self> {
        let param = |(name, path): (&String, &Vec<String>)| {
            let name = format!("{PARAM_PREFIX}{name}");
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            Some(ParamHeader {
                name,
                path: path.clone(),
            })
        };
        names.iter().map(param).collect::<Option<_>>().map(Self)
    }
}

/// The value as it stands in a header. A number with a fraction stays as it is, for the server to
/// refuse.
fn text(value: &RawValue) -> Result<Option<String>, &'static str> {
    let text = value.get();
    Ok(match text.as_bytes().first() {
        Some(b'"') => serde_json::from_str(text).ok(),
        Some(b't' | b'f') => Some(text.to_owned()),
        Some(b'-' | b'0'..=b'9') => {
            let float: f64 = text.parse().unwrap_or(f64::INFINITY);
            if float.abs() > SAFE as f64 {
                return Err("is beyond 2^53 - 1");
            }
            match float.fract() == 0.0 {
                true => Some(format!("{float:.0}")),
                false => Some(text.to_owned()),
            }
        }
        _ => None,
    })
}

/// An argument that has to be in a header and cannot: the caller's fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unwritable {
    argument: String,
    why: &'static str,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { argument, why } = self;
        write!(
            f,
            "the argument `{argument}` cannot be sent in a header, as the tool wants: it {why}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn params() -> ParamHeaders {
        ParamHeaders::from_schema(&json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "n": {"type": ["integer", "null"], "x-mcp-header": "N"},
            "on": {"type": "boolean", "x-mcp-header": "On"},
            "where": {"properties": {"zone": {"type": "string", "x-mcp-header": "Zone"}}}
        }}))
        .unwrap()
    }

    fn write(arguments: &str) -> Result<Vec<(String, String)>, Unwritable> {
        let arguments = serde_json::from_str(arguments).unwrap();
        let text = |value: &HeaderValue| value.to_str().unwrap().to_owned();
        let mut headers: Vec<_> = params()
            .write(Some(arguments))?
            .iter()
            .map(|(name, value)| (name.to_string(), text(value)))
            .collect();
        headers.sort();
        Ok(headers)
    }

    #[test]
    fn values_are_read_at_their_exact_path() {
        let arguments =
            r#"{"region":"us-west1","n":-7.0,"on":false,"where":{"zone":"\u00e9"},"zone":"no"}"#;
        let expected = [
            ("mcp-param-n", "-7"),
            ("mcp-param-on", "false"),
            ("mcp-param-region", "us-west1"),
            ("mcp-param-zone", "=?base64?w6k=?="),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(write(arguments), Ok(expected.to_vec()));
    }

    #[test]
    fn what_is_null_absent_or_of_another_type_has_no_header() {
        assert_eq!(
            write(r#"{"region":null,"n":[1],"where":7}"#),
            Ok(Vec::new())
        );
        assert_eq!(params().write(None), Ok(Vec::new()));
    }

    #[test]
    fn integers_beyond_the_safe_range_are_not_written_wrongly() {
        let n = |n: &str| Ok(write(&format!("{{\"n\":{n}}}"))?.remove(0).1);
        for (number, header) in [
            ("9007199254740991", "9007199254740991"),
            ("-9007199254740991", "-9007199254740991"),
            ("4.2e1", "42"),
            ("1.5", "1.5"),
        ] {
            assert_eq!(n(number), Ok(header.to_owned()));
        }
        for number in ["9007199254740992", "-9007199254740993", "1e300", "1e999"] {
            let error: Unwritable = n(number).unwrap_err();
            assert_eq!(error.argument, "n");
        }
    }

    #[test]
    fn an_argument_given_twice_is_refused() {
        assert!(write(r#"{"n":1,"n":2}"#).is_err());
    }

    #[test]
    fn a_saved_call_keeps_its_headers() {
        let mut names = params().names();
        let again = ParamHeaders::from_names(&names).unwrap();
        assert_eq!(again.names(), names);
        let arguments = serde_json::from_str(r#"{"where":{"zone":"z"}}"#).unwrap();
        assert_eq!(
            again.write(Some(arguments)),
            params().write(Some(arguments))
        );
        names.insert("a b".to_owned(), Vec::new());
        assert_eq!(ParamHeaders::from_names(&names), None);
    }
}
