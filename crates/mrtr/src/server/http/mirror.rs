//! Whether the headers of a request say what its body says.

use http::{HeaderMap, HeaderName, HeaderValue};
use mrtr_core::wire::{Cause, Request, SUPPORTED_VERSIONS};
use serde_json::value::RawValue;

use crate::headers::{self, NameSource, ParamHeaders};

/// Checks the headers of a request against its body, in this order: the version header is there
/// and well-formed; it equals the body's version; the version is supported; `Mcp-Method`;
/// `Mcp-Name` where the method needs one; the `Mcp-Param-*` headers of the tool.
///
/// A version comes before the other headers since another revision may have other headers. A body
/// that lacks what a header mirrors passes here: what reads the body refuses it, and says more.
///
/// `params` gives the mirrored arguments of a tool.
///
/// Implements [server validation](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation).
pub(super) fn check<'p>(
    headers: &HeaderMap,
    request: &Request<'_>,
    params: impl FnOnce(&str) -> Option<&'p ParamHeaders>,
) -> Result<(), Cause> {
    let body_version = request.params.declared_version();
    check_version(headers, request, body_version.as_deref())?;
    let method = single(headers, &headers::METHOD)?;
    if method.as_bytes() != request.method.as_bytes() {
        return Err(differs(&headers::METHOD));
    }
    let Some(source) = headers::name_source(&request.method) else {
        return Ok(());
    };
    let name = match source {
        NameSource::Name => request.params.name(),
        NameSource::Uri => request.params.uri(),
    };
    let written = single(headers, &headers::NAME)?;
    let written = headers::decode(written)
        .map_err(|error| mismatch(format!("{} {error}", shown(&headers::NAME))))?;
    let Ok(name) = name else { return Ok(()) };
    if written != name {
        return Err(differs(&headers::NAME));
    }
    if request.method != "tools/call" {
        return Ok(());
    }
    match params(&name) {
        Some(params) => params
            .check(headers, request.params.arguments)
            .map_err(mismatch),
        None => Ok(()),
    }
}

fn check_version(
    headers: &HeaderMap,
    request: &Request<'_>,
    body_version: Option<&str>,
) -> Result<(), Cause> {
    // A client of an earlier revision knows neither the headers nor the `_meta`; the one thing it
    // can be told is which versions are spoken here.
    if request.method == "initialize" && body_version.is_none() {
        let requested = request.params.protocol_version.and_then(text);
        return Err(Cause::LegacyInitialize { requested });
    }
    let header = single(headers, &headers::PROTOCOL_VERSION)?;
    let header = header.to_str().map_err(|_| {
        mismatch(format!(
            "{} is not ASCII",
            shown(&headers::PROTOCOL_VERSION)
        ))
    })?;
    if body_version.is_some_and(|version| version != header) {
        return Err(differs(&headers::PROTOCOL_VERSION));
    }
    if SUPPORTED_VERSIONS.contains(&header) {
        Ok(())
    } else {
        Err(Cause::UnsupportedVersion {
            requested: header.to_owned(),
        })
    }
}

fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// The value of a header that has to be there once.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<&'h HeaderValue, Cause> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => Ok(value),
        (None, _) => Err(mismatch(format!("{} is missing", shown(name)))),
        (Some(_), Some(_)) => Err(mismatch(format!("{} is given more than once", shown(name)))),
    }
}

fn differs(name: &HeaderName) -> Cause {
    mismatch(format!("{} does not match the body", shown(name)))
}

/// The name of a header as the specification writes it.
fn shown(name: &HeaderName) -> &'static str {
    match name.as_str() {
        "mcp-method" => "Mcp-Method",
        "mcp-name" => "Mcp-Name",
        _ => "MCP-Protocol-Version",
    }
}

fn mismatch(what: String) -> Cause {
    Cause::HeaderMismatch(what.into())
}
