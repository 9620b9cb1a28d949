//! What a `once` does, and how its author finds out what came of it.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

use serde::Serialize;

use super::Text;
use crate::replay::drive::spent;

/// Starts a body and gives its value as JSON.
pub(super) type Body = Box<dyn FnOnce() -> Doing + Send>;

type Doing = Pin<Box<dyn Future<Output = Text> + Send>>;

/// Starts a lookup and gives what it found as JSON.
pub(super) type Lookup<'a> =
    Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = Option<Text>> + Send + 'a>> + Send + 'a>;

pub(super) fn body<T, Fut>(body: impl FnOnce() -> Fut + Send + 'static) -> Body
where
    T: Serialize,
    Fut: Future<Output = T> + Send + 'static,
{
    Box::new(|| {
        let doing = body();
        Box::pin(async { written(&doing.await) })
    })
}

pub(super) fn lookup<'a, T, Fut>(lookup: impl FnOnce() -> Fut + Send + 'a) -> Lookup<'a>
where
    T: Serialize,
    Fut: Future<Output = Option<T>> + Send + 'a,
{
    Box::new(|| {
        let looking = lookup();
        Box::pin(async { looking.await.as_ref().map(written) })
    })
}

fn written(value: &impl Serialize) -> Text {
    serde_json::to_string(value).map_err(|problem| problem.to_string())
}

/// Does a body; a panic inside ends here, as its text.
pub(super) async fn contained(body: Body) -> Result<Text, String> {
    let mut doing = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(doing) => doing,
        Err(panic) => return Err(spent(panic)),
    };
    poll_fn(
        |cx| match catch_unwind(AssertUnwindSafe(|| doing.as_mut().poll(cx))) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(spent(panic))),
        },
    )
    .await
}
