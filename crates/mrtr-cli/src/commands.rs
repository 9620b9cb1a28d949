//! One module for each command.

pub(crate) mod call;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod keys;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod resume;
pub(crate) mod serve;
