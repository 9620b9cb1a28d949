//! Where in a JSON text an error is.

use std::fmt::Write;

/// The path of the member or element that ends at or contains byte `offset`,
/// such as `trip.seats[1]`; empty for the whole value.
///
/// `text` must be valid JSON. Only called once something is wrong: it scans
/// the text again instead of keeping track on the way.
pub(crate) fn path_at(text: &str, offset: usize) -> String {
    let mut path: Vec<Step<'_>> = Vec::new();
    let bytes = &text.as_bytes()[..offset.min(text.len())];
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' => path.push(Step::Member("")),
            b'[' => path.push(Step::Element(0)),
            b'}' | b']' => drop(path.pop()),
            b',' => match path.last_mut() {
                Some(Step::Element(index)) => *index += 1,
                Some(member) => *member = Step::Member(""),
                None => {}
            },
            b'"' => {
                let end = string_end(text.as_bytes(), at);
                let is_name = end <= bytes.len()
                    && text[end..].trim_start().starts_with(':')
                    && matches!(path.last(), Some(Step::Member("")));
                if is_name && let Some(step) = path.last_mut() {
                    *step = Step::Member(&text[at + 1..end - 1]);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    render(&path)
}

/// One step into a value.
pub(crate) enum Step<'a> {
    /// In an object, in the member of this name; empty before the first one.
    Member(&'a str),
    /// In an array, in the element of this index.
    Element(usize),
}

/// A path as people write it.
pub(crate) fn render(path: &[Step<'_>]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Member("") => {}
            Step::Member(name) if text.is_empty() => text.push_str(name),
            Step::Member(name) => text.extend([".", name]),
            // Writing to a String cannot fail.
            Step::Element(index) => drop(write!(text, "[{index}]")),
        }
    }
    text
}

/// The byte after the string that begins at `at`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'"' => return end + 1,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    bytes.len()
}

/// The byte offset of serde_json's line and column.
pub(crate) fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    (before + column).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only decoded")]
    struct Trip {
        to: String,
        seats: Option<Vec<Seat>>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only decoded")]
    struct Seat {
        row: u8,
        side: Option<Side>,
    }

    #[derive(Debug, Deserialize)]
    enum Side {
        Left,
    }

    fn path(text: &str) -> String {
        let error = serde_json::from_str::<Trip>(text).expect_err("an error");
        path_at(text, offset_of(text, error.line(), error.column()))
    }

    #[test]
    fn an_error_is_found_at_the_field_it_is_about() {
        for (text, at) in [
            (r#"{}"#, ""),
            (r#"{"to":7}"#, "to"),
            (r#"{ "to" : 7 , "seats": [] }"#, "to"),
            (r#"{"seats":7}"#, "seats"),
            (
                r#"{"seats":[{"row":1},{"row":"x"}],"to":"a"}"#,
                "seats[1].row",
            ),
            (r#"{"seats":[{"row":1},{"row":300}]}"#, "seats[1].row"),
            (r#"{"seats":[{"row":1},{"row":-1}]}"#, "seats[1].row"),
            (r#"{"seats":[{"row":1},{"side":"Left"}]}"#, "seats[1]"),
            (r#"{"seats":[{"row":1,"side":"Up"}]}"#, "seats[0].side"),
            (r#"{"seats":[{"row":1}, "x"]}"#, "seats[1]"),
            (r#"{"a\"b":{"c,]}":[1,{}]},"to":[]}"#, "to"),
            (
                "{\n \"seats\": [\n  {\"row\": 1},\n  {\"row\": true}\n ]\n}",
                "seats[1].row",
            ),
        ] {
            assert_eq!(path(text), at, "{text}");
        }
    }

    #[test]
    fn names_with_escapes_are_shown_as_they_were_sent() {
        let text = r#"{"\u0074o":7}"#;
        assert_eq!(path(text), r"\u0074o");
    }

    proptest::proptest! {
        #[test]
        fn any_offset_of_any_text_is_safe(text in "[\\[\\]{}\",:a1\\\\ é]{0,20}", offset in 0usize..40) {
            let offset = (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
            let _ = path_at(&text, offset.unwrap_or_default());
        }
    }
}
