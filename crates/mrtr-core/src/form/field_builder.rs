//! Puts a field together by hand.

use super::field::{
    BooleanKind, Choice, Field, FieldKind, Format, MultiSelectKind, NumberKind, SelectKind,
    TextKind,
};
use super::number::Number;

/// A field on its way into a form.
#[derive(Debug, Clone)]
pub struct FieldDraft {
    pub(super) field: Field,
    pub(super) not_secret: bool,
    pub(super) wrong: Option<&'static str>,
}

/// A field under construction; made by [`Field::text`] and its siblings.
///
/// Fields are required unless [`optional`](Self::optional) says otherwise.
#[derive(Debug, Clone)]
#[must_use = "add it to a form with `FormBuilder::field`"]
pub struct FieldBuilder<K> {
    draft: FieldDraft,
    kind: K,
}

impl<K: Default> FieldBuilder<K> {
    fn new(name: impl Into<String>, kind: K) -> Self {
        let field = Field::new(name, FieldKind::Boolean(BooleanKind::default()));
        Self {
            draft: FieldDraft {
                field,
                not_secret: false,
                wrong: None,
            },
            kind,
        }
    }
}

impl<K> FieldBuilder<K> {
    /// What to call the field on a screen, at most 200 characters; without one it is the name made readable.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.draft.field.title = Some(title.into());
        self
    }

    /// A longer explanation, at most 2000 characters.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.draft.field.description = Some(description.into());
        self
    }

    /// Lets the answer leave the field out.
    pub fn optional(mut self) -> Self {
        self.draft.field.required = false;
        self
    }

    /// States that the field asks for no secret although its name sounds like it.
    pub fn not_secret(mut self) -> Self {
        self.draft.not_secret = true;
        self
    }
}

impl FieldBuilder<TextKind> {
    /// Least number of Unicode code points.
    pub fn min_length(mut self, length: u32) -> Self {
        self.kind.min_length = Some(length);
        self
    }

    /// Most Unicode code points.
    pub fn max_length(mut self, length: u32) -> Self {
        self.kind.max_length = Some(length);
        self
    }

    /// What the text must look like.
    pub fn format(mut self, format: Format) -> Self {
        self.kind.format = Some(format);
        self
    }

    /// The text that clients start from.
    pub fn default(mut self, text: impl Into<String>) -> Self {
        self.kind.default = Some(text.into());
        self
    }
}

impl FieldBuilder<NumberKind> {
    /// Smallest value: an integer, a finite `f64` or a [`Number`].
    pub fn min(mut self, value: impl TryInto<Number>) -> Self {
        self.kind.minimum = self.draft.number(value);
        self
    }

    /// Largest value.
    pub fn max(mut self, value: impl TryInto<Number>) -> Self {
        self.kind.maximum = self.draft.number(value);
        self
    }

    /// The number that clients start from.
    pub fn default(mut self, value: impl TryInto<Number>) -> Self {
        self.kind.default = self.draft.number(value);
        self
    }
}

impl FieldDraft {
    fn number(&mut self, value: impl TryInto<Number>) -> Option<Number> {
        let number = value.try_into().ok();
        if number.is_none() {
            self.wrong = Some("a bound or default is not a finite number");
        }
        number
    }
}

impl FieldBuilder<BooleanKind> {
    /// The answer that clients start from.
    pub fn default(mut self, value: bool) -> Self {
        self.kind.default = Some(value);
        self
    }
}

impl FieldBuilder<SelectKind> {
    /// The value that clients start from.
    pub fn default(mut self, value: impl Into<String>) -> Self {
        self.kind.default = Some(value.into());
        self
    }
}

impl FieldBuilder<MultiSelectKind> {
    /// Least number of values to choose.
    pub fn min_items(mut self, count: u32) -> Self {
        self.kind.min_items = Some(count);
        self
    }

    /// Most values that may be chosen.
    pub fn max_items(mut self, count: u32) -> Self {
        self.kind.max_items = Some(count);
        self
    }

    /// The values that clients start from.
    pub fn default<V: Into<String>>(mut self, values: impl IntoIterator<Item = V>) -> Self {
        self.kind.default = Some(values.into_iter().map(Into::into).collect());
        self
    }
}

impl Field {
    /// Free text.
    pub fn text(name: impl Into<String>) -> FieldBuilder<TextKind> {
        FieldBuilder::new(name, TextKind::default())
    }

    /// A whole number.
    pub fn integer(name: impl Into<String>) -> FieldBuilder<NumberKind> {
        FieldBuilder::new(
            name,
            NumberKind {
                integer: true,
                ..NumberKind::default()
            },
        )
    }

    /// A number, whole or not.
    pub fn number(name: impl Into<String>) -> FieldBuilder<NumberKind> {
        FieldBuilder::new(name, NumberKind::default())
    }

    /// Yes or no.
    pub fn boolean(name: impl Into<String>) -> FieldBuilder<BooleanKind> {
        FieldBuilder::new(name, BooleanKind::default())
    }

    /// One of several values, given as values, as pairs of value and title, or as [`Choice`]s.
    pub fn select<C: Into<Choice>>(
        name: impl Into<String>,
        options: impl IntoIterator<Item = C>,
    ) -> FieldBuilder<SelectKind> {
        let options = options.into_iter().map(Into::into).collect();
        FieldBuilder::new(
            name,
            SelectKind {
                options,
                default: None,
            },
        )
    }

    /// Any of several values, each at most once.
    pub fn multi_select<C: Into<Choice>>(
        name: impl Into<String>,
        options: impl IntoIterator<Item = C>,
    ) -> FieldBuilder<MultiSelectKind> {
        let options = options.into_iter().map(Into::into).collect();
        FieldBuilder::new(
            name,
            MultiSelectKind {
                options,
                ..MultiSelectKind::default()
            },
        )
    }
}

impl From<Field> for FieldDraft {
    fn from(field: Field) -> Self {
        Self {
            field,
            not_secret: false,
            wrong: None,
        }
    }
}

macro_rules! kinds {
    ($($kind:ident $variant:ident)*) => {$(
        impl From<FieldBuilder<$kind>> for FieldDraft {
            fn from(builder: FieldBuilder<$kind>) -> Self {
                let mut draft = builder.draft;
                draft.field.kind = FieldKind::$variant(builder.kind);
                draft
            }
        }
    )*};
}
kinds!(TextKind Text NumberKind Number BooleanKind Boolean SelectKind Select MultiSelectKind MultiSelect);

impl From<&str> for Choice {
    fn from(value: &str) -> Self {
        Self::new(value)
    }
}

impl From<String> for Choice {
    fn from(value: String) -> Self {
        Self::new(value)
    }
}

impl<V: Into<String>, T: Into<String>> From<(V, T)> for Choice {
    fn from((value, title): (V, T)) -> Self {
        Self::titled(value, title)
    }
}
