//! What handlers take.

pub(crate) mod fields;
mod json;
mod path;
pub(crate) mod text;

pub(crate) use json::{BadArguments, from_json};
