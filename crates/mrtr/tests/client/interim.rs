//! How a client reads interim results (over HTTP).

use std::time::Duration;

use crate::support::http::{Do, Script};
use crate::support::{asks, done, form, roots, says_yes};
use mrtr::client::{ClientError, Turn};
use mrtr::exchange::{Backoff, Blame, ExchangeError, ExchangeLimits, ProtocolError, Violation};
use mrtr::wire::{Capability, InputKind, ResultError, Strictness};
use serde_json::{Value, json};

/// What a call of `t` that may ask everything makes of one result; the number of requests sent.
async fn one(result: Value) -> (Result<Turn, ClientError>, usize) {
    let script = Script::new([Do::Result(result)]).await;
    let all = Capability::ALL.into_iter().collect();
    let mut call = script.client().tool("t", &json!({})).unwrap().declare(all);
    let turn = call.advance().await;
    (turn, script.seen().len())
}

async fn violation(result: Value) -> Violation {
    let (turn, sent) = one(result.clone()).await;
    assert_eq!(sent, 1, "{result} must not be retried");
    let error = turn.unwrap_err();
    assert_eq!(error.blame(), Blame::Peer);
    match error {
        ClientError::Exchange(ExchangeError::Protocol(ProtocolError { kind, .. })) => kind,
        error => panic!("{result}: {error}"),
    }
}

#[tokio::test]
async fn a1_interim_result_with_meta_or_content_keeps_both_fields() {
    let meta = json!({"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}});
    for extra in [
        json!({"_meta": meta}),
        json!({"_meta": meta, "content": [], "isError": false}),
    ] {
        let mut result = asks(roots());
        result
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        let steps = [Do::Result(result), Do::Result(done())];
        let script = Script::new(steps).await;
        let mut call = script
            .client()
            .tool("t", &json!({}))
            .unwrap()
            .declare(Capability::Roots.into());
        let Turn::Asked(questions) = call.advance().await.unwrap() else {
            panic!("it asks")
        };
        let keys: Vec<_> = questions
            .iter()
            .map(|(key, ask)| (key, ask.kind()))
            .collect();
        assert_eq!(keys, [("q", InputKind::Roots)]);
        let answer = serde_json::from_value(json!({"roots": []})).unwrap();
        let answer = mrtr::wire::InputResponse::Roots(answer);
        call.answer(vec![("q".to_owned(), answer)]).unwrap();
        assert!(matches!(call.advance().await.unwrap(), Turn::Done(_)));
        assert_eq!(
            script.seen()[1].bare(),
            json!({"name": "t", "arguments": {}, "requestState": "S1",
                "inputResponses": {"q": {"roots": []}}})
        );
    }
}

#[tokio::test]
async fn a2_state_only_result_is_retried_once_with_the_same_params_and_the_state() {
    let later = json!({"resultType": "input_required", "requestState": "S1"});
    let script = Script::new([Do::Result(later), Do::Result(done())]).await;
    let at_once = Backoff {
        first: Duration::ZERO,
        max: Duration::ZERO,
    };
    let limits = ExchangeLimits::default().with_backoff(at_once);
    let mut call = script
        .client()
        .tool("t", &json!({}))
        .unwrap()
        .limits(limits)
        .unwrap();
    assert!(matches!(call.advance().await.unwrap(), Turn::Done(_)));
    let seen = script.seen();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0].bare(), json!({"name": "t", "arguments": {}}));
    assert_eq!(
        seen[1].bare(),
        json!({"name": "t", "arguments": {}, "requestState": "S1"})
    );
}

#[tokio::test]
async fn a3_a_result_with_neither_field_is_a_protocol_error_without_a_retry() {
    for result in [
        json!({"resultType": "input_required"}),
        json!({"resultType": "input_required", "inputRequests": {}}),
    ] {
        assert!(matches!(
            violation(result).await,
            Violation::Result(ResultError::Empty)
        ));
    }
}

#[tokio::test]
async fn a4_input_requests_of_the_wrong_type_are_not_read_as_absent() {
    for asked in [
        json!("oops"),
        json!([]),
        json!(null),
        json!({"a": 7}),
        json!({"a": {}}),
    ] {
        let result =
            json!({"resultType": "input_required", "inputRequests": asked, "requestState": "S"});
        let kind = violation(result).await;
        assert!(
            matches!(kind, Violation::Result(ResultError::Malformed(_))),
            "{asked}: {kind:?}"
        );
    }
}

