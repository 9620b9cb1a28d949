//! What the tests of all stores share, and the list of rules.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use mrtr_core::ledger::{
    Claim, Claimed, Entered, Entry, Epoch, Fence, Held, JournalKey, Ledger, OnceKey, Recorded,
    RunId, StateKey,
};

/// Longer than any test.
pub(crate) const LONG: Duration = Duration::from_secs(3600);
/// A lease that has ended when it begins; a row that is gone when it is made.
pub(crate) const ZERO: Duration = Duration::ZERO;

pub(crate) const STATE: StateKey = StateKey::from_bytes([1; 16]);
pub(crate) const KEY: OnceKey = OnceKey::from_bytes([2; 16]);
pub(crate) const JOURNAL: JournalKey = JournalKey::from_bytes([3; 16]);

/// A store that a test has for itself.
pub(crate) trait Store: Send + Sync {
    /// Another instance, with connections of its own.
    fn instance(&self) -> impl Future<Output = Arc<dyn Ledger>> + Send;
    /// Loses what it remembers, while instances are connected.
    fn forget(&self) -> impl Future<Output = ()> + Send;
}

pub(crate) fn fence(n: u32) -> Fence {
    Fence::from_bytes(u128::from(n).to_be_bytes())
}

pub(crate) fn run_id(n: u32) -> RunId {
    RunId::from_bytes(u128::from(n).to_be_bytes())
}

/// An instance that works, and the memory it has.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) epoch: Epoch,
}

impl Desk {
    pub(crate) async fn at(store: &impl Store) -> Self {
        let ledger = store.instance().await;
        let epoch = ledger.epoch().await.unwrap();
        Self { ledger, epoch }
    }

    /// A long claim of [`STATE`].
    pub(crate) fn a_claim(&self, run: u32, attempt: u32) -> Claim {
        Claim {
            epoch: self.epoch,
            state: STATE,
            run: run_id(run),
            fence: fence(attempt),
            lease: LONG,
            keep: LONG,
        }
    }

    /// A long entry of [`KEY`], before the first state.
    pub(crate) fn an_entry(&self, attempt: u32) -> Entry {
        Entry {
            epoch: self.epoch,
            key: KEY,
            state: None,
            fence: fence(attempt),
            lease: LONG,
            keep: LONG,
        }
    }

    /// A long entry of [`KEY`] by a run of [`STATE`].
    pub(crate) fn an_entry_of_the_run(&self, attempt: u32) -> Entry {
        Entry {
            state: Some(STATE),
            ..self.an_entry(attempt)
        }
    }

    pub(crate) async fn claim(&self, claim: Claim) -> Claimed {
        self.ledger.claim(&claim).await.unwrap()
    }

    pub(crate) async fn granted(&self, claim: Claim) {
        assert_eq!(self.claim(claim).await, Claimed::Granted);
    }

    /// Claims by another run of [`STATE`], long.
    pub(crate) async fn other_run(&self) -> Claimed {
        self.claim(self.a_claim(99, 99)).await
    }

    pub(crate) async fn renew_run(&self, attempt: u32, lease: Duration) -> Held {
        let renewed = self.ledger.renew_run(STATE, fence(attempt), lease);
        renewed.await.unwrap()
    }

    pub(crate) async fn finish(&self, attempt: u32, result: &[u8]) -> Held {
        let finished = self.ledger.finish(STATE, fence(attempt), result);
        finished.await.unwrap()
    }

    pub(crate) async fn release(&self, attempt: u32) {
        self.ledger.release(STATE, fence(attempt)).await.unwrap();
    }

    pub(crate) async fn enter(&self, entry: Entry) -> Entered {
        self.ledger.enter(&entry).await.unwrap()
    }

    pub(crate) async fn renew_once(&self, attempt: u32, lease: Duration) -> Held {
        let renewed = self.ledger.renew_once(KEY, fence(attempt), lease);
        renewed.await.unwrap()
    }

    pub(crate) async fn record(&self, value: &[u8]) -> Recorded {
        self.ledger.record(KEY, value).await.unwrap()
    }

    pub(crate) async fn keep_journal(&self, journal: &[u8], keep: Duration) {
        let kept = self.ledger.keep_journal(JOURNAL, journal, keep);
        kept.await.unwrap();
    }

