//! What a client makes of a result (decoding cases and the client requirements about reading).

mod exchange_support;

use exchange_support::*;
use mrtr_core::exchange::{Blame, Exchange, ExchangeError, ExchangeLimits, Next, Phase, Violation};
use mrtr_core::wire::{Capabilities, Capability, InputKind, Strictness};

fn violation(result: &str) -> Violation {
    let mut call = call();
    match reply(&mut call, result) {
        Err(error @ ExchangeError::Protocol(_)) => {
            assert_eq!(error.blame(), Blame::Peer);
            assert_eq!(call.phase(), Phase::Ended, "nothing is sent after {result}");
            match error {
                ExchangeError::Protocol(error) => error.kind,
                _ => unreachable!(),
            }
        }
        other => panic!("{result} gave {other:?}"),
    }
}

#[test]
fn a1_interim_result_with_meta_keeps_both_fields() {
    for extra in ["", r#""content":[],"isError":false,"#] {
        let result = format!(
            r#"{{"resultType":"input_required",{extra}"_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"s","version":"1"}}}},"inputRequests":{{"q":{{"method":"roots/list"}}}},"requestState":"S1"}}"#
        );
        let mut call = call();
        let questions = asked(reply(&mut call, &result).unwrap());
        assert_eq!(questions.get("q").unwrap().kind(), InputKind::Roots);
        assert!(answered(&mut call, "q", ROOTS).ends_with(r#","requestState":"S1"}"#));
    }
}

#[test]
fn a2_state_only_result_is_retried_with_the_state_and_no_answers() {
    let params = raw(r#"{"name":"t","arguments":{}}"#);
    let mut call = Exchange::new("tools/call", params, ExchangeLimits::default()).unwrap();
    assert!(matches!(
        reply(&mut call, &wait(r#""S1""#)).unwrap(),
        Next::Wait { .. }
    ));
    assert_eq!(
        call.request(at(250)).unwrap(),
        r#"{"name":"t","arguments":{},"requestState":"S1"}"#
    );
}

#[test]
fn empty_input_requests_with_a_state_are_state_only() {
    let mut call = call();
    let result = r#"{"resultType":"input_required","inputRequests":{},"requestState":"S1"}"#;
    assert!(matches!(
        reply(&mut call, result).unwrap(),
        Next::Wait { .. }
    ));
    assert!(!call.request(at(250)).unwrap().contains("inputResponses"));
}

#[test]
fn a3_a_result_with_neither_field_ends_the_call() {
    for result in [
        r#"{"resultType":"input_required"}"#,
        r#"{"resultType":"input_required","inputRequests":{}}"#,
        r#"{"resultType":"input_required","inputRequests":{},"requestState":null}"#,
    ] {
        violation(result);
    }
}

#[test]
fn a4_input_requests_of_the_wrong_type_are_not_a_state_only_round() {
    for requests in [
        r#""oops""#,
        "[]",
        "null",
        r#"{"a":7}"#,
        r#"{"a":{}}"#,
        r#"{"a":null}"#,
    ] {
        violation(&format!(
            r#"{{"resultType":"input_required","inputRequests":{requests},"requestState":"S"}}"#
        ));
    }
    for state in ["7", "{}", "[]", "true"] {
        violation(&format!(
            r#"{{"resultType":"input_required","inputRequests":{{"q":{{"method":"roots/list"}}}},"requestState":{state}}}"#
        ));
    }
    for result in ["null", "[]", "7", r#""done""#] {
        violation(result);
    }
}

#[test]
fn a6_absent_result_type_is_complete_unless_the_client_is_strict() {
    let result = r#"{"content":[{"type":"text","text":"hi"}]}"#;
    match reply(&mut call(), result).unwrap() {
        Next::Done(done) => assert_eq!(done.get(), result),
        other => panic!("{other:?}"),
    }
    let limits = ExchangeLimits::default().with_strictness(Strictness::Strict);
    let error = reply(&mut call_with(limits), result).unwrap_err();
    assert_eq!(error.blame(), Blame::Peer);
    assert!(error.to_string().contains("resultType"), "{error}");
}

#[test]
fn an_unknown_result_type_ends_the_call() {
    let kind = violation(r#"{"resultType":"later","content":[],"requestState":"S"}"#);
    assert!(matches!(kind, Violation::Result(_)));
    violation(r#"{"resultType":7,"content":[]}"#);
}

#[test]
fn a10_an_embedded_method_outside_the_three_is_never_passed_on() {
    violation(
        r#"{"resultType":"input_required","inputRequests":{"x":{"method":"tools/call","params":{"name":"rm"}}},"requestState":"S"}"#,
    );
}

#[test]
fn a13_an_interim_result_on_another_method_is_an_error() {
    for (method, may_ask) in [
        ("tools/call", true),
        ("prompts/get", true),
        ("resources/read", true),
        ("tools/list", false),
        ("server/discover", false),
        ("completion/complete", false),
    ] {
        let mut call = Exchange::new(method, raw("{}"), ExchangeLimits::default()).unwrap();
        match reply(&mut call, &wait(r#""S1""#)) {
            Ok(Next::Wait { .. }) => assert!(may_ask, "{method}"),
            Err(ExchangeError::Protocol(error)) => {
                assert!(!may_ask, "{method}");
                assert!(error.to_string().contains(method), "{error}");
            }
            other => panic!("{method}: {other:?}"),
        }
    }
    let mut list = Exchange::new("tools/list", raw("{}"), ExchangeLimits::default()).unwrap();
    let result = r#"{"resultType":"complete","tools":[]}"#;
    assert!(matches!(reply(&mut list, result), Ok(Next::Done(_))));
}

#[test]
fn g9_a_form_without_requested_schema_is_an_error() {
    violation(
        r#"{"resultType":"input_required","inputRequests":{"f":{"method":"elicitation/create","params":{"message":"m","schema":{"type":"object","properties":{}}}}}}"#,
    );
}

#[test]
fn b17_a_question_that_was_not_declared_ends_the_call_without_an_answer() {
    let mut form_only = call().with_declared(Capability::ElicitationForm.into());
    match reply(&mut form_only, &roots("q", None)).unwrap_err() {
        ExchangeError::Protocol(error) => match error.kind {
            Violation::Undeclared { key, kind, missing } => {
                assert_eq!((key.as_str(), kind), ("q", InputKind::Roots));
                assert!(missing.contains(Capability::Roots));
            }
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
    assert_eq!(form_only.phase(), Phase::Ended);

    let url = r#"{"resultType":"input_required","inputRequests":{"u":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://example.com/"}}}}"#;
    let mut form_only = call().with_declared(Capability::ElicitationForm.into());
    assert!(reply(&mut form_only, url).is_err());

    let mut nothing = call().with_declared(Capabilities::default());
    assert!(reply(&mut nothing, &form("f", None)).is_err());
    let mut declared = call().with_declared(Capability::ElicitationForm.into());
    assert!(reply(&mut declared, &form("f", None)).is_ok());
}

#[test]
fn include_context_without_the_capability_is_only_discouraged() {
    let sample = r#"{"resultType":"input_required","inputRequests":{"s":{"method":"sampling/createMessage","params":{"maxTokens":1,"includeContext":"thisServer","messages":[]}}}}"#;
    let mut sampling = call().with_declared(Capability::Sampling.into());
    assert!(reply(&mut sampling, sample).is_ok());
}

#[test]
fn b19_sampling_messages_are_checked_before_a_model_sees_them() {
    let kind = violation(
        r#"{"inputRequests":{"s":{"method":"sampling/createMessage","params":{"maxTokens":10,"messages":[{"role":"user","content":[{"type":"tool_result","toolUseId":"u1","content":[]},{"type":"text","text":"x"}]}]}}},"resultType":"input_required"}"#,
    );
    assert!(matches!(kind, Violation::Sampling { key, .. } if key == "s"));
}

#[test]
fn f8_the_requested_schema_reaches_the_driver_unchanged() {
    let schema = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"z":{"type":"string"},"a":{"type":"string","enum":["x"],"enumNames":["X"]}}}"#;
    let result = format!(
        r#"{{"resultType":"input_required","inputRequests":{{"f":{{"method":"elicitation/create","params":{{"message":"m","requestedSchema":{schema}}}}}}}}}"#
    );
    let questions = asked(reply(&mut call(), &result).unwrap());
    assert!(serde_json::to_string(&questions).unwrap().contains(schema));
}

#[test]
fn nesting_beyond_reason_does_not_exhaust_the_stack() {
    let deep = format!("{}{}", "[".repeat(300_000), "]".repeat(300_000));
    let complete = format!(r#"{{"resultType":"complete","x":{deep}}}"#);
    assert!(matches!(reply(&mut call(), &complete), Ok(Next::Done(_))));
    for result in [
        format!(r#"{{"resultType":{deep}}}"#),
        format!(r#"{{"resultType":"input_required","inputRequests":{deep}}}"#),
        format!(r#"{{"resultType":"input_required","inputRequests":{{"q":{deep}}}}}"#),
        format!(
            r#"{{"resultType":"input_required","inputRequests":{{"q":{{"method":"elicitation/create","params":{{"message":"m","requestedSchema":{{"type":"object","properties":{{"x":{deep}}}}}}}}}}}}}"#
        ),
        format!(
            r#"{{"resultType":"input_required","inputRequests":{{"q":{{"method":"sampling/createMessage","params":{{"maxTokens":1,"messages":{deep}}}}}}}}}"#
        ),
    ] {
        violation(&result);
    }
}
