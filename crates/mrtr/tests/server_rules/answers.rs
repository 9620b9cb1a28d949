//! Reading what the client answers, by method.

use mrtr::server::{ServerBuilder, prompt, resource, tool};
use mrtr::{Cx, Form, ToolError};
use serde_json::{Value, json};

use crate::support::{Peer, accept, builder, is_asking, text};

#[derive(Form)]
struct Who {
    /// Your name.
    name: String,
    #[form(min = 0)]
    age: u8,
}

async fn who(cx: Cx, _: ()) -> Result<String, ToolError> {
    let who: Who = cx.elicit("who", "Who are you?").await?;
    Ok(format!("{} {}", who.name, who.age))
}

async fn two(cx: Cx, _: ()) -> Result<String, ToolError> {
    let (a, b) = tokio::join!(
        cx.elicit::<Who>("a", "First?"),
        cx.elicit::<Who>("b", "Second?")
    );
    Ok(format!("{} {}", a?.name, b?.name))
}

async fn sure(cx: Cx, _: ()) -> Result<String, ToolError> {
    cx.confirm("sure", "Sure?").await?;
    Ok("done".into())
}

/// The same handler behind all three methods, and how to call it.
fn all() -> ServerBuilder {
    builder()
        .tool(tool("who", who))
        .tool(tool("two", two))
        .tool(tool("sure", sure))
        .prompt(prompt("who", who))
        .resource(resource("x:who", who))
}

const METHODS: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

fn params() -> Value {
    json!({"name": "who", "uri": "x:who"})
}

fn output(result: &Value) -> String {
    let text = [
        &result["content"][0]["text"],
        &result["messages"][0]["content"]["text"],
        &result["contents"][0]["text"],
    ];
    text.iter()
        .find_map(|text| text.as_str())
        .expect("a text")
        .to_owned()
}

#[tokio::test]
async fn d12_answers_and_state_reach_the_handler_on_all_three_methods() {
    let peer = Peer::of(all());
    for method in METHODS {
        let asked = peer.result(method, params()).await;
        assert!(is_asking(&asked), "{method}");
        let answers = json!({"who": accept(json!({"name": "Ann", "age": 7}))});
        let result = peer.retry(method, &params(), &asked, answers).await;
        assert_eq!(output(&result), "Ann 7", "{method}");
    }
}

#[tokio::test]
async fn d12_answers_without_a_state_count_as_arguments_do() {
    let peer = Peer::of(all());
    for method in METHODS {
        let mut with = params();
        with["inputResponses"] = json!({"who": accept(json!({"name": "Ann", "age": 7}))});
        assert_eq!(
            output(&peer.result(method, with).await),
            "Ann 7",
            "{method}"
        );
    }
    let mut early = json!({"name": "sure"});
    early["inputResponses"] = json!({"sure": accept(json!({"confirmed": true}))});
    assert!(
        is_asking(&peer.result("tools/call", early).await),
        "consent is never taken in advance"
    );
}

#[tokio::test]
async fn asked_only_lets_no_answer_count_before_the_question() {
    let peer = Peer::of(builder().tool(tool("who", who).asked_only()));
    let mut with = params();
    with["inputResponses"] = json!({"who": accept(json!({"name": "Ann", "age": 7}))});
    assert!(is_asking(&peer.result("tools/call", with).await));
}

#[tokio::test]
async fn d4_wrong_envelopes_are_invalid_params_before_the_handler_on_all_three_methods() {
    async fn never(_: Cx, _: ()) -> Result<String, ToolError> {
        panic!("the handler ran")
    }
    let peer = Peer::of(
        builder()
            .tool(tool("who", never))
            .prompt(prompt("who", never))
            .resource(resource("x:who", never)),
    );
    for method in METHODS {
        for wrong in [
            json!({"requestState": 123}),
            json!({"requestState": {}}),
            json!({"requestState": ""}),
            json!({"inputResponses": []}),
            json!({"inputResponses": "x"}),
            json!({"inputResponses": {"k": 7}}),
            json!({"inputResponses": {"k": null}}),
            json!({"inputResponses": {"k": []}}),
        ] {
            let mut params = params();
            crate::support::merge(&mut params, &wrong);
            assert_eq!(
                peer.error(method, params).await["code"],
                -32_602,
                "{method} {wrong}"
            );
        }
    }
}

#[tokio::test]
async fn e2_an_explicit_null_state_is_a_first_round() {
    let mut with = params();
    with["requestState"] = Value::Null;
    assert!(is_asking(&Peer::of(all()).result("tools/call", with).await));
}

#[tokio::test]
async fn d7_d1_content_that_does_not_fit_is_asked_again_saying_what_was_wrong() {
    let peer = Peer::of(all());
    let asked = peer.result("tools/call", params()).await;
    for answer in [
        json!({"action": "accept"}),
        accept(json!({})),
        accept(json!({"name": 42, "age": 1})),
        accept(json!({"name": "A", "age": -5})),
        accept(json!({"name": "A", "age": 1, "extra": {"x": 1}})),
    ] {
        let again = peer
            .retry("tools/call", &params(), &asked, json!({"who": answer}))
            .await;
        assert!(is_asking(&again), "{answer}: {again}");
        let message = again["inputRequests"]["who"]["params"]["message"]
            .as_str()
            .expect("a message");
        assert!(
            message.starts_with("Who are you?") && message.len() > 14,
            "{message}"
        );
    }
}

#[tokio::test]
async fn d8_what_is_missing_is_asked_again_and_nothing_else() {
    let peer = Peer::of(all());
    let params = json!({"name": "two"});
    let asked = peer.result("tools/call", params.clone()).await;
    assert_eq!(
        asked["inputRequests"].as_object().expect("questions").len(),
        2
    );
    let given =
        json!({"a": accept(json!({"name": "Ann", "age": 1})), "unknown": accept(json!({}))});
    let again = peer.retry("tools/call", &params, &asked, given).await;
    assert_eq!(
        again["inputRequests"]
            .as_object()
            .expect("questions")
            .keys()
            .collect::<Vec<_>>(),
        ["b"]
    );
    let rest = json!({"b": accept(json!({"name": "Bob", "age": 2}))});
    assert_eq!(
        text(&peer.retry("tools/call", &params, &again, rest).await),
        "Ann Bob"
    );
}

#[tokio::test]
async fn d2_content_of_a_refusal_is_never_used_and_d5_answers_need_no_result_type() {
    let peer = Peer::of(all());
    let asked = peer.result("tools/call", params()).await;
    let declined = json!({"who": {"action": "decline", "content": {"name": "Ann", "age": 1}}});
    let result = peer.retry("tools/call", &params(), &asked, declined).await;
    assert_eq!(result["isError"], true);
    assert!(!result.to_string().contains("Ann"));
}

#[tokio::test]
async fn an_answer_of_another_kind_is_invalid_params_that_names_the_key() {
    let peer = Peer::of(all());
    let asked = peer.result("tools/call", params()).await;
    for answer in [json!({"roots": []}), json!({"action": "maybe"}), json!({})] {
        let mut with = params();
        with["requestState"] = asked["requestState"].clone();
        with["inputResponses"] = json!({"who": answer});
        let error = peer.error("tools/call", with).await;
        assert_eq!(error["code"], -32_602);
        assert!(
            error["message"]
                .as_str()
                .expect("a message")
                .contains("who"),
            "{error}"
        );
    }
}
