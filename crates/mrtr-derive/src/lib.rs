//! `#[derive(Form)]`: forms as Rust types.
//!
//! On a struct with named fields it makes a form with these fields, in their order; on an enum whose variants
//! have no fields it makes a choice, which is a field of other forms and a form of its own.
//!
//! ```
//! # use mrtr_core as mrtr;
//! use mrtr_core::form::Form as _;
//! use mrtr_derive::Form;
//!
//! #[derive(Form)]
//! # #[form(crate = "mrtr_core")]
//! struct Booking {
//!     /// How many of you travel.
//!     #[form(min = 1, max = 9, default = 1)]
//!     seats: u8,
//!     class: Class,
//!     #[form(title = "Departure", format = "date")]
//!     departure: String,
//!     /// Anything the crew should know.
//!     #[form(max_length = 500)]
//!     note: Option<String>,
//! }
//!
//! #[derive(Form, Debug, PartialEq)]
//! # #[form(crate = "mrtr_core")]
//! enum Class {
//!     #[form(rename = "eco", title = "Economy")]
//!     Economy,
//!     #[form(rename = "biz", title = "Business")]
//!     Business,
//! }
//!
//! assert_eq!(Booking::schema().fields().len(), 4);
//! ```

mod attributes;
mod choice;
mod docs;
mod record;

use proc_macro::TokenStream;
use syn::{Data, DeriveInput, parse_macro_input};

/// Makes a form of a struct, or a choice of an enum.
///
/// # Attributes of a struct's field
///
/// | attribute | for | meaning |
/// | --- | --- | --- |
/// | doc comment | all | the description |
/// | `title = "..."` | all | what to call the field on a screen |
/// | `rename = "..."` | all | its name on the wire |
/// | `min = 1`, `max = 9` | numbers | inclusive bounds; an integer's type sets its own |
/// | `min_length = 1`, `max_length = 80` | `String` | in Unicode code points |
/// | `format = "email"` | `String` | also `uri`, `date`, `date-time` |
/// | `min_items = 1`, `max_items = 3` | `Vec` of a choice | how many to choose |
/// | `default = ...` | all | what clients start from: a literal, a variant, or an array of variants |
/// | `not_secret` | all | the field asks for no secret although its name sounds like it |
///
/// Fields are required unless they are an `Option`. A default does not make a field optional: it is what the
/// person sees first.
///
/// # Attributes of an enum's variant
///
/// `rename = "..."` sets its value on the wire (else the variant's name), `title = "..."` or a doc comment what to
/// show instead.
///
/// # Attributes of the type
///
/// `crate = "..."` names the crate that the generated code refers to, when it is not `::mrtr`.
///
/// What a form cannot express does not compile, with the reason at the field. Passwords, keys, tokens and payment
/// credentials are refused, as
/// [forms must not ask for them](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).
#[proc_macro_derive(Form, attributes(form))]
pub fn derive_form(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

fn expand(input: &DeriveInput) -> syn::Result<proc_macro2::TokenStream> {
    if let Some(parameter) = input.generics.params.first() {
        let message = "a form is one fixed schema, so the type cannot have generic parameters";
        return Err(syn::Error::new_spanned(parameter, message));
    }
    match &input.data {
        Data::Struct(data) => record::expand(input, data),
        Data::Enum(data) => choice::expand(input, data),
        Data::Union(_) => Err(syn::Error::new_spanned(
            &input.ident,
            "a form is a struct with named fields, or an enum whose variants have no fields",
        )),
    }
}
