//! The rules of runs.

use mrtr_core::ledger::{Claim, Claimed, Epoch, Held, LedgerErrorKind, StateKey};
use mrtr_ledger::MAX_VALUE;

use crate::rules::{Desk, LONG, STATE, Store, ZERO, bytes, fence, is_running};

pub(crate) async fn a_free_state_is_granted_and_runs_from_then_on(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    let second = desk.claim(desk.a_claim(1, 2)).await;
    assert!(is_running(&second), "{second:?}");
}

pub(crate) async fn the_same_attempt_is_granted_again_with_the_lease_it_asks_for(
    store: &impl Store,
) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    desk.granted(desk.a_claim(1, 1)).await;
    assert!(is_running(&desk.other_run().await));
    let ended = Claim {
        lease: ZERO,
        ..desk.a_claim(1, 1)
    };
    desk.granted(ended).await;
    assert_eq!(desk.other_run().await, Claimed::Granted);
}

pub(crate) async fn others_wait_while_the_lease_lasts(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    for (run, attempt) in [(1, 2), (2, 3), (1, 2)] {
        let waits = desk.claim(desk.a_claim(run, attempt)).await;
        assert!(is_running(&waits), "{waits:?}");
    }
    assert_eq!(desk.finish(1, b"result").await, Held::Held);
}

pub(crate) async fn an_ended_lease_is_taken_over_by_the_same_run_and_by_others(store: &impl Store) {
    let desk = Desk::at(store).await;
    for (run, attempt) in [(1, 1), (1, 2), (2, 3), (1, 4)] {
        let ended = Claim {
            lease: ZERO,
            ..desk.a_claim(run, attempt)
        };
        desk.granted(ended).await;
    }
    assert_eq!(desk.finish(4, b"of the last").await, Held::Held);
    assert_eq!(
        desk.claim(desk.a_claim(1, 5)).await,
        Claimed::Done(b"of the last".to_vec())
    );
}

pub(crate) async fn a_done_run_gives_its_result_to_the_same_run_only(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    assert_eq!(desk.finish(1, b"result").await, Held::Held);
    for attempt in [1, 2, 3] {
        assert_eq!(
            desk.claim(desk.a_claim(1, attempt)).await,
            Claimed::Done(b"result".to_vec())
        );
        assert_eq!(
            desk.claim(desk.a_claim(2, attempt)).await,
            Claimed::Consumed
        );
    }
}

pub(crate) async fn the_result_comes_back_byte_for_byte(store: &impl Store) {
    let desk = Desk::at(store).await;
    for (n, len) in [0, 1, 256, 1024 * 1024, MAX_VALUE].into_iter().enumerate() {
        let claim = Claim {
            state: StateKey::from_bytes([n as u8 + 100; 16]),
            ..desk.a_claim(1, 1)
        };
        desk.granted(claim).await;
        let result = bytes(len);
        let finished = desk.ledger.finish(claim.state, claim.fence, &result).await;
        assert_eq!(finished.unwrap(), Held::Held, "{len} bytes");
        assert!(
            desk.claim(claim).await == Claimed::Done(result),
            "{len} bytes"
        );
    }
}

pub(crate) async fn who_was_taken_over_has_lost_and_changes_nothing(store: &impl Store) {
    let desk = Desk::at(store).await;
    let ended = Claim {
        lease: ZERO,
        ..desk.a_claim(1, 1)
    };
    desk.granted(ended).await;
    desk.granted(desk.a_claim(1, 2)).await;
    assert_eq!(desk.renew_run(1, ZERO).await, Held::Lost);
    assert_eq!(desk.finish(1, b"of the first").await, Held::Lost);
    desk.release(1).await;
    assert!(is_running(&desk.claim(desk.a_claim(1, 3)).await));
    assert_eq!(desk.finish(2, b"of the second").await, Held::Held);
    assert_eq!(
        desk.claim(desk.a_claim(1, 1)).await,
        Claimed::Done(b"of the second".to_vec())
    );
    assert_eq!(desk.finish(1, b"of the first").await, Held::Lost);
}

pub(crate) async fn a_lease_that_ended_can_be_renewed_until_somebody_takes_over(
    store: &impl Store,
) {
    let desk = Desk::at(store).await;
    let ended = Claim {
        lease: ZERO,
        ..desk.a_claim(1, 1)
    };
    desk.granted(ended).await;
    assert_eq!(desk.renew_run(1, LONG).await, Held::Held);
    assert!(is_running(&desk.claim(desk.a_claim(1, 2)).await));
    assert_eq!(desk.renew_run(1, ZERO).await, Held::Held);
    desk.granted(desk.a_claim(1, 2)).await;
    assert_eq!(desk.renew_run(1, LONG).await, Held::Lost);
}

pub(crate) async fn what_is_done_is_not_renewed(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    assert_eq!(desk.finish(1, b"result").await, Held::Held);
    assert_eq!(desk.renew_run(1, LONG).await, Held::Lost);
}

pub(crate) async fn the_end_of_a_run_may_be_told_again_and_the_first_result_stays(
    store: &impl Store,
) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    for result in ["first", "first", "second"] {
        assert_eq!(desk.finish(1, result.as_bytes()).await, Held::Held);
    }
    assert_eq!(
        desk.claim(desk.a_claim(1, 2)).await,
        Claimed::Done(b"first".to_vec())
    );
}

