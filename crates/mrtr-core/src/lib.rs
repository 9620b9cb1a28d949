//! mrtr-core

pub mod exchange;
pub mod form;
pub mod json;
pub mod state;
mod time;
pub mod wire;

pub use time::Timestamp;
