//! The rules of `once` bodies.

use mrtr_core::ledger::{
    Claim, Claimed, Entered, Entry, Epoch, Held, LedgerErrorKind, OnceKey, Recorded, StateKey,
};
use mrtr_ledger::MAX_VALUE;

use crate::rules::{Desk, KEY, LONG, STATE, Store, ZERO, bytes, fence, is_busy, is_running};

pub(crate) async fn a_body_begins_once(store: &impl Store) {
    let desk = Desk::at(store).await;
    assert_eq!(desk.enter(desk.an_entry(1)).await, Entered::Begin);
    for attempt in [2, 3, 2] {
        let busy = desk.enter(desk.an_entry(attempt)).await;
        assert!(is_busy(&busy), "{busy:?}");
    }
}

pub(crate) async fn the_same_attempt_begins_again_with_the_lease_it_asks_for(store: &impl Store) {
    let desk = Desk::at(store).await;
    assert_eq!(desk.enter(desk.an_entry(1)).await, Entered::Begin);
    assert_eq!(desk.enter(desk.an_entry(1)).await, Entered::Begin);
    assert!(is_busy(&desk.enter(desk.an_entry(2)).await));
    let ended = Entry {
        lease: ZERO,
        ..desk.an_entry(1)
    };
    assert_eq!(desk.enter(ended).await, Entered::Begin);
    assert_eq!(desk.enter(desk.an_entry(2)).await, Entered::Unknown);
}

pub(crate) async fn a_lease_that_ended_leaves_it_unknown_for_ever(store: &impl Store) {
    let desk = Desk::at(store).await;
    let ended = Entry {
        lease: ZERO,
        ..desk.an_entry(1)
    };
    assert_eq!(desk.enter(ended).await, Entered::Begin);
    for attempt in [2, 3, 2] {
        assert_eq!(desk.enter(desk.an_entry(attempt)).await, Entered::Unknown);
    }
    assert_eq!(desk.enter(ended).await, Entered::Begin);
    assert_eq!(desk.enter(desk.an_entry(2)).await, Entered::Unknown);
}

pub(crate) async fn a_recorded_value_is_given_to_everybody(store: &impl Store) {
    let desk = Desk::at(store).await;
    assert_eq!(desk.enter(desk.an_entry(1)).await, Entered::Begin);
    assert_eq!(desk.record(b"value").await, Recorded::Stored);
    for attempt in [1, 2, 3] {
        assert_eq!(
            desk.enter(desk.an_entry(attempt)).await,
            Entered::Recorded(b"value".to_vec())
        );
    }
}

pub(crate) async fn the_value_comes_back_byte_for_byte(store: &impl Store) {
    let desk = Desk::at(store).await;
    for (n, len) in [0, 1, 256, 1024 * 1024, MAX_VALUE].into_iter().enumerate() {
        let entry = Entry {
            key: OnceKey::from_bytes([n as u8 + 100; 16]),
            ..desk.an_entry(1)
        };
        assert_eq!(desk.enter(entry).await, Entered::Begin);
        let value = bytes(len);
        let stored = desk.ledger.record(entry.key, &value).await.unwrap();
        assert_eq!(stored, Recorded::Stored, "{len} bytes");
        let second = desk.ledger.record(entry.key, b"another").await.unwrap();
        assert!(second == Recorded::Already(value.clone()), "{len} bytes");
        assert!(
            desk.enter(entry).await == Entered::Recorded(value),
            "{len} bytes"
        );
    }
}

pub(crate) async fn a_late_record_counts_and_the_first_value_stays(store: &impl Store) {
    let desk = Desk::at(store).await;
    let ended = Entry {
        lease: ZERO,
        ..desk.an_entry(1)
    };
    assert_eq!(desk.enter(ended).await, Entered::Begin);
    assert_eq!(desk.enter(desk.an_entry(2)).await, Entered::Unknown);
    assert_eq!(desk.record(b"late").await, Recorded::Stored);
    assert_eq!(
        desk.record(b"later").await,
        Recorded::Already(b"late".to_vec())
    );
    assert_eq!(
        desk.record(b"late").await,
        Recorded::Stored,
        "told again by whoever told it first"
    );
    assert_eq!(
        desk.enter(desk.an_entry(2)).await,
        Entered::Recorded(b"late".to_vec())
    );
}

