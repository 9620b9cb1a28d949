//! The compact binary form of everything that is sealed.
//!
//! Every value has exactly one encoding, and a [`Reader`] accepts no other: a
//! padded varint, a boolean other than 0 or 1, bytes left at the end are all
//! errors. Lengths are checked against the bytes that are really there before
//! anything is allocated.

use std::fmt;

use crate::Timestamp;

/// Appends values to a byte buffer.
///
/// ```
/// use mrtr_core::state::{Reader, Writer};
///
/// let mut writer = Writer::new();
/// writer.varint(300);
/// writer.str("seat");
/// let bytes = writer.into_bytes();
///
/// let mut reader = Reader::new(&bytes);
/// assert_eq!(reader.varint()?, 300);
/// assert_eq!(reader.str(16)?, "seat");
/// reader.finish()?;
/// # Ok::<(), mrtr_core::state::DecodeError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
}

impl Writer {
    /// An empty buffer.
    #[must_use]
    pub const fn new() -> Self {
        Self { out: Vec::new() }
    }

    /// Appends to `buffer`, keeping what it holds.
    #[must_use]
    pub const fn appending(buffer: Vec<u8>) -> Self {
        Self { out: buffer }
    }

    /// Bytes in the buffer so far.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether nothing was written yet.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// The buffer.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// One byte.
    pub fn u8(&mut self, value: u8) {
        self.out.push(value);
    }

    /// One byte, 0 or 1.
    pub fn bool(&mut self, value: bool) {
        self.out.push(u8::from(value));
    }

    /// An unsigned integer in 1 to 10 bytes, seven bits each, low bits first.
    pub fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.out.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.out.push(value as u8);
    }

    /// A time, as its milliseconds.
    pub fn timestamp(&mut self, value: Timestamp) {
        self.varint(value.as_millis());
    }

    /// Bytes whose number the reader knows.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Bytes preceded by their number.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.varint(bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }

    /// Text preceded by its length in bytes.
    pub fn str(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }
}

/// Reads what a [`Writer`] wrote, and nothing else.
///
/// Never panics and never allocates, whatever the bytes are.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Bytes not read yet.
    #[must_use]
    pub const fn remaining(&self) -> &'a [u8] {
        self.rest
    }

    /// One byte.
    ///
    /// # Errors
    /// When no byte is left.
    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        let (first, rest) = self.rest.split_first().ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(*first)
    }

    /// One byte that is 0 or 1.
    ///
    /// # Errors
    /// When no byte is left or it is another one.
    pub fn bool(&mut self) -> Result<bool, DecodeError> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(DecodeError::NotCanonical),
        }
    }

    /// An unsigned integer.
    ///
    /// # Errors
    /// When it is cut short, does not fit 64 bits, or is longer than needed.
    pub fn varint(&mut self) -> Result<u64, DecodeError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(DecodeError::TooLarge);
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                if byte == 0 && shift > 0 {
                    return Err(DecodeError::NotCanonical);
                }
                return Ok(value);
            }
        }
        Err(DecodeError::TooLarge)
    }

    /// A number of items of at least one byte each, so at most `max` and at
    /// most the bytes that are left: safe to reserve memory for.
    ///
    /// # Errors
    /// When it is not a varint or above either bound.
    pub fn count(&mut self, max: usize) -> Result<usize, DecodeError> {
        let count = usize::try_from(self.varint()?).map_err(|_| DecodeError::TooLarge)?;
        if count > max {
            return Err(DecodeError::TooLarge);
        }
        if count > self.rest.len() {
            return Err(DecodeError::Truncated);
        }
        Ok(count)
    }

    /// A time.
    ///
    /// # Errors
    /// When it is not a varint.
    pub fn timestamp(&mut self) -> Result<Timestamp, DecodeError> {
        self.varint().map(Timestamp::from_millis)
    }

    /// The next `len` bytes.
    ///
    /// # Errors
    /// When fewer are left.
    pub fn raw(&mut self, len: usize) -> Result<&'a [u8], DecodeError> {
        let (bytes, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    /// When fewer are left.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (bytes, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(*bytes)
    }

    /// Bytes preceded by their number, at most `max`.
    ///
    /// # Errors
    /// When there are more than `max`, or fewer left than announced.
    pub fn bytes(&mut self, max: usize) -> Result<&'a [u8], DecodeError> {
        let len = self.count(max)?;
        self.raw(len)
    }

    /// Text preceded by its length, at most `max` bytes.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes), or when it is not UTF-8.
    pub fn str(&mut self, max: usize) -> Result<&'a str, DecodeError> {
        std::str::from_utf8(self.bytes(max)?).map_err(|_| DecodeError::NotUtf8)
    }

    /// Ends reading.
    ///
    /// # Errors
    /// When bytes are left.
    pub const fn finish(self) -> Result<(), DecodeError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(DecodeError::TrailingBytes)
        }
    }
}

