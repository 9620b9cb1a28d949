//! The `_meta` of a request: version, capabilities and the rest of what every request carries.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::capability::Declared;
use super::object::{Name, any_other_type, object, set};
use super::params::{object as object_member, string};
use super::raw;
use crate::trace::TraceContext;

use super::{
    Capabilities, Cause, ClientCapabilities, Implementation, LoggingLevel, ProgressToken, id,
};

/// Member names of `_meta` that the protocol reserves.
pub mod meta_key {
    /// The protocol version of a request.
    pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    /// What the client is; for display and logs, never for decisions.
    pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    /// What the client can be asked.
    pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    /// From which level on log messages are wanted. Deprecated by this revision.
    pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    /// What the server is; for display and logs, never for decisions.
    pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    /// Which subscription a notification belongs to.
    pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
    /// The token for progress notifications.
    pub const PROGRESS_TOKEN: &str = "progressToken";
    /// W3C trace context.
    pub const TRACEPARENT: &str = "traceparent";
    /// W3C trace context, vendor part.
    pub const TRACESTATE: &str = "tracestate";
    /// W3C baggage.
    pub const BAGGAGE: &str = "baggage";
}

/// The `_meta` of a request as a server reads it, borrowed.
///
/// Implements [`_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic#meta): the
/// version and the capabilities are required, the rest is optional (`null` counts as absent).
///
/// ```
/// use mrtr_core::wire::{Capability, RequestMeta};
/// use serde_json::value::RawValue;
///
/// let raw: &RawValue = serde_json::from_str(r#"{
///     "io.modelcontextprotocol/protocolVersion": "2026-07-28",
///     "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}
/// }"#)?;
/// let meta = RequestMeta::parse(Some(raw))?;
/// assert_eq!(meta.protocol_version, "2026-07-28");
/// assert!(meta.capabilities.contains(Capability::ElicitationForm));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RequestMeta<'a> {
    /// The protocol version of this request.
    pub protocol_version: Cow<'a, str>,
    /// What the client may be asked during this request.
    pub capabilities: Capabilities,
    /// What the client says it is: an object, for display and logs only.
    pub client_info: Option<&'a RawValue>,
    /// The token to put on progress notifications: a string or an integer, to be echoed as it is.
    pub progress_token: Option<&'a RawValue>,
    /// From which level on log messages are wanted; none at all when absent.
    pub log_level: Option<LoggingLevel>,
    /// W3C trace context, when it is a string.
    pub traceparent: Option<Cow<'a, str>>,
    /// W3C trace context, when it is a string.
    pub tracestate: Option<Cow<'a, str>>,
    /// W3C baggage, when it is a string.
    pub baggage: Option<Cow<'a, str>>,
}

impl<'a> RequestMeta<'a> {
    /// Reads the `_meta` member of a request's `params`.
    ///
    /// # Errors
    /// [`Cause::MissingMeta`] when a required member is missing, [`Cause::InvalidParams`] when one has the wrong type
    /// or the log level is unknown.
    pub fn parse(raw: Option<&'a RawValue>) -> Result<Self, Cause> {
        let members = match raw {
            None => MetaMembers::default(),
            Some(raw) => serde_json::from_str(raw.get()).map_err(|error| {
                Cause::InvalidParams(format!("`_meta`: {}", raw::reason(&error)).into())
            })?,
        };
        members.interpret()
    }

    /// The trace that the request belongs to, when its `traceparent` is valid.
    #[must_use]
    pub fn trace_context(&self) -> Option<TraceContext> {
        let [parent, state, baggage] =
            [&self.traceparent, &self.tracestate, &self.baggage].map(Option::as_deref);
        TraceContext::parse(parent, state, baggage)
    }

    /// What the client says it is, when that can be read.
    #[must_use]
    pub fn client_info(&self) -> Option<Implementation> {
        serde_json::from_str(self.client_info?.get()).ok()
    }
}

/// The members of `_meta` as they came, whatever their types.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MetaMembers<'a> {
    protocol_version: Option<&'a RawValue>,
    capabilities: Declared,
    client_info: Option<&'a RawValue>,
    progress_token: Option<&'a RawValue>,
    log_level: Option<&'a RawValue>,
    traceparent: Option<&'a RawValue>,
    tracestate: Option<&'a RawValue>,
    baggage: Option<&'a RawValue>,
    /// Set when `_meta` was there but no object.
    wrong_type: bool,
}

