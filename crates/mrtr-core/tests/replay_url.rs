//! Questions that are answered elsewhere.

mod support;

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mrtr_core::replay::{Cx, Refused, ToolError, UrlError};
use mrtr_core::wire::{ElicitRequest, InputRequest};
use serde_json::json;
use support::*;
use tokio::time::{Instant, sleep};

/// A page that is done after some time.
#[derive(Clone, Default)]
struct Page(Arc<Mutex<Option<String>>>);

impl Page {
    fn finish(&self, token: &str) {
        *self.0.lock().expect("not poisoned") = Some(token.into());
    }

    /// Looks again every second.
    async fn finished(self) -> Result<String, Infallible> {
        loop {
            if let Some(token) = self.0.lock().expect("not poisoned").clone() {
                return Ok(token);
            }
            sleep(Duration::from_secs(1)).await;
        }
    }
}

async fn sign_in(cx: Cx, page: Page) -> Result<String, ToolError> {
    let url = format!("https://example.com/in?round={}", cx.round());
    let token = cx
        .elicit_url("in", "Sign in.", url, || page.finished())
        .await?;
    ask(&cx, "more").await?;
    Ok(token)
}

fn timed() -> Call {
    let mut call = Call::new();
    call.timer = Arc::new(TokioTimer);
    call
}

