//! What the protocol needs to know about JSON text without decoding it.

pub mod canonical;
pub mod depth;
mod number;

pub use number::{Decimal, NumberError};
