//! A round runs one handler, once.

mod support;

use std::sync::OnceLock;

use futures::FutureExt;
use mrtr_core::replay::{Cx, FaultKind, ToolError};
use mrtr_core::round::{OpenRound, Outcome, RoundEnv, RoundRequest};
use support::*;

fn open(call: &Call) -> (OpenRound, RoundRequest<'_>) {
    let mut request = RoundRequest::new(call.method, &call.target);
    request.capabilities = call.capabilities;
    let env = RoundEnv::new(call.now, [1; 32], call.timer.clone());
    let round = call.rounds.open(&request, &call.policy, env);
    (round.expect("a first round"), request)
}

async fn one_ask(cx: Cx) -> Result<(), ToolError> {
    ask(&cx, "q").await?;
    Ok(())
}

fn expect_refused(second: Outcome<()>) {
    let call = Call::new();
    let (round, request) = open(&call);
    let refused = fault(round.close(second, &request, call.now));
    assert_eq!(refused.kind(), &FaultKind::RunTwice);
}

#[tokio::test]
async fn a_second_handler_after_the_first_is_a_fault_and_does_not_hang() {
    let call = Call::new();
    let (round, _) = open(&call);
    drop(round.call(one_ask).await);
    expect_refused(round.call(one_ask).await);
}

#[tokio::test]
async fn a_second_handler_beside_the_first_is_a_fault_and_the_first_goes_on() {
    let call = Call::new();
    let (round, request) = open(&call);
    let (ready, waits) = tokio::sync::oneshot::channel();
    let mut first = Box::pin(round.call(|cx| async move {
        waits.await?;
        one_ask(cx).await
    }));
    assert!(first.as_mut().now_or_never().is_none());
    expect_refused(round.call(one_ask).await);
    ready.send(()).expect("the first handler waits");
    let outcome = first.await;
    assert_eq!(keys(round.close(outcome, &request, call.now)), ["q"]);
}

#[tokio::test]
async fn a_context_that_is_kept_for_the_next_round_is_a_fault_there_and_does_not_hang() {
    let kept = OnceLock::new();
    let handler = |cx: Cx| one_ask(kept.get_or_init(|| cx).clone());
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), handler).await), ["q"]);
    let fault = fault(call.play(none(), handler).await);
    assert!(
        fault.to_string().contains("outside of its round"),
        "{fault}"
    );
}

#[tokio::test]
async fn a_spawned_task_that_asks_after_its_round_ends_with_a_panic() {
    let (start, started) = tokio::sync::oneshot::channel::<()>();
    let handler = |cx: Cx| async move {
        Ok::<_, ToolError>(tokio::spawn(async move {
            started.await.ok();
            ask(&cx, "q").await
        }))
    };
    let task = done(Call::new().play(none(), handler).await);
    start.send(()).expect("the task waits");
    assert!(task.await.expect_err("no answer").is_panic());
}
