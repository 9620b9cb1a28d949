//! The keys that seal and open.

use std::fmt;

use aes_gcm_siv::aead::KeyInit;
use aes_gcm_siv::{Aes256GcmSiv, Key};
use zeroize::Zeroizing;

use super::key_id::KeyId;
use super::key_text::split;

const AEAD_KEY: &str = "mrtr 2026-07-28 AES-256-GCM-SIV key";
const KEY_ID: &str = "mrtr 2026-07-28 key id";

/// Fewest bytes of a secret.
pub const MIN_SECRET_BYTES: usize = 32;

/// The bytes a key is made from. Wiped from memory when dropped, never shown
/// by `Debug`.
#[derive(Clone)]
pub struct Secret {
    bytes: Zeroizing<Box<[u8]>>,
}

impl Secret {
    /// A secret of at least [`MIN_SECRET_BYTES`] unpredictable bytes.
    ///
    /// # Errors
    /// [`KeyringError::TooShort`] when there are fewer.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyringError> {
        if bytes.len() < MIN_SECRET_BYTES {
            return Err(KeyringError::TooShort {
                line: 1,
                bytes: bytes.len(),
            });
        }
        Ok(Self {
            bytes: Zeroizing::new(bytes.into()),
        })
    }

    /// A new secret from the system's random bytes.
    #[must_use]
    pub fn generate(random: [u8; 32]) -> Self {
        let random = Zeroizing::new(random);
        Self {
            bytes: Zeroizing::new(random.as_slice().into()),
        }
    }

    /// The public name of the key made from this secret.
    #[must_use]
    pub fn id(&self) -> KeyId {
        let derived = Zeroizing::new(blake3::derive_key(KEY_ID, &self.bytes));
        let mut id = [0; 6];
        id.copy_from_slice(&derived[..6]);
        KeyId(id)
    }

    /// The secret as text that [`Keyring::parse`] reads: base64url. Whoever
    /// has it can make and read states, and this copy is not wiped.
    #[must_use]
    pub fn expose(&self) -> String {
        base64_simd::URL_SAFE_NO_PAD.encode_to_string(&*self.bytes)
    }

    pub(super) fn parse(text: &str, line: usize) -> Result<Self, KeyringError> {
        // No base64url text of a random key is all hexadecimal digits.
        let hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bytes = if hex {
            from_hex(text)
        } else {
            from_base64(text)
        };
        let bytes = Zeroizing::new(bytes.ok_or(KeyringError::Unreadable { line })?);
        Self::from_bytes(&bytes).map_err(|_| KeyringError::TooShort {
            line,
            bytes: bytes.len(),
        })
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({})", self.id())
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    pairs
        .iter()
        .map(|[high, low]| u8::try_from(digit(*high)? << 4 | digit(*low)?).ok())
        .collect()
}

/// Either alphabet, padded or not: `openssl rand -base64 32` prints the other.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let alphabet = if text.contains(['+', '/']) {
        base64_simd::STANDARD_NO_PAD
    } else {
        base64_simd::URL_SAFE_NO_PAD
    };
    alphabet.decode_to_vec(text).ok()
}

/// The keys of a server: the first seals, all of them open.
///
/// To rotate, put the new key first, keep the old one until the last state
/// sealed with it has expired, then remove it. Every instance behind the same
/// address needs the same keys.
///
/// ```
/// use mrtr_core::state::{Keyring, Secret};
///
/// let old = Secret::generate([1; 32]); // 32 bytes from the system, never a constant
/// let new = Secret::generate([2; 32]);
/// let text = format!("{} # since June\n{}", new.expose(), old.expose());
/// let keyring = Keyring::parse(&text)?;
/// assert_eq!(keyring.sealing_key(), new.id());
///
/// let ticket = keyring.seal_bytes("sign-in", b"alice", [3; 12])?;
/// assert_eq!(keyring.open_bytes("sign-in", &ticket)?, b"alice");
/// assert!(keyring.open_bytes("download", &ticket).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Keyring {
    keys: Vec<PreparedKey>,
}

#[derive(Clone)]
pub(super) struct PreparedKey {
    pub(super) id: KeyId,
    pub(super) cipher: Aes256GcmSiv,
}

impl PreparedKey {
    fn new(secret: &Secret) -> Self {
        let key = Zeroizing::new(blake3::derive_key(AEAD_KEY, &secret.bytes));
        Self {
            id: secret.id(),
            cipher: Aes256GcmSiv::new(<&Key<Aes256GcmSiv>>::from(&*key)),
        }
    }
}

impl Keyring {
    /// A keyring of these secrets, the first of which seals.
    ///
    /// # Errors
    /// [`KeyringError::Empty`] without one, [`KeyringError::Duplicate`] when
    /// one appears twice; its `line` counts the secrets from 1.
    pub fn new(secrets: impl IntoIterator<Item = Secret>) -> Result<Self, KeyringError> {
        let mut keyring = Self { keys: Vec::new() };
        for (index, secret) in secrets.into_iter().enumerate() {
            keyring.add(&secret, index + 1)?;
        }
        keyring.non_empty()
    }

    /// Reads the text of a key file or of `MRTR_KEYS`: one key per line or
    /// separated by commas, each at least 32 bytes in base64url or
    /// hexadecimal; `#` begins a comment.
    ///
    /// # Errors
    /// Which line is wrong and how; the text of a key never appears in it.
    pub fn parse(text: &str) -> Result<Self, KeyringError> {
        let mut keyring = Self { keys: Vec::new() };
        for (index, line) in text.lines().enumerate() {
            for key in split(line).0 {
                keyring.add(&Secret::parse(key, index + 1)?, index + 1)?;
            }
        }
        keyring.non_empty()
    }

