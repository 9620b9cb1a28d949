//! Which trace a call belongs to, so that its rounds and what they cause are
//! seen as one.
//!
//! A client may put W3C trace context into the `_meta` of each request. What
//! the first request of an exchange carried is sealed into its state, so that
//! all rounds belong to one trace even if a later request comes without it or
//! from another process. Handlers get it from
//! [`Cx::trace_context`](crate::replay::Cx::trace_context), to pass it on to the
//! services they call.
//!
//! It comes from the client and proves nothing: never decide by it.
//!
//! Implements [OpenTelemetry trace context](https://modelcontextprotocol.io/specification/2026-07-28/basic#meta).

mod parent;

use crate::state::{DecodeError, Reader, Writer};

pub use parent::{NotATraceParent, TraceParent};

/// Longest `tracestate`; more members are left out.
pub const MAX_TRACE_STATE: usize = 512;

/// Longest `baggage`; more members are left out.
pub const MAX_BAGGAGE: usize = 8_192;

/// Trace context as a request carries it, bounded and fit for HTTP headers.
///
/// ```
/// use mrtr_core::trace::TraceContext;
///
/// let context = TraceContext::parse(
///     Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
///     Some("vendor=1"),
///     None,
/// ).expect("a trace context");
/// assert_eq!(context.parent().trace_id(), "0af7651916cd43dd8448eb211c80319c");
/// assert_eq!(context.state(), Some("vendor=1"));
/// assert!(TraceContext::parse(Some("00-00000000000000000000000000000000-b7ad6b7169203331-01"), None, None).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext {
    parent: TraceParent,
    state: Option<Box<str>>,
    baggage: Option<Box<str>>,
}

impl TraceContext {
    /// The trace that continues under `parent`.
    #[must_use]
    pub const fn new(parent: TraceParent) -> Self {
        Self {
            parent,
            state: None,
            baggage: None,
        }
    }

    /// Adds a `tracestate`. One that is no list of printable ASCII is left out.
    #[must_use]
    pub fn with_state(mut self, state: &str) -> Self {
        self.state = list(state, MAX_TRACE_STATE);
        self
    }

    /// Adds `baggage`. One that is no list of printable ASCII is left out.
    #[must_use]
    pub fn with_baggage(mut self, baggage: &str) -> Self {
        self.baggage = list(baggage, MAX_BAGGAGE);
        self
    }

    /// Reads the values of the three members or headers. `None` without a valid
    /// `traceparent`: the others mean nothing without one.
    #[must_use]
    pub fn parse(
        traceparent: Option<&str>,
        tracestate: Option<&str>,
        baggage: Option<&str>,
    ) -> Option<Self> {
        let parent = traceparent?.parse().ok()?;
        let mut context = Self::new(parent);
        if let Some(state) = tracestate {
            context = context.with_state(state);
        }
        if let Some(baggage) = baggage {
            context = context.with_baggage(baggage);
        }
        Some(context)
    }

    /// The trace and the span above.
    #[must_use]
    pub const fn parent(&self) -> &TraceParent {
        &self.parent
    }

    /// The `tracestate`, if there is one.
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }

    /// The `baggage`, if there is any.
    #[must_use]
    pub fn baggage(&self) -> Option<&str> {
        self.baggage.as_deref()
    }

    /// The context to go by in a round: that of the request, unless it belongs
    /// to another trace than the exchange.
    pub(crate) fn of_round(own: Option<Self>, exchange: Option<&Self>) -> Option<Self> {
        match (own, exchange) {
            (Some(own), Some(exchange)) if !own.parent.is_same_trace(&exchange.parent) => {
                Some(exchange.clone())
            }
            (Some(own), _) => Some(own),
            (None, exchange) => exchange.cloned(),
        }
    }

    pub(crate) fn encode(&self, out: &mut Writer) {
        self.parent.encode(out);
        out.str(self.state().unwrap_or_default());
        out.str(self.baggage().unwrap_or_default());
    }

    pub(crate) fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            parent: TraceParent::decode(input)?,
            state: sealed_list(input, MAX_TRACE_STATE)?,
            baggage: sealed_list(input, MAX_BAGGAGE)?,
        })
    }
}

/// A list of members separated by commas; those that do not fit any more are
/// left out.
fn list(text: &str, most: usize) -> Option<Box<str>> {
    let text = text.trim_matches([' ', '\t', ',']);
    let printable = |byte: u8| matches!(byte, b' '..=b'~');
    if !text.bytes().all(printable) {
        return None;
    }
    let kept = match text.get(..=most) {
        None => text,
        Some(beyond) => &beyond[..beyond.rfind(',')?],
    };
    let kept = kept.trim_matches([' ', ',']);
    (!kept.is_empty()).then(|| kept.into())
}

/// A list that is as [`list`] makes it, or empty.
fn sealed_list(input: &mut Reader<'_>, most: usize) -> Result<Option<Box<str>>, DecodeError> {
    let text = input.str(most)?;
    if text.is_empty() {
        return Ok(None);
    }
    match list(text, most) {
        Some(list) if *list == *text => Ok(Some(list)),
        _ => Err(DecodeError::NotCanonical),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
pub(crate) mod tests;
