//! URI templates: the part of RFC 6570 that can be read backwards.

use std::borrow::Cow;
use std::fmt;

use super::args::text::Texts;

/// A URI template such as `note://{folder}/{id}`.
///
/// Level 1 of RFC 6570: `{name}` stands for one or more characters other than
/// `/`, `?` and `#`. Beyond it, one `{+name}` may end the template and stands
/// for the whole rest. Values are percent-decoded.
///
/// See [resource templates](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UriTemplate {
    /// What comes before the first variable; the scheme at least.
    prefix: Box<str>,
    /// Each variable with the literal that follows it.
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    name: Box<str>,
    /// `{+name}`
    rest: bool,
    literal: Box<str>,
}

/// What is wrong with a URI or URI template: the author's fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UriProblem(Cow<'static, str>);

impl fmt::Display for UriProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn problem(text: impl Into<Cow<'static, str>>) -> UriProblem {
    UriProblem(text.into())
}

impl UriTemplate {
    pub(crate) fn parse(text: &str) -> Result<Self, UriProblem> {
        let mut sections = text.split('{');
        let prefix = sections.next().unwrap_or_default();
        check_scheme(prefix)?;
        check_characters(prefix)?;
        let mut parts: Vec<Part> = Vec::new();
        for section in sections {
            let (expression, literal) = section
                .split_once('}')
                .ok_or_else(|| problem("a `{` is not closed"))?;
            check_characters(literal)?;
            if parts.last().is_some_and(|part| part.rest) {
                return Err(problem("`{+name}` is only possible at the end"));
            }
            if parts.last().is_some_and(|part| part.literal.is_empty()) {
                return Err(problem(
                    "two variables need a character between them to be told apart",
                ));
            }
            let (name, rest) = variable(expression)?;
            if rest && !literal.is_empty() {
                return Err(problem("`{+name}` is only possible at the end"));
            }
            if parts.iter().any(|part| *part.name == *name) {
                return Err(problem(format!("the variable `{name}` appears twice")));
            }
            parts.push(Part {
                name: name.into(),
                rest,
                literal: literal.into(),
            });
        }
        if parts.is_empty() {
            return Err(problem(
                "there is no variable in it; register it as a resource instead",
            ));
        }
        Ok(Self {
            prefix: prefix.into(),
            parts,
        })
    }

    /// The names of the variables, in order.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|part| &*part.name)
    }

    /// The values of the variables in `uri`, decoded, when it is of this form.
    ///
    /// Each literal is taken where it first appears, so the work is linear in
    /// the length of the URI.
    pub(crate) fn values<'a>(&'a self, uri: &'a str) -> Option<Texts<'a>> {
        let mut rest = uri.strip_prefix(&*self.prefix)?;
        let mut values = Vec::with_capacity(self.parts.len());
        for (index, part) in self.parts.iter().enumerate() {
            let last = index + 1 == self.parts.len();
            let value = if last {
                rest.strip_suffix(&*part.literal)?
            } else {
                // A value has at least one character, whatever its width.
                let first = rest.chars().next()?.len_utf8();
                let end = first + rest[first..].find(&*part.literal)?;
                &rest[..end]
            };
            if value.is_empty() || (!part.rest && value.contains(['/', '?', '#'])) {
                return None;
            }
            values.push((Cow::Borrowed(&*part.name), percent_decode(value)?));
            rest = rest.get(value.len() + part.literal.len()..)?;
        }
        Some(values)
    }
}

fn variable(expression: &str) -> Result<(&str, bool), UriProblem> {
    let (name, rest) = match expression.strip_prefix('+') {
        Some(name) => (name, true),
        None => (expression, false),
    };
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    if name.is_empty() || !name.chars().all(legal) || name.starts_with('.') || name.ends_with('.') {
        return Err(problem(format!(
            "`{{{expression}}}` is not supported: only `{{name}}`, and `{{+name}}` at the end"
        )));
    }
    Ok((name, rest))
}

/// Checks the URI of a resource.
pub(crate) fn check_uri(uri: &str) -> Result<(), UriProblem> {
    check_scheme(uri)?;
    check_characters(uri)
}

fn check_scheme(text: &str) -> Result<(), UriProblem> {
    let scheme = text.split_once(':').map(|(scheme, _)| scheme);
    let legal = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    match scheme {
        Some(scheme) if legal(scheme) => Ok(()),
        _ => Err(problem("it must begin with a scheme, such as `note:`")),
    }
}

fn check_characters(text: &str) -> Result<(), UriProblem> {
    if let Some(bad) = text
        .chars()
        .find(|c| !c.is_ascii_graphic() || r#"<>"{}|\^`"#.contains(*c))
    {
        return Err(problem(format!(
            "the character {bad:?} must be percent-encoded"
        )));
    }
    match percent_decode_bytes(text) {
        Some(_) => Ok(()),
        None => Err(problem("a `%` must be followed by two hexadecimal digits")),
    }
}

fn percent_decode(text: &str) -> Option<Cow<'_, str>> {
    match percent_decode_bytes(text)? {
        Cow::Borrowed(_) => Some(Cow::Borrowed(text)),
        Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
    }
}