#[tokio::test]
async fn a6_a_result_without_type_is_complete_unless_the_client_is_strict() {
    let result = json!({"content": [{"type": "text", "text": "hi"}]});
    let (turn, _) = one(result.clone()).await;
    let Ok(Turn::Done(outcome)) = turn else {
        panic!("lenient by default")
    };
    assert_eq!(outcome.into_tool().unwrap().content.len(), 1);

    let script = Script::new([Do::Result(result)]).await;
    let limits = ExchangeLimits::default().with_strictness(Strictness::Strict);
    let mut call = script
        .client()
        .tool("t", &json!({}))
        .unwrap()
        .limits(limits)
        .unwrap();
    let error = call.advance().await.unwrap_err();
    assert!(matches!(
        error,
        ClientError::Exchange(ExchangeError::Protocol(ProtocolError {
            kind: Violation::Result(ResultError::MissingResultType),
            ..
        }))
    ));
}

#[tokio::test]
async fn an_unknown_result_type_is_invalid() {
    let kind = violation(json!({"resultType": "task", "content": []})).await;
    assert!(matches!(kind, Violation::Result(ResultError::UnknownResultType(t)) if t == "task"));
}

#[tokio::test]
async fn a10_an_embedded_method_outside_the_three_is_not_dispatched() {
    let ask = json!({"method": "tools/call", "params": {"name": "rm"}});
    assert!(matches!(
        violation(asks(ask)).await,
        Violation::Result(ResultError::Malformed(_))
    ));
}

#[tokio::test]
async fn a13_an_interim_result_of_another_method_is_invalid() {
    let later = json!({"resultType": "input_required", "requestState": "S1"});
    let script = Script::new([Do::Result(later)]).await;
    let error = script.client().list_prompts().await.unwrap_err();
    assert!(matches!(
        error,
        ClientError::Exchange(ExchangeError::Protocol(ProtocolError {
            kind: Violation::InterimResult { method },
            ..
        })) if method == "prompts/list"
    ));
    assert_eq!(script.seen().len(), 1);
}

#[tokio::test]
async fn a_complete_result_that_does_not_fit_the_method_is_the_servers_fault() {
    let script = Script::new([Do::Result(json!({"resultType": "complete", "content": 7}))]).await;
    let error = script
        .client()
        .call_tool("t", &json!({}), &())
        .await
        .unwrap_err();
    assert_eq!(error.blame(), Blame::Peer);
    assert!(error.to_string().contains("tools/call"), "{error}");
}

#[tokio::test]
async fn a_question_that_was_not_declared_ends_the_call() {
    let script = Script::new([Do::Result(asks(roots()))]).await;
    let error = script
        .client()
        .call_tool("t", &json!({}), &says_yes())
        .await
        .unwrap_err();
    assert!(matches!(
        error,
        ClientError::Exchange(ExchangeError::Protocol(ProtocolError {
            kind: Violation::Undeclared { .. },
            ..
        }))
    ));
    assert_eq!(script.seen().len(), 1);
}

#[tokio::test]
async fn prompts_and_resources_ask_like_tools() {
    let prompt = json!({"resultType": "complete", "messages": []});
    let resource = json!({"resultType": "complete", "contents": []});
    let steps = [asks(form()), prompt, asks(form()), resource];
    let script = Script::new(steps.map(Do::Result)).await;
    let client = script.client();
    client
        .get_prompt("p", &json!({"a": "b"}), &says_yes())
        .await
        .unwrap();
    client.read_resource("note://x", &says_yes()).await.unwrap();
    let answers = json!({"q": {"action": "accept", "content": {"yes": true}}});
    let seen = script.seen();
    let bare: Vec<_> = seen
        .iter()
        .map(|seen| (seen.method(), seen.bare()))
        .collect();
    let retry = |mut params: Value| {
        params["inputResponses"] = answers.clone();
        params["requestState"] = json!("S1");
        params
    };
    let prompt = json!({"name": "p", "arguments": {"a": "b"}});
    let resource = json!({"uri": "note://x"});
    assert_eq!(
        bare,
        [
            ("prompts/get", prompt.clone()),
            ("prompts/get", retry(prompt)),
            ("resources/read", resource.clone()),
            ("resources/read", retry(resource)),
        ]
    );
}
