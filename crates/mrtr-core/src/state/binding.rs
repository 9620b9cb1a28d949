//! What a sealed state belongs to: who sent which request to which server.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use serde_json::value::RawValue;

use super::codec::{DecodeError, Reader, Writer};
use super::rejection::RejectionReason;
use crate::json::canonical::{self, ArgumentsError, Digest};

/// Who sent a request, as the server's authentication established it: never
/// what a client says of itself.
///
/// The same subject of the same issuer is the same principal, whatever token
/// was presented.
#[derive(Clone)]
pub struct Principal {
    issuer: Box<str>,
    subject: Box<str>,
    /// Made when first needed: the same principal usually sends many requests.
    marks: OnceLock<[Mark; 2]>,
}

impl Principal {
    /// The principal `subject` as `issuer` knows it, such as the `sub` and
    /// `iss` of an access token.
    #[must_use]
    pub fn new(issuer: impl Into<Box<str>>, subject: impl Into<Box<str>>) -> Self {
        Self {
            issuer: issuer.into(),
            subject: subject.into(),
            marks: OnceLock::new(),
        }
    }

    /// Who vouches for the subject.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Who it is, unique for the issuer.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    fn marks(&self) -> [Mark; 2] {
        let marks = || [Mark::new(&self.issuer), Mark::new(&self.subject)];
        *self.marks.get_or_init(marks)
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Principal")
            .field("issuer", &self.issuer)
            .field("subject", &self.subject)
            .finish()
    }
}

impl PartialEq for Principal {
    fn eq(&self, other: &Self) -> bool {
        (&self.issuer, &self.subject) == (&other.issuer, &other.subject)
    }
}

impl Eq for Principal {}

impl Hash for Principal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.issuer, &self.subject).hash(state);
    }
}

/// The three methods that may take several rounds.
///
/// <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#supported-requests>
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// `tools/call`
    ToolsCall,
    /// `prompts/get`
    PromptsGet,
    /// `resources/read`
    ResourcesRead,
}

impl Method {
    /// The method's name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ToolsCall => "tools/call",
            Self::PromptsGet => "prompts/get",
            Self::ResourcesRead => "resources/read",
        }
    }

    /// The method with this name, when it is one of the three.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::ToolsCall, Self::PromptsGet, Self::ResourcesRead]
            .into_iter()
            .find(|method| method.as_str() == name)
    }

    const fn tag(self) -> u8 {
        match self {
            Self::ToolsCall => 1,
            Self::PromptsGet => 2,
            Self::ResourcesRead => 3,
        }
    }

    const fn from_tag(tag: u8) -> Result<Self, DecodeError> {
        match tag {
            1 => Ok(Self::ToolsCall),
            2 => Ok(Self::PromptsGet),
            3 => Ok(Self::ResourcesRead),
            _ => Err(DecodeError::UnknownTag(tag)),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a state is sealed for, and must be presented with again.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'a> {
    /// Who sent the request; `None` on a server without authentication.
    pub principal: Option<&'a Principal>,
    /// The method of the request.
    pub method: Method,
    /// The tool's or prompt's name, or the resource's URI.
    pub target: &'a str,
    /// The request's arguments as they came; absent is the same as `{}`.
    pub arguments: Option<&'a RawValue>,
    /// The server, by the name all its instances share.
    pub audience: &'a str,
    /// The revision of the server's handlers, when states must not survive a
    /// change of it.
    pub revision: Option<&'a str>,
}

/// A [`Binding`] as it is kept inside a state: short texts as they are, long
/// ones and the arguments as digests.
///
/// Opening a state yields it, so that sealing the next round digests nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    principal: Option<[Mark; 2]>,
    method: Method,
    target: Mark,
    audience: Mark,
    revision: Option<Mark>,
    arguments: Arguments,
}

impl Bound {
    /// Digests a binding, before the first state of an exchange is sealed.
    ///
    /// # Errors
    /// When the arguments have no canonical form: the peer's fault, to be
    /// answered as invalid params.
    pub fn new(binding: &Binding<'_>) -> Result<Self, ArgumentsError> {
        Ok(Self {
            principal: binding.principal.map(Principal::marks),
            method: binding.method,
            target: Mark::new(binding.target),
            audience: Mark::new(binding.audience),
            revision: binding.revision.map(Mark::new),
            arguments: Arguments::new(binding.arguments)?,
        })
    }

