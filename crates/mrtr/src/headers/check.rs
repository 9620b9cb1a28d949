//! Whether the headers of a request say what its arguments say.

use std::borrow::Cow;

use http::HeaderMap;
use mrtr_core::json::Decimal;
use serde_json::value::RawValue;

use super::param::{ParamHeader, ParamHeaders};
use super::value::decode;

impl ParamHeaders {
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

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderName;
    use serde_json::json;

    fn params() -> ParamHeaders {
        ParamHeaders::from_schema(&json!({"properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "limit": {"type": "integer", "x-mcp-header": "Limit"},
            "dry": {"type": ["boolean", "null"], "x-mcp-header": "Dry-Run"},
            "to": {"properties": {"city": {"type": "string", "x-mcp-header": "City"}}},
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
