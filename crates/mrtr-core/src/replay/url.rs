//! Questions whose answer is given elsewhere: on a page the person opens.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Refused;
use super::fault::FaultKind;
use super::held::{Held, Hold};
use super::journal::Given;
use super::question::Question;
use super::shared::{Shared, Slot};

/// How long a request is held open by default while the page is not done:
/// below the timeouts of common clients.
pub const DEFAULT_HOLD: Duration = Duration::from_secs(20);

enum Stage<F, Fut> {
    /// The person has not agreed to go there.
    Open,
    Refused(Refused),
    /// The completion check succeeded in an earlier round.
    Complete(Arc<str>),
    /// The person agreed; the check has not started.
    Agreed(F),
    Checking(Held<Fut>),
    Done,
}

/// A request to open a URL, and the check that tells when the person is done
/// there: a future of the value of that check.
///
/// The client's `accept` only says that the person agreed to go. The request
/// is then held for up to [`hold`](Self::hold) while the check runs; if it is
/// not done by then, the URL is asked again, so that the person sets the pace.
/// The check runs anew in every round until it succeeds. While the handler
/// waits for another question as well, nothing is held: that one is asked at
/// once, and the consent to this one is remembered.
///
/// See [URL mode elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode-elicitation-requests).
#[must_use = "a question is asked from here on, but its answer is only had by awaiting it"]
pub struct UrlAsk<F, Fut> {
    slot: Slot,
    stage: Stage<F, Fut>,
    hold: Duration,
}

impl<F, Fut> UrlAsk<F, Fut> {
    pub(crate) fn issue(
        shared: &Arc<Shared>,
        key: Arc<str>,
        message: String,
        url: String,
        done: F,
    ) -> Self {
        if let Err(problem) = check_url(&url) {
            return Self {
                slot: Slot::refuse(shared, key, problem.to_owned()),
                stage: Stage::Open,
                hold: DEFAULT_HOLD,
            };
        }
        let (slot, found) = Slot::issue(shared, key, Question::url(message, url), false);
        let stage = match found {
            None => Stage::Open,
            Some(found) => match found.given {
                Given::Declined => Stage::Refused(Refused::declined(slot.key().clone())),
                Given::Cancelled => Stage::Refused(Refused::cancelled(slot.key().clone())),
                Given::Accepted(value) if found.projected => Stage::Complete(value),
                Given::Accepted(_) => Stage::Agreed(done),
            },
        };
        Self {
            slot,
            stage,
            hold: DEFAULT_HOLD,
        }
    }

    /// Longest time to hold a request open while the check is not done.
    /// Default [`DEFAULT_HOLD`].
    pub const fn hold(mut self, hold: Duration) -> Self {
        self.hold = hold;
        self
    }

    /// As [`Ask::asked`](super::Ask::asked).
    pub fn asked(mut self) -> Self {
        if self.slot.demand_solicited() {
            self.stage = Stage::Open;
        }
        self
    }
}

/// What a URL must have at least: a scheme, something behind it, and nothing
/// that would make a client show another address than it opens.
pub(super) fn check_url(url: &str) -> Result<(), &'static str> {
    let (scheme, rest) = url.split_once(':').ok_or("its URL has no scheme")?;
    let mut letters = scheme.chars();
    let proper = letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if !proper {
        return Err("its URL has no scheme");
    }
    if rest.trim_start_matches('/').is_empty() {
        return Err("its URL has nothing behind the scheme");
    }
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("its URL contains spaces or control characters");
    }
    Ok(())
}

impl<F, Fut> Unpin for UrlAsk<F, Fut> {}

impl<F, Fut, T, E> Future for UrlAsk<F, Fut>
where
    F: FnOnce() -> Fut,
    Fut: Future<Output = Result<T, E>>,
    T: Serialize + DeserializeOwned,
{
    type Output = Result<T, UrlError<E>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let ask = self.get_mut();
        if !ask.slot.is_at_home() {
            return Poll::Pending;
        }
        let mut held = match std::mem::replace(&mut ask.stage, Stage::Done) {
            Stage::Open => return ask.block(),
            Stage::Refused(refused) => {
                ask.slot.record(None);
                return Poll::Ready(Err(UrlError::Refused(refused)));
            }
            Stage::Complete(text) => match serde_json::from_str(&text) {
                Ok(value) => {
                    ask.slot.withdraw();
                    return Poll::Ready(Ok(value));
                }
                Err(_) => {
                    ask.slot.reopen(None);
                    return ask.block();
                }
            },
            Stage::Agreed(done) => Held::new(done()),
            Stage::Checking(held) => held,
            Stage::Done => {
                ask.slot
                    .fault(FaultKind::PolledAgain(ask.slot.key().clone()));
                return Poll::Pending;
            }
        };
        match held.poll(cx, ask.slot.timer(), ask.hold) {
            Hold::Done(Ok(value)) => match serde_json::to_string(&value) {
                Ok(text) => {
                    ask.slot.record(Some((Given::Accepted(text.into()), true)));
                    Poll::Ready(Ok(value))
                }
                Err(problem) => {
                    ask.slot.fault(FaultKind::AnswerNotWritable {
                        key: ask.slot.key().clone(),
                        problem: problem.to_string(),
                    });
                    Poll::Pending
                }
            },
            Hold::Done(Err(error)) => {
                ask.slot.withdraw();
                Poll::Ready(Err(UrlError::Check(error)))
            }
            Hold::Holding => {
                ask.stage = Stage::Checking(held);
                Poll::Pending
            }
            Hold::Over => {
                ask.stage = Stage::Checking(held);
                ask.slot.reopen(None);
                ask.slot.block();
                Poll::Pending
            }
        }
    }
}

impl<F, Fut> UrlAsk<F, Fut> {
    fn block<V>(&mut self) -> Poll<V> {
        self.stage = Stage::Open;
        self.slot.block();
        Poll::Pending
    }
}

impl<F, Fut> fmt::Debug for UrlAsk<F, Fut> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UrlAsk").field(self.slot.key()).finish()
    }
}

/// Why a [`UrlAsk`] gave no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlError<E> {
    /// The person would not go there.
    Refused(Refused),
    /// The completion check failed. It is not recorded: the next round checks
    /// again without asking.
    Check(E),
}

impl<E: From<Refused>> UrlError<E> {
    /// The error as one type, for checks whose error can hold a refusal.
    pub fn flatten(self) -> E {
        match self {
            Self::Refused(refused) => refused.into(),
            Self::Check(error) => error,
        }
    }
}

impl<E: fmt::Display> fmt::Display for UrlError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::Check(error) => write!(f, "the completion check failed: {error}"),
        }
    }
}

impl<E: Error + 'static> Error for UrlError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Refused(refused) => Some(refused),
            Self::Check(error) => Some(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_could_be_a_url_is_sent() {
        for good in [
            "https://example.com/a?b=c#d",
            "http://[::1]:80/",
            "x-app:go",
        ] {
            assert_eq!(check_url(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "example.com",
            "https:",
            "https://",
            "1a:b",
            "https://a b",
            "https://a\n",
            "https://a\u{7f}",
        ] {
            assert!(check_url(bad).is_err(), "{bad}");
        }
    }
}
