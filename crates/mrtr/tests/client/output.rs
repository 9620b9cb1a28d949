//! What tools return is held against what their definitions promise.

use mrtr::client::{Client, ClientError, Delivery, OutputMismatch};
use mrtr::exchange::Blame;
use serde_json::{Value, json};

use crate::support::http::{Do, Script};
use crate::support::peer::Peer;
use crate::support::{asks, done, form, says_yes};

fn tool(output: Value) -> Value {
    json!([{"name": "weather", "inputSchema": {"type": "object"}, "outputSchema": output}])
}

fn degrees() -> Value {
    json!({"type": "object", "properties": {"degrees": {"type": "number", "minimum": -90}},
        "required": ["degrees"]})
}

fn content(content: Value) -> Value {
    let mut result = done();
    result["structuredContent"] = content;
    result
}

async fn call(client: &Client) -> Result<(), ClientError> {
    let called = client.call_tool("weather", &json!({}), &()).await;
    called.map(drop)
}

/// Calls a tool once that has this output schema and gives this result.
async fn once(schema: Value, result: Value) -> Result<(), ClientError> {
    let script = Script::with_tools([tool(schema)], [Do::Result(result)]).await;
    call(&script.client()).await
}

#[track_caller]
fn mismatch(called: Result<(), ClientError>) -> OutputMismatch {
    let error = called.unwrap_err();
    assert_eq!(error.blame(), Blame::Peer);
    assert_eq!(error.delivery(), Delivery::Answered);
    match error {
        ClientError::Output(mismatch) => *mismatch,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn what_fits_is_handed_out() {
    for (schema, result) in [
        (degrees(), content(json!({"degrees": 22.5, "more": []}))),
        (
            json!({"type": "array", "items": {"type": "integer"}}),
            content(json!([1, 2.0])),
        ),
        (json!({"type": ["string", "null"]}), content(json!(null))),
        (
            json!({"$defs": {"d": degrees()}, "$ref": "#/$defs/d"}),
            content(json!({"degrees": 1})),
        ),
        (
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "string"}),
            content(json!("x")),
        ),
    ] {
        once(schema.clone(), result)
            .await
            .unwrap_or_else(|error| panic!("{schema}: {error}"));
    }
}

#[tokio::test]
async fn what_does_not_fit_is_an_error_that_has_the_result_and_repeats_no_value() {
    let result = content(json!({"degrees": -273.15, "secret": "x"}));
    let mismatch = mismatch(once(degrees(), result.clone()).await);
    assert_eq!(mismatch.tool, "weather");
    assert!(mismatch.problem.contains("`/degrees`"), "{mismatch}");
    assert!(!mismatch.to_string().contains("273"), "{mismatch}");
    let raw: Value = serde_json::from_str(mismatch.outcome.raw().get()).unwrap();
    assert_eq!(raw, result);
}

#[tokio::test]
async fn a_promise_that_is_not_kept_at_all_is_an_error_unless_the_tool_failed() {
    let problem = mismatch(once(degrees(), done()).await).problem;
    assert!(problem.contains("no `structuredContent`"), "{problem}");
    let mut failed = done();
    failed["isError"] = json!(true);
    once(degrees(), failed).await.unwrap();
}

#[tokio::test]
async fn the_result_after_questions_is_checked_and_the_questions_are_not() {
    let steps = [Do::Result(asks(form())), Do::Result(content(json!({})))];
    let script = Script::with_tools([tool(degrees())], steps).await;
    let called = script
        .client()
        .call_tool("weather", &json!({}), &says_yes())
        .await;
    let problem = mismatch(called.map(drop)).problem;
    assert!(problem.contains("degrees"), "{problem}");
}

#[tokio::test]
async fn a_definition_that_has_changed_is_asked_for_anew_before_it_counts() {
    let newer = tool(json!({"type": "string"}));
    let steps = [
        content(json!("warm")),
        content(json!("cold")),
        content(json!(7)),
    ];
    let script = Script::with_tools([tool(degrees()), newer], steps.map(Do::Result)).await;
    let client = script.client();
    call(&client).await.unwrap();
    call(&client).await.unwrap();
    let listed = || script.all().len() - script.seen().len();
    assert_eq!(
        listed(),
        2,
        "once before the first call, and once when it did not fit"
    );
    mismatch(call(&client).await);
    assert_eq!(listed(), 3);
}

#[tokio::test]
async fn what_is_no_schema_or_somewhere_else_promises_nothing_that_could_be_kept() {
    let elsewhere = Script::new([]).await;
    for (schema, said) in [
        (json!({"$ref": elsewhere.url}), "refers to another document"),
        (
            json!({"properties": {"a": {"$ref": elsewhere.url}}}),
            "refers to another document",
        ),
        (json!({"type": "nothing"}), "invalid"),
        (json!({"$ref": "#/$defs/none"}), "/$defs/none"),
        (
            json!({"$schema": "https://example.com/dialect"}),
            "https://example.com/dialect",
        ),
    ] {
        let problem = mismatch(once(schema, content(json!({}))).await).problem;
        assert!(problem.contains(said), "{problem}");
    }
    assert!(elsewhere.all().is_empty(), "the reference was not followed");
}

#[tokio::test]
async fn checking_without_a_bound_is_not_begun() {
    let mut doubling = json!({"$defs": {"d0": {}}, "$ref": "#/$defs/d60"});
    for n in 1..=60 {
        let to = json!({"$ref": format!("#/$defs/d{}", n - 1)});
        doubling["$defs"][format!("d{n}")] = json!({"allOf": [to, to]});
    }
    let child = json!({"properties": {"c": {"$ref": "#"}}});
    let by_value = json!({"allOf": [child, child]});
    let deep = (0..60).fold(json!({}), |inner, _| json!({"c": inner}));
    for (schema, value) in [
        (json!({"$ref": "#"}), json!({})),
        (doubling, json!({})),
        (by_value, deep),
        (json!({"pattern": "(?=a)b"}), json!("x")),
        (json!({"pattern": "^(a|a)*$"}), json!("a".repeat(2 << 20))),
    ] {
        once(schema, content(value)).await.unwrap();
    }
}

#[tokio::test]
async fn a_pattern_that_invites_backtracking_is_matched_all_the_same() {
    let schema = json!({"pattern": "^(a+)+$"});
    let value = format!("{}!", "a".repeat(10_000));
    mismatch(once(schema, content(json!(value))).await);
}

#[tokio::test]
async fn over_a_stream_the_definition_counts_once_it_is_known() {
    let (mut peer, builder) = Peer::new();
    let client = builder.build().unwrap();
    let server = tokio::spawn(async move {
        peer.discover().await;
        while let Some(request) = peer.next().await {
            let result = match request["method"].as_str() {
                Some("tools/list") => json!({"resultType": "complete", "tools": tool(degrees())}),
                _ => content(json!("warm")),
            };
            peer.result(&request, result).await;
        }
    });
    call(&client).await.unwrap();
    client.list_tools().await.unwrap();
    mismatch(call(&client).await);
    client.close().await;
    drop(client);
    server.await.unwrap();
}
