//! The text of a key file, to be edited.

use std::fmt;

use zeroize::Zeroizing;

use super::key_id::KeyId;
use super::keyring::{KeyringError, Secret};

/// The text of a key file: which keys it holds, in which order, and what is
/// said about them.
///
/// A rotation that several instances follow without refusing a state of each
/// other takes three steps, each of which must have reached all of them before
/// the next one begins: [`add`](Self::add) a key that opens only, let it
/// [seal](Self::seal_with), and, once the longest exchange has ended,
/// [`remove`](Self::remove) the old one.
///
/// ```
/// use mrtr_core::state::{KeyText, Secret};
///
/// let (old, new) = (Secret::generate([1; 32]), Secret::generate([2; 32])); // 32 bytes from the system
/// let mut keys = KeyText::parse(&format!("# keys of travel\n{}\n", old.expose()))?;
/// keys.add(&new, "since June")?;
/// assert!(keys.key_ids().eq([old.id(), new.id()]));
/// keys.seal_with(new.id())?;
/// assert!(keys.key_ids().eq([new.id(), old.id()]));
/// keys.remove(old.id())?;
/// assert_eq!(keys.to_text(), format!("# keys of travel\n{} # since June\n", new.expose()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct KeyText {
    lines: Vec<Line>,
}

#[derive(Clone)]
enum Line {
    Key {
        id: KeyId,
        text: Zeroizing<String>,
        comment: Option<String>,
    },
    /// A comment by itself, or nothing.
    Other(String),
}

impl Line {
    fn key(&self) -> Option<KeyId> {
        match self {
            Self::Key { id, .. } => Some(*id),
            Self::Other(_) => None,
        }
    }
}

impl KeyText {
    /// Reads what [`Keyring::parse`](super::Keyring::parse) reads.
    ///
    /// # Errors
    /// As there.
    pub fn parse(text: &str) -> Result<Self, KeyringError> {
        let mut read = Self { lines: Vec::new() };
        for (index, whole) in text.lines().enumerate() {
            let (keys, mut comment) = split(whole);
            let (line, before) = (index + 1, read.lines.len());
            for key in keys {
                let id = Secret::parse(key, line)?.id();
                if read.place(id).is_some() {
                    return Err(KeyringError::Duplicate { line, id });
                }
                read.lines.push(Line::Key {
                    id,
                    text: Zeroizing::new(key.to_owned()),
                    comment: comment.take().map(str::to_owned),
                });
            }
            if read.lines.len() == before {
                read.lines.push(Line::Other(whole.trim_end().to_owned()));
            }
        }
        if read.key_ids().next().is_none() {
            return Err(KeyringError::Empty);
        }
        Ok(read)
    }

    /// All keys, the sealing one first.
    pub fn key_ids(&self) -> impl Iterator<Item = KeyId> + '_ {
        self.lines.iter().filter_map(Line::key)
    }

    /// The key that seals.
    #[must_use]
    pub fn sealing_key(&self) -> Option<KeyId> {
        self.key_ids().next()
    }

    /// Adds a key that opens only, with a comment beside it.
    ///
    /// # Errors
    /// When it is there already.
    pub fn add(&mut self, secret: &Secret, comment: &str) -> Result<(), KeyTextError> {
        let id = secret.id();
        if self.place(id).is_some() {
            return Err(KeyTextError::Known(id));
        }
        let last = self.lines.iter().rposition(|line| line.key().is_some());
        let line = Line::Key {
            id,
            text: Zeroizing::new(secret.expose()),
            comment: Some(comment.replace(['\r', '\n'], " ")).filter(|text| !text.is_empty()),
        };
        self.lines.insert(last.map_or(0, |last| last + 1), line);
        Ok(())
    }

    /// Lets a key that is there seal from now on; all others open.
    ///
    /// # Errors
    /// When there is no such key.
    pub fn seal_with(&mut self, id: KeyId) -> Result<(), KeyTextError> {
        let place = self.place(id).ok_or(KeyTextError::Unknown(id))?;
        let line = self.lines.remove(place);
        let first = self.lines.iter().position(|line| line.key().is_some());
        self.lines.insert(first.unwrap_or(place), line);
        Ok(())
    }

    /// Removes a key: what was sealed with it opens no more.
    ///
    /// # Errors
    /// When there is no such key, or it is the one that seals.
    pub fn remove(&mut self, id: KeyId) -> Result<(), KeyTextError> {
        let place = self.place(id).ok_or(KeyTextError::Unknown(id))?;
        if self.sealing_key() == Some(id) {
            return Err(KeyTextError::Seals(id));
        }
        self.lines.remove(place);
        Ok(())
    }

    /// The text, to be written to the file. Whoever has it has the keys, and
    /// this copy is not wiped.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for line in &self.lines {
            match line {
                Line::Key { text, comment, .. } => {
                    out.push_str(text);
                    if let Some(comment) = comment {
                        out.push_str(" # ");
                        out.push_str(comment);
                    }
                }
                Line::Other(text) => out.push_str(text),
            }
            out.push('\n');
        }
        out
    }

    fn place(&self, id: KeyId) -> Option<usize> {
        self.lines.iter().position(|line| line.key() == Some(id))
    }
}

