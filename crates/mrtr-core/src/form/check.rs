//! Checks of derived forms.
//!
//! They are constant expressions that the derive macro puts at the field or attribute they are about, so that
//! a wrong form does not compile and a right one cannot fail at run time.

use super::build::{MAX_DESCRIPTION, MAX_NAME, MAX_TITLE};
use super::formats;
use super::secret;
use super::spec::{ChoiceSpec, DefaultSpec, FieldSpec, KindSpec, NumberSpec};

/// What is wrong with a field, for its author.
pub type Mistake = Option<&'static str>;

impl FieldSpec {
    /// Name, title and description.
    #[must_use]
    pub const fn check_names(&self) -> Mistake {
        let title = match self.title {
            Some(title) => title,
            None => "",
        };
        let description = match self.description {
            Some(description) => description,
            None => "",
        };
        if !self.not_secret
            && (secret::word_in(self.name).is_some() || secret::word_in(title).is_some())
        {
            return Some(secret::ADVICE);
        }
        if self.name.is_empty() || count(self.name) > MAX_NAME {
            return Some("the name of a field has 1 to 100 characters");
        }
        if count(title) > MAX_TITLE {
            return Some("the title of a field has at most 200 characters");
        }
        if count(description) > MAX_DESCRIPTION {
            return Some(
                "the description of a field (its doc comment) has at most 2000 characters",
            );
        }
        None
    }

    /// `min`.
    #[must_use]
    pub const fn check_min(&self) -> Mistake {
        self.check_bound(self.min)
    }

    /// `max`, also against `min`.
    #[must_use]
    pub const fn check_max(&self) -> Mistake {
        match (self.check_bound(self.max), self.min, self.max) {
            (None, Some(min), Some(max)) if below(max, min) => Some("`min` is above `max`"),
            (mistake, _, _) => mistake,
        }
    }

    const fn check_bound(&self, bound: Option<NumberSpec>) -> Mistake {
        match self.kind {
            KindSpec::Integer { min, max } => check_number(bound, Some((min, max))),
            KindSpec::Number => check_number(bound, None),
            KindSpec::Text => {
                Some("`min` and `max` are for numbers: text takes `min_length` and `max_length`")
            }
            KindSpec::MultiSelect(_) => {
                Some("`min` and `max` are for numbers: a list takes `min_items` and `max_items`")
            }
            KindSpec::Boolean | KindSpec::Select(_) => Some("`min` and `max` are for numbers"),
        }
    }

    /// `min_length` and `max_length`.
    #[must_use]
    pub const fn check_length(&self) -> Mistake {
        match (self.kind, self.min_length, self.max_length) {
            (KindSpec::Text, Some(min), Some(max)) if min > max => {
                Some("`min_length` is above `max_length`")
            }
            (KindSpec::Text, _, _) => None,
            (KindSpec::Integer { .. } | KindSpec::Number, _, _) => {
                Some("`min_length` and `max_length` are for text: a number takes `min` and `max`")
            }
            (KindSpec::MultiSelect(_), _, _) => Some(
                "`min_length` and `max_length` are for text: a list takes `min_items` and `max_items`",
            ),
            _ => Some("`min_length` and `max_length` are for text"),
        }
    }

    /// `min_items` and `max_items`.
    #[must_use]
    pub const fn check_items(&self) -> Mistake {
        let KindSpec::MultiSelect(options) = self.kind else {
            return Some("`min_items` and `max_items` are for a list (`Vec` of a choice)");
        };
        match (self.min_items, self.max_items) {
            (Some(min), Some(max)) if min > max => Some("`min_items` is above `max_items`"),
            (Some(min), _) if min as usize > options.len() => {
                Some("`min_items` is above the number of choices")
            }
            _ => None,
        }
    }

    /// `format`.
    #[must_use]
    pub const fn check_format(&self) -> Mistake {
        match (self.kind, self.format) {
            (KindSpec::Text, Some(format)) => match Known::of(format) {
                Some(_) => None,
                None if same(format, "password") => Some(secret::ADVICE),
                None => Some(
                    "a form knows the formats \"email\", \"uri\", \"date\" and \"date-time\" only",
                ),
            },
            (_, Some(_)) => Some("`format` is for text"),
            (_, None) => None,
        }
    }

