//! Rounds that only wait.

mod support;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use mrtr_core::replay::{Cx, ToolError};
use mrtr_core::wire::Cause;
use serde_json::json;
use support::*;
use tokio::time::{Instant, sleep};

const HOLD: Duration = Duration::from_secs(5);

fn timed() -> Call {
    let mut call = Call::new();
    call.timer = Arc::new(TokioTimer);
    call
}

async fn never(cx: Cx) -> Result<u32, ToolError> {
    Ok(cx.later_when(std::future::pending(), HOLD).await)
}

#[tokio::test(start_paused = true)]
async fn what_is_there_within_the_hold_needs_no_round() {
    let handler = |cx: Cx| async move {
        let job = async {
            sleep(Duration::from_secs(4)).await;
            7
        };
        Ok::<_, ToolError>(cx.later_when(job, HOLD).await)
    };
    let before = Instant::now();
    assert_eq!(done(timed().play(none(), handler).await), 7);
    assert_eq!(before.elapsed(), Duration::from_secs(4));
}

#[tokio::test(start_paused = true)]
async fn after_the_hold_the_client_is_sent_away_with_a_state_only() {
    let mut call = timed();
    let before = Instant::now();
    let result = asked(call.play(none(), never).await);
    assert!(result.is_state_only() && result.input_requests.is_none());
    assert_eq!(before.elapsed(), HOLD);
}

#[tokio::test(start_paused = true)]
async fn state_only_rounds_do_not_count_but_the_deadline_ends_them() {
    let mut call = timed();
    call.policy.limits.max_rounds = 1;
    let handler = |cx: Cx| async move {
        assert_eq!(cx.round(), 1);
        never(cx).await
    };
    let started = call.now;
    for _ in 0..60 {
        assert!(asked(call.play(none(), handler).await).is_state_only());
        call.now = call.now + Duration::from_secs(59);
    }
    // One hour after the start the state does not open any more ..
    call.now = started + Duration::from_secs(3_600);
    assert_eq!(
        rejected(call.play(none(), handler).await).cause,
        Cause::InvalidRequestState
    );
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_passes_during_the_round_is_a_final_error() {
    let mut call = timed();
    call.policy.limits.exchange = Duration::ZERO;
    assert_eq!(
        rejected(call.play(none(), never).await).cause,
        Cause::Deadline
    );
}

#[tokio::test(start_paused = true)]
async fn steps_are_recorded_by_a_state_only_round() {
    let worked = Count::default();
    let handler = |cx: Cx| {
        let worked = worked.clone();
        async move {
            let n: u32 = cx
                .step("start", || async { Ok::<_, Infallible>(worked.up()) })
                .await?;
            cx.later_when(sleep(HOLD * 2), HOLD).await;
            Ok::<_, ToolError>(n)
        }
    };
    let mut call = timed();
    assert!(asked(call.play(none(), handler).await).is_state_only());
    assert!(asked(call.play(none(), handler).await).is_state_only());
    assert_eq!(worked.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_question_beside_it_goes_out_at_once() {
    let handler = |cx: Cx| async move {
        let job = cx.later_when(std::future::pending::<()>(), HOLD);
        let (answer, ()) = tokio::join!(ask(&cx, "q"), job);
        Ok::<_, ToolError>(answer?)
    };
    let before = Instant::now();
    assert_eq!(keys(timed().play(none(), handler).await), ["q"]);
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_running_step_is_waited_for_beyond_the_hold() {
    let handler = |cx: Cx| async move {
        let step = cx.step("slow", || async {
            sleep(HOLD * 3).await;
            Ok::<_, Infallible>(())
        });
        let later = cx.later_when(std::future::pending::<()>(), HOLD);
        let (step, ()) = tokio::join!(step, later);
        step?;
        Ok::<_, ToolError>(())
    };
    let before = Instant::now();
    assert!(asked(timed().play(none(), handler).await).is_state_only());
    assert_eq!(before.elapsed(), HOLD * 3);
}

#[tokio::test(start_paused = true)]
async fn without_a_timer_that_waits_nothing_is_held() {
    let before = Instant::now();
    assert!(asked(Call::new().play(none(), never).await).is_state_only());
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_wait_does_not_end_the_round() {
    let handler = |cx: Cx| async move {
        let mut wait = cx.later_when(std::future::pending::<()>(), Duration::ZERO);
        assert!(futures::poll!(&mut wait).is_pending());
        drop(wait);
        tokio::task::yield_now().await;
        Ok::<_, ToolError>(json!("done"))
    };
    assert_eq!(done(timed().play(none(), handler).await), "done");
}