    /// The method the state is for.
    #[must_use]
    pub const fn method(&self) -> Method {
        self.method
    }

    /// Checks a request against what was sealed. The bytes of the arguments
    /// are compared first, their canonical form only when those differ.
    pub(super) fn check(&mut self, binding: &Binding<'_>) -> Result<(), RejectionReason> {
        if self.principal != binding.principal.map(Principal::marks) {
            return Err(RejectionReason::Principal);
        }
        if self.method != binding.method {
            return Err(RejectionReason::Method);
        }
        if self.target != Mark::new(binding.target) {
            return Err(RejectionReason::Target);
        }
        if self.audience != Mark::new(binding.audience) {
            return Err(RejectionReason::Audience);
        }
        if self.revision != binding.revision.map(Mark::new) {
            return Err(RejectionReason::Revision);
        }
        self.arguments.check(binding.arguments)
    }

    pub(super) fn write(&self, out: &mut Writer) {
        out.u8(self.method.tag()
            | u8::from(self.principal.is_some()) << 2
            | u8::from(self.revision.is_some()) << 3);
        for mark in self.principal.iter().flatten() {
            mark.write(out);
        }
        self.target.write(out);
        self.audience.write(out);
        if let Some(mark) = &self.revision {
            mark.write(out);
        }
        out.raw(&self.arguments.raw);
        out.raw(&self.arguments.canonical);
    }

    pub(super) fn read(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let head = input.u8()?;
        if head >> 4 != 0 {
            return Err(DecodeError::UnknownTag(head));
        }
        Ok(Self {
            method: Method::from_tag(head & 3)?,
            principal: match head >> 2 & 1 {
                1 => Some([Mark::read(input)?, Mark::read(input)?]),
                _ => None,
            },
            target: Mark::read(input)?,
            audience: Mark::read(input)?,
            revision: match head >> 3 & 1 {
                1 => Some(Mark::read(input)?),
                _ => None,
            },
            arguments: Arguments {
                raw: input.array()?,
                canonical: input.array()?,
            },
        })
    }
}

/// A text of up to 16 bytes as it is, a longer one by its digest: equal exactly
/// when the texts are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    /// Bytes of the text, or `DIGEST`.
    len: u8,
    bytes: [u8; 16],
}

impl Mark {
    const DIGEST: u8 = 17;

    fn new(text: &str) -> Self {
        let mut bytes = [0; 16];
        match bytes.get_mut(..text.len()) {
            Some(short) => {
                short.copy_from_slice(text.as_bytes());
                Self {
                    len: text.len() as u8,
                    bytes,
                }
            }
            None => Self {
                len: Self::DIGEST,
                bytes: canonical::digest_bytes(text.as_bytes()),
            },
        }
    }

    fn write(&self, out: &mut Writer) {
        out.u8(self.len);
        out.raw(&self.bytes[..usize::from(self.len).min(16)]);
    }

    fn read(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let len = input.u8()?;
        if len > Self::DIGEST {
            return Err(DecodeError::UnknownTag(len));
        }
        let text = input.raw(usize::from(len).min(16))?;
        let mut bytes = [0; 16];
        bytes[..text.len()].copy_from_slice(text);
        Ok(Self { len, bytes })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Arguments {
    raw: Digest,
    canonical: Digest,
}

impl Arguments {
    fn new(arguments: Option<&RawValue>) -> Result<Self, ArgumentsError> {
        let text = arguments.map_or("{}", RawValue::get);
        Ok(Self {
            raw: canonical::digest_bytes(text.as_bytes()),
            canonical: canonical::digest_arguments(text)?,
        })
    }

    fn check(&mut self, arguments: Option<&RawValue>) -> Result<(), RejectionReason> {
        let text = arguments.map_or("{}", RawValue::get);
        let raw = canonical::digest_bytes(text.as_bytes());
        if raw == self.raw {
            return Ok(());
        }
        let canonical =
            canonical::digest_arguments(text).map_err(RejectionReason::ArgumentsUnreadable)?;
        if canonical != self.canonical {
            return Err(RejectionReason::Arguments);
        }
        self.raw = raw;
        Ok(())
    }
}