#[tokio::test(start_paused = true)]
async fn accept_is_consent_and_the_check_decides() {
    let (page, mut call) = (Page::default(), timed());
    let before = Instant::now();
    let result = asked(call.play(none(), |cx| sign_in(cx, page.clone())).await);
    assert_eq!(before.elapsed(), Duration::ZERO, "nothing to wait for yet");
    let requests = result.input_requests.expect("a question");
    let Some(InputRequest::Elicit(ElicitRequest::Url(url))) = requests.get("in") else {
        panic!("{requests:?}")
    };
    assert_eq!(url.url, "https://example.com/in?round=1");

    page.finish("token");
    let closed = call
        .play(json!({ "in": accept() }), |cx| sign_in(cx, page.clone()))
        .await;
    assert_eq!(keys(closed), ["more"]);
    page.finish("another");
    let closed = call
        .play(json!({ "more": value("x") }), |cx| sign_in(cx, page))
        .await;
    assert_eq!(done(closed), "token", "the recorded value");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_done_within_the_hold_needs_no_further_round() {
    let (page, mut call) = (Page::default(), timed());
    asked(call.play(none(), |cx| sign_in(cx, page.clone())).await);
    let finish = async {
        sleep(Duration::from_millis(7_500)).await;
        page.finish("token");
    };
    let before = Instant::now();
    let round = call.play(json!({ "in": accept() }), |cx| sign_in(cx, page.clone()));
    let (closed, ()) = tokio::join!(round, finish);
    assert_eq!(keys(closed), ["more"]);
    assert_eq!(before.elapsed(), Duration::from_secs(8));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_not_done_in_time_is_asked_again_with_a_fresh_url() {
    let (page, mut call) = (Page::default(), timed());
    asked(call.play(none(), |cx| sign_in(cx, page.clone())).await);
    for round in 2..5 {
        let before = Instant::now();
        let closed = call
            .play(json!({ "in": accept() }), |cx| sign_in(cx, page.clone()))
            .await;
        assert_eq!(before.elapsed(), Duration::from_secs(20));
        let requests = asked(closed).input_requests.expect("the question again");
        let Some(InputRequest::Elicit(ElicitRequest::Url(url))) = requests.get("in") else {
            panic!("{requests:?}")
        };
        assert!(url.url.ends_with(&format!("={round}")), "{}", url.url);
        assert_eq!(url.message, "Sign in.");
    }
    page.finish("token");
    let closed = call
        .play(json!({ "in": accept() }), |cx| sign_in(cx, page))
        .await;
    assert_eq!(keys(closed), ["more"]);
}

#[tokio::test(start_paused = true)]
async fn the_hold_is_the_authors_choice() {
    let handler = |cx: Cx| async move {
        cx.elicit_url("in", "Sign in.", "https://example.com", || {
            Page::default().finished()
        })
        .hold(Duration::from_secs(3))
        .await?;
        Ok::<_, ToolError>(())
    };
    let mut call = timed();
    asked(call.play(none(), handler).await);
    let before = Instant::now();
    asked(call.play(json!({ "in": accept() }), handler).await);
    assert_eq!(before.elapsed(), Duration::from_secs(3));
}

#[tokio::test]
async fn declining_or_cancelling_is_a_refusal() {
    for (answer, refusal) in [
        (decline(), Refused::declined("in")),
        (cancel(), Refused::cancelled("in")),
    ] {
        let mut call = Call::new();
        asked(call.play(none(), |cx| sign_in(cx, Page::default())).await);
        let closed = call
            .play(json!({ "in": answer }), |cx| sign_in(cx, Page::default()))
            .await;
        assert_eq!(refused(closed), refusal);
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_check_is_the_handlers_error_and_is_not_recorded() {
    let tries = Count::default();
    let handler = |cx: Cx| {
        let tries = tries.clone();
        async move {
            let token = cx
                .elicit_url("in", "Sign in.", "https://example.com", || async move {
                    match tries.up() {
                        1 => Err(std::io::Error::other("the database is away")),
                        n => Ok(n),
                    }
                })
                .await;
            match token {
                Ok(n) => Ok::<_, ToolError>(n),
                Err(UrlError::Check(_)) => {
                    ask(&cx, "again").await?;
                    Ok(0)
                }
                Err(refused) => Err(refused.into()),
            }
        }
    };
    let mut call = timed();
    asked(call.play(none(), handler).await);
    let closed = call.play(json!({ "in": accept() }), handler).await;
    assert_eq!(keys(closed), ["again"]);
    let closed = call.play(json!({ "again": value("x") }), handler).await;
    assert_eq!(
        done(closed),
        2,
        "checked anew, without asking the URL again"
    );
}

#[tokio::test(start_paused = true)]
async fn a_held_page_does_not_hold_back_another_question_and_its_consent_travels_on() {
    let page = Page::default();
    let handler = |cx: Cx| {
        let page = page.clone();
        async move {
            let url = cx.elicit_url("in", "Sign in.", "https://example.com", || page.finished());
            let (token, name) = tokio::join!(url, ask(&cx, "name"));
            Ok::<_, ToolError>(token? + &name?)
        }
    };
    let mut call = timed();
    assert_eq!(keys(call.play(none(), handler).await), ["in", "name"]);
    let before = Instant::now();
    let closed = call.play(json!({ "in": accept() }), handler).await;
    assert_eq!(keys(closed), ["name"], "the person has agreed already");
    assert_eq!(before.elapsed(), Duration::ZERO);
    page.finish("t");
    let closed = call.play(json!({ "name": value("n") }), handler).await;
    assert_eq!(done(closed), "tn");
}

#[tokio::test(start_paused = true)]
async fn two_held_pages_wait_together() {
    let (one, two) = (Page::default(), Page::default());
    let handler = |cx: Cx| {
        let (one, two) = (one.clone(), two.clone());
        async move {
            let one = cx.elicit_url("one", "1", "https://example.com", || one.finished());
            let two = cx.elicit_url("two", "2", "https://example.com", || two.finished());
            let (one, two) = tokio::join!(one, two);
            Ok::<_, ToolError>(one? + &two?)
        }
    };
    let mut call = timed();
    assert_eq!(keys(call.play(none(), handler).await), ["one", "two"]);
    one.finish("1");
    let before = Instant::now();
    let answers = json!({ "one": accept(), "two": accept() });
    assert_eq!(keys(call.play(answers, handler).await), ["two"]);
    assert_eq!(before.elapsed(), Duration::from_secs(20));
    two.finish("2");
    let closed = call.play(json!({ "two": accept() }), handler).await;
    assert_eq!(done(closed), "12");
}

#[tokio::test(start_paused = true)]
async fn consent_without_a_state_counts_unless_marked_asked() {
    let page = Page::default();
    page.finish("token");
    for strict in [false, true] {
        let handler = |cx: Cx| {
            let page = page.clone();
            async move {
                let ask =
                    cx.elicit_url("in", "Sign in.", "https://example.com", || page.finished());
                let ask = if strict { ask.asked() } else { ask };
                Ok::<_, ToolError>(ask.await?)
            }
        };
        let mut call = timed();
        let closed = call.play(json!({ "in": accept() }), handler).await;
        match strict {
            false => assert_eq!(done(closed), "token"),
            true => assert_eq!(keys(closed), ["in"]),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_round_cut_short_by_the_page_counts_against_the_cap() {
    let mut call = timed();
    call.policy.limits.max_rounds = 2;
    let handler = |cx: Cx| sign_in(cx, Page::default());
    asked(call.play(none(), handler).await);
    asked(call.play(json!({ "in": accept() }), handler).await);
    rejected(call.play(json!({ "in": accept() }), handler).await);
}
