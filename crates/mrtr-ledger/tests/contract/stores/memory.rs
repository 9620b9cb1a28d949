//! The memory of this process.

use std::sync::Arc;

use mrtr_core::ledger::Ledger;
use mrtr_ledger::MemoryLedger;

use crate::rules::Store;

pub(crate) async fn store() -> Option<MemoryLedger> {
    Some(MemoryLedger::new())
}

impl Store for MemoryLedger {
    async fn instance(&self) -> Arc<dyn Ledger> {
        Arc::new(self.clone())
    }

    async fn forget(&self) {
        MemoryLedger::forget(self);
    }
}
