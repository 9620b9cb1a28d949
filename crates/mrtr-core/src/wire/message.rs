//! Writing messages, and reading what a server sends.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::object::{Name, set};
use super::raw::{self, reason};
use super::{ErrorObject, RequestId};

/// One message as a client receives it, borrowed from its text.
///
/// ```
/// use mrtr_core::wire::ServerMessage;
///
/// let ServerMessage::Response(response) = ServerMessage::parse(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#)? else { panic!() };
/// assert_eq!(response.id, Some(1.into()));
/// assert_eq!(response.outcome.map(|result| result.get()), Ok("{}"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServerMessage<'a> {
    /// The answer to a request.
    Response(Response<'a>),
    /// Something the server tells.
    Notification {
        /// What happened.
        method: Cow<'a, str>,
        /// The particulars.
        params: Option<&'a RawValue>,
    },
    /// A request of the server, which this revision does not know: servers of earlier ones send it.
    Request {
        /// To be echoed in the answer.
        id: RequestId,
        /// What the server wants.
        method: Cow<'a, str>,
    },
}

/// The answer to a request.
///
/// Implements [responses](https://modelcontextprotocol.io/specification/2026-07-28/basic#responses).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response<'a> {
    /// Which request it answers; absent when the server could not read the id.
    pub id: Option<RequestId>,
    /// The result, not yet looked into (see [`AnyResult`](super::AnyResult)), or the error.
    pub outcome: Result<&'a RawValue, ErrorObject>,
}

/// Bytes that are no message of a server: the server's fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidMessage(String);

impl fmt::Display for InvalidMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server sent an invalid message: {}", self.0)
    }
}

impl std::error::Error for InvalidMessage {}

impl<'a> ServerMessage<'a> {
    /// Reads one message of a server.
    ///
    /// # Errors
    /// When the bytes are no JSON-RPC 2.0 message.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, InvalidMessage> {
        let invalid = |what: &str| InvalidMessage(what.to_owned());
        let text = std::str::from_utf8(bytes).map_err(|_| invalid("not UTF-8"))?;
        let members: Members<'a> =
            serde_json::from_str(text).map_err(|error| InvalidMessage(reason(&error)))?;
        if members.jsonrpc.and_then(raw::string).as_deref() != Some("2.0") {
            return Err(invalid("`jsonrpc` is not \"2.0\""));
        }
        let id = raw::non_null(members.id)
            .map(RequestId::parse)
            .transpose()
            .map_err(|error| InvalidMessage(error.to_string()))?;
        let method = match members.method.map(raw::string) {
            Some(None) => return Err(invalid("`method` is no string")),
            Some(method) => method,
            None => None,
        };
        match (method, members.result, members.error) {
            (Some(method), None, None) => Ok(match id {
                Some(id) => Self::Request { id, method },
                None => Self::Notification {
                    method,
                    params: members.params,
                },
            }),
            (None, Some(result), None) if id.is_some() => Ok(Self::Response(Response {
                id,
                outcome: Ok(result),
            })),
            (None, Some(_), None) => Err(invalid("a result without an id")),
            (None, None, Some(error)) => {
                let error = serde_json::from_str(error.get())
                    .map_err(|error| InvalidMessage(format!("`error`: {}", reason(&error))))?;
                Ok(Self::Response(Response {
                    id,
                    outcome: Err(error),
                }))
            }
            _ => Err(invalid(
                "it must have exactly one of `method`, `result` and `error`",
            )),
        }
    }
}

#[derive(Default)]
struct Members<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MessageVisitor;
        impl<'de> Visitor<'de> for MessageVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON-RPC message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Members::default();
                while let Some(Name(name)) = map.next_key()? {
                    let slot = match &*name {
                        "jsonrpc" => &mut members.jsonrpc,
                        "id" => &mut members.id,
                        "method" => &mut members.method,
                        "params" => &mut members.params,
                        "result" => &mut members.result,
                        "error" => &mut members.error,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    set(slot, &name, map.next_value()?)?;
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(MessageVisitor)
    }
}

/// Writes a request.
///
/// # Errors
/// When `params` cannot be written as JSON.
pub fn write_request(
    id: &RequestId,
    method: &str,
    params: &(impl Serialize + ?Sized),
) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::with_capacity(512);
    text.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    serde_json::to_writer(&mut text, id)?;
    text.extend_from_slice(br#","method":"#);
    serde_json::to_writer(&mut text, method)?;
    text.extend_from_slice(br#","params":"#);
    serde_json::to_writer(&mut text, params)?;
    text.push(b'}');
    Ok(text)
}

/// Writes a notification.
///
/// # Errors
/// When `params` cannot be written as JSON.
pub fn write_notification(
    method: &str,
    params: &(impl Serialize + ?Sized),
) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::with_capacity(256);
    text.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    serde_json::to_writer(&mut text, method)?;
    text.extend_from_slice(br#","params":"#);
    serde_json::to_writer(&mut text, params)?;
    text.push(b'}');
    Ok(text)
}

/// Writes the answer to a request that succeeded.
///
/// # Errors
/// When `result` cannot be written as JSON: the fault of whoever made it.
///
/// ```
/// use mrtr_core::wire::{CallToolResult, write_result};
///
/// let text = write_result(&"007".into(), &CallToolResult::default())?;
/// assert_eq!(text, br#"{"jsonrpc":"2.0","id":"007","result":{"resultType":"complete","content":[]}}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn write_result(
    id: &RequestId,
    result: &(impl Serialize + ?Sized),
) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::with_capacity(1024);
    text.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    serde_json::to_writer(&mut text, id)?;
    text.extend_from_slice(br#","result":"#);
    serde_json::to_writer(&mut text, result)?;
    text.push(b'}');
    Ok(text)
}

/// Writes the answer to a request that failed; an id that could not be read is left out.
///
/// ```
/// use mrtr_core::wire::{Cause, write_error};
///
/// let text = write_error(None, &Cause::ParseError.error());
/// assert_eq!(text, br#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: Invalid JSON"}}"#);
/// ```
#[must_use]
pub fn write_error(id: Option<&RequestId>, error: &ErrorObject) -> Vec<u8> {
    #[derive(Serialize)]
    struct Answer<'a> {
        jsonrpc: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a RequestId>,
        error: &'a ErrorObject,
    }
    // Strings, integers and raw JSON can always be written.
    serde_json::to_vec(&Answer {
        jsonrpc: "2.0",
        id,
        error,
    })
    .unwrap_or_default()
}