pub(crate) async fn what_was_never_entered_is_not_recorded(store: &impl Store) {
    let desk = Desk::at(store).await;
    assert_eq!(desk.record(b"value").await, Recorded::Gone);
    assert_eq!(desk.renew_once(1, LONG).await, Held::Lost);
    assert_eq!(desk.enter(desk.an_entry(1)).await, Entered::Begin);
}

pub(crate) async fn a_row_that_is_kept_no_longer_is_gone(store: &impl Store) {
    let desk = Desk::at(store).await;
    let gone = Entry {
        keep: ZERO,
        ..desk.an_entry(1)
    };
    assert_eq!(desk.enter(gone).await, Entered::Begin);
    assert_eq!(desk.record(b"value").await, Recorded::Gone);
    assert_eq!(desk.renew_once(1, LONG).await, Held::Lost);
    assert_eq!(desk.enter(desk.an_entry(2)).await, Entered::Begin);
}

pub(crate) async fn only_the_run_that_holds_its_state_may_enter(store: &impl Store) {
    let desk = Desk::at(store).await;
    let entry = desk.an_entry_of_the_run(1);
    assert_eq!(desk.enter(entry).await, Entered::Lost, "no row");
    desk.granted(desk.a_claim(1, 1)).await;
    let lost = desk.enter(desk.an_entry_of_the_run(2)).await;
    assert_eq!(lost, Entered::Lost, "somebody else's");
    assert_eq!(desk.enter(entry).await, Entered::Begin);
    assert_eq!(desk.enter(entry).await, Entered::Begin);
    assert_eq!(desk.finish(1, b"result").await, Held::Held);
    assert_eq!(desk.enter(entry).await, Entered::Lost, "done");
}

pub(crate) async fn who_has_lost_the_run_enters_nothing(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    desk.release(1).await;
    desk.granted(desk.a_claim(2, 2)).await;
    let late = desk.an_entry_of_the_run(1);
    assert_eq!(desk.enter(late).await, Entered::Lost);
    assert_eq!(
        desk.enter(desk.an_entry_of_the_run(2)).await,
        Entered::Begin
    );
    assert_eq!(desk.record(b"value").await, Recorded::Stored);
    assert_eq!(desk.enter(late).await, Entered::Lost);
}

pub(crate) async fn a_run_whose_lease_has_ended_may_enter_until_somebody_takes_over(
    store: &impl Store,
) {
    let desk = Desk::at(store).await;
    let ended = Claim {
        lease: ZERO,
        ..desk.a_claim(1, 1)
    };
    desk.granted(ended).await;
    assert_eq!(
        desk.enter(desk.an_entry_of_the_run(1)).await,
        Entered::Begin
    );
    assert_eq!(desk.other_run().await, Claimed::Consumed);
}

pub(crate) async fn entering_pins_the_run(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    assert!(is_running(&desk.other_run().await));
    assert_eq!(
        desk.enter(desk.an_entry_of_the_run(1)).await,
        Entered::Begin
    );
    assert_eq!(desk.other_run().await, Claimed::Consumed);
    assert_eq!(desk.finish(1, b"result").await, Held::Held);
}

pub(crate) async fn what_is_not_begun_does_not_pin_the_run(store: &impl Store) {
    let desk = Desk::at(store).await;
    let busy = desk.an_entry(9);
    assert_eq!(desk.enter(busy).await, Entered::Begin);
    desk.granted(desk.a_claim(1, 1)).await;
    assert!(is_busy(&desk.enter(desk.an_entry_of_the_run(1)).await));
    desk.release(1).await;

    desk.granted(desk.a_claim(2, 2)).await;
    assert_eq!(desk.renew_once(9, ZERO).await, Held::Held);
    let unknown = desk.enter(desk.an_entry_of_the_run(2)).await;
    assert_eq!(unknown, Entered::Unknown);
    desk.release(2).await;

    desk.granted(desk.a_claim(3, 3)).await;
    assert_eq!(desk.record(b"value").await, Recorded::Stored);
    let recorded = desk.enter(desk.an_entry_of_the_run(3)).await;
    assert_eq!(recorded, Entered::Recorded(b"value".to_vec()));
    desk.release(3).await;
    assert_eq!(desk.other_run().await, Claimed::Granted);
}

