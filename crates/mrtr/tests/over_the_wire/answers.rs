//! How answers are read. Malformed and missing ones are in [`crate::error_handling`], what needs a
//! capability in [`crate::requirements_capabilities`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mrtr::replay::Refused;
use mrtr::{Cx, Form, ToolError};
use serde_json::{Value, json};

use crate::support::{Answer, Case, Kind, Offer, Peer, accept, builder, yes};

#[derive(Form)]
struct Who {
    #[form(max_length = 20)]
    name: String,
    #[form(min = 0)]
    age: i32,
    #[form(title = "Height in cm")]
    height: Option<f64>,
}

async fn who(cx: Cx) -> Result<String, ToolError> {
    let who: Who = cx.elicit("who", "Who are you?").await?;
    Ok(format!("{} {} {:?}", who.name, who.age, who.height))
}

fn ann() -> Value {
    accept(json!({"name": "Ann", "age": 7}))
}

everywhere!(
    d1_d7_content_that_fails_the_form_is_asked_again_saying_what_was_wrong,
    d6_d7_numbers_are_read_as_the_schema_has_them,
    d2_a_refusal_stays_one_whatever_content_it_has,
    d5_answers_need_no_result_type,
    a_url_is_agreed_to_without_content_and_checked_by_the_server,
    a_round_too_many_is_a_final_error_and_rounds_that_only_wait_do_not_count,
    d12_d13_both_fields_reach_the_handler_and_an_interim_result_leaves_untouched,
    e13_a_side_effect_before_three_questions_happens_once,
);

async fn d1_d7_content_that_fails_the_form_is_asked_again_saying_what_was_wrong(case: Case) {
    let mut peer = Peer::of(case, builder().offer("who", who)).await;
    let state = peer.call("who").await.state();
    for (answer, said) in [
        (json!({"action": "accept"}), "name"),
        (json!({"action": "accept", "content": null}), "name"),
        (accept(json!({})), "name"),
        (accept(json!({"name": "Ann"})), "age"),
        (accept(json!({"name": 42, "age": 7})), "name"),
        (accept(json!({"name": "Ann", "age": -5})), "age"),
        (accept(json!({"name": "Ann", "age": "7"})), "age"),
        (accept(json!({"name": "Ann", "age": 7.5})), "age"),
        (accept(json!({"name": "x".repeat(21), "age": 7})), "name"),
        (
            accept(json!({"name": "Ann", "age": 7, "extra": {"x": 1}})),
            "extra",
        ),
        (
            accept(json!({"name": "Ann", "age": 7, "height": "tall"})),
            "height",
        ),
    ] {
        let again = peer.answer("who", json!({"who": answer}), &state).await;
        let question = again.question("who");
        let message = question["message"].as_str().unwrap().to_lowercase();
        let (asked, wrong) = message.split_once("who are you?").unwrap();
        assert_eq!(asked, "");
        assert!(wrong.contains(said), "{answer}: {message}");
        assert_eq!(
            question["requestedSchema"]["required"],
            json!(["name", "age"])
        );
    }
}

