//! A round runs one handler, once.

mod support;

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
