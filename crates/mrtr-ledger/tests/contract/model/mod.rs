//! Random operations of several attempts, against a model of the contract.

mod operation;
mod reference;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::executor::block_on;
use futures::future::join_all;
use mrtr_core::Timestamp;
use mrtr_core::ledger::Ledger;
use mrtr_ledger::MemoryLedger;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use self::operation::{Operation, Outcome, World, operation};
use self::reference::Reference;
use crate::rules::{LONG, Store};

/// Times that meet each other exactly, in milliseconds.
const TIMES: &[u64] = &[0, 1, 9, 10, 11, 1000];
/// Times that a test does not see pass.
const EXTREMES: &[u64] = &[0, LONG.as_secs() * 1000];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_ledger_with_a_clock_gives_what_the_model_gives(
        steps in vec((prop_oneof![3 => Just(0), 1 => prop::sample::select(TIMES)], operation(TIMES)), 1..60),
    ) {
        let now = Arc::new(AtomicU64::new(5_000));
        let clock = Arc::clone(&now);
        let ledger = MemoryLedger::with_clock(move || {
            Timestamp::from_millis(clock.load(Ordering::Relaxed))
        });
        let world = World { epoch: block_on(ledger.epoch()).unwrap(), salt: 0 };
        let mut model = Reference::default();
        for (passed, operation) in steps {
            let now = now.fetch_add(passed, Ordering::Relaxed) + passed;
            let got = block_on(world.perform(&ledger, &operation));
            prop_assert_eq!(got, model.perform(&operation, now), "{:?}", operation);
        }
    }

    #[test]
    fn rows_that_are_gone_are_removed_by_later_writes(
        operations in vec(operation(TIMES), 1..60),
    ) {
        let now = Arc::new(AtomicU64::new(0));
        let clock = Arc::clone(&now);
        let ledger = MemoryLedger::with_clock(move || {
            Timestamp::from_millis(clock.load(Ordering::Relaxed))
        });
        let world = World { epoch: block_on(ledger.epoch()).unwrap(), salt: 0 };
        for operation in &operations {
            block_on(world.perform(&ledger, operation));
        }
        now.store(1001, Ordering::Relaxed);
        for write in operation::one_write_of_each_kind() {
            block_on(world.perform(&ledger, &write));
        }
        prop_assert_eq!(ledger.rows(), 3);
    }
}

pub(crate) async fn random_operations_give_what_the_model_gives(store: &impl Store) {
    let ledger = store.instance().await;
    let mut runner = TestRunner::deterministic();
    for salt in 0..40 {
        let operations = vec(operation(EXTREMES), 30);
        let operations = operations.new_tree(&mut runner).unwrap().current();
        let world = World::of(&*ledger, salt).await;
        let mut model = Reference::default();
        for (n, operation) in operations.iter().enumerate() {
            let got = world.perform(&*ledger, operation).await.without_left();
            let expected = model.perform(operation, 0).without_left();
            assert_eq!(got, expected, "at {n} of {operations:#?}");
        }
    }
}

pub(crate) async fn operations_at_once_are_as_in_some_order(store: &impl Store) {
    let ledgers = [store.instance().await, store.instance().await];
    let mut runner = TestRunner::deterministic();
    for salt in 100..140 {
        let attempts = vec(vec(operation(EXTREMES), 4), 3);
        let attempts = attempts.new_tree(&mut runner).unwrap().current();
        let world = World::of(&*ledgers[0], salt).await;
        let histories = attempts.iter().enumerate().map(async |(n, operations)| {
            let mut history = Vec::new();
            for operation in operations {
                let got = world.perform(&*ledgers[n % 2], operation).await;
                history.push((operation, got.without_left()));
            }
            history
        });
        let histories = join_all(histories).await;
        let histories: Vec<&[_]> = histories.iter().map(Vec::as_slice).collect();
        assert!(
            some_order_explains(&Reference::default(), &histories),
            "no order of these explains what they got: {histories:#?}"
        );
    }
}

/// Whether the histories, each in its own order, can be told as one.
fn some_order_explains(model: &Reference, histories: &[&[(&Operation, Outcome)]]) -> bool {
    histories.iter().all(|history| history.is_empty())
        || (0..histories.len()).any(|n| {
            let [(operation, got), rest @ ..] = histories[n] else {
                return false;
            };
            let mut model = model.clone();
            let mut histories = histories.to_vec();
            histories[n] = rest;
            model.perform(operation, 0).without_left() == *got
                && some_order_explains(&model, &histories)
        })
}