    fn add(&mut self, secret: &Secret, line: usize) -> Result<(), KeyringError> {
        let key = PreparedKey::new(secret);
        if self.find(key.id).is_some() {
            return Err(KeyringError::Duplicate { line, id: key.id });
        }
        self.keys.push(key);
        Ok(())
    }

    fn non_empty(self) -> Result<Self, KeyringError> {
        if self.keys.is_empty() {
            return Err(KeyringError::Empty);
        }
        Ok(self)
    }

    /// The key that seals.
    #[must_use]
    pub fn sealing_key(&self) -> KeyId {
        self.sealing().id
    }

    /// All keys, the sealing one first.
    pub fn key_ids(&self) -> impl Iterator<Item = KeyId> + '_ {
        self.keys.iter().map(|key| key.id)
    }

    pub(super) fn sealing(&self) -> &PreparedKey {
        &self.keys[0]
    }

    pub(super) fn find(&self, id: KeyId) -> Option<&PreparedKey> {
        self.keys.iter().find(|key| key.id == id)
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.key_ids()).finish()
    }
}

/// Why text or secrets do not make a keyring: the fault of whoever set the
/// server up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyringError {
    /// There is no key at all.
    Empty,
    /// A key is neither base64 nor hexadecimal.
    Unreadable {
        /// Line of the text, from 1.
        line: usize,
    },
    /// A key has fewer than [`MIN_SECRET_BYTES`] bytes.
    TooShort {
        /// Line of the text, from 1.
        line: usize,
        /// Bytes it has.
        bytes: usize,
    },
    /// A key is there twice.
    Duplicate {
        /// Line of the second one, from 1.
        line: usize,
        /// The key.
        id: KeyId,
    },
}

impl fmt::Display for KeyringError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("no key given; make one with `mrtr keys new`"),
            Self::Unreadable { line } => write!(
                f,
                "line {line}: the key is neither base64url nor hexadecimal; make one with `mrtr keys new`"
            ),
            Self::TooShort { line, bytes } => write!(
                f,
                "line {line}: the key has {bytes} bytes, at least {MIN_SECRET_BYTES} are needed; \
                 make one with `mrtr keys new`"
            ),
            Self::Duplicate { line, id } => {
                write!(
                    f,
                    "line {line}: key {id} is there already; remove one of the two"
                )
            }
        }
    }
}

impl std::error::Error for KeyringError {}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff";
    const URL: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHv8";
    const STANDARD: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHv8=";

    fn ids(text: &str) -> Vec<KeyId> {
        Keyring::parse(text).expect(text).key_ids().collect()
    }

    #[test]
    fn one_secret_however_it_is_written() {
        let id = ids(HEX);
        for text in [URL, STANDARD, &HEX.to_uppercase(), &format!("  {HEX}\r\n")] {
            assert_eq!(ids(text), id, "{text}");
        }
    }

    #[test]
    fn lines_commas_and_comments_separate_keys() {
        let [a, b, c] = [1, 2, 3].map(|byte| Secret::generate([byte; 32]));
        let text = format!(
            "# keys of travel, the first seals\n\n{} # since June\n {} ,{},\n",
            c.expose(),
            a.expose(),
            b.expose()
        );
        assert_eq!(ids(&text), [c.id(), a.id(), b.id()]);
    }

    #[test]
    fn a_weak_or_unreadable_key_is_refused_by_its_line() {
        let short = Secret::generate([5; 32]).expose()[..40].to_owned();
        let cases = [
            (
                format!("{URL}\n{}", &HEX[..62]),
                KeyringError::TooShort { line: 2, bytes: 31 },
            ),
            (
                format!("\n{URL},{short}"),
                KeyringError::TooShort { line: 2, bytes: 30 },
            ),
            (format!("{HEX}0"), KeyringError::Unreadable { line: 1 }),
            ("pass phrase".into(), KeyringError::Unreadable { line: 1 }),
            ("secret".into(), KeyringError::Unreadable { line: 1 }),
            (String::new(), KeyringError::Empty),
            ("# nothing\n,\n".into(), KeyringError::Empty),
        ];
        for (text, expected) in cases {
            assert_eq!(Keyring::parse(&text).err(), Some(expected), "{text}");
        }
        let id = ids(URL)[0];
        let twice = Keyring::parse(&format!("{URL}\n{HEX}"));
        assert_eq!(twice.err(), Some(KeyringError::Duplicate { line: 2, id }));
    }

    #[test]
    fn a_secret_of_31_bytes_is_refused() {
        let error = KeyringError::TooShort { line: 1, bytes: 31 };
        assert_eq!(Secret::from_bytes(&[7; 31]).err(), Some(error));
        assert!(Secret::from_bytes(&[7; 32]).is_ok());
    }

    #[test]
    fn debug_shows_ids_and_never_a_secret() {
        let secret = Secret::generate([0xab; 32]);
        let keyring = Keyring::new([secret.clone()]).expect("a key");
        let shown = format!("{secret:?} {keyring:?}");
        assert!(shown.contains(&secret.id().to_string()), "{shown}");
        assert!(!shown.contains("171") && !shown.contains("abab"), "{shown}");
        assert!(!shown.contains(&secret.expose()[..8]), "{shown}");
    }

    #[test]
    fn prepared_keys_are_wiped_when_dropped() {
        const fn wiped<T: zeroize::ZeroizeOnDrop>() {}
        wiped::<aes::Aes256>();
        assert!(std::mem::needs_drop::<Aes256GcmSiv>());
    }
}
