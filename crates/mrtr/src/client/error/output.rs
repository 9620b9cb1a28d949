//! A tool that did not keep what its definition promises.

use std::error::Error as StdError;
use std::fmt;

use crate::client::CallOutcome;

/// The structured content of a tool does not fit its output schema. The tool has run: what it said is
/// in [`outcome`](Self::outcome).
///
/// Implements [output schemas](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema).
#[derive(Debug)]
#[non_exhaustive]
pub struct OutputMismatch {
    /// The tool's name.
    pub tool: String,
    /// What is wrong.
    pub problem: String,
    /// The result as it came.
    pub outcome: CallOutcome,
}

impl fmt::Display for OutputMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tool, problem, .. } = self;
        write!(
            f,
            "the tool `{tool}` has run, and its result breaks what its definition promises: \
             {problem}; tell the server's author"
        )
    }
}

impl StdError for OutputMismatch {}
