//! The ledger of a store that has the rules itself, as functions: what is asked
//! of them, and how they answer.

use std::time::Duration;

use mrtr_core::ledger::{
    Answer, Claim, Claimed, Entered, Entry, Epoch, Fence, Held, JournalKey, LedgerError, OnceKey,
    Recorded, StateKey,
};

use crate::limits::check_length;

/// A store that has the functions.
pub(crate) trait Remote: Send + Sync {
    /// Calls one, within the time that an operation may take.
    fn call(
        &self,
        function: Function,
        arguments: &[Argument<'_>],
    ) -> impl Future<Output = Result<Reply, LedgerError>> + Send;
}

/// A function of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Epoch,
    Claim,
    RenewRun,
    Finish,
    Release,
    Enter,
    RenewOnce,
    Record,
    KeepJournal,
    Journal,
}

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Run,
    Once,
    Journal,
}

/// An argument of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument<'a> {
    /// The key of a row, if there is one.
    #[allow(dead_code, reason = "not all stores put the kind into the key")]
    Row(Kind, Option<&'a [u8; 16]>),
    /// Another id, or something sealed.
    Bytes(&'a [u8]),
    Millis(i64),
}

/// What a function answers.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) answer: String,
    /// What is left of a lease, in milliseconds.
    pub(crate) left: Option<i64>,
    /// Something sealed, or an epoch.
    pub(crate) value: Option<Vec<u8>>,
}

impl Reply {
    fn left(&self) -> Result<Duration, LedgerError> {
        let left = self.left.and_then(|left| u64::try_from(left).ok());
        left.map(Duration::from_millis)
            .ok_or_else(|| self.unexpected())
    }

    fn value(&mut self) -> Result<Vec<u8>, LedgerError> {
        self.value.take().ok_or_else(|| self.unexpected())
    }

    fn unexpected(&self) -> LedgerError {
        LedgerError::broken(format!("an answer that cannot be: {:?}", self.answer))
    }

    fn held(&self) -> Result<Held, LedgerError> {
        match &*self.answer {
            "held" => Ok(Held::Held),
            "lost" => Ok(Held::Lost),
            _ => Err(self.unexpected()),
        }
    }
}

fn run(state: &StateKey) -> Argument<'_> {
    Argument::Row(Kind::Run, Some(state.as_bytes()))
}

fn once(key: &OnceKey) -> Argument<'_> {
    Argument::Row(Kind::Once, Some(key.as_bytes()))
}

fn journal_row(key: &JournalKey) -> Argument<'_> {
    Argument::Row(Kind::Journal, Some(key.as_bytes()))
}

fn id(bytes: &[u8; 16]) -> Argument<'_> {
    Argument::Bytes(bytes)
}

/// A duration as stores count; more than a hundred years are a hundred years.
fn millis(duration: Duration) -> Argument<'static> {
    const CENTURY: u64 = 100 * 366 * 24 * 60 * 60 * 1000;
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    Argument::Millis(millis.min(CENTURY).cast_signed())
}

pub(crate) fn epoch(remote: &impl Remote) -> Answer<'_, Epoch> {
    Box::pin(async move {
        let offered = rand::random();
        let mut reply = remote.call(Function::Epoch, &[id(&offered)]).await?;
        let epoch = reply.value()?;
        let epoch = epoch.try_into().map_err(|_| reply.unexpected())?;
        Ok(Epoch::from_bytes(epoch))
    })
}

pub(crate) fn claim<'a>(remote: &'a impl Remote, claim: &'a Claim) -> Answer<'a, Claimed> {
    Box::pin(async move {
        let arguments = [
            id(claim.epoch.as_bytes()),
            run(&claim.state),
            id(claim.run.as_bytes()),
            id(claim.fence.as_bytes()),
            millis(claim.lease),
            millis(claim.keep),
        ];
        let mut reply = remote.call(Function::Claim, &arguments).await?;
        Ok(match &*reply.answer {
            "granted" => Claimed::Granted,
            "running" => Claimed::Running {
                left: reply.left()?,
            },
            "done" => Claimed::Done(reply.value()?),
            "consumed" => Claimed::Consumed,
            "forgotten" => Claimed::Forgotten,
            _ => return Err(reply.unexpected()),
        })
    })
}

pub(crate) fn renew_run(
    remote: &impl Remote,
    state: StateKey,
    fence: Fence,
    lease: Duration,
) -> Answer<'_, Held> {
    Box::pin(async move {
        let arguments = [run(&state), id(fence.as_bytes()), millis(lease)];
        remote.call(Function::RenewRun, &arguments).await?.held()
    })
}

pub(crate) fn finish<'a>(
    remote: &'a impl Remote,
    state: StateKey,
    fence: Fence,
    result: &'a [u8],
) -> Answer<'a, Held> {
    Box::pin(async move {
        check_length(result)?;
        let arguments = [run(&state), id(fence.as_bytes()), Argument::Bytes(result)];
        remote.call(Function::Finish, &arguments).await?.held()
    })
}

