//! Forms: what a server asks a person for, and the check of what comes back.
//!
//! A form is a [`FormSchema`], the `requestedSchema` of a form
//! [elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation): a flat list of
//! [`Field`]s. A server's author derives it with `#[derive(Form)]` or builds it by hand; a client reads the
//! one it received with [`FormSchema::parse`]. Both sides check an answer with the same code,
//! [`FormSchema::validate`], and get [`Problems`] in sentences that a person understands.

mod build;
mod check;
mod content;
mod entry;
mod field;
mod field_builder;
mod formats;
mod members;
mod number;
mod parse;
mod problem;
mod reader;
mod render;
mod schema;
mod secret;
mod spec;
mod typed;
mod types;
mod validate;
mod write;

pub use build::{BuildError, FormBuilder};
pub use content::{FieldValue, FormContent};
pub use field::{
    BooleanKind, Choice, Field, FieldKind, Format, MultiSelectKind, NumberKind, SelectKind,
    TextKind,
};
pub use field_builder::{FieldBuilder, FieldDraft};
pub use number::{NotFinite, Number};
pub use parse::FormError;
pub use problem::{Problem, Problems};
pub use schema::FormSchema;
pub use spec::{ChoiceSpec, KindSpec};
pub use typed::{Form, FormChoice, FormField};

/// What the code made by `#[derive(Form)]` uses. Not covered by the promise of stability.
#[doc(hidden)]
pub mod derive {
    pub use super::check::Mistake;
    pub use super::reader::Reader;
    pub use super::spec::{DefaultSpec, FieldSpec, NumberSpec, TypedSpec, field, schema};
    pub use super::types::read_choice;
}
