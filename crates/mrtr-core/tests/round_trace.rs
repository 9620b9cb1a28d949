//! All rounds of an exchange stand in one trace.

mod support;

use mrtr_core::replay::{Cx, ToolError};
use mrtr_core::trace::TraceContext;
use serde_json::json;
use support::*;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const OTHER: &str = "ffffffffffffffffffffffffffffffff";

fn context(trace: &str, span: u8, more: &str) -> TraceContext {
    let parent = format!("00-{trace}-00000000000000{span:02x}-01");
    let context = TraceContext::parse(Some(&parent), Some(more), Some(more));
    context.expect("a trace context")
}

/// Asks three times; the trace of the last round is its result.
async fn three(cx: Cx) -> Result<Option<TraceContext>, ToolError> {
    for key in ["a", "b", "c"] {
        ask(&cx, key).await?;
    }
    Ok(cx.trace_context().cloned())
}

/// The trace that a handler sees in the last of these rounds, each of a request
/// with this context.
async fn seen(requests: [Option<TraceContext>; 4]) -> Option<TraceContext> {
    let mut call = Call::new();
    let mut answers = [none(), json!({"a": value("x")}), json!({"b": value("x")})].into_iter();
    let [first @ .., last] = requests;
    for trace in first {
        call.trace = trace;
        let closed = call.play(answers.next().expect("three"), three).await;
        asked(closed);
    }
    call.trace = last;
    done(call.play(json!({"c": value("x")}), three).await)
}

#[tokio::test]
async fn what_the_first_request_said_holds_for_those_that_say_nothing() {
    let first = context(TRACE, 1, "a=1");
    let seen = seen([Some(first.clone()), None, None, None]).await;
    assert_eq!(seen, Some(first), "with all that it said");
}

#[tokio::test]
async fn a_request_of_the_same_trace_says_what_comes_next_in_it() {
    let (first, last) = (context(TRACE, 1, "a=1"), context(TRACE, 2, "a=2"));
    let seen_last = seen([Some(first.clone()), None, None, Some(last.clone())]).await;
    assert_eq!(seen_last, Some(last.clone()));
    let seen_first = seen([Some(first.clone()), Some(last), None, None]).await;
    assert_eq!(seen_first, Some(first), "for those that say nothing");
}

#[tokio::test]
async fn a_request_of_another_trace_does_not_leave_that_of_the_exchange() {
    let (first, other) = (context(TRACE, 1, "a=1"), context(OTHER, 2, "a=2"));
    let seen_first = seen([Some(first.clone()), Some(other.clone()), None, Some(other)]).await;
    assert_eq!(seen_first, Some(first));
}

#[tokio::test]
async fn the_first_that_says_something_counts() {
    let (second, other) = (context(TRACE, 2, "a=1"), context(OTHER, 3, "a=2"));
    let seen = seen([None, Some(second.clone()), None, Some(other)]).await;
    assert_eq!(seen, Some(second));
    assert_eq!(self::seen([None, None, None, None]).await, None);
}

/// The length of a first state.
async fn length(trace: Option<TraceContext>, most: Option<usize>) -> usize {
    let mut call = Call::new();
    call.trace = trace;
    if let Some(most) = most {
        call.policy.limits.max_bytes = most;
    }
    let asked = asked(call.play(none(), three).await);
    asked.request_state.expect("a state").len()
}

#[tokio::test]
async fn a_trace_costs_25_bytes_and_its_lists_and_none_costs_nothing() {
    let parent = context(TRACE, 1, "");
    let (without, with) = (length(None, None).await, length(Some(parent), None).await);
    assert_eq!((with - without).div_ceil(4) * 3, 27, "and two empty lists");
    let list = "k=12345678".to_owned();
    let more = length(Some(context(TRACE, 1, &list)), None).await;
    assert!(more - with <= 2 * (list.len() + 2) * 4 / 3, "{more}");
}

#[tokio::test]
async fn what_a_client_says_of_traces_never_makes_a_state_too_large() {
    let without = length(None, None).await;
    let long = context(TRACE, 1, &vec!["k=12345678"; 40].join(","));
    assert_eq!(length(Some(long), Some(without)).await, without, "left out");
}
