//! The result that asks for input.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::object::write_members;
use super::{InputRequests, RawObject};

/// A server's answer that it needs input before it can finish.
///
/// At least one of the two fields must be there; reading a result with neither fails (see
/// [`AnyResult`](super::AnyResult)).
///
/// Implements [`InputRequiredResult`](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#inputrequiredresult).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct InputRequiredResult {
    /// What is asked for.
    pub input_requests: Option<InputRequests>,
    /// What the client must send back as it is.
    pub request_state: Option<String>,
    /// Metadata.
    pub meta: Option<RawObject>,
    /// Members this library does not know, kept as they came.
    pub extra: RawObject,
}

impl InputRequiredResult {
    /// The value of `resultType`.
    pub const RESULT_TYPE: &'static str = "input_required";

    /// A result that asks for `input_requests` (when there are any) and carries `request_state`.
    #[must_use]
    pub fn new(input_requests: InputRequests, request_state: Option<String>) -> Self {
        Self {
            input_requests: (!input_requests.is_empty()).then_some(input_requests),
            request_state,
            ..Self::default()
        }
    }

    /// A result without questions: come back with this state.
    #[must_use]
    pub fn later(request_state: impl Into<String>) -> Self {
        Self {
            request_state: Some(request_state.into()),
            ..Self::default()
        }
    }

    /// Whether there is nothing to ask, so that the client may come back at once.
    #[must_use]
    pub fn is_state_only(&self) -> bool {
        self.input_requests
            .as_ref()
            .is_none_or(InputRequests::is_empty)
    }
}

impl Serialize for InputRequiredResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("resultType", Self::RESULT_TYPE)?;
        if let Some(requests) = &self.input_requests {
            map.serialize_entry("inputRequests", requests)?;
        }
        if let Some(state) = &self.request_state {
            map.serialize_entry("requestState", state)?;
        }
        if let Some(meta) = &self.meta {
            map.serialize_entry("_meta", meta)?;
        }
        write_members(&mut map, &self.extra)?;
        map.end()
    }
}