pub(crate) async fn releasing_the_run_frees_no_body(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    assert_eq!(
        desk.enter(desk.an_entry_of_the_run(1)).await,
        Entered::Begin
    );
    desk.release(1).await;
    desk.granted(desk.a_claim(1, 2)).await;
    assert!(is_busy(&desk.enter(desk.an_entry_of_the_run(2)).await));
    assert_eq!(desk.renew_once(1, ZERO).await, Held::Held);
    assert_eq!(
        desk.enter(desk.an_entry_of_the_run(2)).await,
        Entered::Unknown
    );
}

pub(crate) async fn a_body_is_renewed_by_its_attempt_until_it_is_recorded(store: &impl Store) {
    let desk = Desk::at(store).await;
    let ended = Entry {
        lease: ZERO,
        ..desk.an_entry(1)
    };
    assert_eq!(desk.enter(ended).await, Entered::Begin);
    assert_eq!(desk.renew_once(2, LONG).await, Held::Lost);
    assert_eq!(desk.enter(desk.an_entry(2)).await, Entered::Unknown);
    assert_eq!(desk.renew_once(1, LONG).await, Held::Held);
    assert!(is_busy(&desk.enter(desk.an_entry(2)).await));
    assert_eq!(desk.record(b"value").await, Recorded::Stored);
    assert_eq!(desk.renew_once(1, LONG).await, Held::Lost);
}

pub(crate) async fn another_memory_comes_before_everything(store: &impl Store) {
    let desk = Desk::at(store).await;
    let elsewhere = Entry {
        epoch: Epoch::from_bytes([0xee; 16]),
        ..desk.an_entry(1)
    };
    let of_no_run = Entry {
        state: Some(STATE),
        ..elsewhere
    };
    assert_eq!(desk.enter(elsewhere).await, Entered::Forgotten);
    assert_eq!(desk.enter(of_no_run).await, Entered::Forgotten);
    assert_eq!(desk.enter(desk.an_entry(2)).await, Entered::Begin);
    assert_eq!(desk.record(b"value").await, Recorded::Stored);
    assert_eq!(desk.enter(elsewhere).await, Entered::Forgotten);
}

pub(crate) async fn bodies_do_not_touch_each_other(store: &impl Store) {
    let desk = Desk::at(store).await;
    // the bytes of a state's key, which names a row of another kind
    let other = Entry {
        key: OnceKey::from_bytes(*STATE.as_bytes()),
        ..desk.an_entry_of_the_run(1)
    };
    desk.granted(desk.a_claim(1, 1)).await;
    assert_eq!(
        desk.enter(desk.an_entry_of_the_run(1)).await,
        Entered::Begin
    );
    assert_eq!(desk.enter(other).await, Entered::Begin);
    let stored = desk.ledger.record(other.key, b"other").await.unwrap();
    assert_eq!(stored, Recorded::Stored);
    assert_eq!(desk.record(b"value").await, Recorded::Stored);
    let state = StateKey::from_bytes(*KEY.as_bytes());
    let lost = desk.ledger.finish(state, fence(1), b"result").await;
    assert_eq!(lost.unwrap(), Held::Lost);
    assert_eq!(desk.finish(1, b"result").await, Held::Held);
}

pub(crate) async fn a_value_that_is_too_large_is_refused(store: &impl Store) {
    let desk = Desk::at(store).await;
    assert_eq!(desk.enter(desk.an_entry(1)).await, Entered::Begin);
    let refused = desk.ledger.record(KEY, &bytes(MAX_VALUE + 1)).await;
    assert_eq!(refused.unwrap_err().kind(), LedgerErrorKind::TooLarge);
    assert!(is_busy(&desk.enter(desk.an_entry(2)).await));
}