impl<'a> MetaMembers<'a> {
    pub(super) fn declared_version(&self) -> Option<Cow<'a, str>> {
        raw::string(self.protocol_version?)
    }

    pub(super) fn interpret(self) -> Result<RequestMeta<'a>, Cause> {
        if self.wrong_type {
            return Err(Cause::InvalidParams("`_meta` must be an object".into()));
        }
        let protocol_version = string(
            meta_key::PROTOCOL_VERSION,
            raw::non_null(self.protocol_version),
        )?
        .ok_or(Cause::MissingMeta(meta_key::PROTOCOL_VERSION))?;
        let capabilities = match self.capabilities {
            Declared::Set(capabilities) => capabilities,
            Declared::Absent => return Err(Cause::MissingMeta(meta_key::CLIENT_CAPABILITIES)),
            Declared::WrongType => {
                let what = format!("`{}` must be an object", meta_key::CLIENT_CAPABILITIES);
                return Err(Cause::InvalidParams(what.into()));
            }
        };
        let progress_token = raw::non_null(self.progress_token);
        if progress_token.is_some_and(|token| !id::is_string_or_integer(token)) {
            return Err(Cause::InvalidParams(
                "`progressToken` must be a string or an integer of at most 1024 bytes".into(),
            ));
        }
        let log_level = match string(meta_key::LOG_LEVEL, raw::non_null(self.log_level))? {
            None => None,
            Some(name) => Some(LoggingLevel::from_name(&name).ok_or_else(|| {
                Cause::InvalidParams(format!("`{}` is unknown", meta_key::LOG_LEVEL).into())
            })?),
        };
        Ok(RequestMeta {
            protocol_version,
            capabilities,
            client_info: object_member(meta_key::CLIENT_INFO, raw::non_null(self.client_info))?,
            progress_token,
            log_level,
            traceparent: self.traceparent.and_then(raw::string),
            tracestate: self.tracestate.and_then(raw::string),
            baggage: self.baggage.and_then(raw::string),
        })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for MetaMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MetaVisitor)
    }
}

struct MetaVisitor;

impl<'de> Visitor<'de> for MetaVisitor {
    type Value = MetaMembers<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MetaMembers<'de>, A::Error> {
        let mut members = MetaMembers::default();
        let mut capabilities = None;
        while let Some(Name(name)) = map.next_key()? {
            let slot = match &*name {
                meta_key::PROTOCOL_VERSION => &mut members.protocol_version,
                meta_key::CLIENT_CAPABILITIES => {
                    set(&mut capabilities, &name, map.next_value()?)?;
                    continue;
                }
                meta_key::CLIENT_INFO => &mut members.client_info,
                meta_key::PROGRESS_TOKEN => &mut members.progress_token,
                meta_key::LOG_LEVEL => &mut members.log_level,
                meta_key::TRACEPARENT => &mut members.traceparent,
                meta_key::TRACESTATE => &mut members.tracestate,
                meta_key::BAGGAGE => &mut members.baggage,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            set(slot, &name, map.next_value()?)?;
        }
        members.capabilities = capabilities.unwrap_or_default();
        Ok(members)
    }

    fn visit_unit<E>(self) -> Result<MetaMembers<'de>, E> {
        Ok(MetaMembers::default())
    }

    any_other_type!(MetaMembers {
        wrong_type: true,
        ..MetaMembers::default()
    });
}

object! {
    /// The `_meta` a client writes into every request.
    ///
    /// Implements [`RequestMetaObject`](https://modelcontextprotocol.io/specification/2026-07-28/schema#requestmetaobject).
    pub struct ClientMeta {
        /// The protocol version of the request.
        req protocol_version: String = "io.modelcontextprotocol/protocolVersion",
        /// What the client is.
        opt client_info: Implementation = "io.modelcontextprotocol/clientInfo",
        /// What the client may be asked during the request.
        req client_capabilities: ClientCapabilities = "io.modelcontextprotocol/clientCapabilities",
        /// From which level on log messages are wanted. Deprecated by this revision.
        opt log_level: LoggingLevel = "io.modelcontextprotocol/logLevel",
        /// Asks for progress notifications with this token.
        opt progress_token: ProgressToken = "progressToken",
    }
}

impl ClientMeta {
    /// The `_meta` of a client with these capabilities, speaking [`PROTOCOL_VERSION`](super::PROTOCOL_VERSION).
    #[must_use]
    pub fn new(client_info: Implementation, client_capabilities: ClientCapabilities) -> Self {
        Self {
            protocol_version: super::PROTOCOL_VERSION.into(),
            client_info: Some(client_info),
            client_capabilities,
            log_level: None,
            progress_token: None,
            extra: super::RawObject::new(),
        }
    }

    /// Says which trace the request belongs to.
    ///
    /// # Errors
    /// None that can be met: its texts can always be written.
    pub fn set_trace_context(&mut self, trace: &TraceContext) -> Result<(), serde_json::Error> {
        let parent = trace.parent().to_string();
        let members = [
            (meta_key::TRACEPARENT, Some(parent.as_str())),
            (meta_key::TRACESTATE, trace.state()),
            (meta_key::BAGGAGE, trace.baggage()),
        ];
        for (name, value) in members {
            if let Some(value) = value {
                self.extra.insert_as(name, &value)?;
            }
        }
        Ok(())
    }
}
