//! The numbered requirements for clients, in the order of the page
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow>.

use std::collections::HashSet;

use mrtr::client::{Call, ClientError, Turn};
use mrtr::wire::{Capability, ElicitResult, InputResponse};
use serde_json::{Value, json, value::to_raw_value};

use crate::support::script::{Scripted, asks, done};
use crate::support::{Case, Kind};

everywhere!(
    client_requirement_1_inputs_are_constructed_before_the_retry,
    client_requirement_1_without_questions_the_request_is_retried_with_the_state_alone,
    client_requirement_2_b3_the_state_is_echoed_exactly,
    client_requirement_2_b2_without_a_state_none_is_sent,
    client_requirement_3_b10_every_request_has_an_id_of_its_own,
    client_requirement_4_no_other_request_carries_answers_or_state,
);

fn start(peer: &Scripted, name: &str) -> Call {
    peer.call(name).declare(Capability::ElicitationForm.into())
}

async fn asked(call: &mut Call) -> Vec<String> {
    match call.advance().await.unwrap() {
        Turn::Asked(questions) => questions.iter().map(|(key, _)| key.to_owned()).collect(),
        done => panic!("{done:?}"),
    }
}

fn yes(key: &str) -> (String, InputResponse) {
    let content = to_raw_value(&json!({"yes": true})).unwrap();
    (
        key.to_owned(),
        InputResponse::Elicit(ElicitResult::accept(Some(content))),
    )
}

async fn finish(call: &mut Call) {
    let turn = call.advance().await.unwrap();
    assert!(matches!(turn, Turn::Done(_)), "{turn:?}");
}

/// Parameters without what every request has of its own.
fn bare(leg: &Value) -> Value {
    let mut params = leg["params"].clone();
    params.as_object_mut().unwrap().remove("_meta").unwrap();
    params
}

fn with(params: &Value, members: Value) -> Value {
    let mut params = params.clone();
    crate::support::merge(&mut params, members);
    params
}

async fn client_requirement_1_inputs_are_constructed_before_the_retry(case: Case) {
    let results = [asks(&["a", "b"], Some("S1")), done(case.kind)];
    let peer = Scripted::new(case, results).await;
    let mut call = start(&peer, "it");
    assert_eq!(asked(&mut call).await, ["a", "b"]);
    // However often it is tried: with questions open nothing leaves.
    assert_eq!(asked(&mut call).await, ["a", "b"]);
    let partly = call.answer(vec![yes("a")]).unwrap_err();
    assert!(matches!(partly, ClientError::Answer(_)), "{partly}");
    assert_eq!(asked(&mut call).await, ["a", "b"]);
    assert_eq!(peer.legs().len(), 1);

    call.answer(vec![yes("a"), yes("b")]).unwrap();
    finish(&mut call).await;
    let legs = peer.legs();
    let accepted = json!({"action": "accept", "content": {"yes": true}});
    let answers = json!({"inputResponses": {"a": accepted, "b": accepted}, "requestState": "S1"});
    assert_eq!(bare(&legs[1]), with(&bare(&legs[0]), answers));
    assert_eq!(legs.len(), 2);
}

async fn client_requirement_1_without_questions_the_request_is_retried_with_the_state_alone(
    case: Case,
) {
    let empty = with(&asks(&[], Some("S2")), json!({"inputRequests": {}}));
    let peer = Scripted::new(case, [asks(&[], Some("S1")), empty, done(case.kind)]).await;
    finish(&mut start(&peer, "it")).await;
    let legs = peer.legs();
    assert_eq!(
        bare(&legs[1]),
        with(&bare(&legs[0]), json!({"requestState": "S1"}))
    );
    assert_eq!(
        bare(&legs[2]),
        with(&bare(&legs[0]), json!({"requestState": "S2"}))
    );
    assert_eq!(legs.len(), 3);
}

