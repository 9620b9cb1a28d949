//! What a server is given for single use.

use std::sync::Arc;
use std::time::Duration;

use mrtr_core::ledger::Ledger;

use super::SingleUse;
use crate::server::build_error::Problems;
use crate::server::metrics::{Measured, Metrics};
use crate::server::tasks::Tasks;
use crate::server::{Runtime, ServerBuilder};

/// A shorter one could not be renewed in time by a busy process.
const SHORTEST_LEASE: Duration = Duration::from_millis(300);

/// The ledger and how it is used.
pub(crate) struct Setup {
    ledger: Option<Arc<dyn Ledger>>,
    lease: Duration,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            ledger: None,
            lease: Duration::from_secs(15),
        }
    }
}

impl Setup {
    pub(crate) fn check(&self, problems: &mut Problems) {
        if self.lease < SHORTEST_LEASE {
            problems.add("server", "a lease is at least 300 milliseconds long");
        }
    }

    pub(crate) fn build(
        self,
        runtime: &Arc<dyn Runtime>,
        tasks: &Arc<Tasks>,
        metrics: &Arc<Metrics>,
    ) -> Option<SingleUse> {
        let ledger = Arc::new(Measured::new(self.ledger?, metrics.clone()));
        let (runtime, tasks) = (runtime.clone(), tasks.clone());
        Some(SingleUse::new(ledger, self.lease, runtime, tasks))
    }
}

impl ServerBuilder {
    /// The store that all replicas of the server share, for tools, prompts and
    /// resources of [single use](crate::server#single-use). The crate `mrtr-ledger` has
    /// some.
    pub fn ledger(mut self, ledger: impl Ledger + 'static) -> Self {
        self.single_use.ledger = Some(Arc::new(ledger));
        self.defaults.ledger = true;
        self
    }

    /// For how long a run of a handler of single use is left to a replica that
    /// falls silent: who sends the same request again has to wait so long when
    /// the first one died with its process. Renewed every third of it while the
    /// handler runs, so a handler must not block its thread for longer than
    /// that. Default: 15 seconds; at least 300 milliseconds.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.single_use.lease = lease;
        self
    }
}
