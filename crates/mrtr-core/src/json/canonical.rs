//! Digests of request arguments that ignore how they are written.
//!
//! One pass over the text writes a canonical byte form: members of an object
//! sorted by their unescaped name, numbers by exact value, strings unescaped,
//! white space dropped. No tree is built; an object whose members arrive out
//! of order has their bytes rearranged where they lie.
//!
//! | value | bytes |
//! | --- | --- |
//! | `null`, `true`, `false` | `n`, `t`, `f` |
//! | string | `s`, UTF-8, `0xff` |
//! | number | `0`, or sign, exponent, digits, `0xff` |
//! | array | `[`, items, `0xfe` |
//! | object | `{`, for each member its name, `0xff` and value, `0xfe` |
//!
//! UTF-8 never contains `0xfe` or `0xff`, so different values have different
//! bytes.

use std::cmp::Ordering;
use std::fmt;

use super::depth::MAX_DEPTH;
use super::number::{Decimal, NumberError};

/// The first 16 bytes of a BLAKE3 hash.
pub type Digest = [u8; 16];

/// The digest of bytes as they are.
#[must_use]
pub fn digest_bytes(bytes: &[u8]) -> Digest {
    let mut digest = [0; 16];
    digest.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    digest
}

/// The digest of a request's arguments, the same for every way to write them.
///
/// Order of members, white space, escapes and the notation of numbers make no
/// difference; a `_meta` member of the outermost object is left out. The value
/// of every number counts exactly, also beyond 2^53.
///
/// ```
/// use mrtr_core::json::canonical::digest_arguments;
///
/// let sent = digest_arguments(r#"{"to": "Rome", "seats": 2}"#)?;
/// assert_eq!(digest_arguments(r#"{"seats":2.0,"\u0074o":"Rome"}"#)?, sent);
/// assert_ne!(digest_arguments(r#"{"to":"Rome","seats":3}"#)?, sent);
/// # Ok::<(), mrtr_core::json::canonical::ArgumentsError>(())
/// ```
///
/// # Errors
/// When a member appears twice, nesting is deeper than
/// [`MAX_DEPTH`], an exponent does not fit 64 bits, or the text is not JSON.
pub fn digest_arguments(text: &str) -> Result<Digest, ArgumentsError> {
    canonical_bytes(text.as_bytes(), Meta::LeftOut).map(|bytes| digest_bytes(&bytes))
}

/// The digest of any JSON, the same for every way to write it, as
/// [`digest_arguments`], but a member called `_meta` counts like any other.
///
/// # Errors
/// As [`digest_arguments`].
pub fn digest_value(text: &str) -> Result<Digest, ArgumentsError> {
    canonical_bytes(text.as_bytes(), Meta::Counts).map(|bytes| digest_bytes(&bytes))
}

/// Whether a `_meta` member of the outermost object counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meta {
    LeftOut,
    Counts,
}

fn canonical_bytes(text: &[u8], meta: Meta) -> Result<Vec<u8>, ArgumentsError> {
    let mut scan = Scan {
        text,
        meta,
        at: 0,
        out: Vec::with_capacity(text.len() + text.len() / 4 + 16),
        members: Vec::new(),
        scratch: Vec::new(),
    };
    scan.value(0)?;
    scan.skip_space();
    if scan.at < text.len() {
        return Err(ArgumentsError::NotJson { at: scan.at });
    }
    Ok(scan.out)
}

/// Where one member of an object that is still open lies in the output.
#[derive(Clone, Copy)]
struct Member {
    /// The first bytes of the name, which nearly always decide an order.
    prefix: [u8; 8],
    start: usize,
    name_end: usize,
    end: usize,
}

impl Member {
    fn compare(&self, other: &Self, out: &[u8]) -> Ordering {
        let by_prefix = u64::from_be_bytes(self.prefix).cmp(&u64::from_be_bytes(other.prefix));
        by_prefix.then_with(|| {
            let name = |member: &Self| &out[member.start..member.name_end];
            name(self).cmp(name(other))
        })
    }
}

struct Scan<'a> {
    text: &'a [u8],
    meta: Meta,
    at: usize,
    out: Vec<u8>,
    /// Members of all open objects, the innermost object's last.
    members: Vec<Member>,
    scratch: Vec<u8>,
}