async fn client_requirement_2_b3_the_state_is_echoed_exactly(case: Case) {
    let long = "x".repeat(64 * 1024);
    for state in [
        "a+b/c==",
        "\u{e9} \u{1f600} \u{0}\u{1f}\u{7f}\u{2028}",
        " lead/trail ",
        "",
        r#"{"k":1.0}"#,
        r#"\"\\u0061"#,
        "null",
        &long,
    ] {
        let peer = Scripted::new(case, [asks(&["q"], Some(state)), done(case.kind)]).await;
        let mut call = start(&peer, "it");
        assert_eq!(asked(&mut call).await, ["q"]);
        call.answer(vec![yes("q")]).unwrap();
        finish(&mut call).await;
        assert_eq!(peer.legs()[1]["params"]["requestState"], state);
    }
}

async fn client_requirement_2_b2_without_a_state_none_is_sent(case: Case) {
    let results = [
        asks(&["a"], Some("S1")),
        asks(&["b"], None),
        done(case.kind),
    ];
    let peer = Scripted::new(case, results).await;
    let mut call = start(&peer, "it");
    for key in ["a", "b"] {
        assert_eq!(asked(&mut call).await, [key]);
        call.answer(vec![yes(key)]).unwrap();
    }
    finish(&mut call).await;
    let legs = peer.legs();
    assert_eq!(legs[1]["params"]["requestState"], "S1");
    let accepted = json!({"action": "accept", "content": {"yes": true}});
    let answers = json!({"inputResponses": {"b": accepted}});
    assert_eq!(
        bare(&legs[2]),
        with(&bare(&legs[0]), answers),
        "neither old state nor old answers"
    );
}

async fn client_requirement_3_b10_every_request_has_an_id_of_its_own(case: Case) {
    let results = [
        asks(&["a"], Some("S1")),
        asks(&[], Some("S2")),
        asks(&["b"], None),
        done(case.kind),
        asks(&["a"], Some("S1")),
    ];
    let peer = Scripted::new(case, results).await;
    let mut call = start(&peer, "it");
    for key in ["a", "b"] {
        assert_eq!(asked(&mut call).await, [key]);
        call.answer(vec![yes(key)]).unwrap();
    }
    finish(&mut call).await;
    asked(&mut start(&peer, "it")).await;
    let ids: Vec<String> = peer
        .all()
        .iter()
        .map(|message| message["id"].to_string())
        .collect();
    assert!(peer.legs().len() == 5 && ids.len() >= 5);
    assert_eq!(
        ids.iter().collect::<HashSet<_>>().len(),
        ids.len(),
        "{ids:?}"
    );
}

async fn client_requirement_4_no_other_request_carries_answers_or_state(case: Case) {
    let results = [
        asks(&["q"], Some("S1")),
        asks(&["q"], Some("S2")),
        done(case.kind),
        done(case.kind),
        asks(&["q"], Some("S3")),
    ];
    let peer = Scripted::new(case, results).await;
    let (mut one, mut two) = (start(&peer, "it"), start(&peer, "it"));
    asked(&mut one).await;
    asked(&mut two).await;
    peer.client.list_tools().await.unwrap();
    two.answer(vec![yes("q")]).unwrap();
    finish(&mut two).await;
    peer.client.list_tools().await.unwrap();
    one.answer(vec![yes("q")]).unwrap();
    finish(&mut one).await;
    // B1: the same call again starts from nothing.
    asked(&mut start(&peer, "it")).await;

    let states: Vec<_> = peer
        .legs()
        .iter()
        .map(|leg| leg["params"]["requestState"].clone())
        .collect();
    assert_eq!(
        states,
        [
            json!(null),
            json!(null),
            json!("S2"),
            json!("S1"),
            json!(null)
        ]
    );
    let legs = peer.legs();
    for first in [&legs[1], &legs[4]] {
        assert_eq!(bare(first), bare(&legs[0]));
    }
    let mut others = peer.all();
    others.retain(|message| message["method"] != case.kind.method());
    assert!(case.kind == Kind::Tool || others.len() >= 2);
    for message in others {
        let params = &message["params"];
        assert!(
            params
                .get("requestState")
                .or(params.get("inputResponses"))
                .is_none(),
            "{message}"
        );
    }
}
