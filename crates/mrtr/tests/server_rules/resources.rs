//! Reading resources.

use std::time::Duration;

use bytes::Bytes;
use mrtr::server::{Json, resource, resource_template};
use mrtr::wire::{CacheHints, CacheScope, ReadResourceResult, ResourceContents};
use mrtr::{Cx, Refused, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Peer, accept, builder, is_asking};

#[derive(Deserialize, JsonSchema)]
struct Note {
    folder: String,
    id: u32,
}

async fn note(_: Cx, note: Note) -> Result<String, ToolError> {
    match note.id {
        0 => Err(ToolError::not_found()),
        id => Ok(format!("{} {id}", note.folder)),
    }
}

async fn todo(_: Cx, _: ()) -> Result<&'static str, ToolError> {
    Ok("water the plants")
}

async fn secret(cx: Cx, _: ()) -> Result<String, Refused> {
    cx.confirm("show", "Show it?").await?;
    Ok("shown".into())
}

fn peer() -> Peer {
    let hour = Duration::from_secs(3_600);
    Peer::of(
        builder()
            .resource_template(
                resource_template("note://{folder}/{id}", note).mime_type("text/plain"),
            )
            .resource(resource("note://home/1", todo).cache(hour, CacheScope::Public))
            .resource(resource("note://secret", secret).cache(hour, CacheScope::Public)),
    )
}

async fn read(uri: &str) -> Value {
    peer().result("resources/read", json!({"uri": uri})).await
}

async fn missing(uri: &str) {
    let error = peer().error("resources/read", json!({"uri": uri})).await;
    assert_eq!(
        error,
        json!({"code": -32_602, "message": "Resource not found", "data": {"uri": uri}})
    );
}

#[tokio::test]
async fn variables_are_decoded_and_the_contents_get_uri_and_type() {
    let result = read("note://a%2Fb%20c/7").await;
    assert_eq!(
        result["contents"],
        json!([{"uri": "note://a%2Fb%20c/7", "mimeType": "text/plain", "text": "a/b c 7"}])
    );
}

#[tokio::test]
async fn a_resource_of_just_this_uri_goes_before_a_template() {
    assert_eq!(
        read("note://home/1").await["contents"][0]["text"],
        "water the plants"
    );
    assert_eq!(read("note://home/2").await["contents"][0]["text"], "home 2");
}

#[tokio::test]
async fn what_is_not_there_is_invalid_params_with_the_uri() {
    missing("note://nowhere").await;
    missing("note://home/0").await;
    missing("note://home/x").await;
    missing("note://home/%zz").await;
    missing("other://home/1").await;
    missing("").await;
}

#[tokio::test]
async fn contents_are_not_to_be_kept_unless_the_author_says_so() {
    let hints = |result: &Value| {
        (
            result["ttlMs"].as_u64(),
            result["cacheScope"].as_str().map(str::to_owned),
        )
    };
    assert_eq!(
        hints(&read("note://home/2").await),
        (Some(0), Some("private".into()))
    );
    assert_eq!(
        hints(&read("note://home/1").await),
        (Some(3_600_000), Some("public".into()))
    );
}

#[tokio::test]
async fn what_was_made_from_answers_is_never_to_be_kept() {
    let peer = peer();
    let params = json!({"uri": "note://secret"});
    let asked = peer.result("resources/read", params.clone()).await;
    assert!(is_asking(&asked));
    let answers = json!({"show": accept(json!({"confirmed": true}))});
    let result = peer.retry("resources/read", &params, &asked, answers).await;
    assert_eq!(result["contents"][0]["text"], "shown");
    assert_eq!(
        (&result["ttlMs"], &result["cacheScope"]),
        (&json!(0), &json!("private"))
    );
}

#[tokio::test]
async fn a_declined_question_of_a_resource_is_invalid_params() {
    let peer = peer();
    let asked = peer
        .result("resources/read", json!({"uri": "note://secret"}))
        .await;
    let params = json!({
        "uri": "note://secret",
        "requestState": asked["requestState"],
        "inputResponses": {"show": {"action": "decline"}},
    });
    let error = peer.error("resources/read", params).await;
    assert_eq!(
        (&error["code"], &error["data"]["reason"]),
        (&json!(-32_602), &json!("declined"))
    );
}

#[tokio::test]
async fn contents_may_be_bytes_json_or_given_whole() {
    async fn vector(_: Cx, _: ()) -> Result<Vec<u8>, ToolError> {
        Ok(vec![0, 255])
    }
    async fn shared(_: Cx, _: ()) -> Result<Bytes, ToolError> {
        Ok(Bytes::from_static(b"ab"))
    }
    async fn object(_: Cx, _: ()) -> Result<Json<Value>, ToolError> {
        Ok(Json(json!({"a": 1})))
    }
    async fn whole(_: Cx, _: ()) -> Result<ReadResourceResult, ToolError> {
        let contents = vec![
            ResourceContents::text("x:whole", "1"),
            ResourceContents::text("x:other", "2"),
        ];
        Ok(ReadResourceResult::new(contents)
            .with_cache_hints(CacheHints::new(Duration::from_secs(1), CacheScope::Private)))
    }
    let peer = Peer::of(
        builder()
            .resource(resource("x:vector", vector).mime_type("image/png"))
            .resource(resource("x:shared", shared))
            .resource(resource("x:object", object).mime_type("application/ld+json"))
            .resource(resource("x:whole", whole).mime_type("text/plain")),
    );
    let contents = async |uri: &str| peer.result("resources/read", json!({"uri": uri})).await;
    assert_eq!(
        contents("x:vector").await["contents"],
        json!([{"uri": "x:vector", "mimeType": "image/png", "blob": "AP8="}])
    );
    assert_eq!(
        contents("x:shared").await["contents"],
        json!([{"uri": "x:shared", "blob": "YWI="}])
    );
    assert_eq!(
        contents("x:object").await["contents"][0]["text"],
        r#"{"a":1}"#
    );
    let whole = contents("x:whole").await;
    assert_eq!(whole["ttlMs"], 1_000);
    assert_eq!(whole["contents"][0]["mimeType"], "text/plain");
    assert!(
        whole["contents"][1].get("mimeType").is_none(),
        "the type of another resource is not known"
    );
}
