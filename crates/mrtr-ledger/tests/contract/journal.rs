//! The rules of journals.

use mrtr_core::ledger::{JournalKey, LedgerErrorKind};
use mrtr_ledger::MAX_VALUE;

use crate::rules::{Desk, JOURNAL, LONG, Store, ZERO, bytes};

pub(crate) async fn a_journal_is_given_back_byte_for_byte(store: &impl Store) {
    let desk = Desk::at(store).await;
    assert_eq!(desk.journal().await, None);
    for (n, len) in [0, 1, 256, 1024 * 1024, MAX_VALUE].into_iter().enumerate() {
        let key = JournalKey::from_bytes([n as u8 + 100; 16]);
        let journal = bytes(len);
        desk.ledger.keep_journal(key, &journal, LONG).await.unwrap();
        let kept = desk.ledger.journal(key).await.unwrap();
        assert!(kept == Some(journal), "{len} bytes");
    }
    assert_eq!(desk.journal().await, None);
}

pub(crate) async fn keeping_it_again_replaces_nothing(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.keep_journal(b"first", LONG).await;
    desk.keep_journal(b"second", LONG * 2).await;
    assert_eq!(desk.journal().await, Some(b"first".to_vec()));
}

pub(crate) async fn of_two_times_the_later_one_counts(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.keep_journal(b"journal", LONG).await;
    desk.keep_journal(b"journal", ZERO).await;
    assert_eq!(desk.journal().await, Some(b"journal".to_vec()));
}

pub(crate) async fn a_journal_that_is_kept_no_longer_is_gone(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.keep_journal(b"first", ZERO).await;
    assert_eq!(desk.journal().await, None);
    desk.keep_journal(b"second", LONG).await;
    assert_eq!(desk.journal().await, Some(b"second".to_vec()));
}

pub(crate) async fn a_journal_that_is_too_large_is_refused(store: &impl Store) {
    let desk = Desk::at(store).await;
    let journal = bytes(MAX_VALUE + 1);
    let refused = desk.ledger.keep_journal(JOURNAL, &journal, LONG).await;
    assert_eq!(refused.unwrap_err().kind(), LedgerErrorKind::TooLarge);
    assert_eq!(desk.journal().await, None);
}
