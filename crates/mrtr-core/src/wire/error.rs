//! JSON-RPC error objects.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::object::{Name, set};

/// The number of a JSON-RPC error.
///
/// Implements the [error codes](https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes);
/// every integer is a legal code.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    /// The text is not JSON.
    pub const PARSE_ERROR: Self = Self(-32700);
    /// The message is not a JSON-RPC request.
    pub const INVALID_REQUEST: Self = Self(-32600);
    /// The server has no such method.
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    /// The parameters are missing, of the wrong type, or name something that is not there.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// The server failed.
    pub const INTERNAL_ERROR: Self = Self(-32603);
    /// HTTP headers and body disagree.
    pub const HEADER_MISMATCH: Self = Self(-32020);
    /// The client did not declare a capability the request needs.
    pub const MISSING_CLIENT_CAPABILITY: Self = Self(-32021);
    /// The server does not speak the requested protocol version.
    pub const UNSUPPORTED_PROTOCOL_VERSION: Self = Self(-32022);
    /// Resource not found in revisions up to 2025-11-25; read, never sent.
    pub const LEGACY_RESOURCE_NOT_FOUND: Self = Self(-32002);
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a JSON-RPC error response says.
///
/// Implements [error responses](https://modelcontextprotocol.io/specification/2026-07-28/basic#error-responses).
/// Servers make them from a [`Cause`](super::Cause).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ErrorObject {
    /// Which error it is.
    pub code: ErrorCode,
    /// One sentence for a person.
    pub message: Cow<'static, str>,
    /// Whatever the sender adds, as it came.
    pub data: Option<Box<RawValue>>,
}

impl ErrorObject {
    /// An error without data.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Adds data; what cannot be written as JSON is left out.
    #[must_use]
    pub fn with_data(mut self, data: &impl Serialize) -> Self {
        self.data = to_raw_value(data).ok();
        self
    }

    /// The member `name` of the data, when the data is an object that has it as a `T`.
    pub fn data_member<'a, T: Deserialize<'a>>(&'a self, name: &str) -> Option<T> {
        struct Member<'n, T>(&'n str, std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Member<'_, T> {
            type Value = Option<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<T>, A::Error> {
                let mut found = None;
                while let Some(Name(name)) = map.next_key()? {
                    let value: &'de RawValue = map.next_value()?;
                    if name == self.0 {
                        found = serde_json::from_str(value.get()).ok();
                    }
                }
                Ok(found)
            }
        }
        let data = self.data.as_ref()?;
        let mut deserializer = serde_json::Deserializer::from_str(data.get());
        serde::Deserializer::deserialize_map(
            &mut deserializer,
            Member(name, std::marker::PhantomData),
        )
        .ok()?
    }
}

impl PartialEq for ErrorObject {
    fn eq(&self, other: &Self) -> bool {
        let data = |error: &Self| error.data.as_ref().map(|raw| raw.get().to_owned());
        self.code == other.code && self.message == other.message && data(self) == data(other)
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for ErrorObject {}

impl Serialize for ErrorObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &self.code)?;
        map.serialize_entry("message", &self.message)?;
        if let Some(data) = &self.data {
            map.serialize_entry("data", data)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ErrorObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = ErrorObject;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON-RPC error object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ErrorObject, A::Error> {
                let (mut code, mut message, mut data) = (None, None, None);
                while let Some(Name(name)) = map.next_key()? {
                    match &*name {
                        "code" => set(&mut code, "code", map.next_value()?)?,
                        "message" => set(&mut message, "message", map.next_value::<String>()?)?,
                        "data" => set(&mut data, "data", map.next_value()?)?,
                        _ => drop(map.next_value::<serde::de::IgnoredAny>()?),
                    }
                }
                Ok(ErrorObject {
                    code: code.ok_or_else(|| A::Error::missing_field("code"))?,
                    message: message
                        .ok_or_else(|| A::Error::missing_field("message"))?
                        .into(),
                    data,
                })
            }
        }
        deserializer.deserialize_map(Members)
    }
}
