//! The text form: prefix, key id, nonce, ciphertext, tag.

use aes_gcm_siv::aead::AeadInOut;
use aes_gcm_siv::{Nonce, Tag};
use base64_simd::{AsOut, URL_SAFE_NO_PAD};

use super::codec::Writer;
use super::key_id::KeyId;
use super::keyring::Keyring;
use super::rejection::{Rejection, RejectionReason};
use super::seal::SealError;
use crate::json::canonical::digest_bytes;

const KEY_ID: usize = 6;
const HEAD: usize = KEY_ID + 12;
const TAG: usize = 16;

/// Longest text that [`Keyring::seal_bytes`] makes.
const MAX_BYTES_TEXT: usize = 64 * 1024;

/// A kind of sealed text: no text of one kind opens as another.
#[derive(Clone, Copy)]
pub(super) struct Format<'a> {
    prefix: &'static str,
    purpose: Option<&'a str>,
}

/// `requestState` tokens.
pub(super) const STATE: Format<'static> = Format {
    prefix: "mrtr1.",
    purpose: None,
};

const fn bytes_for(purpose: &str) -> Format<'_> {
    Format {
        prefix: "mrtrb1.",
        purpose: Some(purpose),
    }
}

impl Format<'_> {
    /// Seals what `write` appends, at most `room` bytes.
    ///
    /// One buffer serves all: the bytes are prepared and encrypted a quarter
    /// of the way in, then encoded towards the front, which never catches up.
    pub(super) fn seal(
        self,
        keyring: &Keyring,
        nonce: [u8; 12],
        room: usize,
        limit: usize,
        write: impl FnOnce(&mut Writer),
    ) -> Result<String, SealError> {
        let key = keyring.sealing();
        let nonce = Nonce::from(nonce);
        let lead = self.prefix.len() + (HEAD + room + TAG).div_ceil(3);
        let mut out = Vec::with_capacity(lead + HEAD + room + TAG);
        out.resize(lead, 0);
        out.extend_from_slice(&key.id.0);
        out.extend_from_slice(&nonce);
        let mut writer = Writer::appending(out);
        write(&mut writer);
        let mut out = writer.into_bytes();

        let sealed = out.len() - lead + TAG;
        let bytes = self.prefix.len() + URL_SAFE_NO_PAD.encoded_length(sealed);
        if bytes > limit || sealed > HEAD + room + TAG {
            return Err(SealError::TooLarge { bytes, limit });
        }
        let tag = key
            .cipher
            .encrypt_inout_detached(
                &nonce,
                &self.associated(key.id),
                (&mut out[lead + HEAD..]).into(),
            )
            .map_err(|_| SealError::TooLarge { bytes, limit })?;
        out.extend_from_slice(&tag);

        encode_forwards(&mut out, lead, self.prefix);
        String::from_utf8(out).map_err(|_| SealError::TooLarge { bytes, limit })
    }

    /// Opens a text of at most `limit` bytes. The content begins at
    /// [`CONTENT`] of the bytes returned.
    pub(super) fn open(
        self,
        keyring: &Keyring,
        text: &str,
        limit: usize,
    ) -> Result<Vec<u8>, Rejection> {
        if text.len() > limit {
            let bytes = text.len();
            return Err(RejectionReason::TooLong { bytes, limit }.into());
        }
        let encoded = text
            .strip_prefix(self.prefix)
            .ok_or(RejectionReason::UnknownFormat)?;
        let mut bytes = URL_SAFE_NO_PAD
            .decode_to_vec(encoded)
            .map_err(|_| RejectionReason::NotCanonical)?;

        let (head, rest) = bytes
            .split_first_chunk_mut::<HEAD>()
            .ok_or(RejectionReason::NotCanonical)?;
        let (content, tag) = rest
            .split_last_chunk_mut::<TAG>()
            .ok_or(RejectionReason::NotCanonical)?;
        let [k0, k1, k2, k3, k4, k5, nonce @ ..] = *head;
        let id = KeyId([k0, k1, k2, k3, k4, k5]);
        let key = keyring.find(id).ok_or(RejectionReason::UnknownKey(id))?;
        key.cipher
            .decrypt_inout_detached(
                &Nonce::from(nonce),
                &self.associated(id),
                content.into(),
                &Tag::from(*tag),
            )
            .map_err(|_| RejectionReason::Forged)?;
        bytes.truncate(bytes.len() - TAG);
        Ok(bytes)
    }

    /// What is authenticated beside the content: prefix, key and purpose.
    fn associated(self, key: KeyId) -> [u8; 32] {
        let mut associated = [0; 32];
        let prefix = self.prefix.as_bytes();
        associated[..prefix.len()].copy_from_slice(prefix);
        associated[8..8 + KEY_ID].copy_from_slice(&key.0);
        if let Some(purpose) = self.purpose {
            associated[16..].copy_from_slice(&digest_bytes(purpose.as_bytes()));
        }
        associated
    }
}

