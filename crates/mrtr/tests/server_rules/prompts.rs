//! Getting prompts.

use mrtr::server::prompt;
use mrtr::wire::{PromptMessage, Role};
use mrtr::{Cx, Form, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{Peer, accept, builder, is_asking};

#[derive(Deserialize, JsonSchema)]
struct Brief {
    /// What it is about.
    topic: String,
    words: Option<u32>,
    #[serde(default)]
    tone: Tone,
}

#[derive(Default, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    #[default]
    Plain,
    Formal,
}

async fn brief(_: Cx, brief: Brief) -> Result<Vec<PromptMessage>, ToolError> {
    let words = brief.words.map_or("some".into(), |words| words.to_string());
    Ok(vec![
        PromptMessage::user(format!(
            "{words} {:?} words about {}",
            brief.tone, brief.topic
        )),
        PromptMessage::assistant("Of course."),
    ])
}

#[derive(Form)]
struct Audience {
    /// For whom?
    audience: String,
}

async fn letter(cx: Cx, _: ()) -> Result<String, ToolError> {
    let to: Audience = cx.elicit("audience", "Who will read it?").await?;
    Ok(format!("Write a letter to {}.", to.audience))
}

fn peer() -> Peer {
    Peer::of(
        builder()
            .prompt(prompt("brief", brief).title("Brief"))
            .prompt(prompt("letter", letter)),
    )
}

#[tokio::test]
async fn arguments_are_texts_that_become_numbers_and_choices() {
    let params =
        json!({"name": "brief", "arguments": {"topic": "rust", "words": "200", "tone": "formal"}});
    let result = peer().result("prompts/get", params).await;
    assert_eq!(
        result["messages"][0]["content"]["text"],
        "200 Formal words about rust"
    );
    assert_eq!(
        result["messages"][1]["role"],
        serde_json::to_value(Role::Assistant).expect("a role")
    );
}

#[tokio::test]
async fn fields_become_arguments_in_their_order() {
    let list = peer().result("prompts/list", json!({})).await;
    assert_eq!(
        list["prompts"][0]["arguments"],
        json!([
            {"name": "topic", "description": "What it is about.", "required": true},
            {"name": "words", "required": false},
            {"name": "tone", "required": false},
        ])
    );
    assert!(list["prompts"][1].get("arguments").is_none());
}

#[tokio::test]
async fn missing_and_wrong_arguments_are_invalid_params_that_name_them() {
    for (arguments, said) in [
        (json!({}), "the argument `topic` is missing"),
        (
            json!({"topic": "t", "words": "many"}),
            "the argument `words` must be a whole number in range",
        ),
        (
            json!({"topic": "t", "tone": "loud"}),
            "the argument `tone`: unknown variant `loud`",
        ),
        (json!({"topic": 7}), "the argument `topic` must be a string"),
    ] {
        let error = peer()
            .error(
                "prompts/get",
                json!({"name": "brief", "arguments": arguments}),
            )
            .await;
        assert_eq!(error["code"], -32_602);
        assert!(
            error["message"].as_str().expect("a message").contains(said),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_unknown_prompt_is_invalid_params() {
    let error = peer().error("prompts/get", json!({"name": "poem"})).await;
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!(-32_602), &json!("Unknown prompt: poem"))
    );
}

#[tokio::test]
async fn d6_a_prompt_asks_and_reads_the_content_of_the_answer() {
    let peer = peer();
    let params = json!({"name": "letter"});
    let asked = peer.result("prompts/get", params.clone()).await;
    assert!(is_asking(&asked));
    assert_eq!(
        asked["inputRequests"]["audience"]["params"]["message"],
        "Who will read it?"
    );
    let answers = json!({"audience": accept(json!({"audience": "Ann"}))});
    let result = peer.retry("prompts/get", &params, &asked, answers).await;
    assert_eq!(
        result["messages"][0]["content"]["text"],
        "Write a letter to Ann."
    );
}

#[tokio::test]
async fn a_declined_question_of_a_prompt_is_invalid_params() {
    let peer = peer();
    let asked = peer.result("prompts/get", json!({"name": "letter"})).await;
    for (action, reason) in [("decline", "declined"), ("cancel", "cancelled")] {
        let params = json!({
            "name": "letter",
            "requestState": asked["requestState"],
            "inputResponses": {"audience": {"action": action}},
        });
        let error = peer.error("prompts/get", params).await;
        assert_eq!(error["code"], -32_602);
        assert_eq!(error["data"], json!({"reason": reason, "key": "audience"}));
    }
}

#[tokio::test]
async fn a_failing_prompt_is_an_internal_error_unless_made_visible() {
    async fn opaque(_: Cx, _: ()) -> Result<String, ToolError> {
        Err("secret")?
    }
    async fn visible(_: Cx, _: ()) -> Result<String, ToolError> {
        Err(ToolError::visible("Nothing to write about."))
    }
    let peer = Peer::of(
        builder()
            .prompt(prompt("opaque", opaque))
            .prompt(prompt("visible", visible)),
    );
    let error = peer.error("prompts/get", json!({"name": "opaque"})).await;
    assert_eq!(error, json!({"code": -32_603, "message": "Internal error"}));
    let error = peer.error("prompts/get", json!({"name": "visible"})).await;
    assert_eq!(
        error,
        json!({"code": -32_602, "message": "Nothing to write about."})
    );
}
