//! What handlers may be made of.

mod support;

use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};

use anyhow::Context as _;
use mrtr_core::form::FormContent;
use mrtr_core::replay::{
    Ask, Confirm, Cx, Fault, FaultKind, IdempotencyKey, Refused, ToolError, ToolErrorKind,
};
use mrtr_core::round::{Closed, OpenRound, Outcome, RoundEnv, Rounds};
use serde_json::json;
use support::*;

fn send<T: Send>() {}
fn sync<T: Sync>() {}
fn send_future<T: Future + Send>(future: T) -> T {
    future
}

#[test]
fn everything_crosses_threads_between_polls() {
    send::<Cx>();
    sync::<Cx>();
    send::<IdempotencyKey>();
    sync::<IdempotencyKey>();
    send::<Ask<FormContent>>();
    send::<Confirm>();
    send::<ToolError>();
    sync::<ToolError>();
    send::<Fault>();
    send::<Outcome<String>>();
    send::<Closed<String>>();
    send::<OpenRound>();
    sync::<OpenRound>();
    send::<RoundEnv>();
    sync::<Rounds>();
    async fn handler(cx: Cx) -> Result<(), ToolError> {
        let step = cx.step("s", || async { Ok::<_, ToolError>(1) });
        let url = cx.elicit_url("u", "?", "https://example.com", || async {
            Ok::<_, std::io::Error>(1)
        });
        let later = cx.later_when(async {}, std::time::Duration::ZERO);
        let kept = cx
            .elicit_form("k", "?", text())
            .keep(|content| content.len());
        let (_, _, (), _) = tokio::join!(step, url, later, kept);
        Ok(())
    }
    let mut call = Call::new();
    drop(send_future(call.play(none(), handler)));
}

#[tokio::test]
async fn a_handler_moves_between_worker_threads() {
    let mut call = Call::new();
    let handler = |cx: Cx| async move {
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        Ok::<_, ToolError>(ask(&cx, "q").await?)
    };
    // Each poll on a thread of its own.
    let mut round = Box::pin(call.play(none(), handler));
    let closed = loop {
        let polled = std::thread::scope(|scope| {
            let poll = || {
                let mut cx = Context::from_waker(Waker::noop());
                round.as_mut().poll(&mut cx)
            };
            scope.spawn(poll).join().expect("no panic")
        });
        if let std::task::Poll::Ready(closed) = polled {
            break closed;
        }
    };
    assert_eq!(keys(closed), ["q"]);
}

async fn decline_q<E, F, Fut>(handler: F) -> Closed<()>
where
    E: Into<ToolError> + Debug,
    F: Fn(Cx) -> Fut,
    Fut: Future<Output = Result<(), E>>,
{
    let mut call = Call::new();
    asked(call.play(none(), &handler).await);
    call.play(json!({ "q": decline() }), &handler).await
}

#[tokio::test]
async fn a_refusal_ends_handlers_of_any_error_type_as_a_refusal() {
    let plain = decline_q(|cx| async move { ask(&cx, "q").await.map(drop) }).await;
    assert_eq!(refused(plain), Refused::declined("q"));
    let tool = decline_q(|cx| async move {
        ask(&cx, "q").await?;
        Ok::<_, ToolError>(())
    })
    .await;
    assert_eq!(refused(tool), Refused::declined("q"));
    let context = decline_q(|cx| async move {
        ask(&cx, "q").await.context("while asking")?;
        Ok::<_, anyhow::Error>(())
    })
    .await;
    assert_eq!(refused(context), Refused::declined("q"));
    let boxed = decline_q(|cx| async move {
        ask(&cx, "q").await?;
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
    })
    .await;
    assert_eq!(refused(boxed), Refused::declined("q"));
    let url = decline_q(|cx| async move {
        let done = || async { Ok::<_, std::io::Error>(()) };
        cx.elicit_url("q", "?", "https://example.com", done).await?;
        Ok::<_, anyhow::Error>(())
    })
    .await;
    assert_eq!(refused(url), Refused::declined("q"));
}

#[tokio::test]
async fn an_error_for_the_client_stays_what_it_was() {
    for (error, kind) in [
        (
            ToolError::visible("Sold out."),
            ToolErrorKind::Visible("Sold out.".into()),
        ),
        (ToolError::not_found(), ToolErrorKind::NotFound),
        (ToolError::from("detail"), ToolErrorKind::Opaque),
    ] {
        let closed = Call::new()
            .play(none(), |_| async { Err::<(), _>(error) })
            .await;
        let Closed::Failed(error) = closed else {
            panic!("{closed:?}")
        };
        assert_eq!(error.kind(), &kind);
    }
}

#[tokio::test]
async fn a_panic_before_the_first_await_of_a_plain_function_is_contained() {
    fn handler(_: Cx) -> std::future::Ready<Result<(), ToolError>> {
        panic!("at once")
    }
    let fault = fault(Call::new().play(none(), handler).await);
    assert_eq!(fault.kind(), &FaultKind::Panicked("at once".into()));
}

struct Holding(#[allow(dead_code)] Arc<()>);

impl Wake for Holding {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn an_abandoned_round_keeps_neither_the_handler_nor_its_task_alive() {
    let (handler, task) = (Arc::new(()), Arc::new(()));
    let mut kept = None;
    {
        let held = handler.clone();
        let mut call = Call::new();
        let mut round = Box::pin(call.play(none(), |cx| {
            kept = Some(cx.clone());
            async move {
                let _held = held;
                let waiting = ask(&cx, "q");
                std::future::pending::<()>().await;
                waiting.await
            }
        }));
        let waker = Waker::from(Arc::new(Holding(task.clone())));
        let mut cx = Context::from_waker(&waker);
        assert!(round.as_mut().poll(&mut cx).is_pending());
    }
    assert!(kept.is_some(), "although a context lives on");
    assert_eq!(Arc::strong_count(&handler), 1);
    assert_eq!(Arc::strong_count(&task), 1);
}
