//! Single use: around the run of a handler, what the replicas of a server must
//! agree on.
//!
//! A request that goes on from a state passes the [gate](gate), where one
//! request of a state goes ahead and the others wait for what it finds. That
//! one waits for its [turn](turn) at the ledger, runs the handler while it
//! [holds](hold) the lease, and [stores](stored) the response before anybody
//! sees it.

mod gate;
mod hold;
mod pauses;
mod run;
mod setup;
mod stored;
mod turn;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mrtr_core::ledger::{Epoch, Ledger, LedgerError};

use self::gate::Gate;
use super::Runtime;
use super::tasks::Tasks;

pub(super) use self::gate::Settled;
pub(super) use self::hold::{Finished, Hold, Unheld};
pub(super) use self::setup::Setup;
pub(super) use self::stored::Stored;
pub(super) use self::turn::Turn;

/// What the handlers of single use share.
pub(super) struct SingleUse {
    access: Access,
    gate: Gate,
    /// The memory of the ledger, as far as is known: asked for once and again
    /// when the ledger turns out to have another one. A state that was sealed
    /// with an outdated one is rejected when it comes back.
    epoch: Mutex<Option<Epoch>>,
}

/// How to reach the ledger.
#[derive(Clone)]
struct Access {
    ledger: Arc<dyn Ledger>,
    lease: Duration,
    runtime: Arc<dyn Runtime>,
    tasks: Arc<Tasks>,
}

impl SingleUse {
    pub(super) fn new(
        ledger: Arc<dyn Ledger>,
        lease: Duration,
        runtime: Arc<dyn Runtime>,
        tasks: Arc<Tasks>,
    ) -> Self {
        Self {
            access: Access {
                ledger,
                lease,
                runtime,
                tasks,
            },
            gate: Gate::default(),
            epoch: Mutex::new(None),
        }
    }

    /// The memory that exchanges which begin now rely on.
    pub(super) async fn epoch(&self) -> Result<Epoch, LedgerError> {
        let known = *self.epoch.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(epoch) = known {
            return Ok(epoch);
        }
        let epoch = self.access.ledger.epoch().await?;
        *self.epoch.lock().unwrap_or_else(PoisonError::into_inner) = Some(epoch);
        Ok(epoch)
    }

    /// The ledger has another memory than some state relies on: perhaps than
    /// is known here.
    pub(super) fn doubt_epoch(&self) {
        *self.epoch.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod testing;
