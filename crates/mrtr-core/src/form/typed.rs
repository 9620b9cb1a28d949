//! Forms as Rust types.

use serde_json::value::RawValue;

use super::content::{FieldValue, FormContent};
use super::problem::Problems;
use super::schema::FormSchema;
use super::spec::{ChoiceSpec, KindSpec};

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
///
/// Implemented for `String`, `bool`, the integers up to 64 bits, `f32`, `f64`, [`Number`](super::Number), enums with
/// `#[derive(Form)]`, `Vec` of such an enum, and `Option` of any of these for a field that may be left out.
/// Implement it for a type of your own to check more than the wire can say:
///
/// ```
/// use mrtr_core::form::{FieldValue, FormField, KindSpec};
///
/// struct Airport(String);
///
/// impl FormField for Airport {
///     const KIND: KindSpec = KindSpec::Text;
///
///     fn read(value: &FieldValue) -> Result<Self, String> {
///         let code = String::read(value)?.to_uppercase();
///         let fits = code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase());
///         if fits { Ok(Self(code)) } else { Err("must be the three letters of an airport, like OSL".into()) }
///     }
/// }
/// assert!(Airport::read(&"osl".into()).is_ok());
/// ```
#[diagnostic::on_unimplemented(
    message = "a form cannot have a field of the type `{Self}`",
    label = "not a type of field",
    note = "forms are flat: a field is a `String`, a `bool`, an integer of up to 64 bits, an `f32` or `f64`, an enum with \
            `#[derive(Form)]`, a `Vec` of such an enum, or an `Option` of one of these",
    note = "split the question into several forms, or implement `FormField` for a type of your own that one of these \
            can be read into"
)]
pub trait FormField: Sized + Send + 'static {
    /// What kind of field it is on the wire.
    const KIND: KindSpec;

    /// Whether an answer must have a value for it.
    const REQUIRED: bool = true;

    /// Reads the field's value.
    ///
    /// # Errors
    ///
    /// What is wrong, to go on after the field's name: "must be a three-letter code".
    fn read(value: &FieldValue) -> Result<Self, String>;

    /// What a field without a value means; `None` where one is needed.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }
}

/// A type with a fixed set of values to choose from. Derive it: `#[derive(Form)]` on an enum whose variants
/// have no fields.
#[diagnostic::on_unimplemented(
    message = "a form cannot have a list of `{Self}`",
    label = "not a choice",
    note = "a list in a form holds values to choose from: write `#[derive(Form)]` on an enum whose variants have no \
            fields, and use a `Vec` of it"
)]
pub trait FormChoice: Sized + Send + 'static {
    /// The values, in the order to show them. No value occurs twice.
    const CHOICES: &'static [ChoiceSpec];

    /// The choice with this value in the answer.
    fn from_value(value: &str) -> Option<Self>;

    /// The value in the answer.
    fn value(&self) -> &'static str;
}
