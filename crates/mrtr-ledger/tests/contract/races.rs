//! What happens at once happens to one.

use std::future::Future;

use futures::future::{join, join_all};
use mrtr_core::ledger::{Claim, Claimed, Entered, Entry, Held, OnceKey, Recorded, StateKey};

use crate::rules::{Desk, Store, ZERO, fence, is_busy, is_running};

const MANY: u32 = 1000;

/// What a thousand attempts get that are made at once, by two instances.
async fn at_once<T, F: Future<Output = T>>(
    desks: &[Desk; 2],
    attempt: impl Fn(Desk, u32) -> F,
) -> Vec<T> {
    join_all((1..=MANY).map(|n| attempt(desks[n as usize % 2].clone(), n))).await
}

async fn two(store: &impl Store) -> [Desk; 2] {
    [Desk::at(store).await, Desk::at(store).await]
}

pub(crate) async fn of_a_thousand_claims_one_is_granted(store: &impl Store) {
    let claims = at_once(&two(store).await, async move |desk: Desk, n| {
        desk.claim(desk.a_claim(n % 3, n)).await
    })
    .await;
    let granted = claims.iter().filter(|it| **it == Claimed::Granted).count();
    let running = claims.iter().filter(|it| is_running(it)).count();
    assert_eq!((granted, running), (1, MANY as usize - 1));
}

pub(crate) async fn of_a_thousand_take_overs_one_is_granted(store: &impl Store) {
    let desks = two(store).await;
    let ended = Claim {
        lease: ZERO,
        ..desks[0].a_claim(0, 0)
    };
    desks[0].granted(ended).await;
    let claims = at_once(&desks, async move |desk: Desk, n| {
        desk.claim(desk.a_claim(n % 3, n)).await
    })
    .await;
    let granted = claims.iter().filter(|it| **it == Claimed::Granted).count();
    let running = claims.iter().filter(|it| is_running(it)).count();
    assert_eq!((granted, running), (1, MANY as usize - 1));
}

pub(crate) async fn of_a_thousand_entries_one_begins(store: &impl Store) {
    let entries = at_once(&two(store).await, async move |desk: Desk, n| {
        desk.enter(desk.an_entry(n)).await
    })
    .await;
    let begun = entries.iter().filter(|it| **it == Entered::Begin).count();
    let busy = entries.iter().filter(|it| is_busy(it)).count();
    assert_eq!((begun, busy), (1, MANY as usize - 1));
}

pub(crate) async fn of_a_thousand_values_the_first_stays(store: &impl Store) {
    let desks = two(store).await;
    assert_eq!(desks[0].enter(desks[0].an_entry(1)).await, Entered::Begin);
    let records = at_once(&desks, async move |desk: Desk, n| {
        (n, desk.record(&n.to_be_bytes()).await)
    })
    .await;
    let stored: Vec<u32> = records
        .iter()
        .filter(|(_, it)| *it == Recorded::Stored)
        .map(|(n, _)| *n)
        .collect();
    assert_eq!(stored.len(), 1);
    let first = Recorded::Already(stored[0].to_be_bytes().to_vec());
    let already = records.iter().filter(|(_, it)| *it == first).count();
    assert_eq!(already, MANY as usize - 1);
}

pub(crate) async fn a_run_is_finished_or_taken_over_and_never_both(store: &impl Store) {
    let [one, two] = two(store).await;
    let rounds = (0..50).map(async |n: u8| {
        let state = StateKey::from_bytes([n; 16]);
        let ended = Claim {
            state,
            lease: ZERO,
            ..one.a_claim(1, 1)
        };
        one.granted(ended).await;
        let take_over = Claim {
            state,
            ..two.a_claim(1, 2)
        };
        let finish = one.ledger.finish(state, fence(1), b"result");
        let (finished, claimed) = join(finish, two.claim(take_over)).await;
        match (finished.unwrap(), claimed) {
            (Held::Held, Claimed::Done(result)) => assert_eq!(result, b"result"),
            (Held::Lost, Claimed::Granted) => {}
            both => panic!("{both:?}"),
        }
    });
    join_all(rounds).await;
}

pub(crate) async fn a_run_enters_or_another_takes_over_and_never_both(store: &impl Store) {
    let [one, two] = two(store).await;
    let rounds = (0..50).map(async |n: u8| {
        let state = StateKey::from_bytes([n; 16]);
        let ended = Claim {
            state,
            lease: ZERO,
            ..one.a_claim(1, 1)
        };
        one.granted(ended).await;
        let entry = Entry {
            state: Some(state),
            key: OnceKey::from_bytes([n; 16]),
            ..one.an_entry(1)
        };
        let take_over = Claim {
            state,
            ..two.a_claim(2, 2)
        };
        match join(one.enter(entry), two.claim(take_over)).await {
            (Entered::Begin, Claimed::Consumed) | (Entered::Lost, Claimed::Granted) => {}
            both => panic!("{both:?}"),
        }
    });
    join_all(rounds).await;
}