/// Where the content begins in what [`Format::open`] returns.
pub(super) const CONTENT: usize = HEAD;

/// Replaces the buffer by the prefix and the encoding of its bytes from `lead`
/// on.
fn encode_forwards(out: &mut Vec<u8>, lead: usize, prefix: &str) {
    let mut chunk = [0; 768];
    let mut written = prefix.len();
    out[..written].copy_from_slice(prefix.as_bytes());
    let mut read = lead;
    while read < out.len() {
        let chunk = {
            let len = chunk.len().min(out.len() - read);
            let chunk = &mut chunk[..len];
            chunk.copy_from_slice(&out[read..read + len]);
            chunk
        };
        read += chunk.len();
        let target = &mut out[written..];
        written += URL_SAFE_NO_PAD.encode(chunk, target.as_out()).len();
    }
    out.truncate(written);
}

impl Keyring {
    /// Seals bytes that are not a `requestState`, such as a ticket in a URL,
    /// into text of the base64url alphabet.
    ///
    /// The text opens only for the same `purpose`, and never as a state. It
    /// has no expiry of its own: put a time into the plaintext. `nonce` is 12
    /// random bytes.
    ///
    /// # Errors
    /// [`SealError::TooLarge`] when the text would exceed 64 KiB.
    pub fn seal_bytes(
        &self,
        purpose: &str,
        plaintext: &[u8],
        nonce: [u8; 12],
    ) -> Result<String, SealError> {
        self.seal_bytes_within(MAX_BYTES_TEXT, purpose, plaintext, nonce)
    }

    /// Opens what [`seal_bytes`](Self::seal_bytes) made for the same purpose.
    ///
    /// # Errors
    /// When the text was not sealed for this purpose by a key of this keyring.
    pub fn open_bytes(&self, purpose: &str, text: &str) -> Result<Vec<u8>, Rejection> {
        self.open_bytes_within(MAX_BYTES_TEXT, purpose, text)
    }

    /// As [`seal_bytes`](Self::seal_bytes), into text of at most `limit` bytes:
    /// for what is kept in a store and not sent about.
    ///
    /// # Errors
    /// [`SealError::TooLarge`] when the text would exceed the limit.
    pub fn seal_bytes_within(
        &self,
        limit: usize,
        purpose: &str,
        plaintext: &[u8],
        nonce: [u8; 12],
    ) -> Result<String, SealError> {
        bytes_for(purpose).seal(self, nonce, plaintext.len(), limit, |out| {
            out.raw(plaintext);
        })
    }

    /// As [`open_bytes`](Self::open_bytes), for text of at most `limit` bytes.
    ///
    /// # Errors
    /// When the text is longer, or was not sealed for this purpose by a key of
    /// this keyring.
    pub fn open_bytes_within(
        &self,
        limit: usize,
        purpose: &str,
        text: &str,
    ) -> Result<Vec<u8>, Rejection> {
        let mut bytes = bytes_for(purpose).open(self, text, limit)?;
        bytes.drain(..CONTENT);
        Ok(bytes)
    }
}
