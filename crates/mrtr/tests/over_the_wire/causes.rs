//! What the wire says, by cause: the table of [`mrtr::wire::Cause`], row by row. Causes that have
//! nothing to do with what is called are in [`crate::messages`].

use std::time::Duration;

use mrtr::server::{Notify as _, TokenBuckets, prompt, resource, resource_template, tool};
use mrtr::wire::Capability;
use mrtr::{Cx, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{Case, Kind, Offer, Peer, Via, builder, yes};

everywhere!(
    an_unknown_target_is_invalid_params,
    parameters_of_the_wrong_type_are_invalid_params,
    arguments_that_do_not_fit_are_told_to_whoever_can_mend_them,
    a_failure_is_opaque_unless_its_author_made_it_visible,
    what_is_not_found_at_run_time_is_told_as_such,
    a_broken_rule_is_an_internal_error_without_detail,
    a_panic_is_an_internal_error_and_connection_and_server_live_on,
    c4_required_capabilities_are_checked_before_the_handler_runs,
    c8_asking_outside_of_the_round_is_an_error_and_never_hangs,
    a_request_that_takes_too_long_is_an_error_that_says_so,
    who_calls_too_often_is_told_when_to_come_back,
    a_rejected_state_is_json_even_where_events_were_wanted,
);

async fn sure(cx: Cx) -> Result<String, ToolError> {
    cx.confirm("sure", "Sure?").await?;
    Ok("done".into())
}

async fn an_unknown_target_is_invalid_params(case: Case) {
    let mut peer = Peer::of(case, builder().offer("sure", sure)).await;
    let unknown = peer.call("nothing").await;
    let error = unknown.assert_error(-32_602, 200);
    match case.kind {
        Kind::Tool => assert_eq!(error["message"], "Unknown tool: nothing"),
        Kind::Prompt => assert_eq!(error["message"], "Unknown prompt: nothing"),
        Kind::Resource => assert_eq!(error["data"], json!({"uri": "proof://nothing"})),
    }
}

async fn parameters_of_the_wrong_type_are_invalid_params(case: Case) {
    let mut peer = Peer::of(case, builder().offer("sure", sure)).await;
    let member = if case.kind == Kind::Resource {
        "uri"
    } else {
        "name"
    };
    // Over HTTP, the header that must repeat the name comes first.
    let code = if case.via == Via::Http {
        -32_020
    } else {
        -32_602
    };
    for params in [
        json!({}),
        json!({member: 7}),
        json!({member: null}),
        json!({member: ["sure"]}),
    ] {
        let request = peer.request(case.kind.method(), params);
        peer.send(&request).await.assert_error(code, 400);
    }
    if case.kind != Kind::Resource {
        for wrong in [json!(7), json!("x"), json!([])] {
            let refused = peer.call_with("sure", json!({"arguments": wrong})).await;
            refused.assert_error(-32_602, 400);
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Number {
    n: u8,
}

async fn arguments_that_do_not_fit_are_told_to_whoever_can_mend_them(case: Case) {
    let number = |_: Cx, number: Number| async move { Ok::<_, ToolError>(number.n.to_string()) };
    let builder = builder()
        .tool(tool("number", number))
        .prompt(prompt("number", number))
        .resource_template(resource_template("proof://number/{n}", number));
    let mut peer = Peer::of(case, builder).await;
    match case.kind {
        Kind::Tool => {
            for wrong in [
                json!({}),
                json!({"n": "7"}),
                json!({"n": 256}),
                json!({"n": null}),
            ] {
                let told = peer.call_with("number", json!({"arguments": wrong})).await;
                assert_eq!(told.result()["isError"], true, "a model can correct itself");
                assert!(told.done().contains('n') && told.done().contains("number"));
            }
        }
        Kind::Prompt => {
            for wrong in [json!({}), json!({"n": "x"}), json!({"n": "256"})] {
                let refused = peer.call_with("number", json!({"arguments": wrong})).await;
                let error = refused.assert_error(-32_602, 200);
                assert!(error["message"].as_str().unwrap().contains('n'), "{error}");
            }
        }
        Kind::Resource => {
            for wrong in ["number/x", "number/256"] {
                let refused = peer.call(wrong).await;
                let uri = format!("proof://{wrong}");
                assert_eq!(
                    refused.assert_error(-32_602, 200)["data"],
                    json!({"uri": uri})
                );
            }
        }
    }
}

async fn a_failure_is_opaque_unless_its_author_made_it_visible(case: Case) {
    let builder = builder()
        .offer("opaque", |_| async {
            Err("password of the database".into())
        })
        .offer("visible", |_| async {
            Err(ToolError::visible("The shop is closed."))
        });
    let mut peer = Peer::of(case, builder).await;
    let (opaque, visible) = (peer.call("opaque").await, peer.call("visible").await);
    assert!(!opaque.text.contains("password"));
    if case.kind == Kind::Tool {
        assert_eq!(opaque.result()["isError"], true);
        assert_eq!(visible.result()["isError"], true);
        assert_eq!(visible.done(), "The shop is closed.");
    } else {
        opaque.assert_error(-32_603, 200);
        assert_eq!(
            visible.assert_error(-32_602, 200)["message"],
            "The shop is closed."
        );
    }
}

async fn what_is_not_found_at_run_time_is_told_as_such(case: Case) {
    let builder = builder().offer("gone", |_| async { Err(ToolError::not_found()) });
    let mut peer = Peer::of(case, builder).await;
    let gone = peer.call("gone").await;
    match case.kind {
        Kind::Tool => assert_eq!(gone.result()["isError"], true),
        Kind::Prompt => drop(gone.assert_error(-32_602, 200)),
        Kind::Resource => {
            let error = gone.assert_error(-32_602, 200);
            assert_eq!(error["message"], "Resource not found");
            assert_eq!(error["data"], json!({"uri": "proof://gone"}));
        }
    }
}

async fn a_broken_rule_is_an_internal_error_without_detail(case: Case) {
    let builder = builder().offer("twice", |cx| async move {
        let (one, two) = (cx.confirm("secret", "One?"), cx.confirm("secret", "Two?"));
        one.await?;
        two.await?;
        Ok("done".into())
    });
    let mut peer = Peer::of(case, builder).await;
    let broken = peer.call("twice").await;
    let told = json!({"code": -32_603, "message": "Internal error"});
    assert_eq!(broken.assert_error(-32_603, 200), &told);
}

async fn a_panic_is_an_internal_error_and_connection_and_server_live_on(case: Case) {
    let builder = builder()
        .offer("sure", sure)
        .offer("panics", |cx| async move {
            cx.confirm("sure", "Sure?").await?;
            panic!("the seat of secret passenger 7")
        });
    let mut peer = Peer::of(case, builder).await;
    let state = peer.call("panics").await.state();
    for _ in 0..3 {
        let panicked = peer.answer("panics", json!({"sure": yes()}), &state).await;
        let told = json!({"code": -32_603, "message": "Internal error"});
        assert_eq!(panicked.assert_error(-32_603, 200), &told);
        // On the same connection, the same pipe.
        assert_eq!(peer.call("sure").await.keys(), ["sure"]);
    }
}

async fn c4_required_capabilities_are_checked_before_the_handler_runs(case: Case) {
    let never = |_: Cx, (): ()| async { panic!("it ran") as Result<String, ToolError> };
    let (url, sampling) = (Capability::ElicitationUrl, Capability::SamplingTools);
    let builder = builder()
        .tool(tool("needs", never).requires(url).requires(sampling))
        .prompt(prompt("needs", never).requires(url).requires(sampling))
        .resource(
            resource("proof://needs", never)
                .requires(url)
                .requires(sampling),
        );
    let peer = Peer::of(case, builder).await;
    let mut peer = peer.declaring(json!({"elicitation": {}, "sampling": {}}));
    let refused = peer.call("needs").await;
    assert_eq!(
        refused.assert_error(-32_021, 400)["data"],
        json!({"requiredCapabilities": {"elicitation": {"url": {}}, "sampling": {"tools": {}}}})
    );
}

/// What was a request of the server in the middle of a call can only be an answer to it now.
async fn c8_asking_outside_of_the_round_is_an_error_and_never_hangs(case: Case) {
    let builder = builder().offer("pushes", |cx| async move {
        let asks = tokio::spawn(async move { cx.confirm("sure", "Sure?").await });
        asks.await??;
        Ok("done".into())
    });
    let mut peer = Peer::of(case, builder).await;
    peer.call("pushes").await.assert_error(-32_603, 200);
}

async fn a_request_that_takes_too_long_is_an_error_that_says_so(case: Case) {
    let builder = builder().request_deadline(Duration::from_millis(1));
    let builder = builder.offer("slow", |_| std::future::pending());
    let mut peer = Peer::of(case, builder).await;
    let late = peer.call("slow").await;
    assert_eq!(
        late.assert_error(-32_603, 200)["data"],
        json!({"reason": "deadline"})
    );
}

async fn who_calls_too_often_is_told_when_to_come_back(case: Case) {
    let builder = builder().limiter(TokenBuckets::new(1, Duration::from_secs(90)));
    let mut peer = Peer::of(case, builder.offer("sure", sure)).await;
    assert_eq!(peer.call("sure").await.keys(), ["sure"]);
    let limited = peer.call("sure").await;
    if case.kind == Kind::Tool {
        assert_eq!(limited.result()["isError"], true);
        assert!(limited.done().contains("90 seconds"), "{}", limited.done());
    } else {
        let told = json!({"reason": "rate_limited", "retryAfterMs": 90_000});
        assert_eq!(limited.assert_error(-32_603, 200)["data"], told);
    }
}

/// Clients read the error only so.
async fn a_rejected_state_is_json_even_where_events_were_wanted(case: Case) {
    let builder = builder().offer("sure", |cx| async move {
        cx.progress(1.0, None, None);
        sure(cx).await
    });
    let mut peer = Peer::of(case, builder).await;
    let mut request = peer.request(case.kind.method(), case.kind.params("sure"));
    request["params"]["_meta"]["progressToken"] = json!("p");
    request["params"]["requestState"] = json!("mrtr1.nothing");
    let rejected = peer.send(&request).await;
    rejected.assert_state_rejected();
    assert!(rejected.notices.is_empty());
    assert_eq!(rejected.message["id"], request["id"]);
}