impl Scan<'_> {
    /// Writes the value at the current position, inside `depth` containers.
    fn value(&mut self, depth: usize) -> Result<(), ArgumentsError> {
        self.skip_space();
        match self.peek() {
            Some(b'"') => {
                self.out.push(b's');
                self.string()
            }
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'n') => self.literal(b"null"),
            Some(b't') => self.literal(b"true"),
            Some(b'f') => self.literal(b"false"),
            _ => Err(self.not_json()),
        }
    }

    fn array(&mut self, depth: usize) -> Result<(), ArgumentsError> {
        self.enter(depth, b'[')?;
        if !self.eat(b']') {
            loop {
                self.value(depth)?;
                if self.eat(b']') {
                    break;
                }
                self.expect(b',')?;
            }
        }
        self.out.push(0xfe);
        Ok(())
    }

    fn object(&mut self, depth: usize) -> Result<(), ArgumentsError> {
        self.enter(depth, b'{')?;
        let first = self.members.len();
        let mut meta_seen = false;
        if !self.eat(b'}') {
            loop {
                self.skip_space();
                let start = self.out.len();
                self.string()?;
                let name_end = self.out.len() - 1;
                self.expect(b':')?;
                self.value(depth)?;
                if depth == 1
                    && self.meta == Meta::LeftOut
                    && &self.out[start..name_end] == b"_meta"
                {
                    self.out.truncate(start);
                    if std::mem::replace(&mut meta_seen, true) {
                        return Err(ArgumentsError::Duplicate);
                    }
                } else {
                    let mut prefix = [0; 8];
                    let shown = (name_end - start).min(8);
                    prefix[..shown].copy_from_slice(&self.out[start..start + shown]);
                    self.members.push(Member {
                        prefix,
                        start,
                        name_end,
                        end: self.out.len(),
                    });
                }
                if self.eat(b'}') {
                    break;
                }
                self.expect(b',')?;
            }
        }
        self.sort_members(first)?;
        self.members.truncate(first);
        self.out.push(0xfe);
        Ok(())
    }

    /// Brings the members from index `first` on, whose bytes are the end of
    /// the output, into the order of their names.
    fn sort_members(&mut self, first: usize) -> Result<(), ArgumentsError> {
        let members = &mut self.members[first..];
        let out = &self.out;
        let ascending = |left: &Member, right: &Member| left.compare(right, out).is_lt();
        if members.is_sorted_by(ascending) {
            return Ok(());
        }
        let start = members[0].start;
        members.sort_unstable_by(|left, right| left.compare(right, out));
        if !members.is_sorted_by(ascending) {
            return Err(ArgumentsError::Duplicate);
        }
        self.scratch.clear();
        for member in members {
            self.scratch
                .extend_from_slice(&out[member.start..member.end]);
        }
        self.out[start..].copy_from_slice(&self.scratch);
        Ok(())
    }

    /// Writes a string, unescaped, and the byte that ends it.
    fn string(&mut self) -> Result<(), ArgumentsError> {
        self.expect(b'"')?;
        loop {
            let rest = &self.text[self.at..];
            let Some(len) = memchr::memchr2(b'"', b'\\', rest) else {
                return Err(self.not_json());
            };
            self.out.extend_from_slice(&rest[..len]);
            self.at += len + 1;
            if rest[len] == b'"' {
                self.out.push(0xff);
                return Ok(());
            }
            self.escape()?;
        }
    }

    /// Writes what the escape stands for whose backslash was just read.
    fn escape(&mut self) -> Result<(), ArgumentsError> {
        let kind = self.peek();
        self.at += 1;
        let plain = match kind {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                let mut utf8 = [0; 4];
                let text = self.unicode_escape()?.encode_utf8(&mut utf8);
                self.out.extend_from_slice(text.as_bytes());
                return Ok(());
            }
            _ => return Err(self.not_json()),
        };
        self.out.push(plain);
        Ok(())
    }

    fn unicode_escape(&mut self) -> Result<char, ArgumentsError> {
        let first = self.code_unit()?;
        let code = match first {
            0xd800..=0xdbff if self.text[self.at..].starts_with(b"\\u") => {
                self.at += 2;
                let second = self.code_unit()?;
                if !(0xdc00..=0xdfff).contains(&second) {
                    return Err(self.not_json());
                }
                0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            }
            other => other,
        };
        char::from_u32(code).ok_or_else(|| self.not_json())
    }

    fn code_unit(&mut self) -> Result<u32, ArgumentsError> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
        let unit = digits.iter().try_fold(0, |unit, &digit| {
            char::from(digit)
                .to_digit(16)
                .map(|digit| unit << 4 | digit)
        });
        match unit {
            Some(unit) if digits.len() == 4 => {
                self.at += 4;
                Ok(unit)
            }
            _ => Err(self.not_json()),
        }
    }

    fn number(&mut self) -> Result<(), ArgumentsError> {
        let rest = &self.text[self.at..];
        let len = rest
            .iter()
            .position(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
            .unwrap_or(rest.len());
        let number = Decimal::from_bytes(&rest[..len]).map_err(|error| match error {
            NumberError::ExponentTooLarge => ArgumentsError::ExponentTooLarge,
            NumberError::NotANumber => self.not_json(),
        })?;
        number.write_canonical(&mut self.out);
        self.at += len;
        Ok(())
    }

    fn literal(&mut self, text: &[u8]) -> Result<(), ArgumentsError> {
        if !self.text[self.at..].starts_with(text) {
            return Err(self.not_json());
        }
        self.out.push(text[0]);
        self.at += text.len();
        Ok(())
    }

    fn enter(&mut self, depth: usize, bracket: u8) -> Result<(), ArgumentsError> {
        if depth > MAX_DEPTH {
            return Err(ArgumentsError::TooDeep);
        }
        self.at += 1;
        self.out.push(bracket);
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), ArgumentsError> {
        if self.eat(byte) {
            Ok(())
        } else {
            Err(self.not_json())
        }
    }

    const fn not_json(&self) -> ArgumentsError {
        ArgumentsError::NotJson { at: self.at }
    }
}

/// Why arguments have no canonical form: the peer's fault, answered as invalid
/// params.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentsError {
    /// An object has two members of the same name, so decoders may disagree
    /// about what it says.
    Duplicate,
    /// Arrays and objects nest deeper than [`MAX_DEPTH`].
    TooDeep,
    /// The exponent of a number does not fit 64 bits.
    ExponentTooLarge,
    /// The text is not JSON, or a string in it is not Unicode.
    NotJson {
        /// Byte offset into the arguments.
        at: usize,
    },
}

impl fmt::Display for ArgumentsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duplicate => f.write_str("an object has two members of the same name"),
            Self::TooDeep => write!(f, "arrays and objects nest more than {MAX_DEPTH} deep"),
            Self::ExponentTooLarge => f.write_str("the exponent of a number is too large"),
            Self::NotJson { at } => write!(f, "not valid JSON at byte {at}"),
        }
    }
}

impl std::error::Error for ArgumentsError {}
