//! A response as it is kept: without the id, which each request has its own of.

use bytes::Bytes;
use mrtr_core::ledger::{Claim, RunId, StateKey};
use mrtr_core::state::{Keyring, SealError};
use mrtr_core::wire::RequestId;

use crate::server::Reply;

/// Longest response that can be kept.
pub(crate) const MAX_BYTES: usize = 1024 * 1024;
/// Base64 of that, with what sealing adds.
const MAX_SEALED: usize = MAX_BYTES / 3 * 4 + 1024;

/// A response without its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    status: u16,
    /// From the comma behind the id on.
    rest: Bytes,
}

/// The row that a response is kept in: sealed for it and no other.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) state: StateKey,
    pub(crate) run: RunId,
}

impl Row {
    pub(crate) const fn of(claim: &Claim) -> Self {
        Self {
            state: claim.state,
            run: claim.run,
        }
    }

    fn purpose(self) -> String {
        format!("mrtr run {} {}", self.state, self.run)
    }
}

impl Stored {
    pub(crate) fn of(reply: &Reply, id: &RequestId) -> Self {
        Self {
            status: reply.status,
            rest: reply.after(id),
        }
    }

    /// The same response to a request with this id.
    pub(crate) fn reply(&self, id: &RequestId) -> Reply {
        Reply::with_rest(id, &self.rest, self.status)
    }

    /// # Errors
    /// When the response is longer than [`MAX_BYTES`].
    pub(crate) fn seal(
        &self,
        keyring: &Keyring,
        row: Row,
        nonce: [u8; 12],
    ) -> Result<Vec<u8>, SealError> {
        if self.rest.len() > MAX_BYTES {
            return Err(SealError::TooLarge {
                bytes: self.rest.len(),
                limit: MAX_BYTES,
            });
        }
        let mut plaintext = Vec::with_capacity(2 + self.rest.len());
        plaintext.extend_from_slice(&self.status.to_be_bytes());
        plaintext.extend_from_slice(&self.rest);
        keyring
            .seal_bytes_within(MAX_SEALED, &row.purpose(), &plaintext, nonce)
            .map(String::into_bytes)
    }

    /// What was sealed for this row; `None`, and a line in the log, when it
    /// does not open.
    pub(crate) fn open(keyring: &Keyring, row: Row, sealed: &[u8]) -> Option<Self> {
        let text = str::from_utf8(sealed).unwrap_or_default();
        let plaintext = keyring
            .open_bytes_within(MAX_SEALED, &row.purpose(), text)
            .inspect_err(|error| tracing::error!(%error, "a stored result does not open"))
            .ok()?;
        let status = u16::from_be_bytes(*plaintext.first_chunk()?);
        let rest = Bytes::from(plaintext).slice(2..);
        Some(Self { status, rest })
    }
}

#[cfg(test)]
mod tests {
    use mrtr_core::state::Secret;
    use mrtr_core::wire::Cause;

    use super::*;

    fn keyring(seed: u8) -> Keyring {
        Keyring::new([Secret::generate([seed; 32])]).unwrap()
    }

    const fn row(state: u8, run: u8) -> Row {
        Row {
            state: StateKey::from_bytes([state; 16]),
            run: RunId::from_bytes([run; 16]),
        }
    }

    #[test]
    fn a_response_opens_for_its_row_only_and_gets_the_id_of_who_asks() {
        let id = RequestId::from(1);
        let cause = Cause::InvalidRequestState;
        let stored = Stored::of(&Reply::error(Some(&id), &cause), &id);
        let sealed = stored.seal(&keyring(1), row(1, 2), [3; 12]).unwrap();
        let opened = Stored::open(&keyring(1), row(1, 2), &sealed);
        let again = opened.unwrap().reply(&RequestId::from("two"));
        let expected = Reply::error(Some(&RequestId::from("two")), &cause);
        assert_eq!((again.body, again.status), (expected.body, 400));
        for (keys, row) in [(1, row(2, 2)), (1, row(1, 1)), (2, row(1, 2))] {
            assert_eq!(Stored::open(&keyring(keys), row, &sealed), None);
        }
        assert_eq!(Stored::open(&keyring(1), row(1, 2), b"\xff"), None);
    }

    #[test]
    fn what_is_longer_than_a_mebibyte_is_not_kept() {
        let of = |bytes: usize| Stored {
            status: 200,
            rest: vec![b'x'; bytes].into(),
        };
        let seal = |bytes| of(bytes).seal(&keyring(1), row(1, 2), [3; 12]);
        let sealed = seal(MAX_BYTES).unwrap();
        let opened = Stored::open(&keyring(1), row(1, 2), &sealed);
        assert_eq!(opened, Some(of(MAX_BYTES)));
        assert!(matches!(
            seal(MAX_BYTES + 1),
            Err(SealError::TooLarge {
                limit: MAX_BYTES,
                ..
            })
        ));
    }
}
