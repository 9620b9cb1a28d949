//! mrtr-core

mod time;

pub use time::Timestamp;