pub(crate) async fn a_run_that_never_was_cannot_be_renewed_or_finished(store: &impl Store) {
    let desk = Desk::at(store).await;
    assert_eq!(desk.renew_run(1, LONG).await, Held::Lost);
    assert_eq!(desk.finish(1, b"result").await, Held::Lost);
    desk.release(1).await;
    assert_eq!(desk.other_run().await, Claimed::Granted);
}

pub(crate) async fn a_released_run_can_be_claimed_at_once(store: &impl Store) {
    let desk = Desk::at(store).await;
    for (run, attempt) in [(1, 1), (1, 2), (2, 3), (3, 4)] {
        desk.granted(desk.a_claim(run, attempt)).await;
        desk.release(attempt).await;
        desk.release(attempt).await;
    }
    assert_eq!(desk.other_run().await, Claimed::Granted);
}

pub(crate) async fn a_released_run_that_nobody_took_can_still_be_finished(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    desk.release(1).await;
    assert_eq!(desk.finish(1, b"result").await, Held::Held);
    assert_eq!(desk.other_run().await, Claimed::Consumed);
}

pub(crate) async fn releasing_what_is_done_or_not_ones_own_does_nothing(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    desk.release(2).await;
    assert!(is_running(&desk.other_run().await));
    assert_eq!(desk.finish(1, b"result").await, Held::Held);
    desk.release(1).await;
    assert_eq!(desk.other_run().await, Claimed::Consumed);
}

pub(crate) async fn a_pinned_row_is_taken_over_by_its_own_run_only_and_stays_pinned(
    store: &impl Store,
) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    desk.enter(desk.an_entry_of_the_run(1)).await;
    assert_eq!(desk.other_run().await, Claimed::Consumed);
    assert!(is_running(&desk.claim(desk.a_claim(1, 2)).await));
    for attempt in [2, 3, 4] {
        desk.release(attempt - 1).await;
        assert_eq!(desk.other_run().await, Claimed::Consumed);
        desk.granted(desk.a_claim(1, attempt)).await;
    }
    desk.granted(desk.a_claim(1, 4)).await;
    assert_eq!(desk.renew_run(4, ZERO).await, Held::Held);
    assert_eq!(desk.other_run().await, Claimed::Consumed);
}

pub(crate) async fn a_row_that_is_kept_no_longer_is_gone(store: &impl Store) {
    let desk = Desk::at(store).await;
    let gone = Claim {
        keep: ZERO,
        ..desk.a_claim(1, 1)
    };
    desk.granted(gone).await;
    assert_eq!(desk.renew_run(1, LONG).await, Held::Lost);
    assert_eq!(desk.finish(1, b"result").await, Held::Lost);
    desk.release(1).await;
    desk.granted(gone).await;
    assert_eq!(desk.other_run().await, Claimed::Granted);
}

pub(crate) async fn a_take_over_keeps_the_row_for_as_long_as_it_asks(store: &impl Store) {
    let desk = Desk::at(store).await;
    let ended = Claim {
        lease: ZERO,
        ..desk.a_claim(1, 1)
    };
    desk.granted(ended).await;
    let gone = Claim {
        keep: ZERO,
        ..desk.a_claim(1, 2)
    };
    desk.granted(gone).await;
    assert_eq!(desk.finish(2, b"result").await, Held::Lost);
    assert_eq!(desk.other_run().await, Claimed::Granted);
}

pub(crate) async fn a_done_row_is_kept_as_long_as_its_claim_said(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    assert_eq!(desk.finish(1, b"result").await, Held::Held);
    let again = Claim {
        keep: ZERO,
        ..desk.a_claim(1, 1)
    };
    for _ in 0..2 {
        assert_eq!(
            desk.claim(again).await,
            Claimed::Done(b"result".to_vec()),
            "a claim that is not granted changes nothing"
        );
    }
}

pub(crate) async fn another_memory_comes_before_everything(store: &impl Store) {
    let desk = Desk::at(store).await;
    let elsewhere = Claim {
        epoch: Epoch::from_bytes([0xee; 16]),
        ..desk.a_claim(1, 1)
    };
    assert_eq!(desk.claim(elsewhere).await, Claimed::Forgotten);
    desk.granted(desk.a_claim(1, 1)).await;
    assert_eq!(desk.claim(elsewhere).await, Claimed::Forgotten);
    assert_eq!(desk.finish(1, b"result").await, Held::Held);
    assert_eq!(desk.claim(elsewhere).await, Claimed::Forgotten);
}

pub(crate) async fn states_do_not_touch_each_other(store: &impl Store) {
    let desk = Desk::at(store).await;
    let other = Claim {
        state: StateKey::from_bytes([7; 16]),
        ..desk.a_claim(1, 1)
    };
    desk.granted(desk.a_claim(1, 1)).await;
    desk.granted(other).await;
    assert_eq!(desk.finish(1, b"result").await, Held::Held);
    let renewed = desk.ledger.renew_run(other.state, other.fence, LONG).await;
    assert_eq!(renewed.unwrap(), Held::Held);
}

pub(crate) async fn a_result_that_is_too_large_is_refused(store: &impl Store) {
    let desk = Desk::at(store).await;
    desk.granted(desk.a_claim(1, 1)).await;
    let result = bytes(MAX_VALUE + 1);
    let refused = desk.ledger.finish(STATE, fence(1), &result).await;
    assert_eq!(refused.unwrap_err().kind(), LedgerErrorKind::TooLarge);
    assert!(is_running(&desk.claim(desk.a_claim(1, 2)).await));
}