fn percent_decode_bytes(text: &str) -> Option<Cow<'_, [u8]>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text.as_bytes()));
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let value = digit(bytes.next()?)? << 4 | digit(bytes.next()?)?;
        out.push(u8::try_from(value).ok()?);
    }
    Some(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn template(text: &str) -> UriTemplate {
        UriTemplate::parse(text).expect("a template")
    }

    fn values(text: &str, uri: &str) -> Option<Vec<(String, String)>> {
        let template = template(text);
        let values = template.values(uri)?;
        Some(
            values
                .into_iter()
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
        )
    }

    fn one(text: &str, uri: &str) -> Option<String> {
        Some(values(text, uri)?.pop()?.1)
    }

    #[test]
    fn a_variable_stands_for_one_segment_and_is_percent_decoded() {
        assert_eq!(one("note://{id}", "note://7").as_deref(), Some("7"));
        assert_eq!(
            one("note://{id}", "note://a%2Fb%20%C3%A9").as_deref(),
            Some("a/b é")
        );
        assert_eq!(one("note://{id}", "note://a/b"), None);
        assert_eq!(one("note://{id}", "note://a?x"), None);
        assert_eq!(one("note://{id}", "note://"), None);
        assert_eq!(one("note://{id}", "notes://7"), None);
    }

    #[test]
    fn a_value_that_does_not_decode_is_no_match() {
        assert_eq!(one("note://{id}", "note://%2"), None);
        assert_eq!(one("note://{id}", "note://%zz"), None);
        assert_eq!(one("note://{id}", "note://%ff"), None);
    }

    #[test]
    fn a_literal_that_repeats_inside_the_last_value_is_found_at_the_end() {
        assert_eq!(
            one("f:///{name}.txt", "f:///a.txt.txt").as_deref(),
            Some("a.txt")
        );
        assert_eq!(
            values("f:///{a}-{b}", "f:///x-y-z"),
            Some(vec![("a".into(), "x".into()), ("b".into(), "y-z".into())])
        );
        assert_eq!(
            values("f:///{a}-{b}", "f:///--b"),
            Some(vec![("a".into(), "-".into()), ("b".into(), "b".into())])
        );
    }

    #[test]
    fn the_rest_may_hold_slashes() {
        assert_eq!(
            one("file:///{+path}", "file:///src/main.rs").as_deref(),
            Some("src/main.rs")
        );
    }

    #[test]
    fn what_cannot_be_matched_is_refused_with_the_reason() {
        for (text, reason) in [
            ("note://{id", "not closed"),
            ("note://{a}{b}", "between them"),
            ("note://{?q}", "not supported"),
            ("note://{id*}", "not supported"),
            ("note://{a,b}", "not supported"),
            ("note://{id:3}", "not supported"),
            ("note://{}", "not supported"),
            ("note://{a}/{a}", "twice"),
            ("note://{+a}/x", "at the end"),
            ("note://x", "no variable"),
            ("{scheme}://x", "scheme"),
            ("note://{id} x", "percent-encoded"),
        ] {
            let problem = UriTemplate::parse(text).expect_err(text).to_string();
            assert!(problem.contains(reason), "{text}: {problem}");
        }
    }

    #[test]
    fn a_uri_needs_a_scheme_and_legal_characters() {
        assert_eq!(check_uri("note://todo"), Ok(()));
        assert_eq!(check_uri("urn:x%20y"), Ok(()));
        for bad in [
            "todo",
            "1a:x",
            "note://a b",
            "note://é",
            "note://%2",
            "note://{x}",
        ] {
            assert!(check_uri(bad).is_err(), "{bad}");
        }
    }

    /// Every way to cut a URI, tried one after the other.
    fn matches_somehow(parts: &[(bool, &str)], uri: &str) -> bool {
        let Some(((_, literal), others)) = parts.split_first() else {
            return uri.is_empty();
        };
        (1..=uri.len()).any(|end| {
            uri.is_char_boundary(end)
                && !uri[..end].contains(['/', '?', '#'])
                && uri[end..]
                    .strip_prefix(literal)
                    .is_some_and(|rest| matches_somehow(others, rest))
        })
    }

    proptest! {
        #[test]
        fn it_matches_exactly_when_some_cut_of_the_uri_does(
            literals in prop::collection::vec("[ab/]{1,3}", 1..4),
            last in "[ab/]{0,2}",
            tail in "[ab/]{0,12}",
        ) {
            let mut text = "n:".to_owned();
            let mut parts: Vec<(bool, &str)> = Vec::new();
            for (index, literal) in literals.iter().map(String::as_str).chain([&*last]).enumerate() {
                text.push_str(&format!("{{v{index}}}{literal}"));
                parts.push((false, literal));
            }
            let uri = format!("n:{tail}");
            prop_assert_eq!(
                template(&text).values(&uri).is_some(),
                matches_somehow(&parts, &tail),
                "{} {}", text, uri
            );
        }

        #[test]
        fn matching_never_panics(template in "[a-z]:[{}+a/%é]{0,12}", uri in "\\PC{0,16}") {
            if let Ok(template) = UriTemplate::parse(&template) {
                let _ = template.values(&uri);
            }
        }
    }
}
