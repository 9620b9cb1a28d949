//! Waiting for the turn to run.

use mrtr_core::ledger::{Claim, Claimed, LedgerError};

use super::SingleUse;
use super::hold::Hold;
use super::pauses::Pauses;

/// What a request may do with a state.
pub(crate) enum Turn {
    /// Run the handler.
    Run(Hold),
    /// Answer with this result of the same run, sealed.
    Done(Vec<u8>),
    /// Nothing: another run came before.
    Consumed,
    /// Nothing: the ledger has lost what it knew of the state.
    Forgotten,
}

impl SingleUse {
    /// Claims a run, for as long as it takes: whoever else runs ends, or its
    /// lease does. Dropped before, nothing stays claimed.
    pub(crate) async fn turn(&self, claim: &Claim) -> Result<Turn, LedgerError> {
        let mut pauses = Pauses::new();
        loop {
            let hold = Hold::begin(&self.access, claim);
            let turn = match self.access.ledger.claim(claim).await? {
                Claimed::Granted => return Ok(Turn::Run(hold)),
                Claimed::Running { left } => Err(left),
                Claimed::Done(result) => Ok(Turn::Done(result)),
                Claimed::Consumed => Ok(Turn::Consumed),
                Claimed::Forgotten => Ok(Turn::Forgotten),
            };
            hold.give_up();
            match turn {
                Ok(turn) => return Ok(turn),
                Err(left) => {
                    let pause = pauses.next().min(left);
                    self.access.runtime.sleep(pause).await;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::testing::*;
    use super::*;

    fn running(millis: u64) -> Says<Claimed> {
        let left = Duration::from_millis(millis);
        Says::Now(Claimed::Running { left })
    }

    #[tokio::test(start_paused = true)]
    async fn it_asks_again_after_growing_pauses_and_no_later_than_the_lease_can_end() {
        let ledger = Scripted::new();
        for left in [9_000, 8_975, 8_925, 8_825, 8_625, 120, 500] {
            ledger.claims.lock().unwrap().push_back(running(left));
        }
        let turn = ledger.single_use().turn(&claim()).await.unwrap();
        assert!(matches!(turn, Turn::Run(_)));
        let asked = ledger.asked(Op::Claim);
        assert_eq!(asked, [0, 25, 75, 175, 375, 775, 895, 1_395]);
        settle_down().await;
        assert_eq!(ledger.asked(Op::Release), [0; 0], "still held");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_not_claimed_is_not_released() {
        for claimed in [
            Claimed::Done(vec![7]),
            Claimed::Consumed,
            Claimed::Forgotten,
        ] {
            let ledger = Scripted::new();
            let says = Says::Now(claimed.clone());
            ledger.claims.lock().unwrap().push_back(says);
            let turn = ledger.single_use().turn(&claim()).await.unwrap();
            match (turn, &claimed) {
                (Turn::Done(result), Claimed::Done(stored)) => assert_eq!(result, *stored),
                (Turn::Consumed, Claimed::Consumed) | (Turn::Forgotten, Claimed::Forgotten) => {}
                _ => panic!("{claimed:?}"),
            }
            settle_down().await;
            assert_eq!(ledger.asked(Op::Release), [0; 0], "{claimed:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_claim_that_may_have_been_granted_is_released() {
        let ledger = Scripted::new();
        ledger.claims.lock().unwrap().push_back(Says::Away);
        assert!(ledger.single_use().turn(&claim()).await.is_err());
        settle_down().await;
        assert_eq!(ledger.asked(Op::Release), [0]);

        let ledger = Scripted::new();
        ledger.claims.lock().unwrap().push_back(Says::Never);
        let (single_use, claim) = (ledger.single_use(), claim());
        assert!(futures::poll!(Box::pin(single_use.turn(&claim))).is_pending());
        settle_down().await;
        assert_eq!(ledger.asked(Op::Release), [0], "dropped on its way");
    }
}
