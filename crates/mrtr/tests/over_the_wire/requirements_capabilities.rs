//! The seventh requirement for servers: what a client did not declare is not asked.
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow>

use mrtr::server::Server;
use mrtr::wire::CreateMessageRequest;
use mrtr::{Cx, Form, ToolError};
use serde_json::{Value, json};

use crate::support::{Case, Offer, Peer, builder, merge};

#[derive(Form)]
struct Seats {
    #[form(min = 1, max = 9)]
    seats: u8,
}

/// Each question with what has to be declared for it, and declarations that are not enough.
const NEEDS: [(&str, &str, &[&str]); 6] = [
    (
        "form",
        r#"{"elicitation":{"form":{}}}"#,
        &[
            "{}",
            r#"{"elicitation":{"url":{}}}"#,
            r#"{"sampling":{},"roots":{}}"#,
        ],
    ),
    // C1: a bare `elicitation` means forms only.
    (
        "url",
        r#"{"elicitation":{"url":{}}}"#,
        &[
            "{}",
            r#"{"elicitation":{}}"#,
            r#"{"elicitation":{"form":{}}}"#,
        ],
    ),
    (
        "sample",
        r#"{"sampling":{}}"#,
        &[
            "{}",
            r#"{"elicitation":{},"roots":{}}"#,
            r#"{"sampling":true}"#,
        ],
    ),
    // C2
    (
        "tools",
        r#"{"sampling":{"tools":{}}}"#,
        &["{}", r#"{"sampling":{}}"#, r#"{"sampling":{"context":{}}}"#],
    ),
    (
        "context",
        r#"{"sampling":{"context":{}}}"#,
        &["{}", r#"{"sampling":{}}"#, r#"{"sampling":{"tools":{}}}"#],
    ),
    // C7
    (
        "roots",
        r#"{"roots":{}}"#,
        &[
            "{}",
            r#"{"elicitation":{},"sampling":{}}"#,
            r#"{"roots":null}"#,
        ],
    ),
];

everywhere!(server_requirement_7_what_was_not_declared_is_not_asked);

fn sample(members: Value) -> CreateMessageRequest {
    let mut request = json!({"messages": [], "maxTokens": 1});
    merge(&mut request, members);
    serde_json::from_value(request).unwrap()
}

async fn peer_of(case: Case, server: &Server, declared: &str) -> Peer {
    Peer::new(case, server)
        .await
        .declaring(serde_json::from_str(declared).unwrap())
}

async fn server_requirement_7_what_was_not_declared_is_not_asked(case: Case) {
    let builder = builder()
        .offer("form", |cx| async move {
            let Seats { seats } = cx.elicit("q", "How many?").await?;
            Ok(seats.to_string())
        })
        .offer("url", |cx| async move {
            let ready = || async { Ok::<_, ToolError>(()) };
            let visit = cx.elicit_url("q", "Sign in.", "https://example.com/", ready);
            visit.await.map_err(|error| error.flatten())?;
            Ok("done".into())
        })
        .offer("sample", |cx| async move {
            cx.sample("q", sample(json!({}))).await?;
            Ok("done".into())
        })
        .offer("tools", |cx| async move {
            cx.sample("q", sample(json!({"tools": []}))).await?;
            Ok("done".into())
        })
        .offer("context", |cx| async move {
            cx.sample("q", sample(json!({"includeContext": "thisServer"})))
                .await?;
            Ok("done".into())
        })
        .offer("roots", |cx| async move {
            cx.roots("q").await?;
            Ok("done".into())
        })
        .offer("everything", |cx: Cx| async move {
            let (one, two) = (cx.roots("one"), cx.sample("two", sample(json!({}))));
            let Seats { seats } = cx.elicit("three", "How many?").await?;
            one.await?;
            two.await?;
            Ok(seats.to_string())
        });
    let server = builder.build().unwrap();
    for (name, enough, not_enough) in NEEDS {
        let enough: Value = serde_json::from_str(enough).unwrap();
        let mut peer = Peer::new(case, &server).await.declaring(enough.clone());
        assert_eq!(peer.call(name).await.keys(), ["q"], "{name}");
        for declared in not_enough {
            let mut peer = peer_of(case, &server, declared).await;
            let refused = peer.call(name).await;
            let error = refused.assert_error(-32_021, 400);
            assert_eq!(
                error["data"],
                json!({"requiredCapabilities": enough}),
                "{name} {declared}"
            );
            assert!(
                !refused.text.contains("inputRequests"),
                "nothing is sent: {}",
                refused.text
            );
        }
    }
    let mut peer = peer_of(case, &server, r#"{"elicitation":{}}"#).await;
    let refused = peer.call("everything").await;
    assert_eq!(
        refused.assert_error(-32_021, 400)["data"]["requiredCapabilities"],
        json!({"sampling": {}, "roots": {}}),
        "all that is missing"
    );
}
