//! The headers of requests, and the tool definitions they follow from.

use std::sync::{Arc, Mutex};

use crate::support::http::{Do, Script};
use crate::support::{asks, done, form, says_yes};
use mrtr::client::{ClientError, Delivery};
use mrtr::exchange::{Blame, ExchangeError};
use mrtr::wire::Implementation;
use serde_json::{Value, json};

fn sql(region: Value) -> Value {
    json!([{"name": "sql", "inputSchema": {"type": "object", "properties": {
        "region": region, "query": {"type": "string"}}}}])
}

fn mirrored() -> Value {
    sql(json!({"type": "string", "x-mcp-header": "Region"}))
}

fn mismatch() -> Do {
    Do::Error(
        400,
        json!({"code": -32020, "message": "Header mismatch: Mcp-Param-Region"}),
    )
}

#[tokio::test]
async fn every_request_has_the_headers_and_metadata_of_the_page() {
    let steps = [asks(form()), done()].map(Do::Result);
    let script = Script::with_tools([mirrored()], steps).await;
    let client = script
        .builder()
        .info(Implementation::new("me", "2"))
        .build()
        .unwrap();
    let arguments = json!({"region": "us-west1", "query": "SELECT 1"});
    client
        .call_tool("sql", &arguments, &says_yes())
        .await
        .unwrap();
    let all = script.all();
    let methods: Vec<_> = all.iter().map(|seen| seen.method().to_owned()).collect();
    assert_eq!(
        methods,
        ["tools/list", "tools/call", "tools/call"],
        "known before the first leg"
    );
    for seen in &all {
        assert!(
            seen.head.starts_with("POST /mcp HTTP/1.1\r\n"),
            "{}",
            seen.head
        );
        assert_eq!(seen.header("content-type"), Some("application/json"));
        assert_eq!(
            seen.header("accept"),
            Some("application/json, text/event-stream")
        );
        assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(seen.header("mcp-method"), Some(seen.method()));
        let meta = &seen.params()["_meta"];
        assert_eq!(
            meta["io.modelcontextprotocol/protocolVersion"],
            "2026-07-28"
        );
        assert_eq!(
            meta["io.modelcontextprotocol/clientInfo"],
            json!({"name": "me", "version": "2"})
        );
        assert!(meta["io.modelcontextprotocol/clientCapabilities"].is_object());
    }
    assert_eq!(
        (all[0].header("mcp-name"), all[0].header("mcp-param-region")),
        (None, None)
    );
    for leg in &all[1..] {
        assert_eq!(leg.header("mcp-name"), Some("sql"));
        assert_eq!(
            leg.header("mcp-param-region"),
            Some("us-west1"),
            "on both legs"
        );
    }
}

#[tokio::test]
async fn names_that_no_header_can_carry_take_the_base64_form() {
    let prompt = json!({"resultType": "complete", "messages": []});
    let resource = json!({"resultType": "complete", "contents": []});
    let script = Script::new([prompt, resource].map(Do::Result)).await;
    let client = script.client();
    client.get_prompt(" höflich", &(), &()).await.unwrap();
    client.read_resource("note://a/b", &()).await.unwrap();
    let seen = script.seen();
    assert_eq!(seen[0].header("mcp-name"), Some("=?base64?IGjDtmZsaWNo?="));
    assert_eq!(seen[0].bare(), json!({"name": " höflich"}), "no arguments");
    assert_eq!(seen[1].header("mcp-name"), Some("note://a/b"));
}

#[tokio::test]
async fn the_tools_are_listed_once_for_many_calls() {
    let script = Script::with_tools([mirrored()], [done(), done()].map(Do::Result)).await;
    let client = script.client();
    for _ in 0..2 {
        client
            .call_tool("sql", &json!({"region": "é"}), &())
            .await
            .unwrap();
    }
    assert_eq!(script.all().len(), 3);
    assert_eq!(
        script.seen()[1].header("mcp-param-region"),
        Some("=?base64?w6k=?=")
    );
}

#[tokio::test]
async fn a_header_mismatch_refreshes_the_definition_once() {
    let plain = sql(json!({"type": "string"}));
    let steps = [mismatch(), Do::Result(done())];
    let script = Script::with_tools([plain.clone(), mirrored()], steps).await;
    let client = script.client();
    client
        .call_tool("sql", &json!({"region": "r"}), &())
        .await
        .unwrap();
    let seen = script.seen();
    assert_eq!(seen[0].header("mcp-param-region"), None);
    assert_eq!(seen[1].header("mcp-param-region"), Some("r"));
    assert_ne!(seen[0].body["id"], seen[1].body["id"]);
    assert_eq!(seen[0].bare(), seen[1].bare());

    let script = Script::with_tools([plain, mirrored()], [mismatch(), mismatch()]).await;
    let error = script
        .client()
        .call_tool("sql", &json!({"region": "r"}), &())
        .await
        .unwrap_err();
    let ClientError::Exchange(ExchangeError::Rejected(rejected)) = &error else {
        panic!("{error}")
    };
    assert_eq!(rejected.error.code.0, -32020);
    assert_eq!(script.seen().len(), 2, "once");

    let script = Script::with_tools([mirrored()], [mismatch()]).await;
    let error = script
        .client()
        .call_tool("sql", &json!({"region": "r"}), &())
        .await
        .unwrap_err();
    assert_eq!(error.blame(), Blame::Peer);
    assert_eq!(
        script.seen().len(),
        1,
        "an unchanged definition is no reason to try again"
    );
}

