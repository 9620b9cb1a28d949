//! Puts a form together by hand.

use std::collections::BTreeSet;
use std::fmt;

use super::content::FieldValue;
use super::field::{Choice, Field, FieldKind, Format, MultiSelectKind, SelectKind};
use super::field_builder::FieldDraft;
use super::problem::clip;
use super::render::render;
use super::schema::FormSchema;
use super::secret;
use super::write::raw;

/// Longest name of a field, in characters.
pub(crate) const MAX_NAME: usize = 100;
/// Longest title of a field or a choice, and longest value of a choice, in characters.
pub(crate) const MAX_TITLE: usize = 200;
/// Longest description, in characters.
pub(crate) const MAX_DESCRIPTION: usize = 2000;

/// Collects the fields of a form; made by [`FormSchema::builder`].
#[derive(Debug, Clone, Default)]
#[must_use = "`build` makes the form"]
pub struct FormBuilder {
    drafts: Vec<FieldDraft>,
}

impl FormSchema {
    /// Starts a form made by hand, for questions that are only known when the program runs.
    ///
    /// ```
    /// use mrtr_core::form::{Field, FormSchema};
    ///
    /// let form = FormSchema::builder()
    ///     .field(Field::integer("seats").min(1).max(9).default(2))
    ///     .field(Field::select("class", [("eco", "Economy"), ("biz", "Business")]).optional())
    ///     .build()?;
    /// assert_eq!(form.fields()[0].label(), "Seats");
    /// # Ok::<(), mrtr_core::form::BuildError>(())
    /// ```
    pub fn builder() -> FormBuilder {
        FormBuilder::default()
    }
}

impl FormBuilder {
    /// Adds a field below the others.
    pub fn field(mut self, field: impl Into<FieldDraft>) -> Self {
        self.drafts.push(field.into());
        self
    }

    /// Makes the form. Without fields it only shows the message it is asked with.
    ///
    /// # Errors
    ///
    /// A mistake of the author: a name twice, bounds that exclude each other, a default that the field
    /// itself would refuse, a select without choices, a format that the protocol does not have, a field
    /// that asks for a secret, or texts beyond any screen.
    pub fn build(self) -> Result<FormSchema, BuildError> {
        if self.drafts.len() > FormSchema::MAX_FIELDS {
            return Err(BuildError::form(format!(
                "more than {} fields",
                FormSchema::MAX_FIELDS
            )));
        }
        let mut fields: Vec<Field> = Vec::with_capacity(self.drafts.len());
        for mut draft in self.drafts {
            draft.complete_titles();
            let verdict = draft.verdict();
            let twice = fields.iter().any(|field| field.name == draft.field.name);
            let verdict = if twice {
                Err("another field has the same name".into())
            } else {
                verdict
            };
            verdict.map_err(|reason| BuildError {
                field: Some(clip(&draft.field.name, 80)),
                reason,
            })?;
            fields.push(draft.field);
        }
        let json = render(&fields);
        if json.len() > FormSchema::MAX_LEN {
            return Err(BuildError::form(format!(
                "longer than {} bytes",
                FormSchema::MAX_LEN
            )));
        }
        Ok(FormSchema::from_parts(raw(json), fields))
    }
}

impl FieldDraft {
    /// The wire has titles for all choices or for none.
    fn complete_titles(&mut self) {
        if let FieldKind::Select(SelectKind { options, .. })
        | FieldKind::MultiSelect(MultiSelectKind { options, .. }) = &mut self.field.kind
            && options.iter().any(|option| option.title.is_some())
        {
            for option in options {
                option.title = Some(option.label().to_owned());
            }
        }
    }

    fn verdict(&self) -> Result<(), String> {
        let field = &self.field;
        if let Some(wrong) = self.wrong {
            return Err(wrong.into());
        }
        text("name", &field.name, MAX_NAME)?;
        if field.name.is_empty() {
            return Err("the name is empty".into());
        }
        field
            .title
            .as_deref()
            .map_or(Ok(()), |title| text("title", title, MAX_TITLE))?;
        field
            .description
            .as_deref()
            .map_or(Ok(()), |long| text("description", long, MAX_DESCRIPTION))?;
        if let Some(word) = field.secret_hint().filter(|_| !self.not_secret) {
            return Err(format!("{} ({word})", secret::ADVICE));
        }
        match &field.kind {
            FieldKind::Text(kind) => {
                ordered("min_length", kind.min_length, "max_length", kind.max_length)?;
                if let Some(Format::Other(_)) = kind.format {
                    return Err(
                        "the protocol knows the formats email, uri, date and date-time only".into(),
                    );
                }
            }
            FieldKind::Number(kind) => {
                ordered("min", kind.minimum.as_ref(), "max", kind.maximum.as_ref())?
            }
            FieldKind::Boolean(_) => {}
            FieldKind::Select(kind) => choices(&kind.options)?,
            FieldKind::MultiSelect(kind) => {
                choices(&kind.options)?;
                ordered("min_items", kind.min_items, "max_items", kind.max_items)?;
                let offered = u32::try_from(kind.options.len()).unwrap_or(u32::MAX);
                ordered(
                    "min_items",
                    kind.min_items,
                    "number of choices",
                    Some(offered),
                )?;
            }
        }
        match field
            .default_value()
            .map(|value: FieldValue| field.check(&value))
        {
            Some(Err(problem)) => Err(format!("the default does not fit: {problem}")),
            _ => Ok(()),
        }
    }
}

fn text(what: &str, text: &str, limit: usize) -> Result<(), String> {
    let control = text.chars().any(|c| c.is_control() && c != '\n');
    match text.chars().count() {
        length if length > limit => Err(format!(
            "the {what} has {length} characters, more than {limit}"
        )),
        _ if control => Err(format!("the {what} contains control characters")),
        _ => Ok(()),
    }
}

fn ordered<T: PartialOrd + fmt::Display>(
    low: &str,
    min: Option<T>,
    high: &str,
    max: Option<T>,
) -> Result<(), String> {
    match (min, max) {
        (Some(min), Some(max)) if min > max => {
            Err(format!("the {low} {min} is above the {high} {max}"))
        }
        _ => Ok(()),
    }
}

fn choices(options: &[Choice]) -> Result<(), String> {
    if options.is_empty() || options.len() > FormSchema::MAX_OPTIONS {
        return Err(format!(
            "a select offers 1 to {} choices, not {}",
            FormSchema::MAX_OPTIONS,
            options.len()
        ));
    }
    let mut seen = BTreeSet::new();
    for option in options {
        text("value of a choice", &option.value, MAX_TITLE)?;
        text("title of a choice", option.label(), MAX_TITLE)?;
        if !seen.insert(&option.value) {
            return Err(format!(
                "the choice {} is offered twice",
                clip(&option.value, 40)
            ));
        }
    }
    Ok(())
}

/// Why a form cannot be built. The fault of its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildError {
    field: Option<String>,
    reason: String,
}

impl BuildError {
    fn form(reason: String) -> Self {
        Self {
            field: None,
            reason,
        }
    }

    /// The name of the field at fault; `None` when it is the form as a whole.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(name) => write!(f, "cannot build the form: field `{name}`: {}", self.reason),
            None => write!(f, "cannot build the form: {}", self.reason),
        }
    }
}

impl std::error::Error for BuildError {}
