//! What handlers take.

mod bounds;
pub(crate) mod fields;
mod json;
mod path;
pub(crate) mod text;

pub(crate) use bounds::Bounds;
pub(crate) use json::{BadArguments, from_json};
#[cfg(feature = "json-schema")]
pub(crate) use path::{Step, render};