    /// `default`.
    #[must_use]
    pub const fn check_default(&self) -> Mistake {
        match (self.kind, self.default) {
            (_, None) => None,
            (KindSpec::Text, Some(DefaultSpec::Text(text))) => self.check_default_text(text),
            (KindSpec::Integer { min, max }, Some(DefaultSpec::Number(number))) => {
                match check_number(Some(number), Some((min, max))) {
                    None => self.check_default_number(number),
                    mistake => mistake,
                }
            }
            (KindSpec::Number, Some(DefaultSpec::Number(number))) => {
                self.check_default_number(number)
            }
            (KindSpec::Boolean, Some(DefaultSpec::Boolean(_))) => None,
            (KindSpec::Select(options), Some(DefaultSpec::Text(text))) => {
                if offers(options, text) {
                    None
                } else {
                    Some("`default` is not one of the choices")
                }
            }
            (KindSpec::MultiSelect(options), Some(DefaultSpec::Many(values))) => {
                self.check_default_list(options, values)
            }
            (KindSpec::Text, _) => Some("`default` of a text field must be a text"),
            (KindSpec::Integer { .. } | KindSpec::Number, _) => {
                Some("`default` of a number must be a number")
            }
            (KindSpec::Boolean, _) => {
                Some("`default` of a yes-or-no field must be `true` or `false`")
            }
            (KindSpec::Select(_), _) => Some("`default` of a choice must be one of its variants"),
            (KindSpec::MultiSelect(_), _) => {
                Some("`default` of a list must be an array of variants: `[A, B]`")
            }
        }
    }

    const fn check_default_text(&self, text: &str) -> Mistake {
        let length = count(text);
        if let Some(min) = self.min_length
            && length < min as usize
        {
            return Some("`default` is shorter than `min_length`");
        }
        if let Some(max) = self.max_length
            && length > max as usize
        {
            return Some("`default` is longer than `max_length`");
        }
        let Some(format) = self.format else {
            return None;
        };
        let fits = match Known::of(format) {
            Some(Known::Email) => formats::is_email(text),
            Some(Known::Uri) => formats::is_uri(text),
            Some(Known::Date) => formats::is_date(text),
            Some(Known::DateTime) => formats::is_date_time(text),
            None => true,
        };
        if fits {
            None
        } else {
            Some("`default` does not have the form that `format` asks for")
        }
    }

    const fn check_default_number(&self, number: NumberSpec) -> Mistake {
        if let Some(min) = self.min
            && below(number, min)
        {
            return Some("`default` is below `min`");
        }
        if let Some(max) = self.max
            && below(max, number)
        {
            return Some("`default` is above `max`");
        }
        None
    }

    const fn check_default_list(&self, options: &[ChoiceSpec], values: &[&str]) -> Mistake {
        let mut i = 0;
        while i < values.len() {
            if !offers(options, values[i]) {
                return Some("`default` contains a value that is not one of the choices");
            }
            let mut j = 0;
            while j < i {
                if same(values[i], values[j]) {
                    return Some("`default` contains a choice twice");
                }
                j += 1;
            }
            i += 1;
        }
        if let Some(min) = self.min_items
            && values.len() < min as usize
        {
            return Some("`default` has fewer choices than `min_items`");
        }
        if let Some(max) = self.max_items
            && values.len() > max as usize
        {
            return Some("`default` has more choices than `max_items`");
        }
        None
    }
}

enum Known {
    Email,
    Uri,
    Date,
    DateTime,
}

impl Known {
    const fn of(format: &str) -> Option<Self> {
        if same(format, "email") {
            Some(Self::Email)
        } else if same(format, "uri") {
            Some(Self::Uri)
        } else if same(format, "date") {
            Some(Self::Date)
        } else if same(format, "date-time") {
            Some(Self::DateTime)
        } else {
            None
        }
    }
}

/// A bound or default of a number, and the limits of the field's type.
const fn check_number(number: Option<NumberSpec>, limits: Option<(i128, i128)>) -> Mistake {
    match (number, limits) {
        (Some(NumberSpec::Float(value)), _) if !value.is_finite() => {
            Some("this number is too large for a double")
        }
        (Some(NumberSpec::Float(_)), Some(_)) => {
            Some("this field holds whole numbers: write the number without a point")
        }
        (Some(NumberSpec::Int(value)), Some((min, max))) if value < min || value > max => {
            Some("this number does not fit the field's type")
        }
        _ => None,
    }
}

const fn below(left: NumberSpec, right: NumberSpec) -> bool {
    match (left, right) {
        (NumberSpec::Int(left), NumberSpec::Int(right)) => left < right,
        (NumberSpec::Int(left), NumberSpec::Float(right)) => (left as f64) < right,
        (NumberSpec::Float(left), NumberSpec::Int(right)) => left < right as f64,
        (NumberSpec::Float(left), NumberSpec::Float(right)) => left < right,
    }
}

const fn offers(options: &[ChoiceSpec], value: &str) -> bool {
    let mut i = 0;
    while i < options.len() {
        if same(options[i].value, value) {
            return true;
        }
        i += 1;
    }
    false
}

/// How many code points the text has.
const fn count(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut count, mut i) = (0, 0);
    while i < bytes.len() {
        if bytes[i] & 0xc0 != 0x80 {
            count += 1;
        }
        i += 1;
    }
    count
}

const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut i = 0;
    while i < left.len() {
        if left[i] != right[i] {
            return false;
        }
        i += 1;
    }
    true
}