/// Why bytes are not what a [`Writer`] would have written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes end before the value does.
    Truncated,
    /// A number or length is above its bound.
    TooLarge,
    /// The value has a shorter or other encoding that is the only one allowed.
    NotCanonical,
    /// Text is not UTF-8.
    NotUtf8,
    /// Bytes are left after the last value.
    TrailingBytes,
    /// A tag that stands for nothing, for use by formats built on the reader.
    UnknownTag(u8),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("the bytes end too early"),
            Self::TooLarge => f.write_str("a number or length is above its bound"),
            Self::NotCanonical => f.write_str("a value is not in its only allowed encoding"),
            Self::NotUtf8 => f.write_str("text is not UTF-8"),
            Self::TrailingBytes => f.write_str("bytes are left after the last value"),
            Self::UnknownTag(tag) => write!(f, "unknown tag {tag}"),
        }
    }
}

impl std::error::Error for DecodeError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_padded_varint_is_refused() {
        assert_eq!(
            Reader::new(&[0x80, 0x00]).varint(),
            Err(DecodeError::NotCanonical)
        );
    }

    #[test]
    fn a_varint_beyond_64_bits_is_refused() {
        let mut bytes = [0xff; 10];
        bytes[9] = 0x01;
        assert_eq!(Reader::new(&bytes).varint(), Ok(u64::MAX));
        bytes[9] = 0x02;
        assert_eq!(Reader::new(&bytes).varint(), Err(DecodeError::TooLarge));
        bytes[9] = 0x81;
        assert_eq!(Reader::new(&bytes).varint(), Err(DecodeError::TooLarge));
    }

    #[test]
    fn a_count_never_exceeds_the_bytes_that_are_left() {
        let mut writer = Writer::new();
        writer.varint(1 << 40);
        let bytes = writer.into_bytes();
        assert_eq!(
            Reader::new(&bytes).count(usize::MAX),
            Err(DecodeError::Truncated)
        );
        assert_eq!(Reader::new(&bytes).count(7), Err(DecodeError::TooLarge));
    }

    #[test]
    fn bytes_left_at_the_end_are_an_error() {
        let mut reader = Reader::new(&[1, 0]);
        assert_eq!(reader.bool(), Ok(true));
        assert_eq!(reader.finish(), Err(DecodeError::TrailingBytes));
    }

    #[derive(Clone, Debug, PartialEq)]
    enum Item {
        Byte(u8),
        Flag(bool),
        Number(u64),
        Bytes(Vec<u8>),
        Text(String),
    }

    fn item() -> impl Strategy<Value = Item> {
        prop_oneof![
            any::<u8>().prop_map(Item::Byte),
            any::<bool>().prop_map(Item::Flag),
            (any::<u64>(), 0u32..64).prop_map(|(n, bits)| Item::Number(n >> bits)),
            proptest::collection::vec(any::<u8>(), 0..300).prop_map(Item::Bytes),
            any::<String>().prop_map(Item::Text),
        ]
    }

    fn read_as(like: &Item, reader: &mut Reader<'_>) -> Result<Item, DecodeError> {
        Ok(match like {
            Item::Byte(_) => Item::Byte(reader.u8()?),
            Item::Flag(_) => Item::Flag(reader.bool()?),
            Item::Number(_) => Item::Number(reader.varint()?),
            Item::Bytes(_) => Item::Bytes(reader.bytes(1 << 20)?.to_vec()),
            Item::Text(_) => Item::Text(reader.str(1 << 20)?.to_owned()),
        })
    }

    fn write(items: &[Item]) -> Vec<u8> {
        let mut writer = Writer::new();
        for item in items {
            match item {
                Item::Byte(value) => writer.u8(*value),
                Item::Flag(value) => writer.bool(*value),
                Item::Number(value) => writer.varint(*value),
                Item::Bytes(value) => writer.bytes(value),
                Item::Text(value) => writer.str(value),
            }
        }
        writer.into_bytes()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(items in proptest::collection::vec(item(), 0..20)) {
            let bytes = write(&items);
            let mut reader = Reader::new(&bytes);
            for item in &items {
                prop_assert_eq!(&read_as(item, &mut reader)?, item);
            }
            prop_assert_eq!(reader.finish(), Ok(()));
        }

        #[test]
        fn arbitrary_bytes_either_fail_or_are_the_one_encoding(
            shape in proptest::collection::vec(item(), 0..8),
            bytes in proptest::collection::vec(any::<u8>(), 0..64),
        ) {
            let mut reader = Reader::new(&bytes);
            let mut read = Vec::new();
            for like in &shape {
                let Ok(item) = read_as(like, &mut reader) else { return Ok(()) };
                read.push(item);
            }
            let used = bytes.len() - reader.remaining().len();
            prop_assert_eq!(write(&read), &bytes[..used]);
        }
    }
}
