//! A row of the ledger and the attempt that works on it.

use std::sync::Arc;

use super::Text;
use super::body::{Body, contained};
use crate::ledger::{Answer, Entered, Entry, Held, LedgerError, Recorded};
use crate::replay::backing::{Backing, Unopened};
use crate::replay::fault::FaultKind;
use crate::replay::patience::{beside, insist, within};
use crate::replay::run::Stop;
use crate::replay::timer::Timer;
use crate::round::Reject;
use crate::state::SealError;
use crate::wire::Cause;

/// A body's row, as this attempt sees it.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) backing: Arc<Backing>,
    pub(super) timer: Arc<dyn Timer>,
    pub(super) entry: Entry,
    /// The author's name for it.
    pub(super) name: Arc<str>,
}

/// What an attempt to do a body came to.
pub(super) enum Came {
    /// The value that is recorded.
    Value(Box<str>),
    /// Another attempt is at it; the body was not begun.
    Busy {
        left: std::time::Duration,
        body: Body,
    },
    Unknown,
    No(No),
}

/// Why there is nothing the handler may have.
pub(super) enum No {
    Fault(FaultKind),
    Stop(Stop),
}

impl Row {
    /// Begins the body if it never was, and does it to its end.
    pub(super) async fn attempt(self, body: Body) -> Came {
        let entered = match self.enter().await {
            Ok(entered) => entered,
            Err(no) => return Came::No(no),
        };
        let value = match entered {
            Entered::Begin => self.begun(body).await,
            Entered::Recorded(sealed) => self.open(&sealed),
            Entered::Busy { left } => return Came::Busy { left, body },
            Entered::Unknown => return Came::Unknown,
            Entered::Lost => Err(No::Stop(Stop::Lost)),
            Entered::Forgotten => Err(self.forgotten()),
        };
        value.map_or_else(Came::No, Came::Value)
    }

    /// Nobody may begin after the lease: by then others say that it is not
    /// known what became of it, and act on that.
    async fn enter(&self) -> Result<Entered, No> {
        let lease = self.entry.lease;
        match within(&*self.timer, lease - lease / 6, self.entered()).await {
            Some(answer) => answer.map_err(|error| self.away(&error)),
            None => Err(self.unavailable("it did not answer before the lease was over")),
        }
    }

    async fn entered(&self) -> Result<Entered, LedgerError> {
        let ledger = &self.backing.ledger;
        match insist(&*self.timer, || ledger.enter(&self.entry)).await? {
            // A wish whose answer was lost may have been granted before.
            Entered::Lost => match insist(&*self.timer, || self.renewed()).await? {
                Held::Held => Ok(Entered::Begin),
                Held::Lost => Ok(Entered::Lost),
            },
            entered => Ok(entered),
        }
    }

    fn renewed(&self) -> Answer<'_, Held> {
        let (key, fence, lease) = (self.entry.key, self.entry.fence, self.entry.lease);
        self.backing.ledger.renew_once(key, fence, lease)
    }

    async fn begun(&self, body: Body) -> Result<Box<str>, No> {
        let value = beside(contained(body), self.renew()).await;
        let value = value.map_err(|panic| No::Fault(FaultKind::Panicked(panic)))?;
        self.record(value).await
    }

    async fn renew(&self) {
        while self.timer.waits() {
            self.timer.sleep(self.entry.lease / 3).await;
            if matches!(self.renewed().await, Ok(Held::Lost)) {
                return;
            }
        }
    }

    /// Records a value, and gives the one that is recorded then.
    pub(super) async fn record(&self, value: Text) -> Result<Box<str>, No> {
        let value = value.map_err(|problem| {
            No::Fault(FaultKind::StepNotWritable {
                key: self.name.clone(),
                problem,
            })
        })?;
        let key = self.entry.key;
        let sealed = self
            .backing
            .seal(key, &value)
            .map_err(|error| self.too_large(&error))?;
        let recording = insist(&*self.timer, || {
            self.backing.ledger.record(key, sealed.as_bytes())
        });
        match recording.await {
            Ok(Recorded::Stored) => Ok(value.into()),
            Ok(Recorded::Already(other)) => self.open(&other),
            Ok(Recorded::Gone) => Err(self.unavailable("the row is gone, its value is lost")),
            Err(error) => Err(self.away(&error)),
        }
    }

    fn open(&self, sealed: &[u8]) -> Result<Box<str>, No> {
        let opened = self.backing.open(self.entry.key, sealed);
        opened.map_err(|error: Unopened| {
            self.unavailable(&format!("its recorded value does not open: {error}"))
        })
    }

    fn too_large(&self, error: &SealError) -> No {
        match error {
            SealError::TooLarge { bytes, limit } => No::Fault(FaultKind::OnceTooLarge {
                key: self.name.clone(),
                bytes: *bytes,
                limit: *limit,
            }),
            other => self.unavailable(&other.to_string()),
        }
    }

    fn away(&self, error: &LedgerError) -> No {
        self.unavailable(&error.to_string())
    }

    fn unavailable(&self, why: &str) -> No {
        self.rejected(Cause::Unavailable, why)
    }

    /// A state that the store does not remember can never be used; a request
    /// without one relies on nothing.
    fn forgotten(&self) -> No {
        let cause = match self.entry.state {
            Some(_) => Cause::InvalidRequestState,
            None => Cause::Unavailable,
        };
        self.rejected(cause, "the ledger lost its memory")
    }

    /// Somebody else has it, and nobody waits here.
    pub(super) fn busy(&self) -> No {
        self.rejected(Cause::Busy, "another attempt is at it")
    }

    /// The attempt itself was dropped.
    pub(super) fn dropped(&self, why: &str) -> No {
        self.unavailable(why)
    }

    fn rejected(&self, cause: Cause, why: &str) -> No {
        let log = format!("`once` `{}` (row {}): {why}", self.name, self.entry.key);
        No::Stop(Stop::Rejected(Reject::new(cause, log)))
    }
}
