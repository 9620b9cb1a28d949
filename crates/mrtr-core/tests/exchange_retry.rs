//! What a client sends again (retry cases and the client requirements about retries).

mod exchange_support;

use exchange_support::*;
use mrtr_core::exchange::{
    AnswerError, Blame, Cancelled, Exchange, ExchangeError, ExchangeLimits, Next, ParamsError,
    Phase,
};
use mrtr_core::wire::{Action, ElicitResult, ErrorCode, ErrorObject, InputKind, InputResponse};

#[test]
fn requirement_1_no_retry_leaves_before_the_inputs_are_there() {
    let mut call = call();
    reply(&mut call, &form("f", Some(r#""S1""#))).unwrap();
    let error = call.request(at(0)).unwrap_err();
    assert_eq!(error.blame(), Blame::Caller);
    assert!(
        matches!(call.answer(vec![], at(0)), Err(AnswerError::Missing { keys }) if keys == ["f"])
    );
    assert!(call.request(at(0)).is_err());
    assert_eq!(call.phase(), Phase::Asked);
    let leg = answered(&mut call, "f", r#"{"action":"accept","content":{"n":2}}"#);
    assert_eq!(
        leg,
        format!(
            r#"{},"inputResponses":{{"f":{{"action":"accept","content":{{"n":2}}}}}},"requestState":"S1"}}"#,
            PARAMS.strip_suffix('}').unwrap()
        )
    );
}

#[test]
fn b1_one_params_object_makes_two_calls_that_know_nothing_of_each_other() {
    let params = raw(PARAMS);
    let mut prompts = 0;
    for _ in 0..2 {
        let mut call =
            Exchange::new("tools/call", params.clone(), ExchangeLimits::default()).unwrap();
        assert_eq!(call.request(at(0)).unwrap(), PARAMS);
        asked(
            call.receive(&raw(&form("confirm", Some(r#""S""#))), at(0))
                .unwrap(),
        );
        prompts += 1;
        answered(
            &mut call,
            "confirm",
            r#"{"action":"accept","content":{"n":1}}"#,
        );
        call.receive(&raw(DONE), at(0)).unwrap();
    }
    assert_eq!(prompts, 2);
    assert_eq!(params.get(), PARAMS);
}

#[test]
fn b1_a_leg_cannot_be_taken_for_the_params_of_a_new_call() {
    let mut first = call();
    reply(&mut first, &form("f", None)).unwrap();
    let leg = answered(&mut first, "f", r#"{"action":"accept","content":{"n":1}}"#);
    let error = Exchange::new("tools/call", raw(&leg), ExchangeLimits::default()).unwrap_err();
    assert_eq!(
        error,
        ParamsError::RetryField {
            member: "inputResponses"
        }
    );
}

#[test]
fn b2_neither_an_old_state_nor_an_old_answer_is_sent_again() {
    let mut call = call();
    reply(&mut call, &roots("a", Some(r#""S1""#))).unwrap();
    let leg = answered(&mut call, "a", ROOTS);
    assert!(leg.contains(r#""inputResponses":{"a":"#) && leg.contains("S1"));

    call.receive(&raw(&roots("b", None)), at(0)).unwrap();
    let stale = (
        "a".to_owned(),
        InputResponse::decode(InputKind::Roots, &raw(ROOTS)).unwrap(),
    );
    let good = answer(&call, "b", ROOTS);
    assert!(matches!(
        call.answer(vec![good, stale], at(0)),
        Err(AnswerError::NotAsked { key }) if key == "a"
    ));
    let leg = answered(&mut call, "b", ROOTS);
    assert!(
        leg.ends_with(r#","inputResponses":{"b":{"roots":[]}}}"#),
        "{leg}"
    );
    assert!(!leg.contains("requestState") && !leg.contains("S1"));

    call.receive(&raw(&wait(r#""S3""#)), at(0)).unwrap();
    let leg = call.request(at(250)).unwrap();
    assert!(leg.ends_with(r#","requestState":"S3"}"#) && !leg.contains("inputResponses"));
}

#[test]
fn b3_the_state_is_echoed_byte_for_byte_escapes_included() {
    let long = format!("\"{}\"", "x".repeat(64 * 1024));
    for state in [
        r#""a+b/c==""#,
        r#""\u00e9 \ud83d\ude00""#,
        r#"" lead/trail ""#,
        r#""""#,
        r#""a\/b\u0000""#,
        r#""{\"k\":1.0}""#,
        &long,
    ] {
        for result in [wait(state), roots("q", Some(state))] {
            let mut call = call();
            if let Next::Ask(_) = reply(&mut call, &result).unwrap() {
                let roots = answer(&call, "q", ROOTS);
                call.answer(vec![roots], at(0)).unwrap();
            }
            let leg = call.request(at(250)).unwrap();
            assert!(
                leg.ends_with(&format!(r#","requestState":{state}}}"#)),
                "{state}"
            );
        }
    }
}

#[test]
fn several_answers_go_out_together_in_the_order_of_the_questions() {
    let mut call = call();
    let result = r#"{"resultType":"input_required","inputRequests":{"z\"":{"method":"roots/list"},"a":{"method":"roots/list"}}}"#;
    reply(&mut call, result).unwrap();
    let (a, z) = (answer(&call, "a", ROOTS), answer(&call, "z\"", ROOTS));
    assert!(matches!(
        call.answer(vec![a.clone(), a.clone(), z.clone()], at(0)),
        Err(AnswerError::Twice { key }) if key == "a"
    ));
    assert!(matches!(
        call.answer(vec![a.clone()], at(0)),
        Err(AnswerError::Missing { keys }) if keys == ["z\""]
    ));
    call.answer(vec![a, z], at(0)).unwrap();
    let leg = call.request(at(0)).unwrap();
    assert!(
        leg.ends_with(r#""inputResponses":{"z\"":{"roots":[]},"a":{"roots":[]}}}"#),
        "{leg}"
    );
}

#[test]
fn g1_an_accepted_form_that_the_schema_refuses_is_not_sent() {
    let mut call = call();
    reply(&mut call, &form("f", Some(r#""S1""#))).unwrap();
    for text in [
        r#"{"action":"accept"}"#,
        r#"{"action":"accept","content":{}}"#,
        r#"{"action":"accept","content":{"n":4}}"#,
        r#"{"action":"accept","content":{"n":true}}"#,
    ] {
        let answer = answer(&call, "f", text);
        match call.answer(vec![answer], at(0)) {
            Err(AnswerError::Form { key, problems }) => {
                assert_eq!(key, "f");
                assert!(problems.of("n").is_some(), "{problems}");
            }
            other => panic!("{text}: {other:?}"),
        }
        assert!(call.request(at(0)).is_err());
    }
    let leg = answered(&mut call, "f", r#"{"action":"accept","content":{"n":3}}"#);
    assert!(leg.contains(r#""content":{"n":3}"#) && leg.contains("S1"));
}

#[test]
fn g2_multi_select_answers_are_checked_and_sent() {
    let result = r#"{"resultType":"input_required","inputRequests":{"f":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{"m":{"type":"array","minItems":1,"items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}}},"required":["m"]}}}}}"#;
    let mut call = call();
    reply(&mut call, result).unwrap();
    for content in [r#"{"m":[]}"#, r#"{"m":["c"]}"#, r#"{"m":"a"}"#] {
        let bad = answer(
            &call,
            "f",
            &format!(r#"{{"action":"accept","content":{content}}}"#),
        );
        assert!(matches!(
            call.answer(vec![bad], at(0)),
            Err(AnswerError::Form { .. })
        ));
    }
    let leg = answered(
        &mut call,
        "f",
        r#"{"action":"accept","content":{"m":["a"]}}"#,
    );
    assert!(leg.contains(r#""content":{"m":["a"]}"#));
}

#[test]
fn g7_an_empty_form_is_submitted_as_an_empty_object() {
    let result = r#"{"resultType":"input_required","inputRequests":{"f":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{"note":{"type":"string"}}}}}}}"#;
    let mut call = call();
    reply(&mut call, result).unwrap();
    let leg = answered(&mut call, "f", r#"{"action":"accept"}"#);
    assert!(
        leg.ends_with(r#""inputResponses":{"f":{"action":"accept","content":{}}}}"#),
        "{leg}"
    );
}

#[test]
fn a_declined_form_is_sent_as_it_is_and_without_content() {
    for action in ["decline", "cancel"] {
        let mut call = call();
        reply(&mut call, &form("f", None)).unwrap();
        let leg = answered(&mut call, "f", &format!(r#"{{"action":"{action}"}}"#));
        assert!(
            leg.ends_with(&format!(
                r#""inputResponses":{{"f":{{"action":"{action}"}}}}}}"#
            )),
            "{leg}"
        );
    }
    let mut call = call();
    reply(&mut call, &form("f", None)).unwrap();
    let mut wrong = ElicitResult::decline();
    wrong.content = Some(raw(r#"{"n":1}"#));
    let wrong = ("f".to_owned(), InputResponse::from(wrong));
    assert!(matches!(
        call.answer(vec![wrong], at(0)),
        Err(AnswerError::Content {
            action: Action::Decline,
            ..
        })
    ));
}

#[test]
fn an_accepted_url_has_no_content() {
    let url = r#"{"resultType":"input_required","inputRequests":{"u":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://example.com/"}}}}"#;
    let mut call = call();
    reply(&mut call, url).unwrap();
    let wrong = InputResponse::from(ElicitResult::accept(Some(raw("{}"))));
    assert!(matches!(
        call.answer(vec![("u".to_owned(), wrong)], at(0)),
        Err(AnswerError::Content { .. })
    ));
    let leg = answered(&mut call, "u", r#"{"action":"accept"}"#);
    assert!(
        leg.ends_with(r#""inputResponses":{"u":{"action":"accept"}}}"#),
        "{leg}"
    );
}

#[test]
fn an_answer_of_another_kind_is_not_sent() {
    let mut call = call();
    reply(&mut call, &roots("q", None)).unwrap();
    let decline = ("q".to_owned(), InputResponse::from(ElicitResult::decline()));
    assert!(matches!(
        call.answer(vec![decline], at(0)),
        Err(AnswerError::OtherKind {
            asked: InputKind::Roots,
            ..
        })
    ));
}

#[test]
fn b17_a_refused_question_ends_the_call_and_sends_nothing() {
    let mut call = call();
    reply(&mut call, &roots("q", Some(r#""S1""#))).unwrap();
    assert!(matches!(
        call.refuse("other", "no"),
        Err(AnswerError::NotAsked { .. })
    ));
    assert_eq!(call.phase(), Phase::Asked);
    let refusal = call.refuse("q", "no folders here").unwrap();
    assert_eq!(refusal.kind, InputKind::Roots);
    assert!(refusal.to_string().contains("no folders here"));
    assert_eq!(call.phase(), Phase::Ended);
    assert!(call.request(at(0)).is_err());
}

#[test]
fn b9_cancelling_while_a_person_answers_sends_nothing() {
    let mut asked = call();
    reply(&mut asked, &form("f", Some(r#""S1""#))).unwrap();
    assert_eq!(asked.cancel(), Cancelled::Idle);
    assert!(asked.request(at(0)).is_err() && asked.questions().is_none());

    let mut sent = call();
    sent.request(at(0)).unwrap();
    assert_eq!(sent.cancel(), Cancelled::InFlight);
    assert_eq!(sent.cancel(), Cancelled::Idle);
    assert!(
        sent.receive(&raw(DONE), at(0)).is_err(),
        "a late result is not read"
    );
}

#[test]
fn b21_a_lost_leg_is_not_sent_again_by_itself() {
    let mut call = call();
    reply(&mut call, &form("f", Some(r#""S1""#))).unwrap();
    let leg = answered(&mut call, "f", r#"{"action":"accept","content":{"n":1}}"#);
    let lost = call.lost();
    assert_eq!(lost.blame(), Blame::Transport);
    assert!(lost.to_string().contains("may have carried"), "{lost}");
    assert!(matches!(call.request(at(0)), Err(ExchangeError::Misuse(_))));
    call.send_again().unwrap();
    assert_eq!(call.request(at(0)).unwrap(), leg);
}

#[test]
fn a_leg_that_never_reached_the_server_is_due_again_with_fresh_meta() {
    let mut call = call();
    call.set_meta(raw(r#"{"v":1}"#)).unwrap();
    assert!(
        call.request(at(0))
            .unwrap()
            .starts_with(r#"{"_meta":{"v":1},"name":"t""#)
    );
    call.unsent().unwrap();
    call.set_meta(raw(r#"{"v":2}"#)).unwrap();
    assert!(
        call.request(at(0))
            .unwrap()
            .starts_with(r#"{"_meta":{"v":2},"name":"t""#)
    );
    assert_eq!(call.params().get(), PARAMS);
}

#[test]
fn meta_is_an_object_and_given_once() {
    assert!(matches!(
        call().set_meta(raw("7")),
        Err(ParamsError::NotAnObject { .. })
    ));
    let params = raw(r#"{"_meta":{},"name":"t"}"#);
    let mut call = Exchange::new("tools/call", params, ExchangeLimits::default()).unwrap();
    assert_eq!(call.set_meta(raw("{}")), Err(ParamsError::TwoMetas));
    assert_eq!(call.request(at(0)).unwrap(), r#"{"_meta":{},"name":"t"}"#);
}

#[test]
fn a_rejected_state_says_that_the_call_can_start_anew() {
    let rejection = |data: Option<&str>| {
        let mut call = call();
        reply(&mut call, &form("f", Some(r#""S1""#))).unwrap();
        answered(&mut call, "f", r#"{"action":"decline"}"#);
        let mut error =
            ErrorObject::new(ErrorCode::INVALID_PARAMS, "Invalid or expired requestState");
        error.data = data.map(raw);
        let error = call.reject(error);
        assert_eq!(error.blame(), Blame::Peer);
        assert_eq!(call.phase(), Phase::Ended);
        match error {
            ExchangeError::Rejected(rejected) => {
                assert!(rejected.reached.state);
                rejected.is_state_rejected()
            }
            other => panic!("{other:?}"),
        }
    };
    assert!(rejection(Some(r#"{"reason":"invalid_request_state"}"#)));
    assert!(!rejection(Some(r#"{"reason":"other"}"#)));
    assert!(!rejection(Some("7")));
    assert!(!rejection(None));
}

#[test]
fn an_exchange_that_ended_cannot_be_driven_on() {
    let endings: [fn(&mut Exchange); 5] = [
        |call| drop(reply(call, DONE).unwrap()),
        |call| drop(reply(call, "7").unwrap_err()),
        |call| assert_eq!(call.cancel(), Cancelled::Idle),
        |call| {
            reply(call, &form("f", None)).unwrap();
            call.refuse("f", "no").unwrap();
        },
        |call| {
            call.request(at(0)).unwrap();
            let _ = call.reject(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "x"));
        },
    ];
    for end in endings {
        let mut call = call();
        end(&mut call);
        assert_eq!(call.phase(), Phase::Ended);
        let error = call.request(at(0)).unwrap_err();
        assert!(
            error.to_string().contains("start a new exchange"),
            "{error}"
        );
        assert!(call.receive(&raw(DONE), at(0)).is_err());
        assert!(call.answer(vec![], at(0)).is_err());
        assert!(call.refuse("f", "no").is_err());
        assert!(call.send_again().is_err() && call.unsent().is_err());
        assert!(matches!(call.lost(), ExchangeError::Misuse(_)));
        assert!(call.check_time(at(0)).is_err());
        assert_eq!(call.cancel(), Cancelled::Idle);
    }
}

#[test]
fn a_method_out_of_turn_changes_nothing() {
    let mut call = call();
    assert!(call.receive(&raw(DONE), at(0)).is_err());
    assert!(call.answer(vec![], at(0)).is_err());
    assert_eq!(call.request(at(0)).unwrap(), PARAMS);
    assert!(call.request(at(0)).is_err());
    assert!(call.refuse("f", "no").is_err());
    assert!(matches!(call.receive(&raw(DONE), at(0)), Ok(Next::Done(_))));
}

#[test]
fn debug_output_holds_neither_parameters_nor_answers_nor_state() {
    let mut call = call();
    reply(&mut call, &form("f", Some(r#""SECRET-STATE""#))).unwrap();
    answered(&mut call, "f", r#"{"action":"accept","content":{"n":3}}"#);
    let text = format!("{call:?} {:?}", call.lost());
    assert!(text.contains("tools/call") && text.contains("Sent"));
    assert!(!text.contains("SECRET") && !text.contains("arguments") && !text.contains("content"));
}
