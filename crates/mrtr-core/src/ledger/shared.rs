//! A ledger that is shared or chosen at run time is one too.

use std::sync::Arc;
use std::time::Duration;

use super::{
    Answer, Claim, Claimed, Entered, Entry, Epoch, Fence, Held, JournalKey, Ledger, OnceKey,
    Recorded, StateKey,
};

impl<L: Ledger + ?Sized> Ledger for Arc<L> {
    fn epoch(&self) -> Answer<'_, Epoch> {
        (**self).epoch()
    }

    fn claim<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Claimed> {
        (**self).claim(claim)
    }

    fn renew_run(&self, state: StateKey, fence: Fence, lease: Duration) -> Answer<'_, Held> {
        (**self).renew_run(state, fence, lease)
    }

    fn finish<'a>(&'a self, state: StateKey, fence: Fence, result: &'a [u8]) -> Answer<'a, Held> {
        (**self).finish(state, fence, result)
    }

    fn release(&self, state: StateKey, fence: Fence) -> Answer<'_, ()> {
        (**self).release(state, fence)
    }

    fn enter<'a>(&'a self, entry: &'a Entry) -> Answer<'a, Entered> {
        (**self).enter(entry)
    }

    fn renew_once(&self, key: OnceKey, fence: Fence, lease: Duration) -> Answer<'_, Held> {
        (**self).renew_once(key, fence, lease)
    }

    fn record<'a>(&'a self, key: OnceKey, value: &'a [u8]) -> Answer<'a, Recorded> {
        (**self).record(key, value)
    }

    fn keep_journal<'a>(
        &'a self,
        key: JournalKey,
        journal: &'a [u8],
        keep: Duration,
    ) -> Answer<'a, ()> {
        (**self).keep_journal(key, journal, keep)
    }

    fn journal(&self, key: JournalKey) -> Answer<'_, Option<Vec<u8>>> {
        (**self).journal(key)
    }
}
