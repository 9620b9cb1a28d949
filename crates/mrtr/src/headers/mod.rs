//! The HTTP headers that mirror parts of the body: their names, how values are
//! written in them, and which tool arguments they carry.
//!
//! Implements [request metadata](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata).

mod annotation;
#[cfg(feature = "server")]
mod check;
mod param;
#[cfg_attr(not(feature = "server"), allow(dead_code))]
mod value;
#[cfg(feature = "client")]
mod write;

#[cfg(feature = "client")]
pub(crate) use annotation::ParamError;
pub(crate) use param::ParamHeaders;
#[cfg(feature = "server")]
pub(crate) use value::decode;
#[cfg(feature = "client")]
pub(crate) use value::encode;

use http::HeaderName;

/// Carries the protocol version of the request.
pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// Carries `method`.
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// Carries `params.name` or `params.uri`, see [`name_source`].
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// What comes before the name of an `x-mcp-header` annotation.
pub(crate) const PARAM_PREFIX: &str = "mcp-param-";

/// Which member of `params` the `Mcp-Name` header carries for a method.
#[cfg(feature = "server")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameSource {
    /// `params.name`.
    Name,
    /// `params.uri`.
    Uri,
}

/// Where `Mcp-Name` comes from for this method; `None` when the header is not required.
#[cfg(feature = "server")]
pub(crate) fn name_source(method: &str) -> Option<NameSource> {
    match method {
        "tools/call" | "prompts/get" => Some(NameSource::Name),
        "resources/read" => Some(NameSource::Uri),
        _ => None,
    }
}
