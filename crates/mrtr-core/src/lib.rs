//! mrtr-core

pub mod exchange;
pub mod flow;
pub mod form;
pub mod harness;
pub mod json;
pub mod replay;
pub mod round;
pub mod state;
mod time;
pub mod wire;

pub use time::Timestamp;
