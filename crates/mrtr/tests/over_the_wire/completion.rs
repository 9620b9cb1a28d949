//! Suggesting values while they are typed, as a client on the wire sees it.
//! <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion>

use mrtr::server::{Completing, ServerBuilder, prompt, resource_template};
use mrtr::{Cx, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Answer, Case, Kind, Offer, Peer, Via, builder};

over_both!(
    completions_are_declared_by_who_has_them,
    a_prompt_argument_is_completed_from_what_was_filled_in_before,
    a_variable_of_a_template_is_completed,
    a_hundred_values_at_most_and_how_many_there_are,
    what_does_not_exist_is_invalid_params,
    what_is_malformed_is_invalid_params,
    a_server_without_completions_does_not_have_the_method,
    completing_never_asks,
);

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Review {
    language: Language,
    framework: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Language {
    Python,
    Rust,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Note {
    year: String,
    day: String,
}

async fn text<A>(_: Cx, _: A) -> Result<&'static str, ToolError> {
    Ok("text")
}

async fn frameworks(typed: Completing) -> Result<Vec<String>, ToolError> {
    let all: &[&str] = match typed.filled.get("language").map(String::as_str) {
        Some("python") => &["django", "flask"],
        Some("rust") => &["axum"],
        _ => &[],
    };
    Ok(typed.matching(all.iter().copied()))
}

async fn days(typed: Completing) -> Result<Vec<String>, ToolError> {
    Ok((1..=365)
        .map(|day| format!("{}{day}", typed.value))
        .collect())
}

fn offer() -> ServerBuilder {
    let note = resource_template("note://{year}/{day}", text::<Note>);
    builder()
        .prompt(prompt("review", text::<Review>).complete("framework", frameworks))
        .resource_template(note.complete("day", days))
}

async fn peer(via: Via) -> Peer {
    Peer::of(Case::new(via, Kind::Prompt), offer()).await
}

fn of_review(name: &str, value: &str) -> Value {
    let reference = json!({"type": "ref/prompt", "name": "review"});
    json!({"ref": reference, "argument": {"name": name, "value": value}})
}

fn of_note(name: &str, value: &str) -> Value {
    let reference = json!({"type": "ref/resource", "uri": "note://{year}/{day}"});
    json!({"ref": reference, "argument": {"name": name, "value": value}})
}

async fn ask(peer: &mut Peer, params: Value) -> Answer {
    let request = peer.request("completion/complete", params);
    peer.send(&request).await
}

async fn complete(peer: &mut Peer, params: Value) -> Value {
    let answer = ask(peer, params).await;
    assert_eq!(answer.result()["resultType"], "complete");
    answer.result()["completion"].clone()
}

async fn completions_are_declared_by_who_has_them(via: Via) {
    let without = builder().prompt(prompt("plain", text::<()>));
    for (builder, declared) in [(offer(), true), (without, false)] {
        let mut peer = Peer::of(Case::new(via, Kind::Prompt), builder).await;
        let discover = peer.request("server/discover", json!({}));
        let answer = peer.send(&discover).await;
        let capabilities = &answer.result()["capabilities"];
        assert_eq!(capabilities.get("completions").is_some(), declared);
    }
}

async fn a_prompt_argument_is_completed_from_what_was_filled_in_before(via: Via) {
    let mut peer = peer(via).await;
    let all = |values: &[&str]| json!({"values": values, "total": values.len(), "hasMore": false});
    let language = of_review("language", "p");
    assert_eq!(complete(&mut peer, language).await, all(&["python"]));
    let mut framework = of_review("framework", "");
    assert_eq!(complete(&mut peer, framework.clone()).await, all(&[]));
    framework["context"] = json!({"arguments": {"language": "python"}});
    let both = all(&["django", "flask"]);
    assert_eq!(complete(&mut peer, framework.clone()).await, both);
    framework["argument"]["value"] = json!("fla");
    assert_eq!(complete(&mut peer, framework).await, all(&["flask"]));
}

async fn a_variable_of_a_template_is_completed(via: Via) {
    let mut peer = peer(via).await;
    let mut of_template = of_note("day", "2");
    let completion = complete(&mut peer, of_template.clone()).await;
    assert_eq!(completion["values"][0], "21");
    // A resource that the template makes is completed as the template is.
    of_template["ref"]["uri"] = json!("note://2026/7");
    assert_eq!(complete(&mut peer, of_template).await, completion);
    let year = complete(&mut peer, of_note("year", "2")).await;
    assert_eq!(
        year["values"],
        json!([]),
        "nobody completes it, and it is there"
    );
}

async fn a_hundred_values_at_most_and_how_many_there_are(via: Via) {
    let mut peer = peer(via).await;
    let completion = complete(&mut peer, of_note("day", "")).await;
    let values = completion["values"].as_array().unwrap();
    assert_eq!((values.len(), &values[99]), (100, &json!("100")));
    assert_eq!(completion["total"], 365);
    assert_eq!(completion["hasMore"], true);
}

async fn what_does_not_exist_is_invalid_params(via: Via) {
    let mut peer = peer(via).await;
    let mut unknown_prompt = of_review("language", "");
    unknown_prompt["ref"]["name"] = json!("none");
    let mut unknown_template = of_note("day", "");
    unknown_template["ref"]["uri"] = json!("none://x");
    for params in [
        unknown_prompt,
        unknown_template,
        of_review("none", ""),
        of_note("none", ""),
    ] {
        ask(&mut peer, params).await.assert_error(-32_602, 200);
    }
}

async fn what_is_malformed_is_invalid_params(via: Via) {
    let mut peer = peer(via).await;
    for (member, value) in [
        ("ref", json!({"type": "ref/tool", "name": "review"})),
        ("ref", json!("review")),
        ("argument", json!({"name": "language"})),
        ("argument", Value::Null),
        ("context", json!({"arguments": {"language": 1}})),
    ] {
        let mut params = of_review("language", "");
        params[member] = value;
        let answer = ask(&mut peer, params).await;
        let error = answer.assert_error(-32_602, 400);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(&format!("`{member}")), "{message}");
    }
}

async fn a_server_without_completions_does_not_have_the_method(via: Via) {
    let builder = builder().prompt(prompt("plain", text::<()>));
    let mut peer = Peer::of(Case::new(via, Kind::Prompt), builder).await;
    let answer = ask(&mut peer, of_review("language", "")).await;
    answer.assert_error(-32_601, 404);
}

/// What belongs to rounds means nothing to a method that has none.
async fn completing_never_asks(via: Via) {
    let builder = offer().offer("sure", |cx: Cx| async move {
        cx.confirm("sure", "Sure?").await?;
        Ok("done".into())
    });
    let mut peer = Peer::of(Case::new(via, Kind::Prompt), builder).await;
    let state = peer.call("sure").await.state();
    for state in [json!(state), json!("forged"), json!(7)] {
        let mut params = of_review("language", "r");
        params["requestState"] = state;
        params["inputResponses"] = json!({"sure": {"action": "accept"}});
        let completion = complete(&mut peer, params).await;
        assert_eq!(completion["values"], json!(["rust"]));
    }
}
