//! The future of one round.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use super::ToolError;
use super::fault::{Fault, FaultKind};
use super::rule::{Suspension, Verdict};
use super::run::{BadAnswer, Stop};
use super::shared::Shared;
use crate::wire::Capabilities;

/// How a run of a handler ended.
#[derive(Debug)]
pub(crate) enum Ending<T> {
    Done(Result<T, ToolError>),
    Suspended(Suspension),
    MissingCapabilities(Capabilities),
    BadAnswer(BadAnswer),
    Fault(Fault),
    Stopped(Stop),
}

/// Polls the handler until the round ends. Panics of the handler, of its
/// destructors too, end as faults.
pub(crate) async fn drive<F, T, E>(shared: &Arc<Shared>, handler: F) -> Ending<T>
where
    F: Future<Output = Result<T, E>>,
    E: Into<ToolError>,
{
    if !shared.run().start() {
        return Ending::Fault(shared.run().describe(FaultKind::RunTwice));
    }
    let handler = pin!(Some(handler));
    let mut handler = Contained { handler, shared };
    poll_fn(|cx| handler.poll(cx)).await
}

/// A handler whose panics stay inside, also when the round is abandoned.
struct Contained<'a, F> {
    handler: Pin<&'a mut Option<F>>,
    shared: &'a Shared,
}

impl<F> Contained<'_, F> {
    fn poll<T, E>(&mut self, cx: &mut Context<'_>) -> Poll<Ending<T>>
    where
        F: Future<Output = Result<T, E>>,
        E: Into<ToolError>,
    {
        let shared = self.shared;
        let Some(handler) = self.handler.as_mut().as_pin_mut() else {
            return Poll::Pending;
        };
        let old = shared.run().begin_poll(cx.waker());
        drop(old);
        let polled = catch_unwind(AssertUnwindSafe(|| {
            handler.poll(cx).map(|output| output.map_err(Into::into))
        }));
        let (mut output, panic) = match polled {
            Ok(Poll::Ready(output)) => (Some(output), None),
            Ok(Poll::Pending) => (None, None),
            Err(panic) => (None, Some(panic)),
        };
        if let Some(panic) = panic {
            shared.run().fault(FaultKind::Panicked(spent(panic)));
        }
        let verdict = shared.run().end_poll(output.is_some());
        let ending = match verdict {
            Verdict::Wait => return Poll::Pending,
            Verdict::WakeAndWait => {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Verdict::Done => match output.take() {
                Some(output) => Ending::Done(output),
                None => return Poll::Pending,
            },
            Verdict::Suspend(suspension) => Ending::Suspended(suspension),
            Verdict::MissingCapabilities(missing) => Ending::MissingCapabilities(missing),
            Verdict::BadAnswer(bad) => Ending::BadAnswer(bad),
            Verdict::Fault(fault) => Ending::Fault(fault),
            Verdict::Stopped(stop) => Ending::Stopped(stop),
        };
        let dropped = contain(|| {
            self.end();
            drop(output);
        });
        Poll::Ready(match (dropped, ending) {
            (Ok(()), ending) | (Err(_), ending @ Ending::Fault(_)) => ending,
            (Err(message), _) => {
                Ending::Fault(shared.run().close_with(FaultKind::Panicked(message)))
            }
        })
    }
}

impl<F> Contained<'_, F> {
    fn end(&mut self) {
        let waker = self.shared.run().close();
        drop(waker);
        self.handler.set(None);
    }
}

impl<F> Drop for Contained<'_, F> {
    fn drop(&mut self) {
        let _ = contain(|| self.end());
    }
}

/// Runs code of the author that must not unwind any further.
fn contain(code: impl FnOnce()) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(code)).map_err(spent)
}

/// The text of a panic, whose payload may panic in its turn when dropped.
pub(super) fn spent(panic: Box<dyn Any + Send>) -> String {
    let text = if let Some(text) = panic.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text.clone()
    } else {
        "with a value that is not text".to_owned()
    };
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(again);
    }
    text
}