async fn d6_d7_numbers_are_read_as_the_schema_has_them(case: Case) {
    let mut peer = Peer::of(case, builder().offer("who", who)).await;
    let state = peer.call("who").await.state();
    for (content, read) in [
        (
            r#"{"name":"Ann","age":1.0,"height":36.6}"#,
            "Ann 1 Some(36.6)",
        ),
        (
            r#"{"name":"Ann","age":10e-1,"height":170}"#,
            "Ann 1 Some(170.0)",
        ),
        (r#"{"age":2147483647,"name":""}"#, " 2147483647 None"),
    ] {
        let content: Value = serde_json::from_str(content).unwrap();
        let done = peer
            .answer("who", json!({"who": accept(content)}), &state)
            .await;
        assert_eq!(done.done(), read);
    }
}

#[track_caller]
fn assert_refused(answer: &Answer, case: Case, key: &str, reason: &str) {
    if case.kind == Kind::Tool {
        assert_eq!(answer.result()["isError"], true);
        assert!(answer.done().contains(reason), "{}", answer.done());
        return;
    }
    let error = answer.assert_error(-32_602, 200);
    assert_eq!(error["data"], json!({"reason": reason, "key": key}));
}

async fn d2_a_refusal_stays_one_whatever_content_it_has(case: Case) {
    let builder = builder()
        .offer("who", who)
        .offer("polite", |cx| async move {
            Ok(match cx.elicit::<Who>("who", "Who are you?").await {
                Ok(who) => who.name,
                Err(Refused::Declined(_)) => "declined".into(),
                Err(Refused::Cancelled(_)) => "cancelled".into(),
            })
        });
    let mut peer = Peer::of(case, builder).await;
    for (action, reason) in [("decline", "declined"), ("cancel", "cancelled")] {
        for content in [
            json!(null),
            json!({}),
            json!({"name": "Paris", "age": 7}),
            json!({"x": {}}),
        ] {
            let refusal = json!({"who": {"action": action, "content": content}});
            let state = peer.call("who").await.state();
            let refused = peer.answer("who", refusal.clone(), state).await;
            assert_refused(&refused, case, "who", reason);
            assert!(!refused.text.contains("Paris"));
            let state = peer.call("polite").await.state();
            assert_eq!(peer.answer("polite", refusal, state).await.done(), reason);
        }
    }
}

async fn d5_answers_need_no_result_type(case: Case) {
    let mut peer = Peer::of(case, builder().offer("who", who)).await;
    let state = peer.call("who").await.state();
    assert_eq!(
        peer.answer("who", json!({"who": ann()}), &state)
            .await
            .done(),
        "Ann 7 None"
    );
    let mut typed = ann();
    typed["resultType"] = json!("complete");
    assert_eq!(
        peer.answer("who", json!({"who": typed}), &state)
            .await
            .done(),
        "Ann 7 None"
    );
}

async fn a_url_is_agreed_to_without_content_and_checked_by_the_server(case: Case) {
    let visits = Arc::new(AtomicU32::new(0));
    let checks = visits.clone();
    let builder = builder().offer("visit", move |cx: Cx| {
        let checks = checks.clone();
        async move {
            let done = || async move {
                match checks.fetch_add(1, Ordering::SeqCst) {
                    // Not there yet, however long the request is held.
                    0 => std::future::pending().await,
                    _ => Ok::<_, ToolError>("token".to_owned()),
                }
            };
            let visit = cx.elicit_url("visit", "Sign in.", "https://example.com/in", done);
            visit.await.map_err(|error| error.flatten())
        }
    });
    let mut peer = Peer::of(case, builder).await;
    let asked = peer.call("visit").await;
    assert_eq!(
        asked.question("visit"),
        &json!({"mode": "url", "message": "Sign in.", "url": "https://example.com/in"})
    );
    assert_eq!(visits.load(Ordering::SeqCst), 0, "agreed to first");
    let agreed = || json!({"visit": {"action": "accept"}});
    let again = peer.answer("visit", agreed(), asked.state()).await;
    assert_eq!(again.keys(), ["visit"], "accept is not yet done");
    let done = peer.answer("visit", agreed(), again.state()).await;
    assert_eq!(done.done(), "token");

    let declined = json!({"visit": {"action": "decline"}});
    let refused = peer.answer("visit", declined, asked.state()).await;
    assert_refused(&refused, case, "visit", "declined");
}

async fn a_round_too_many_is_a_final_error_and_rounds_that_only_wait_do_not_count(case: Case) {
    let builder = builder()
        .offer("endless", |cx| async move {
            for i in 0.. {
                cx.at(i).confirm("more", "More?").await?;
            }
            Ok("done".into())
        })
        .offer("waits", |cx| async move {
            cx.later_when(std::future::pending::<()>(), Duration::from_secs(1))
                .await;
            Ok("done".into())
        });
    let mut peer = Peer::of(case, builder).await;
    let mut asked = peer.call("endless").await;
    for round in 0..9 {
        asked = peer
            .answer(
                "endless",
                json!({format!("{round}/more"): yes()}),
                asked.state(),
            )
            .await;
        assert_eq!(asked.keys(), [format!("{}/more", round + 1)]);
    }
    let last = peer
        .answer("endless", json!({"9/more": yes()}), asked.state())
        .await;
    let error = last.assert_error(-32_603, 200);
    assert_eq!(error["data"]["reason"], "too_many_rounds");
    assert!(error["message"].as_str().unwrap().contains("10 rounds"));

    let mut waits = peer.call("waits").await;
    for _ in 0..30 {
        waits = peer
            .call_with("waits", json!({"requestState": waits.state()}))
            .await;
        assert!(waits.keys().is_empty());
    }
}

async fn d12_d13_both_fields_reach_the_handler_and_an_interim_result_leaves_untouched(case: Case) {
    let builder = builder().offer("who", |cx| async move {
        let started = cx.step_value("started", || async { cx.round() }).await;
        Ok(format!("{} of {}, {}", cx.round(), started, who(cx).await?))
    });
    let mut peer = Peer::of(case, builder).await;
    let asked = peer.call("who").await;
    let members: Vec<_> = asked.result().as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        ["_meta", "inputRequests", "requestState", "resultType"]
    );
    assert!(asked.result().get(case.kind.body()).is_none());
    let done = peer
        .answer("who", json!({"who": ann()}), asked.state())
        .await;
    assert_eq!(done.done(), "2 of 1, Ann 7 None");
}

async fn e13_a_side_effect_before_three_questions_happens_once(case: Case) {
    let (bare, stepped) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let counters = (bare.clone(), stepped.clone());
    let builder = builder().offer("effect", move |cx: Cx| {
        let (bare, stepped) = counters.clone();
        async move {
            bare.fetch_add(1, Ordering::SeqCst);
            let work = || async { Ok::<_, ToolError>(stepped.fetch_add(1, Ordering::SeqCst)) };
            cx.step("effect", work).await?;
            for i in 0..3 {
                cx.at(i).confirm("sure", "Sure?").await?;
            }
            Ok("done".into())
        }
    });
    let mut peer = Peer::of(case, builder).await;
    let mut answer = peer.call("effect").await;
    for i in 0..3 {
        answer = peer
            .answer(
                "effect",
                json!({format!("{i}/sure"): yes()}),
                answer.state(),
            )
            .await;
    }
    assert_eq!(answer.done(), "done");
    assert_eq!(stepped.load(Ordering::SeqCst), 1);
    assert_eq!(
        bare.load(Ordering::SeqCst),
        4,
        "once per round, as documented"
    );
}