/// The keys on a line, and the comment behind them.
pub(super) fn split(line: &str) -> (impl Iterator<Item = &str>, Option<&str>) {
    let (keys, comment) = match line.split_once('#') {
        Some((keys, comment)) => (keys, Some(comment.trim())),
        None => (line, None),
    };
    let keys = keys.split(',').map(str::trim);
    (keys.filter(|key| !key.is_empty()), comment)
}

/// Ids only.
impl fmt::Debug for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.key_ids()).finish()
    }
}

/// A change of keys that cannot be: the fault of whoever asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyTextError {
    /// There is no such key.
    Unknown(KeyId),
    /// The key is there already.
    Known(KeyId),
    /// The key seals, and cannot be removed.
    Seals(KeyId),
}

impl fmt::Display for KeyTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(id) => write!(f, "there is no key {id}"),
            Self::Known(id) => write!(f, "key {id} is there already"),
            Self::Seals(id) => write!(
                f,
                "key {id} seals and cannot be removed; let another one seal first"
            ),
        }
    }
}

impl std::error::Error for KeyTextError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Keyring;
    use proptest::prelude::*;

    fn secret(seed: u8) -> Secret {
        Secret::generate([seed; 32])
    }

    fn text(seeds: &[u8]) -> String {
        seeds
            .iter()
            .map(|seed| secret(*seed).expose() + "\n")
            .collect()
    }

    #[test]
    fn comments_stay_and_go_with_their_key() {
        let [a, b, c] = [1, 2, 3].map(secret);
        let written = format!(
            "# keys of travel\n\n{}, {} # the old ones\n# the end\n",
            a.expose(),
            b.expose()
        );
        let mut keys = KeyText::parse(&written).expect("two keys");
        keys.add(&c, "new\nline").expect("another one");
        keys.seal_with(c.id()).expect("there");
        keys.remove(b.id()).expect("not the sealing one");
        assert_eq!(
            keys.to_text(),
            format!(
                "# keys of travel\n\n{} # new line\n{} # the old ones\n# the end\n",
                c.expose(),
                a.expose()
            )
        );
    }

    #[test]
    fn what_would_leave_states_without_a_key_by_mistake_is_refused() {
        let mut keys = KeyText::parse(&text(&[1, 2])).expect("two keys");
        let [a, c] = [1, 3].map(secret);
        assert_eq!(keys.remove(a.id()), Err(KeyTextError::Seals(a.id())));
        assert_eq!(keys.remove(c.id()), Err(KeyTextError::Unknown(c.id())));
        assert_eq!(keys.seal_with(c.id()), Err(KeyTextError::Unknown(c.id())));
        assert_eq!(keys.add(&a, ""), Err(KeyTextError::Known(a.id())));
        assert_eq!(keys.to_text(), text(&[1, 2]), "nothing changed");
    }

    #[test]
    fn debug_shows_ids_and_never_a_key() {
        let keys = KeyText::parse(&text(&[7])).expect("a key");
        assert_eq!(format!("{keys:?}"), format!("[{:?}]", secret(7).id()));
    }

    proptest! {
        #[test]
        fn it_reads_what_a_keyring_reads_and_fails_as_it_does(lines in proptest::collection::vec(
            prop_oneof![
                (0u8..4).prop_map(|seed| secret(seed).expose()),
                (0u8..4, 0u8..4).prop_map(|(a, b)| format!("{},{} # x", secret(a).expose(), secret(b).expose())),
                "# ?[a-z]{0,3}",
                "[a-z,# ]{0,6}",
            ],
            0..5,
        )) {
            let text = lines.join("\n");
            let keyring = Keyring::parse(&text);
            match KeyText::parse(&text) {
                Ok(keys) => {
                    let written = keys.to_text();
                    let keyring = keyring.expect("readable too");
                    prop_assert!(keyring.key_ids().eq(keys.key_ids()));
                    let again = Keyring::parse(&written).expect("what it wrote");
                    prop_assert!(again.key_ids().eq(keys.key_ids()));
                    prop_assert_eq!(KeyText::parse(&written).expect("readable").to_text(), written);
                }
                Err(error) => prop_assert_eq!(keyring.err(), Some(error)),
            }
        }
    }
}
