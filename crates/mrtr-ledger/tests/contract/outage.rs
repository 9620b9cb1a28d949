//! Stores that cannot be reached.

use std::sync::Arc;

use mrtr_core::ledger::{Claimed, Entered, Held, Ledger, LedgerErrorKind};

use crate::proxy::{Proxy, Way};
use crate::rules::{Desk, STATE, fence, is_running};

/// A desk whose way to the store leads through the proxy, with a short timeout.
pub(crate) struct Remote {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) proxy: Proxy,
}

impl Remote {
    async fn desk(&self) -> Desk {
        Desk {
            epoch: self.ledger.epoch().await.unwrap(),
            ledger: Arc::clone(&self.ledger),
        }
    }
}

/// Asks until it is answered, as callers do.
async fn claim_until_answered(desk: &Desk, attempt: u32) -> Claimed {
    let claim = desk.a_claim(1, attempt);
    for _ in 0..100 {
        if let Ok(claimed) = desk.ledger.claim(&claim).await {
            return claimed;
        }
    }
    panic!("it does not come back");
}

async fn fails_in_time_and_comes_back(remote: &Remote, way: Way) {
    let desk = remote.desk().await;
    desk.granted(desk.a_claim(1, 1)).await;
    remote.proxy.set(way);
    for _ in 0..3 {
        let errors = [
            desk.ledger.claim(&desk.a_claim(1, 2)).await.unwrap_err(),
            desk.ledger.enter(&desk.an_entry(2)).await.unwrap_err(),
            desk.ledger.release(STATE, fence(9)).await.unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind(), LedgerErrorKind::Unavailable, "{error}");
        }
    }
    remote.proxy.set(Way::Open);
    assert!(is_running(&claim_until_answered(&desk, 2).await));
    assert_eq!(desk.finish(1, b"result").await, Held::Held);
}

pub(crate) async fn a_store_that_cannot_be_reached_is_an_error_until_it_is_back(remote: &Remote) {
    fails_in_time_and_comes_back(remote, Way::Closed).await;
}

pub(crate) async fn a_store_that_does_not_answer_is_an_error_in_time(remote: &Remote) {
    fails_in_time_and_comes_back(remote, Way::Silent).await;
}

pub(crate) async fn what_happened_although_its_reply_was_lost_is_given_again(remote: &Remote) {
    let desk = remote.desk().await;
    remote.proxy.set(Way::LosesReplies);
    let claim = desk.a_claim(1, 1);
    assert!(desk.ledger.claim(&claim).await.is_err());
    remote.proxy.set(Way::Open);
    assert_eq!(claim_until_answered(&desk, 1).await, Claimed::Granted);
    assert!(is_running(&desk.claim(desk.a_claim(1, 2)).await));

    let entry = desk.an_entry_of_the_run(1);
    assert_eq!(desk.enter(entry).await, Entered::Begin);
    remote.proxy.set(Way::LosesReplies);
    assert!(desk.ledger.enter(&entry).await.is_err());
    remote.proxy.set(Way::Open);
    assert!(is_running(&claim_until_answered(&desk, 2).await));
    assert_eq!(desk.enter(entry).await, Entered::Begin);
}

/// The rules of stores that are reached over a network; `$remote` gives a
/// [`Remote`], and what must live as long, or `None`.
macro_rules! outage {
    ($remote:path; $($rule:ident)*) => {
        $(#[tokio::test]
        async fn $rule() {
            if let Some((remote, _store)) = $remote().await {
                crate::outage::$rule(&remote).await;
            }
        })*
    };
    ($remote:path) => {
        outage! {
            $remote;
            a_store_that_cannot_be_reached_is_an_error_until_it_is_back
            a_store_that_does_not_answer_is_an_error_in_time
            what_happened_although_its_reply_was_lost_is_given_again
        }
    };
}
