//! mrtr
fn main() {}
