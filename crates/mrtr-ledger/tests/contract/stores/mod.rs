//! The stores that have to keep the rules.

pub(crate) mod memory;
