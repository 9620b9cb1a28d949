//! Inputs that broke other implementations: reading results, gating by capability, reading answers.

#![allow(clippy::unwrap_used, reason = "tests")]

use mrtr_core::wire::*;
use serde_json::value::RawValue;

fn raw(text: &str) -> &RawValue {
    serde_json::from_str(text).unwrap()
}

fn lenient(text: &str) -> Result<AnyResult, ResultError> {
    AnyResult::parse(raw(text), Strictness::Lenient)
}

fn interim(text: &str) -> InputRequiredResult {
    match lenient(text) {
        Ok(AnyResult::InputRequired(result)) => result,
        other => panic!("{text} was read as {other:?}"),
    }
}

fn malformed(text: &str) -> String {
    match lenient(text) {
        Err(ResultError::Malformed(what)) => what,
        other => panic!("{text} was read as {other:?}"),
    }
}

#[test]
fn a1_interim_result_with_meta_and_result_members_keeps_both_fields() {
    let meta = r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}"#;
    let both = r#""inputRequests":{"q":{"method":"roots/list"}},"requestState":"S1""#;
    for text in [
        format!(r#"{{"resultType":"input_required",{meta},{both}}}"#),
        format!(r#"{{"resultType":"input_required",{meta},{both},"content":[],"isError":false}}"#),
        format!(r#"{{"content":[],"isError":false,{both},{meta},"resultType":"input_required"}}"#),
    ] {
        let result = interim(&text);
        assert_eq!(result.request_state.as_deref(), Some("S1"));
        let asks = result.input_requests.as_ref().unwrap();
        assert_eq!(
            asks.get("q").map(InputRequest::kind),
            Some(InputKind::Roots)
        );
        assert!(
            result
                .meta
                .unwrap()
                .get("io.modelcontextprotocol/serverInfo")
                .is_some()
        );
    }
}

#[test]
fn a2_state_only_result_is_an_interim_result() {
    let result = interim(r#"{"resultType":"input_required","requestState":"S1"}"#);
    assert!(result.is_state_only());
    assert_eq!(result.request_state.as_deref(), Some("S1"));
    let result =
        interim(r#"{"resultType":"input_required","inputRequests":{},"requestState":"S1"}"#);
    assert!(result.is_state_only());
}

#[test]
fn a3_result_with_neither_field_is_an_error() {
    for text in [
        r#"{"resultType":"input_required"}"#,
        r#"{"resultType":"input_required","inputRequests":{}}"#,
        r#"{"resultType":"input_required","requestState":null}"#,
        r#"{"resultType":"input_required","_meta":{},"content":[]}"#,
    ] {
        assert_eq!(lenient(text).unwrap_err(), ResultError::Empty, "{text}");
    }
}

#[test]
fn a4_input_requests_of_the_wrong_type_are_not_read_as_absent() {
    for asks in [
        r#""oops""#,
        "[]",
        "null",
        "7",
        "true",
        r#"{"a":7}"#,
        r#"{"a":{}}"#,
        r#"{"a":null}"#,
        r#"{"a":[]}"#,
        r#"{"a":{"method":7}}"#,
        r#"{"a":{"method":"elicitation/create"}}"#,
        r#"{"a":{"method":"elicitation/create","params":[]}}"#,
        r#"{"a":{"method":"roots/list"},"a":{"method":"roots/list"}}"#,
    ] {
        let text = format!(
            r#"{{"resultType":"input_required","inputRequests":{asks},"requestState":"S"}}"#
        );
        assert!(malformed(&text).contains("inputRequests"), "{text}");
    }
    for state in ["7", "{}", "[]", "true"] {
        let text = format!(r#"{{"resultType":"input_required","requestState":{state}}}"#);
        assert!(malformed(&text).contains("requestState"), "{text}");
    }
    for text in ["7", "null", "[]", r#""x""#] {
        malformed(text);
    }
}

#[test]
fn a6_absent_result_type_is_complete_unless_strict() {
    let text = r#"{"content":[{"type":"text","text":"hi"}]}"#;
    let Ok(AnyResult::Complete(result)) = lenient(text) else {
        panic!()
    };
    assert_eq!(result.get(), text);
    let strict = AnyResult::parse(raw(text), Strictness::Strict);
    assert_eq!(strict.unwrap_err(), ResultError::MissingResultType);

    // What looks like a question is a result all the same: only `resultType` decides.
    let text = r#"{"inputRequests":{"q":{"method":"roots/list"}},"requestState":"S"}"#;
    assert!(matches!(lenient(text), Ok(AnyResult::Complete(_))));

    let found = lenient(r#"{"resultType":"task","content":[]}"#).unwrap_err();
    assert_eq!(found, ResultError::UnknownResultType("task".into()));
    for result_type in ["7", "null", "{}"] {
        malformed(&format!(r#"{{"resultType":{result_type},"content":[]}}"#));
    }
    malformed(r#"{"resultType":"complete","resultType":"input_required","requestState":"S"}"#);
}

#[test]
fn a10_no_other_method_can_be_asked_of_a_client() {
    let text = r#"{"resultType":"input_required","inputRequests":{"x":{"method":"tools/call","params":{"name":"rm"}}}}"#;
    let what = malformed(text);
    assert!(
        what.contains("`x`") && what.contains("tools/call"),
        "{what}"
    );
}

#[test]
fn a13_retry_fields_on_other_methods_are_ignored() {
    let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"requestState":7,"inputResponses":[],"cursor":"c"}}"#;
    let Ok(Incoming::Request(request)) = Incoming::parse(body) else {
        panic!()
    };
    assert_eq!(request.params.cursor().unwrap().as_deref(), Some("c"));
}

#[test]
fn b3_state_is_read_as_the_string_it_is() {
    for state in [
        "a+b/c==",
        "\u{e9} \u{1f600}",
        " lead/trail ",
        "",
        &"x".repeat(64 * 1024),
        r#"{"k":1.0}"#,
    ] {
        let quoted = serde_json::to_string(state).unwrap();
        let result = interim(&format!(
            r#"{{"resultType":"input_required","requestState":{quoted}}}"#
        ));
        assert_eq!(result.request_state.as_deref(), Some(state));
        let params = format!(r#"{{"requestState":{quoted}}}"#);
        let params: Params<'_> = serde_json::from_str(&params).unwrap();
        assert_eq!(params.request_state().unwrap().as_deref(), Some(state));
    }
    let result = interim(r#"{"resultType":"input_required","requestState":"\u00e9 \ud83d\ude00"}"#);
    assert_eq!(result.request_state.as_deref(), Some("\u{e9} \u{1f600}"));
}

#[test]
fn b19_sampling_that_mixes_results_with_text_is_found_before_a_model_is_called() {
    let text = r#"{"inputRequests":{"s":{"method":"sampling/createMessage","params":{"maxTokens":10,"messages":[{"role":"user","content":[{"type":"tool_result","toolUseId":"u1","content":[]},{"type":"text","text":"x"}]}]}}},"resultType":"input_required"}"#;
    let asks = interim(text).input_requests.unwrap();
    let Some(InputRequest::Sample(request)) = asks.get("s") else {
        panic!()
    };
    assert_eq!(
        request.validate(),
        Err(ConversationError::MixedResults { index: 0 })
    );
}

#[test]
fn g9_form_without_requested_schema_is_an_error() {
    let ask = r#"{"method":"elicitation/create","params":{"message":"m","schema":{"type":"object","properties":{}}}}"#;
    let text = format!(r#"{{"resultType":"input_required","inputRequests":{{"f":{ask}}}}}"#);
    assert!(malformed(&text).contains("requestedSchema"));
}

#[test]
fn f8_requested_schema_passes_through_byte_for_byte() {
    let schema = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object", "properties":{"z":{"type":"string"},"a":{"type":"string","enum":["x"],"enumNames":["X"],"x-vendor":1.0}},"x-more":18446744073709551616}"#;
    let text = format!(
        r#"{{"f":{{"x-outer":1.0,"method":"elicitation/create","params":{{"requestedSchema":{schema},"message":"m","x-inner":[1e3]}}}}}}"#
    );
    let asks: InputRequests = serde_json::from_str(&text).unwrap();
    let again = serde_json::to_string(&asks).unwrap();
    assert!(again.contains(schema), "{again}");
    assert!(
        again.contains(r#""x-inner":[1e3]"#) && again.contains(r#""x-outer":1.0"#),
        "{again}"
    );
    assert!(
        !again.contains(r#""mode""#),
        "a mode that was not there was added: {again}"
    );
}

fn declared(text: &str) -> Capabilities {
    serde_json::from_str(text).unwrap()
}

fn ask(text: &str) -> InputRequest {
    serde_json::from_str(text).unwrap()
}

#[test]
fn c1_bare_elicitation_is_form_only() {
    let url = ask(
        r#"{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.example"}}"#,
    );
    let form = ask(
        r#"{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}"#,
    );
    let bare = declared(r#"{"elicitation":{}}"#);
    assert!(bare.contains_all(form.required_capabilities()));
    let missing = bare.missing(url.required_capabilities());
    let error = Cause::MissingCapability(missing).error();
    assert_eq!(error.code, ErrorCode(-32021));
    assert_eq!(
        error.data.unwrap().get(),
        r#"{"requiredCapabilities":{"elicitation":{"url":{}}}}"#
    );

    let url_only = declared(r#"{"elicitation":{"url":{}}}"#);
    assert!(!url_only.contains(Capability::ElicitationForm));
    assert!(declared(r#"{"elicitation":{"x-vendor":true}}"#).contains(Capability::ElicitationForm));
    for nothing in [
        r#"{"elicitation":null}"#,
        r#"{"elicitation":true}"#,
        r#"{"elicitation":{"form":true}}"#,
        "{}",
    ] {
        assert!(declared(nothing).is_empty(), "{nothing}");
    }
}

#[test]
fn c2_tools_and_context_need_their_own_capability() {
    let tools = ask(
        r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"tools":[]}}"#,
    );
    let choice = ask(
        r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"toolChoice":{}}}"#,
    );
    let context = ask(
        r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"includeContext":"allServers"}}"#,
    );
    let none = ask(
        r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"includeContext":"none"}}"#,
    );
    let bare = declared(r#"{"sampling":{}}"#);
    for ask in [&tools, &choice] {
        assert_eq!(
            bare.missing(ask.required_capabilities()),
            Capability::SamplingTools.into()
        );
    }
    assert_eq!(
        bare.missing(context.required_capabilities()),
        Capability::SamplingContext.into()
    );
    assert!(bare.contains_all(none.required_capabilities()));
    let all = declared(r#"{"sampling":{"tools":{},"context":{}}}"#);
    assert!(all.contains_all(tools.required_capabilities() | context.required_capabilities()));
}

#[test]
fn c4_all_missing_capabilities_are_named() {
    let missing = Capabilities::NONE.missing(Capability::ALL.into_iter().collect());
    let error = Cause::MissingCapability(missing).error();
    let required: ClientCapabilities = error.data_member("requiredCapabilities").unwrap();
    assert_eq!(required.set(), missing);
    assert_eq!(
        error.data.unwrap().get(),
        r#"{"requiredCapabilities":{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}}"#
    );
}

#[test]
fn c7_roots_need_their_capability() {
    let roots = ask(r#"{"method":"roots/list"}"#);
    assert_eq!(
        declared("{}").missing(roots.required_capabilities()),
        Capability::Roots.into()
    );
    assert!(
        declared(r#"{"roots":{"listChanged":true}}"#).contains_all(roots.required_capabilities())
    );
}

fn form_answer(text: &str) -> Result<ElicitResult, String> {
    match InputResponse::decode(InputKind::ElicitForm, raw(text))? {
        InputResponse::Elicit(result) => Ok(result),
        other => panic!("{other:?}"),
    }
}

#[test]
fn d1_accept_without_content_stays_an_accept() {
    for text in [
        r#"{"action":"accept"}"#,
        r#"{"action":"accept","content":null}"#,
    ] {
        let result = form_answer(text).unwrap();
        assert_eq!(result.action, Action::Accept);
        assert!(result.content.is_none());
    }
}

#[test]
fn d2_content_of_a_decline_is_gone() {
    for text in [
        r#"{"action":"decline","content":{"city":"Paris"}}"#,
        r#"{"content":{"city":"Paris"},"action":"decline"}"#,
        r#"{"action":"decline","content":7}"#,
    ] {
        let result = form_answer(text).unwrap();
        assert_eq!(
            (result.action, result.content.is_none()),
            (Action::Decline, true)
        );
        assert!(!serde_json::to_string(&result).unwrap().contains("content"));
    }
    let url = InputResponse::decode(
        InputKind::ElicitUrl,
        raw(r#"{"action":"accept","content":{"a":1}}"#),
    );
    assert_eq!(url, Ok(ElicitResult::accept(None).into()));
}

#[test]
fn d4_wrong_envelope_types_are_invalid_params() {
    for answers in [
        "[]",
        "7",
        r#""x""#,
        "null",
        "true",
        r#"{"k":7}"#,
        r#"{"k":null}"#,
        r#"{"k":[]}"#,
        r#"{"k":"accept"}"#,
        r#"{"k":{"action":"accept"},"k":{"action":"decline"}}"#,
    ] {
        let params = format!(r#"{{"name":"t","inputResponses":{answers}}}"#);
        let params: Params<'_> = serde_json::from_str(&params).unwrap();
        let cause = params.input_responses().unwrap_err();
        assert_eq!(
            (cause.code(), cause.http_status()),
            (ErrorCode::INVALID_PARAMS, 400),
            "{answers}"
        );
        if answers.starts_with('{') {
            assert!(
                cause.to_string().contains("`k`"),
                "the key is named: {cause}"
            );
        }
    }
    for state in ["123", "{}", "[]", "false"] {
        let params = format!(r#"{{"requestState":{state}}}"#);
        let params: Params<'_> = serde_json::from_str(&params).unwrap();
        assert_eq!(
            params.request_state().unwrap_err().code(),
            ErrorCode::INVALID_PARAMS,
            "{state}"
        );
    }
}

#[test]
fn d5_an_answer_needs_no_result_type() {
    assert_eq!(
        form_answer(r#"{"action":"decline"}"#).unwrap().action,
        Action::Decline
    );
    assert_eq!(
        form_answer(r#"{"action":"cancel","resultType":"complete"}"#)
            .unwrap()
            .action,
        Action::Cancel
    );
}

#[test]
fn d6_the_form_data_is_the_content() {
    let result = form_answer(r#"{"action":"accept","content":{"name":"A"}}"#).unwrap();
    assert_eq!(result.content.unwrap().get(), r#"{"name":"A"}"#);
}

#[test]
fn d11_malformed_answers_are_refused() {
    for text in [
        "{}",
        r#"{"action":"yes"}"#,
        r#"{"action":7}"#,
        r#"{"action":null}"#,
        r#"{"action":"Accept"}"#,
        r#"{"action":"accept","content":7}"#,
        r#"{"action":"accept","content":[]}"#,
        r#"{"action":"accept","action":"decline"}"#,
        r#"{"content":{"name":"A"}}"#,
        r#"{"roots":[]}"#,
    ] {
        assert!(form_answer(text).is_err(), "{text}");
        assert!(
            InputResponse::decode(InputKind::ElicitUrl, raw(text)).is_err(),
            "{text}"
        );
    }
    for content in [
        "{}",
        "[7]",
        r#"{"type":"text"}"#,
        r#"{"type":"tool_result"}"#,
        r#"{"type":"video"}"#,
        "null",
        r#""hi""#,
        r#"{"text":"hi"}"#,
        r#"{"type":"tool_use","id":"1","name":"t","input":[]}"#,
        r#"{"type":"image","data":"aGk="}"#,
        r#"{"type":"resource_link","uri":"a:b","name":"n"}"#,
    ] {
        let text = format!(r#"{{"role":"assistant","model":"m","content":{content}}}"#);
        assert!(
            InputResponse::decode(InputKind::Sample, raw(&text)).is_err(),
            "{text}"
        );
    }
    let result = r#"{"type":"tool_result","toolUseId":"u","content":[]}"#;
    let odd = r#"{"type":"tool_result","toolUseId":"u","content":[{"type":"video"}]}"#;
    let hi = r#"{"type":"text","text":"hi"}"#;
    for text in [
        format!(r#"{{"role":"assistant","model":"m","content":{hi},"stopReason":7}}"#),
        format!(r#"{{"role":"user","model":"m","content":[{result},{hi}]}}"#),
        format!(r#"{{"role":"assistant","model":"m","content":{result}}}"#),
        format!(r#"{{"role":"user","model":"m","content":[{odd}]}}"#),
        format!(r#"{{"role":"system","model":"m","content":{hi}}}"#),
        format!(r#"{{"role":"assistant","content":{hi}}}"#),
        format!(r#"{{"model":"m","content":{hi}}}"#),
        r#"{"action":"accept"}"#.to_owned(),
    ] {
        assert!(
            InputResponse::decode(InputKind::Sample, raw(&text)).is_err(),
            "{text}"
        );
    }
    for text in [
        format!(
            r#"{{"role":"assistant","model":"m","content":{hi},"stopReason":"vendorSpecific"}}"#
        ),
        format!(r#"{{"role":"assistant","model":"m","content":[{hi},{hi}]}}"#),
        r#"{"role":"assistant","model":"m","content":[]}"#.to_owned(),
        format!(r#"{{"role":"user","model":"m","content":[{result}]}}"#),
    ] {
        assert!(
            InputResponse::decode(InputKind::Sample, raw(&text)).is_ok(),
            "{text}"
        );
    }
    for text in [
        "{}",
        r#"{"roots":{}}"#,
        r#"{"roots":[7]}"#,
        r#"{"roots":[{}]}"#,
        r#"{"roots":[{"uri":7}]}"#,
        r#"{"roots":[{"uri":"https://a.example"}]}"#,
        r#"{"roots":[{"uri":"file:///a","name":7}]}"#,
        r#"{"action":"accept"}"#,
    ] {
        assert!(
            InputResponse::decode(InputKind::Roots, raw(text)).is_err(),
            "{text}"
        );
    }
    assert!(
        InputResponse::decode(InputKind::Roots, raw(r#"{"roots":[{"uri":"file:///a"}]}"#)).is_ok()
    );
}

#[test]
fn e2_null_state_is_a_first_round_and_empty_is_a_state() {
    let params: Params<'_> = serde_json::from_str(r#"{"requestState":null}"#).unwrap();
    assert_eq!(params.request_state(), Ok(None));
    let params: Params<'_> = serde_json::from_str(r#"{"requestState":""}"#).unwrap();
    assert_eq!(params.request_state().unwrap().as_deref(), Some(""));
}

#[test]
fn answers_are_bounded() {
    let limits = AnswerLimits::default();
    let large = format!(r#"{{"k":{{"a":"{}"}}}}"#, "x".repeat(limits.each));
    assert!(
        InputResponses::parse(Some(raw(&large)))
            .unwrap_err()
            .to_string()
            .contains("too large")
    );
    let answer = format!(r#"{{"a":"{}"}}"#, "x".repeat(limits.each - 8));
    let answers = |count: usize| {
        let all: Vec<String> = (0..count)
            .map(|index| format!(r#""k{index}":{answer}"#))
            .collect();
        format!("{{{}}}", all.join(","))
    };
    assert_eq!(
        InputResponses::parse(Some(raw(&answers(7)))).unwrap().len(),
        7
    );
    assert!(InputResponses::parse(Some(raw(&answers(9)))).is_err());
    let many: Vec<String> = (0..=limits.count)
        .map(|index| format!(r#""{index}":{{}}"#))
        .collect();
    assert!(InputResponses::parse(Some(raw(&format!("{{{}}}", many.join(","))))).is_err());
    assert!(InputResponses::parse(Some(raw(&format!("{{{}}}", many[1..].join(","))))).is_ok());
}

#[test]
fn what_is_said_about_a_bad_answer_is_short() {
    let long = "\u{e9}".repeat(10_000);
    for text in [
        format!(r#"{{"action":"{long}"}}"#),
        format!(r#"{{"action":"accept","{long}":1,"{long}":2}}"#),
        format!(r#"{{"role":"{long}"}}"#),
    ] {
        for kind in [InputKind::ElicitForm, InputKind::Sample, InputKind::Roots] {
            assert!(InputResponse::decode(kind, raw(&text)).unwrap_err().len() < 400);
        }
    }
    let text = format!(
        r#"{{"resultType":"input_required","inputRequests":{{"{long}":{{"method":"{long}"}}}}}}"#
    );
    assert!(malformed(&text).len() < 400);
}
