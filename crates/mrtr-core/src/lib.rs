//! mrtr-core

pub mod form;
pub mod json;
pub mod state;
mod time;

pub use time::Timestamp;
