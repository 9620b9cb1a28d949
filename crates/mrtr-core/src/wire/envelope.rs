//! One JSON-RPC message as a server receives it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::object::{Name, set};
use super::raw;
use super::{Cause, ErrorObject, Params, RequestId};

/// A request or notification from a client, borrowed from the bytes it came in.
///
/// Implements [messages](https://modelcontextprotocol.io/specification/2026-07-28/basic#messages).
/// The members may come in any order. Batches and JSON-RPC responses are no messages to a server.
///
/// ```
/// use mrtr_core::wire::Incoming;
///
/// let body = br#"{"params":{"name":"book"},"id":"007","method":"tools/call","jsonrpc":"2.0"}"#;
/// let Incoming::Request(request) = Incoming::parse(body)? else { panic!("it has an id") };
/// assert_eq!(request.id.to_string(), r#""007""#);
/// assert_eq!(request.method, "tools/call");
/// assert_eq!(request.params.name()?, "book");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Incoming<'a> {
    /// A message that wants an answer.
    Request(Request<'a>),
    /// A message that wants none.
    Notification(Notification<'a>),
}

/// A message that wants an answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request<'a> {
    /// To be echoed in the answer.
    pub id: RequestId,
    /// What to do.
    pub method: Cow<'a, str>,
    /// With what; empty when absent.
    pub params: Params<'a>,
}

/// A message that must not be answered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Notification<'a> {
    /// What happened.
    pub method: Cow<'a, str>,
    /// The particulars; empty when absent.
    pub params: Params<'a>,
}

/// Bytes that are no request and no notification: the peer's fault.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Malformed {
    /// The id to answer with; left out of the answer when it could not be read.
    pub id: Option<RequestId>,
    /// What is wrong: [`Cause::ParseError`] or [`Cause::InvalidRequest`].
    pub cause: Cause,
}

impl Malformed {
    /// The error to answer with.
    #[must_use]
    pub fn error(&self) -> ErrorObject {
        self.cause.error()
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl std::error::Error for Malformed {}

impl<'a> Incoming<'a> {
    /// Reads one message.
    ///
    /// Nesting is not bounded here: whoever reads from a peer checks the depth before.
    ///
    /// # Errors
    /// When the bytes are not UTF-8 JSON, not one object, or not a JSON-RPC 2.0 request or notification.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        // Checked once for the whole text; strings are then borrowed without a second look.
        let text = std::str::from_utf8(bytes).map_err(|_| Malformed {
            id: None,
            cause: Cause::ParseError,
        })?;
        let envelope: Envelope<'a> =
            serde_json::from_str(text).map_err(|error| diagnose(text, &error))?;
        envelope.interpret()
    }
}

/// The members of a message, whatever they hold.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<Params<'a>>,
    is_response: bool,
}

impl<'a> Envelope<'a> {
    fn interpret(self) -> Result<Incoming<'a>, Malformed> {
        let id = self.id.map(RequestId::parse);
        let refuse = |what: &'static str| Malformed {
            id: id.as_ref().and_then(|id| id.as_ref().ok().cloned()),
            cause: Cause::InvalidRequest(what.into()),
        };
        if self.jsonrpc.and_then(raw::string).as_deref() != Some("2.0") {
            return Err(refuse("`jsonrpc` must be \"2.0\""));
        }
        if self.is_response {
            return Err(refuse("a server does not take JSON-RPC responses"));
        }
        let Some(method) = self.method.and_then(raw::string) else {
            return Err(refuse("`method` must be a string"));
        };
        let params = self.params.unwrap_or_default();
        match id {
            None => Ok(Incoming::Notification(Notification { method, params })),
            Some(Ok(id)) => Ok(Incoming::Request(Request { id, method, params })),
            Some(Err(_)) => Err(refuse(
                "`id` must be a string or an integer of at most 1024 bytes",
            )),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Envelope<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON-RPC message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
                let mut envelope = Envelope::default();
                while let Some(Name(name)) = map.next_key()? {
                    match &*name {
                        "jsonrpc" => set(&mut envelope.jsonrpc, "jsonrpc", map.next_value()?)?,
                        "id" => set(&mut envelope.id, "id", map.next_value()?)?,
                        "method" => set(&mut envelope.method, "method", map.next_value()?)?,
                        "params" => set(&mut envelope.params, "params", map.next_value()?)?,
                        "result" | "error" => {
                            envelope.is_response = true;
                            map.next_value::<IgnoredAny>()?;
                        }
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(envelope)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// Says what is wrong with a message that did not decode. Only bad messages pay for this.
#[cold]
fn diagnose(text: &str, error: &serde_json::Error) -> Malformed {
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        return Malformed {
            id: None,
            cause: Cause::ParseError,
        };
    }
    let cause = match text.trim_start().as_bytes().first() {
        Some(b'{') => Cause::InvalidRequest(raw::reason(error).into()),
        Some(b'[') => Cause::InvalidRequest("batches are not part of this protocol version".into()),
        _ => Cause::InvalidRequest("a message must be an object".into()),
    };
    let id = serde_json::from_str::<OnlyId<'_>>(text)
        .ok()
        .and_then(|OnlyId(id)| RequestId::parse(id?).ok());
    Malformed { id, cause }
}

/// The id of an object that may be wrong in every other way.
struct OnlyId<'a>(Option<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for OnlyId<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = OnlyId<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OnlyId<'de>, A::Error> {
                let mut id = None;
                while let Some(Name(name)) = map.next_key()? {
                    if name == "id" {
                        set(&mut id, "id", map.next_value()?)?;
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(OnlyId(id))
            }
        }
        deserializer.deserialize_map(Members)
    }
}
