//! Forms as Rust types.

use serde_json::value::RawValue;

use super::content::{FieldValue, FormContent};
use super::problem::Problems;
use super::schema::FormSchema;

/// A type that a form fills in. Derive it: `#[derive(Form)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a form",
    label = "not a form",
    note = "write `#[derive(Form)]` on a struct with named fields, or on an enum whose variants have no fields"
)]
pub trait Form: Sized + Send + 'static {
    /// The form to send; made once.
    fn schema() -> &'static FormSchema;

    /// Reads what [`FormSchema::validate`] has let pass.
    ///
    /// # Errors
    ///
    /// What the type does not take although the form on the wire allows it, for whoever answered.
    fn read(content: &FormContent) -> Result<Self, Problems>;

    /// Validates and reads the `content` of an accepted answer; no content counts as `{}`.
    ///
    /// # Errors
    ///
    /// What is wrong, for whoever answered.
    fn from_answer(content: Option<&RawValue>) -> Result<Self, Problems> {
        Self::read(&Self::schema().validate(content)?)
    }
}

/// A type that one field of a form fills in.
pub trait FormField: Sized + Send + 'static {
    /// Whether an answer must have a value for it.
    const REQUIRED: bool = true;

    /// Reads the field's value; `None` when the answer has none.
    ///
    /// # Errors
    ///
    /// What is wrong, to go on after the field's name: "must be a three-letter code".
    fn read(value: Option<&FieldValue>) -> Result<Self, String>;
}
