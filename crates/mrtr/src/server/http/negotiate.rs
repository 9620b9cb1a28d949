//! The headers that say what a body is and what the client can read.

use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};

/// Whether the body is UTF-8 JSON, sent as it is.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let (Some(value), None) = (types.next(), types.next()) else {
        return false;
    };
    if value == "application/json" {
        return is_identity(headers);
    }
    let Ok(value) = value.to_str() else {
        return false;
    };
    let (essence, parameters) = value.split_once(';').unwrap_or((value, ""));
    essence.trim().eq_ignore_ascii_case("application/json")
        && parameters.split(';').all(is_utf8)
        && is_identity(headers)
}

fn is_utf8(parameter: &str) -> bool {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    !name.trim().eq_ignore_ascii_case("charset")
        || value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
}

fn is_identity(headers: &HeaderMap) -> bool {
    headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .all(|value| value.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// Whether the client reads both kinds of replies: `application/json` and `text/event-stream`.
pub(super) fn accepts_both(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(ACCEPT).iter();
    // What nearly every client writes.
    if values
        .next()
        .is_some_and(|value| value == "application/json, text/event-stream")
        && values.next().is_none()
    {
        return true;
    }
    let ranges = || {
        let values = headers.get_all(ACCEPT).iter();
        values
            .filter_map(|value: &HeaderValue| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .filter_map(Range::parse)
    };
    ["application/json", "text/event-stream"]
        .iter()
        .all(|media_type| {
            ranges()
                .filter_map(|range| Some((range.specificity(media_type)?, range.wanted)))
                .max()
                .is_some_and(|(_, wanted)| wanted)
        })
}

struct Range<'a> {
    essence: &'a str,
    /// Its quality is not zero.
    wanted: bool,
}

impl<'a> Range<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';');
        let essence = parts.next()?.trim();
        let quality = parts.find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.trim().eq_ignore_ascii_case("q").then(|| value.trim())
        });
        let wanted = quality.is_none_or(|q| q.parse::<f32>().is_ok_and(|q| q > 0.0));
        Some(Self { essence, wanted })
    }

    /// How closely the range names the type; `None` when it does not cover it.
    fn specificity(&self, media_type: &str) -> Option<u8> {
        if self.essence.eq_ignore_ascii_case(media_type) {
            return Some(2);
        }
        if self.essence == "*/*" {
            return Some(0);
        }
        let group = self.essence.strip_suffix("/*")?;
        media_type
            .split_once('/')
            .is_some_and(|(kind, _)| kind.eq_ignore_ascii_case(group))
            .then_some(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: http::HeaderName, values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(&name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn only_utf8_json_is_json() {
        for value in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/json;charset=\"UTF-8\"; profile=x",
        ] {
            assert!(is_json(&headers(CONTENT_TYPE, &[value])), "{value}");
        }
        for value in [
            "text/plain",
            "application/json-rpc",
            "application/jsonp",
            "application/json; charset=utf-16",
            "text/plain; application/json",
            "",
        ] {
            assert!(!is_json(&headers(CONTENT_TYPE, &[value])), "{value}");
        }
        assert!(!is_json(&HeaderMap::new()));
        let twice = ["application/json", "application/json"];
        assert!(!is_json(&headers(CONTENT_TYPE, &twice)));
        let mut zipped = headers(CONTENT_TYPE, &["application/json"]);
        zipped.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        assert!(!is_json(&zipped));
    }

    #[test]
    fn both_reply_types_must_be_accepted() {
        for values in [
            &["application/json, text/event-stream"][..],
            &["text/event-stream", "application/json"],
            &["*/*"],
            &["application/*, text/*;q=0.1"],
            &["TEXT/Event-Stream;q=0.5,application/json"],
            &["*/*;q=0, text/event-stream, application/json"],
        ] {
            assert!(accepts_both(&headers(ACCEPT, values)), "{values:?}");
        }
        for values in [
            &[][..],
            &["application/json"],
            &["text/event-stream"],
            &["text/html, application/json"],
            &["application/json, text/event-stream;q=0"],
            &["*/*, application/json;q=0.0"],
            &["application/json, text/event-stream;q=high"],
            &["*/*;q=0"],
        ] {
            assert!(!accepts_both(&headers(ACCEPT, values)), "{values:?}");
        }
    }
}
