//! The sealed state: the claims and the journal that mrtr seals, in the same layout.

use aes_gcm_siv::aead::{AeadInOut, KeyInit};
use aes_gcm_siv::{Aes256GcmSiv, Nonce, Tag};
use base64_simd::URL_SAFE_NO_PAD;
use bench_kit::{ISSUER, KEY, QUESTION, SERVER, SUBJECT};

use crate::book::FORM;

pub type Digest = [u8; 16];

const PREFIX: &str = "mrtr1.";
const KEY_ID: usize = 6;
const HEAD: usize = KEY_ID + 12;
const TAG: usize = 16;
const TTL: u64 = 10 * 60 * 1000;
const EXCHANGE: u64 = 60 * 60 * 1000;
const SKEW: u64 = 60 * 1000;
const MAX_TEXT: usize = 64 * 1024;

pub struct Key {
    cipher: Aes256GcmSiv,
    id: [u8; KEY_ID],
    /// Of the form, which never changes.
    form: Digest,
}

impl Key {
    pub fn new() -> Self {
        let key = blake3::derive_key("bench AES-256-GCM-SIV key", &KEY);
        Self {
            cipher: Aes256GcmSiv::new(&key.into()),
            id: *b"bench1",
            form: digest(FORM.as_bytes()),
        }
    }

    /// What is authenticated beside the content.
    fn associated(&self) -> [u8; 32] {
        let mut associated = [0; 32];
        associated[..PREFIX.len()].copy_from_slice(PREFIX.as_bytes());
        associated[8..8 + KEY_ID].copy_from_slice(&self.id);
        associated
    }
}

fn digest(bytes: &[u8]) -> Digest {
    let mut digest = [0; 16];
    digest.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    digest
}

/// Of the question: kind, message, form.
pub fn question_digest(message: &str, key: &Key) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[0]);
    hasher.update(&(message.len() as u64).to_le_bytes());
    hasher.update(message.as_bytes());
    hasher.update(&key.form);
    let mut digest = Digest::default();
    hasher.finalize_xof().fill(&mut digest);
    digest
}

/// What a state says.
pub struct Claims<'a> {
    pub now: u64,
    pub target: &'a str,
    /// JSON.
    pub arguments: &'a str,
    pub city: &'a str,
    pub asked: Digest,
}

impl Claims<'_> {
    fn write(&self, exchange: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(exchange);
        varint(out, 1);
        varint(out, self.now);
        for delta in [0, TTL, EXCHANGE] {
            varint(out, delta << 1);
        }
        bound(out, self.target);
        out.extend_from_slice(&digest(self.arguments.as_bytes()));
        let mut canonical = Vec::with_capacity(self.city.len() + 16);
        canonical.extend_from_slice(b"{city\xffs");
        canonical.extend_from_slice(self.city.as_bytes());
        canonical.extend_from_slice(b"\xff\xfe");
        out.extend_from_slice(&digest(&canonical));
        // The journal: no flow, one entry, a question that was asked once.
        out.extend_from_slice(&[0, 1, QUESTION.len() as u8]);
        out.extend_from_slice(QUESTION.as_bytes());
        out.push(0);
        out.extend_from_slice(&self.asked);
        out.push(0);
    }
}

/// Principal, method, target and server.
fn bound(out: &mut Vec<u8>, target: &str) {
    out.push(1 | 1 << 2);
    for text in [ISSUER, SUBJECT, target, SERVER] {
        if text.len() > 16 {
            out.push(17);
            out.extend_from_slice(&digest(text.as_bytes()));
        } else {
            out.push(text.len() as u8);
            out.extend_from_slice(text.as_bytes());
        }
    }
}

pub fn seal(key: &Key, claims: &Claims<'_>, random: &[u8; 32]) -> String {
    let mut bytes = Vec::with_capacity(256);
    bytes.extend_from_slice(&key.id);
    bytes.extend_from_slice(&random[16..28]);
    claims.write(&random[..16], &mut bytes);
    let nonce: [u8; 12] = std::array::from_fn(|n| random[16 + n]);
    let tag = key
        .cipher
        .encrypt_inout_detached(
            &Nonce::from(nonce),
            &key.associated(),
            (&mut bytes[HEAD..]).into(),
        )
        .expect("short enough");
    bytes.extend_from_slice(&tag);
    let len = PREFIX.len() + URL_SAFE_NO_PAD.encoded_length(bytes.len());
    let mut text = String::with_capacity(len);
    text.push_str(PREFIX);
    URL_SAFE_NO_PAD.encode_append(&bytes, &mut text);
    text
}

/// The digest of the question that was asked, if the state is genuine, in time and belongs to this request.
pub fn open(key: &Key, text: &str, arguments: &str, target: &str, now: u64) -> Option<Digest> {
    let encoded = text
        .strip_prefix(PREFIX)
        .filter(|_| text.len() <= MAX_TEXT)?;
    let mut bytes = URL_SAFE_NO_PAD.decode_to_vec(encoded).ok()?;
    let (head, rest) = bytes.split_first_chunk_mut::<HEAD>()?;
    let (content, tag) = rest.split_last_chunk_mut::<TAG>()?;
    if head[..KEY_ID] != key.id {
        return None;
    }
    let nonce: [u8; 12] = std::array::from_fn(|n| head[KEY_ID + n]);
    let (nonce, tag) = (Nonce::from(nonce), Tag::from(*tag));
    key.cipher
        .decrypt_inout_detached(&nonce, &key.associated(), (&mut *content).into(), &tag)
        .ok()?;

    let mut input = &*content;
    let _exchange = take(&mut input, 16)?;
    let _round = read_varint(&mut input)?;
    let issued = read_varint(&mut input)?;
    let _started = read_varint(&mut input)?;
    let expires = issued.checked_add(read_varint(&mut input)? >> 1)?;
    let deadline = issued.checked_add(read_varint(&mut input)? >> 1)?;
    if now >= deadline || now >= expires || issued > now + SKEW {
        return None;
    }
    let mut expected = Vec::with_capacity(64);
    bound(&mut expected, target);
    if take(&mut input, expected.len())? != expected {
        return None;
    }
    if take(&mut input, 16)? != digest(arguments.as_bytes()) {
        return None;
    }
    let _canonical = take(&mut input, 16)?;
    let _head = take(&mut input, 3 + QUESTION.len() + 1)?;
    let asked = take(&mut input, 16)?.try_into().ok()?;
    (input == [0]).then_some(asked)
}

fn take<'a>(input: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, rest) = input.split_at_checked(len)?;
    *input = rest;
    Some(taken)
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn read_varint(input: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(input, 1)?[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
