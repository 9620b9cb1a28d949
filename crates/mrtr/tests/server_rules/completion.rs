//! Suggesting values while they are typed.

use std::time::Duration;

use mrtr::server::{
    BuildError, Completing, Limiter, RetryAfter, ServerBuilder, Target, prompt, resource,
    resource_template, tool,
};
use mrtr::state::Principal;
use mrtr::wire::CompleteResult;
use mrtr::{Cx, Timestamp, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Peer, builder};

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Review {
    language: String,
    framework: Option<String>,
    depth: Option<Depth>,
    strict: Option<bool>,
    #[serde(rename = "project-id")]
    project: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Depth {
    Shallow,
    Deep,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct File {
    folder: Folder,
    path: String,
}

#[derive(Deserialize, JsonSchema)]
enum Folder {
    #[serde(rename = "src")]
    Source,
    #[serde(rename = "docs")]
    Documents,
}

async fn text<A>(_: Cx, _: A) -> Result<&'static str, ToolError> {
    Ok("text")
}

async fn frameworks(typed: Completing) -> Result<Vec<String>, ToolError> {
    let of_language: &[&str] = match typed.filled.get("language").map(String::as_str) {
        Some("python") => &["django", "flask"],
        Some("rust") => &["axum", "flask-rs"],
        Some("cobol") => return Err(ToolError::visible("no frameworks are known")),
        _ => &[],
    };
    Ok(typed.matching(of_language.iter().copied()))
}

fn offer() -> ServerBuilder {
    let review = prompt("review", text::<Review>)
        .complete("framework", frameworks)
        .complete("project-id", |typed: Completing| async move {
            let mine = typed
                .caller
                .principal
                .ok_or_else(|| anyhow::anyhow!("who?"))?;
            Ok::<_, anyhow::Error>(vec![mine.subject().to_owned()])
        });
    let files = resource_template("file:///{folder}/{+path}", text::<File>).complete(
        "path",
        |typed: Completing| async move {
            let all = (0..250).map(|n| format!("{}{n}", typed.value)).collect();
            Ok::<Vec<String>, ToolError>(all)
        },
    );
    builder()
        .prompt(review)
        .prompt(prompt("plain", text::<()>))
        .resource(resource("file:///src/main.rs", text::<()>))
        .resource_template(files)
}

fn ask(reference: Value, name: &str, value: &str) -> Value {
    json!({"ref": reference, "argument": {"name": name, "value": value}})
}

fn of_review(name: &str, value: &str) -> Value {
    ask(json!({"type": "ref/prompt", "name": "review"}), name, value)
}

fn of_file(uri: &str, name: &str, value: &str) -> Value {
    ask(json!({"type": "ref/resource", "uri": uri}), name, value)
}

async fn complete(peer: &Peer, params: Value) -> Value {
    let result = peer.result("completion/complete", params).await;
    result["completion"].clone()
}

#[tokio::test]
async fn the_capability_is_declared_when_something_is_completed_and_only_then() {
    let with = Peer::of(offer()).result("server/discover", json!({})).await;
    assert_eq!(with["capabilities"]["completions"], json!({}));
    let peer = Peer::of(
        builder()
            .prompt(prompt("plain", text::<()>))
            .tool(tool("review", text::<Review>)),
    );
    let without = peer.result("server/discover", json!({})).await;
    assert!(without["capabilities"].get("completions").is_none());
    let plain = ask(json!({"type": "ref/prompt", "name": "plain"}), "a", "");
    let error = peer.error("completion/complete", plain).await;
    assert_eq!(error["code"], -32_601, "{error}");
}

#[tokio::test]
async fn arguments_with_few_values_complete_themselves() {
    let peer = Peer::of(offer());
    for (name, value, expected) in [
        ("depth", "", &["shallow", "deep"][..]),
        ("depth", "D", &["deep"]),
        ("strict", "t", &["true"]),
        ("depth", "x", &[]),
        ("language", "ru", &[]),
    ] {
        let completion = complete(&peer, of_review(name, value)).await;
        assert_eq!(
            completion,
            json!({"values": expected, "total": expected.len(), "hasMore": false}),
            "{name} {value}"
        );
    }
    let folder = of_file("file:///{folder}/{+path}", "folder", "s");
    assert_eq!(
        complete(&peer, folder).await["values"],
        json!(["src", "docs"])
    );
}

#[tokio::test]
async fn the_author_completes_from_what_was_typed_and_filled_in_before() {
    let peer = Peer::of(offer());
    let mut params = of_review("framework", "fla");
    assert_eq!(complete(&peer, params.clone()).await["values"], json!([]));
    for (language, expected) in [("python", "flask"), ("rust", "flask-rs")] {
        params["context"] = json!({"arguments": {"language": language}});
        assert_eq!(
            complete(&peer, params.clone()).await["values"],
            json!([expected])
        );
    }
}

#[tokio::test]
async fn a_hundred_values_are_sent_and_the_client_is_told_that_there_are_more() {
    let peer = Peer::of(offer());
    // The template as it is listed, and a resource that fits it.
    for uri in ["file:///{folder}/{+path}", "file:///docs/index.md"] {
        let completion = complete(&peer, of_file(uri, "path", "x")).await;
        let values = completion["values"].as_array().expect("a list");
        assert_eq!((values.len(), &values[99]), (100, &json!("x99")));
        assert_eq!(completion["total"], 250);
        assert_eq!(completion["hasMore"], true);
    }
    let mut own = CompleteResult::new(Vec::new());
    own.completion.values = vec!["v".to_owned(); 101];
    let peer = Peer::of(builder().prompt(prompt("review", text::<Review>).complete(
        "language",
        move |_: Completing| {
            let own = own.clone();
            async { Ok::<_, ToolError>(own) }
        },
    )));
    let completion = complete(&peer, of_review("language", "")).await;
    assert_eq!(completion["values"].as_array().map(Vec::len), Some(100));
    assert_eq!(completion["hasMore"], true);
}

#[tokio::test]
async fn a_resource_without_variables_has_nothing_to_complete() {
    let peer = Peer::of(offer());
    let completion = complete(&peer, of_file("file:///src/main.rs", "x", "")).await;
    assert_eq!(completion["values"], json!([]));
}

#[tokio::test]
async fn what_does_not_exist_is_invalid_params() {
    let peer = Peer::of(offer());
    for (params, said) in [
        (
            ask(json!({"type": "ref/prompt", "name": "none"}), "a", ""),
            "Unknown prompt: none",
        ),
        (of_file("gopher://x", "path", ""), "Resource not found"),
        (of_review("none", ""), "`review` has no argument `none`"),
        (
            of_file("file:///{folder}/{+path}", "none", ""),
            "`file:///{folder}/{+path}` has no argument `none`",
        ),
    ] {
        let error = peer.error("completion/complete", params.clone()).await;
        assert_eq!(error["code"], -32_602, "{params}");
        assert_eq!(error["message"], said);
    }
}

#[tokio::test]
async fn what_is_malformed_is_invalid_params_that_name_the_member() {
    let peer = Peer::of(offer());
    let good = of_review("depth", "");
    for (member, value) in [
        ("ref", json!(null)),
        ("ref", json!({"type": "ref/tool", "name": "review"})),
        ("ref", json!({"type": "ref/prompt"})),
        ("argument", json!("depth")),
        ("argument", json!({"name": "depth"})),
        ("argument", json!({"name": "depth", "value": 1})),
        ("context", json!([])),
        ("context", json!({"arguments": {"language": 1}})),
    ] {
        let mut params = good.clone();
        params[member] = value.clone();
        let error = peer.error("completion/complete", params).await;
        assert_eq!(error["code"], -32_602, "{member}: {value}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains(&format!("`{member}")), "{message}");
    }
}

#[tokio::test]
async fn an_error_of_the_author_is_told_as_for_a_prompt() {
    let peer = Peer::of(offer());
    let mut params = of_review("framework", "");
    params["context"] = json!({"arguments": {"language": "cobol"}});
    let error = peer.error("completion/complete", params).await;
    assert_eq!(error["code"], -32_602);
    assert_eq!(error["message"], "no frameworks are known");

    let error = peer
        .error("completion/complete", of_review("project-id", ""))
        .await;
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!(-32_603), &json!("Internal error"))
    );
    let mut alice = peer.clone();
    alice.caller = Principal::new("https://issuer.example", "alice").into();
    let completion = complete(&alice, of_review("project-id", "")).await;
    assert_eq!(
        completion["values"],
        json!(["alice"]),
        "completed for the caller"
    );
}

#[tokio::test(start_paused = true)]
async fn completing_has_the_deadline_of_what_it_is_for() {
    let slow = prompt("review", text::<Review>)
        .request_deadline(Duration::from_secs(2))
        .complete("language", |_: Completing| async {
            std::future::pending::<()>().await;
            Ok::<Vec<String>, ToolError>(Vec::new())
        });
    let error = Peer::of(builder().prompt(slow))
        .error("completion/complete", of_review("language", ""))
        .await;
    assert_eq!(error["data"]["reason"], "deadline", "{error}");
}

struct OnlyCompletions;

impl Limiter for OnlyCompletions {
    fn check(
        &self,
        _: Option<&Principal>,
        target: Target<'_>,
        _: Timestamp,
    ) -> Result<(), RetryAfter> {
        match (target.completing, target.name) {
            (true, "review") => Err(RetryAfter(Duration::from_secs(3))),
            (true, name) => panic!("not a registered name: {name}"),
            (false, _) => Ok(()),
        }
    }
}

#[tokio::test]
async fn the_limiter_is_asked_for_completions_by_themselves() {
    let peer = Peer::of(offer().limiter(OnlyCompletions));
    let error = peer
        .error("completion/complete", of_review("depth", ""))
        .await;
    assert_eq!(
        error["data"],
        json!({"reason": "rate_limited", "retryAfterMs": 3_000})
    );
    let got = json!({"name": "review", "arguments": {"language": "rust"}});
    peer.result("prompts/get", got).await;
}

#[test]
fn completing_what_is_no_argument_is_found_by_build() {
    let mistake = prompt("review", text::<Review>).complete("lang", frameworks);
    let error: BuildError = builder().prompt(mistake).build().expect_err("a mistake");
    assert_eq!(
        error.problems()[0].to_string(),
        "prompt `review`: there is no argument `lang` that could be completed"
    );
}
