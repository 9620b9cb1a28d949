//! Servers that this client cannot work with.

use std::error::Error as StdError;
use std::fmt;

use mrtr_core::exchange::Target;

/// The server speaks an earlier revision of the protocol, with an `initialize` handshake.
///
/// Implements the [probe](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility)
/// of a client without a fallback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OlderServer {
    pub(crate) target: Target,
    pub(crate) evidence: String,
}

impl OlderServer {
    /// What the server did instead of answering `server/discover`.
    #[must_use]
    pub fn evidence(&self) -> &str {
        &self.evidence
    }
}

impl fmt::Display for OlderServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { target, evidence } = self;
        write!(
            f,
            "{target} seems to speak an earlier revision of MCP (2025-11-25 or before): {evidence}. \
             This client speaks 2026-07-28; update the server, or check that the command starts an \
             MCP server"
        )
    }
}

impl StdError for OlderServer {}

/// Server and client have no protocol version in common, or the server refuses one that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoCommonVersion {
    /// The server.
    pub target: Target,
    /// The versions that the server names.
    pub server: Vec<String>,
    /// The versions that the client speaks.
    pub client: Vec<String>,
}

impl fmt::Display for NoCommonVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            target,
            server,
            client,
        } = self;
        if let Some(version) = client.iter().find(|version| server.contains(version)) {
            return write!(
                f,
                "{target} refuses the protocol version {version} and yet says that it speaks it; tell \
                 whoever runs it"
            );
        }
        let server = match server.as_slice() {
            [] => "no version that it names".to_owned(),
            versions => versions.join(", "),
        };
        let client = client.join(", ");
        write!(
            f,
            "no protocol version in common: {target} speaks {server}, this client {client}; update \
             the older of the two"
        )
    }
}

impl StdError for NoCommonVersion {}

/// The definition of a tool breaks the rules for `x-mcp-header`.
///
/// Such a tool [must be rejected](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#schema-extension)
/// over HTTP: lists leave it out and it is not called.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// The tool's name.
    pub tool: String,
    /// The broken rule.
    pub reason: String,
}

impl fmt::Display for ToolDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tool, reason } = self;
        write!(
            f,
            "the tool `{tool}` cannot be called over HTTP, because its definition is invalid: \
             {reason}; tell the server's author"
        )
    }
}

impl StdError for ToolDefinition {}

/// A list goes on beyond [`ClientLimits::pages`](crate::client::ClientLimits::pages), or its pages are
/// larger or take longer together than is allowed there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TooManyPages {
    /// The method of the list.
    pub method: String,
    /// How many pages were read.
    pub pages: usize,
}

impl fmt::Display for TooManyPages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, pages } = self;
        write!(
            f,
            "`{method}` does not end within what is read of one list (ClientLimits::pages); {pages} \
             pages have come, and the server may hand out pages without end"
        )
    }
}

impl StdError for TooManyPages {}