#[tokio::test]
async fn a_tool_with_invalid_annotations_is_neither_listed_nor_called() {
    let mut tools = sql(json!({"type": "number", "x-mcp-header": "Region"}));
    tools
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "good", "inputSchema": {"type": "object"}}));
    let script = Script::with_tools([tools], []).await;
    let client = script.client();
    let names: Vec<_> = client
        .list_tools()
        .await
        .unwrap()
        .into_iter()
        .map(|t| t.name)
        .collect();
    assert_eq!(names, ["good"]);
    let error = client
        .call_tool("sql", &json!({"region": 1}), &())
        .await
        .unwrap_err();
    let ClientError::ToolDefinition(definition) = &error else {
        panic!("{error}")
    };
    assert_eq!(definition.tool, "sql");
    assert_eq!(error.delivery(), Delivery::NotDelivered);
    assert!(script.seen().is_empty());
}

#[tokio::test]
async fn an_integer_that_headers_cannot_carry_is_the_callers_fault() {
    let tools = sql(json!({"type": "integer", "x-mcp-header": "Region"}));
    let script = Script::with_tools([tools], []).await;
    let arguments = json!({"region": 9_007_199_254_740_993_i64});
    let error = script
        .client()
        .call_tool("sql", &arguments, &())
        .await
        .unwrap_err();
    assert!(matches!(error, ClientError::Usage(_)), "{error}");
    assert!(error.to_string().contains("`region`"), "{error}");
    assert!(script.seen().is_empty());
}

#[tokio::test]
async fn a_server_without_a_list_of_tools_can_be_called() {
    let unknown = json!({"code": -32601, "message": "Method not found"});
    let script = Script::with_tools([unknown], [done(), done()].map(Do::Result)).await;
    let client = script.client();
    for _ in 0..2 {
        client.call_tool("t", &json!({}), &()).await.unwrap();
    }
    assert_eq!(script.all().len(), 3, "the list is not asked for again");
    let error = client.list_tools().await.unwrap_err();
    let ClientError::Exchange(ExchangeError::Rejected(rejected)) = &error else {
        panic!("{error}")
    };
    assert_eq!(
        rejected.error.code.0, -32601,
        "an error beside 404 is an answer"
    );
}

#[tokio::test]
async fn bearer_tokens_go_to_the_server_and_nowhere_else() {
    let script = Script::new([Do::Result(done()), Do::Result(done()), Do::Hangup]).await;
    let traced = Arc::new(Mutex::new(String::new()));
    let trace = Arc::clone(&traced);
    let count = Arc::new(Mutex::new(0));
    let client = script
        .builder()
        .bearer_with(move || {
            let mut count = count.lock().unwrap();
            *count += 1;
            let token = if *count < 4 {
                Ok(format!("secret-{count}"))
            } else {
                Err("expired")
            };
            async move { token }
        })
        .trace(move |message| trace.lock().unwrap().push_str(&format!("{message:?}")))
        .build()
        .unwrap();
    client.call_tool("t", &json!({}), &()).await.unwrap();
    client.call_tool("t", &json!({}), &()).await.unwrap();
    let tokens: Vec<_> = script
        .all()
        .iter()
        .map(|s| s.header("authorization").map(str::to_owned))
        .collect();
    let expected = ["Bearer secret-1", "Bearer secret-2", "Bearer secret-3"];
    assert_eq!(tokens, expected.map(|token| Some(token.to_owned())));
    let error = client.call_tool("t", &json!({}), &()).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable(_)), "{error}");
    assert_eq!(error.delivery(), Delivery::NotDelivered);
    assert_eq!(script.all().len(), 3, "nothing is sent without credentials");
    assert!(!traced.lock().unwrap().contains("secret"));
    assert!(!format!("{client:?}{error:?}").contains("secret"));

    let bad = script.builder().bearer("a\r\nb").build().unwrap();
    let error = bad.list_tools().await.unwrap_err();
    assert!(!error.to_string().contains("a\r\nb"), "{error}");
    assert_eq!(script.all().len(), 3);
}
