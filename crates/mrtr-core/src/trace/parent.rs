//! `traceparent`

use std::fmt;
use std::str::FromStr;

use crate::state::{DecodeError, Reader, Writer};

/// The flags that mean something: sampled, and an id that is random.
const KNOWN_FLAGS: u8 = 0b11;
/// Characters of version 00.
const LEN: usize = 55;

/// A trace and the span in it that caused a request: W3C `traceparent`.
///
/// Read from text and shown as text of version 00.
///
/// ```
/// use mrtr_core::trace::TraceParent;
///
/// let parent: TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".parse()?;
/// assert!(parent.is_sampled());
/// assert_eq!(parent.to_string(), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
/// # Ok::<(), mrtr_core::trace::NotATraceParent>(())
/// ```
///
/// Implements [Trace Context](https://www.w3.org/TR/trace-context/#traceparent-header).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceParent {
    trace: u128,
    span: u64,
    flags: u8,
}

impl TraceParent {
    /// The trace with this id, under the span with that id.
    ///
    /// # Errors
    /// When one of them is zero, which stands for none.
    pub const fn new(
        trace_id: [u8; 16],
        span_id: [u8; 8],
        sampled: bool,
    ) -> Result<Self, NotATraceParent> {
        Self::of(
            u128::from_be_bytes(trace_id),
            u64::from_be_bytes(span_id),
            sampled as u8,
        )
    }

    const fn of(trace: u128, span: u64, flags: u8) -> Result<Self, NotATraceParent> {
        if trace == 0 || span == 0 {
            return Err(NotATraceParent);
        }
        Ok(Self { trace, span, flags })
    }

    /// The id of the trace: 32 hexadecimal digits.
    #[must_use]
    pub fn trace_id(&self) -> String {
        format!("{:032x}", self.trace)
    }

    /// The id of the span above: 16 hexadecimal digits.
    #[must_use]
    pub fn span_id(&self) -> String {
        format!("{:016x}", self.span)
    }

    /// Whether whoever called records this trace.
    #[must_use]
    pub const fn is_sampled(&self) -> bool {
        self.flags & 1 == 1
    }

    pub(super) const fn is_same_trace(&self, other: &Self) -> bool {
        self.trace == other.trace
    }

    pub(super) fn encode(&self, out: &mut Writer) {
        out.raw(&self.trace.to_be_bytes());
        out.raw(&self.span.to_be_bytes());
        out.u8(self.flags);
    }

    pub(super) fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let trace = u128::from_be_bytes(input.array()?);
        let span = u64::from_be_bytes(input.array()?);
        let flags = input.u8()?;
        if flags & !KNOWN_FLAGS != 0 {
            return Err(DecodeError::UnknownTag(flags));
        }
        Self::of(trace, span, flags).map_err(|NotATraceParent| DecodeError::NotCanonical)
    }
}

impl FromStr for TraceParent {
    type Err = NotATraceParent;

    /// Reads version 00, and of later ones the part that is the same.
    fn from_str(text: &str) -> Result<Self, NotATraceParent> {
        let (known, more) = text
            .as_bytes()
            .split_at_checked(LEN)
            .ok_or(NotATraceParent)?;
        let (version, rest) = known.split_at(2);
        let (trace, rest) = rest.split_at(33);
        let (span, flags) = rest.split_at(17);
        let version = hex(version)?;
        if version == 0xff || !(more.is_empty() || version > 0 && more[0] == b'-') {
            return Err(NotATraceParent);
        }
        let flags = part(flags)? as u8 & KNOWN_FLAGS;
        Self::of(part(trace)?, part(span)? as u64, flags)
    }
}

/// Digits after a dash.
fn part(text: &[u8]) -> Result<u128, NotATraceParent> {
    hex(text.strip_prefix(b"-").ok_or(NotATraceParent)?)
}

/// Lower-case digits only, at most 32.
fn hex(digits: &[u8]) -> Result<u128, NotATraceParent> {
    digits.iter().try_fold(0, |value, digit| {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return Err(NotATraceParent),
        };
        Ok(value << 4 | u128::from(digit))
    })
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { trace, span, flags } = self;
        write!(f, "00-{trace:032x}-{span:016x}-{flags:02x}")
    }
}

/// A text that is no valid `traceparent`, to be treated as if it were not
/// there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotATraceParent;

impl fmt::Display for NotATraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a valid `traceparent`")
    }
}

impl std::error::Error for NotATraceParent {}
