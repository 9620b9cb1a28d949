//! What is wrong with an answer, in sentences for the person who gave it.

use std::fmt;

/// Most problems that are listed one by one; the rest is counted.
const MAX_LISTED: usize = 16;
/// Longest sentence kept, in characters.
const MAX_SENTENCE: usize = 400;

/// One thing that is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    field: String,
    message: String,
}

impl Problem {
    /// A problem of the field with this wire name (empty: of the form as a whole). The message is a whole
    /// sentence that names the field as the person knows it, without a full stop: "Seats must be between 1
    /// and 9". It is cut after 400 characters.
    #[must_use]
    pub fn new(field: impl Into<String>, message: impl AsRef<str>) -> Self {
        Self {
            field: field.into(),
            message: clip(message.as_ref(), MAX_SENTENCE),
        }
    }

    /// The wire name of the field; empty when the form as a whole is meant.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }

    /// The sentence to show.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

/// All that is wrong with an answer: the fault of whoever answered, to be fixed by asking again.
///
/// `Display` joins the sentences. At most sixteen are kept and each is bounded, so the text stays below
/// 8 KiB whatever the answer was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    listed: Vec<Problem>,
    unlisted: usize,
}

impl Problems {
    /// An empty list, to be filled with [`push`](Self::push).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a problem; from the seventeenth on it is only counted.
    pub fn push(&mut self, problem: Problem) {
        if self.listed.len() < MAX_LISTED {
            self.listed.push(problem);
        } else {
            self.unlisted += 1;
        }
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// The problems, in the order of the form's fields.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.listed.iter()
    }

    /// The first problem of the field with this wire name.
    #[must_use]
    pub fn of(&self, field: &str) -> Option<&Problem> {
        self.listed.iter().find(|problem| problem.field == field)
    }

    /// `value` if nothing is wrong, else the problems.
    pub(crate) fn or<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() {
            Ok(value)
        } else {
            Err(self)
        }
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self {
            listed: vec![problem],
            unlisted: 0,
        }
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.listed.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            let stop = if problem.message.ends_with(['.', '!', '?', '。', '！', '？']) {
                ""
            } else {
                "."
            };
            write!(f, "{space}{problem}{stop}")?;
        }
        if self.unlisted > 0 {
            write!(f, " And {} more.", self.unlisted)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// At most `limit` characters of the text, with a space for each that could move or hide others.
pub(crate) fn clip(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == limit {
            out.push('…');
            break;
        }
        let moves = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        out.push(if c.is_control() || moves { ' ' } else { c });
    }
    out
}
