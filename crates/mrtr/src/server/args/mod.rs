//! What handlers take.

pub(crate) mod fields;
pub(crate) mod path;
pub(crate) mod text;