pub(crate) fn release(remote: &impl Remote, state: StateKey, fence: Fence) -> Answer<'_, ()> {
    Box::pin(async move {
        let arguments = [run(&state), id(fence.as_bytes())];
        let reply = remote.call(Function::Release, &arguments).await?;
        match &*reply.answer {
            "released" => Ok(()),
            _ => Err(reply.unexpected()),
        }
    })
}

pub(crate) fn enter<'a>(remote: &'a impl Remote, entry: &'a Entry) -> Answer<'a, Entered> {
    Box::pin(async move {
        let state = entry.state.as_ref().map(StateKey::as_bytes);
        let arguments = [
            id(entry.epoch.as_bytes()),
            once(&entry.key),
            Argument::Row(Kind::Run, state),
            id(entry.fence.as_bytes()),
            millis(entry.lease),
            millis(entry.keep),
        ];
        let mut reply = remote.call(Function::Enter, &arguments).await?;
        Ok(match &*reply.answer {
            "begin" => Entered::Begin,
            "busy" => Entered::Busy {
                left: reply.left()?,
            },
            "unknown" => Entered::Unknown,
            "recorded" => Entered::Recorded(reply.value()?),
            "lost" => Entered::Lost,
            "forgotten" => Entered::Forgotten,
            _ => return Err(reply.unexpected()),
        })
    })
}

pub(crate) fn renew_once(
    remote: &impl Remote,
    key: OnceKey,
    fence: Fence,
    lease: Duration,
) -> Answer<'_, Held> {
    Box::pin(async move {
        let arguments = [once(&key), id(fence.as_bytes()), millis(lease)];
        remote.call(Function::RenewOnce, &arguments).await?.held()
    })
}

pub(crate) fn record<'a>(
    remote: &'a impl Remote,
    key: OnceKey,
    value: &'a [u8],
) -> Answer<'a, Recorded> {
    Box::pin(async move {
        check_length(value)?;
        let arguments = [once(&key), Argument::Bytes(value)];
        let mut reply = remote.call(Function::Record, &arguments).await?;
        Ok(match &*reply.answer {
            "stored" => Recorded::Stored,
            "already" => Recorded::Already(reply.value()?),
            "gone" => Recorded::Gone,
            _ => return Err(reply.unexpected()),
        })
    })
}

pub(crate) fn keep_journal<'a>(
    remote: &'a impl Remote,
    key: JournalKey,
    journal: &'a [u8],
    keep: Duration,
) -> Answer<'a, ()> {
    Box::pin(async move {
        check_length(journal)?;
        let arguments = [journal_row(&key), Argument::Bytes(journal), millis(keep)];
        let reply = remote.call(Function::KeepJournal, &arguments).await?;
        match &*reply.answer {
            "kept" => Ok(()),
            _ => Err(reply.unexpected()),
        }
    })
}

pub(crate) fn journal(remote: &impl Remote, key: JournalKey) -> Answer<'_, Option<Vec<u8>>> {
    Box::pin(async move {
        let arguments = [journal_row(&key)];
        let mut reply = remote.call(Function::Journal, &arguments).await?;
        match &*reply.answer {
            "journal" => reply.value().map(Some),
            "gone" => Ok(None),
            _ => Err(reply.unexpected()),
        }
    })
}

/// Makes a [`Remote`] a [`Ledger`](mrtr_core::ledger::Ledger).
macro_rules! ledger_of_remote {
    ($remote:ty) => {
        const _: () = {
            use std::time::Duration;

            use ::mrtr_core::ledger::*;

            use $crate::remote;

            impl Ledger for $remote {
                fn epoch(&self) -> Answer<'_, Epoch> {
                    remote::epoch(self)
                }

                fn claim<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Claimed> {
                    remote::claim(self, claim)
                }

                fn renew_run(
                    &self,
                    state: StateKey,
                    fence: Fence,
                    lease: Duration,
                ) -> Answer<'_, Held> {
                    remote::renew_run(self, state, fence, lease)
                }

                fn finish<'a>(
                    &'a self,
                    state: StateKey,
                    fence: Fence,
                    result: &'a [u8],
                ) -> Answer<'a, Held> {
                    remote::finish(self, state, fence, result)
                }

                fn release(&self, state: StateKey, fence: Fence) -> Answer<'_, ()> {
                    remote::release(self, state, fence)
                }

                fn enter<'a>(&'a self, entry: &'a Entry) -> Answer<'a, Entered> {
                    remote::enter(self, entry)
                }

                fn renew_once(
                    &self,
                    key: OnceKey,
                    fence: Fence,
                    lease: Duration,
                ) -> Answer<'_, Held> {
                    remote::renew_once(self, key, fence, lease)
                }

                fn record<'a>(&'a self, key: OnceKey, value: &'a [u8]) -> Answer<'a, Recorded> {
                    remote::record(self, key, value)
                }

                fn keep_journal<'a>(
                    &'a self,
                    key: JournalKey,
                    journal: &'a [u8],
                    keep: Duration,
                ) -> Answer<'a, ()> {
                    remote::keep_journal(self, key, journal, keep)
                }

                fn journal(&self, key: JournalKey) -> Answer<'_, Option<Vec<u8>>> {
                    remote::journal(self, key)
                }
            }
        };
    };
}
pub(crate) use ledger_of_remote;
