//! Reading a request and checking its headers.

use std::borrow::Cow;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderName, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Incoming};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::book::book;
use crate::reply::{self, Reply};
use crate::state::Key;

const BODY_LIMIT: u64 = 4 * 1024 * 1024;
pub const VERSION: &str = "2026-07-28";

#[derive(Deserialize)]
pub struct Message<'a> {
    pub jsonrpc: &'a str,
    #[serde(borrow)]
    pub id: &'a RawValue,
    pub method: &'a str,
    #[serde(borrow)]
    pub params: Params<'a>,
}

#[derive(Deserialize)]
pub struct Params<'a> {
    #[serde(borrow, rename = "_meta")]
    pub meta: Meta<'a>,
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    #[serde(borrow)]
    pub arguments: &'a RawValue,
    #[serde(borrow, rename = "inputResponses")]
    pub answers: Option<&'a RawValue>,
    #[serde(borrow, rename = "requestState")]
    pub state: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
pub struct Meta<'a> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    pub version: &'a str,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    pub capabilities: Capabilities<'a>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo")]
    _info: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub struct Capabilities<'a> {
    #[serde(borrow)]
    pub elicitation: Option<&'a RawValue>,
}

pub async fn answer(request: Request<Incoming>, key: &Key) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    if let Err(status) = admit(&parts) {
        return reply::refuse(status);
    }
    let body = match read(body).await {
        Ok(body) => body,
        Err(status) => return reply::refuse(status),
    };
    let Ok(message) = serde_json::from_slice::<Message<'_>>(&body) else {
        return reply::refuse(StatusCode::BAD_REQUEST);
    };
    let reply = match mirror(&parts.headers, &message) {
        Ok(()) => book(&message, key),
        Err(what) => Reply::error(&message, -32020, what),
    };
    reply.into_response()
}

fn admit(parts: &Parts) -> Result<(), StatusCode> {
    if parts.uri.path() != "/mcp" {
        return Err(StatusCode::NOT_FOUND);
    }
    let headers = &parts.headers;
    let host = single(headers, &HOST).and_then(|host| host.strip_prefix("127.0.0.1"));
    if !host.is_some_and(|port| port.is_empty() || port.starts_with(':'))
        || headers.contains_key(ORIGIN)
    {
        return Err(StatusCode::FORBIDDEN);
    }
    if parts.method != Method::POST {
        return Err(StatusCode::METHOD_NOT_ALLOWED);
    }
    if single(headers, &CONTENT_TYPE) != Some("application/json")
        || headers.contains_key(CONTENT_ENCODING)
    {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    if single(headers, &ACCEPT) != Some("application/json, text/event-stream") {
        return Err(StatusCode::NOT_ACCEPTABLE);
    }
    Ok(())
}

async fn read(body: Incoming) -> Result<Bytes, StatusCode> {
    if body
        .size_hint()
        .upper()
        .is_none_or(|bytes| bytes > BODY_LIMIT)
    {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    let collected = body.collect().await.map_err(|_| StatusCode::BAD_REQUEST)?;
    Ok(collected.to_bytes())
}

fn mirror(headers: &HeaderMap, message: &Message<'_>) -> Result<(), &'static str> {
    const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
    const METHOD: HeaderName = HeaderName::from_static("mcp-method");
    const NAME: HeaderName = HeaderName::from_static("mcp-name");
    let version = single(headers, &PROTOCOL_VERSION);
    if version != Some(message.params.meta.version)
        || version != Some(VERSION)
        || message.jsonrpc != "2.0"
    {
        return Err("MCP-Protocol-Version");
    }
    if single(headers, &METHOD) != Some(message.method) || message.method != "tools/call" {
        return Err("Mcp-Method");
    }
    if single(headers, &NAME) != Some(&*message.params.name) {
        return Err("Mcp-Name");
    }
    Ok(())
}

/// The text of a header that is there once.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}
