//! What a store that lost its memory says.

use futures::future::join_all;
use mrtr_core::ledger::{Claimed, Entered, Held, Recorded};

use crate::rules::{Desk, LONG, Store, is_running};

pub(crate) async fn instances_of_a_store_have_one_memory(store: &impl Store) {
    let (one, two) = (Desk::at(store).await, Desk::at(store).await);
    assert_eq!(one.epoch, two.epoch);
    one.granted(one.a_claim(1, 1)).await;
    assert!(is_running(&two.claim(two.a_claim(1, 2)).await));
    assert_eq!(two.finish(1, b"result").await, Held::Held);
    assert_eq!(
        one.claim(one.a_claim(1, 2)).await,
        Claimed::Done(b"result".to_vec())
    );
}

pub(crate) async fn instances_that_find_an_empty_store_at_once_agree(store: &impl Store) {
    let desks = join_all((0..8).map(|_| Desk::at(store))).await;
    for desk in &desks {
        assert_eq!(desk.epoch, desks[0].epoch);
        assert_eq!(desk.ledger.epoch().await.unwrap(), desk.epoch);
    }
}

pub(crate) async fn a_store_that_forgot_has_another_memory_and_knows_nothing(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    assert_eq!(
        desk.enter(desk.an_entry_of_the_run(1)).await,
        Entered::Begin
    );
    desk.keep_journal(b"journal", LONG).await;
    store.forget().await;

    assert_eq!(desk.claim(desk.a_claim(1, 1)).await, Claimed::Forgotten);
    let entered = desk.enter(desk.an_entry_of_the_run(1)).await;
    assert_eq!(entered, Entered::Forgotten);
    assert_eq!(desk.enter(desk.an_entry(2)).await, Entered::Forgotten);
    assert_eq!(desk.renew_run(1, LONG).await, Held::Lost);
    assert_eq!(desk.finish(1, b"result").await, Held::Lost);
    assert_eq!(desk.renew_once(1, LONG).await, Held::Lost);
    assert_eq!(desk.record(b"value").await, Recorded::Gone);
    desk.release(1).await;
    assert_eq!(desk.journal().await, None);
    assert_ne!(desk.ledger.epoch().await.unwrap(), desk.epoch);
    assert_eq!(desk.claim(desk.a_claim(1, 1)).await, Claimed::Forgotten);
}

pub(crate) async fn a_store_that_forgot_works_on(store: &impl Store) {
    let (old, other) = (Desk::at(store).await, Desk::at(store).await);
    old.granted(old.a_claim(1, 1)).await;
    store.forget().await;
    let new = Desk {
        epoch: other.ledger.epoch().await.unwrap(),
        ledger: old.ledger,
    };
    new.granted(new.a_claim(1, 2)).await;
    assert_eq!(new.enter(new.an_entry_of_the_run(2)).await, Entered::Begin);
    assert_eq!(new.record(b"value").await, Recorded::Stored);
    assert_eq!(new.finish(2, b"result").await, Held::Held);
    assert_eq!(other.claim(other.a_claim(1, 1)).await, Claimed::Forgotten);
    let seen = other.claim(new.a_claim(1, 3)).await;
    assert_eq!(seen, Claimed::Done(b"result".to_vec()));
}