    pub(crate) async fn journal(&self) -> Option<Vec<u8>> {
        self.ledger.journal(JOURNAL).await.unwrap()
    }
}

pub(crate) fn is_running(claimed: &Claimed) -> bool {
    matches!(claimed, Claimed::Running { left } if *left > ZERO && *left <= LONG)
}

pub(crate) fn is_busy(entered: &Entered) -> bool {
    matches!(entered, Entered::Busy { left } if *left > ZERO && *left <= LONG)
}

/// Bytes that no encoding of text survives, this many.
pub(crate) fn bytes(len: usize) -> Vec<u8> {
    (0..len)
        .map(|n| (n % 256) as u8 ^ (n / 256) as u8)
        .collect()
}

/// All rules for a store; `$store` makes one, or says that it cannot and gives `None`.
macro_rules! contract {
    ($name:ident, $store:path) => {
        contract! { $name, $store;
            run {
                a_free_state_is_granted_and_runs_from_then_on
                the_same_attempt_is_granted_again_with_the_lease_it_asks_for
                others_wait_while_the_lease_lasts
                an_ended_lease_is_taken_over_by_the_same_run_and_by_others
                a_done_run_gives_its_result_to_the_same_run_only
                the_result_comes_back_byte_for_byte
                who_was_taken_over_has_lost_and_changes_nothing
                a_lease_that_ended_can_be_renewed_until_somebody_takes_over
                what_is_done_is_not_renewed
                the_end_of_a_run_may_be_told_again_and_the_first_result_stays
                a_run_that_never_was_cannot_be_renewed_or_finished
                a_released_run_can_be_claimed_at_once
                a_released_run_that_nobody_took_can_still_be_finished
                releasing_what_is_done_or_not_ones_own_does_nothing
                a_pinned_row_is_taken_over_by_its_own_run_only_and_stays_pinned
                a_row_that_is_kept_no_longer_is_gone
                a_take_over_keeps_the_row_for_as_long_as_it_asks
                a_done_row_is_kept_as_long_as_its_claim_said
                another_memory_comes_before_everything
                states_do_not_touch_each_other
                a_result_that_is_too_large_is_refused
            }
            once {
                a_body_begins_once
                the_same_attempt_begins_again_with_the_lease_it_asks_for
                a_lease_that_ended_leaves_it_unknown_for_ever
                a_recorded_value_is_given_to_everybody
                the_value_comes_back_byte_for_byte
                a_late_record_counts_and_the_first_value_stays
                what_was_never_entered_is_not_recorded
                a_row_that_is_kept_no_longer_is_gone
                only_the_run_that_holds_its_state_may_enter
                who_has_lost_the_run_enters_nothing
                a_run_whose_lease_has_ended_may_enter_until_somebody_takes_over
                entering_pins_the_run
                what_is_not_begun_does_not_pin_the_run
                releasing_the_run_frees_no_body
                a_body_is_renewed_by_its_attempt_until_it_is_recorded
                another_memory_comes_before_everything
                bodies_do_not_touch_each_other
                a_value_that_is_too_large_is_refused
            }
            journal {
                a_journal_is_given_back_byte_for_byte
                keeping_it_again_replaces_nothing
                of_two_times_the_later_one_counts
                a_journal_that_is_kept_no_longer_is_gone
                a_journal_that_is_too_large_is_refused
            }
            loss {
                instances_of_a_store_have_one_memory
                instances_that_find_an_empty_store_at_once_agree
                a_store_that_forgot_has_another_memory_and_knows_nothing
                a_store_that_forgot_works_on
            }
            races {
                of_a_thousand_claims_one_is_granted
                of_a_thousand_take_overs_one_is_granted
                of_a_thousand_entries_one_begins
                of_a_thousand_values_the_first_stays
                a_run_is_finished_or_taken_over_and_never_both
                a_run_enters_or_another_takes_over_and_never_both
            }
            model {
                random_operations_give_what_the_model_gives
                operations_at_once_are_as_in_some_order
            }
        }
    };
    ($name:ident, $store:path; $($module:ident { $($rule:ident)* })*) => {
        mod $name {
            $(mod $module {
                $(#[tokio::test]
                async fn $rule() {
                    if let Some(store) = $store().await {
                        crate::$module::$rule(&store).await;
                    }
                })*
            })*
        }
    };
}
