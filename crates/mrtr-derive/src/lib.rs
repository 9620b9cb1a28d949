//! mrtr-derive
