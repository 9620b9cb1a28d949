//! What replies look like on the wire, and what the client's behaviour does to the handler.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use crate::replies::{builder, call, call_of, is_event_stream, serve, text};
use crate::support::{Answer, Connection, Post, run};
use http::Request;
use mrtr::server::http::RequestBody;
use mrtr::server::{Notify as _, tool};
use mrtr::state::Principal;
use mrtr::{Cx, ToolError};
use serde_json::json;
use tokio::sync::Notify;
use tokio::time::Instant;
use tower::ServiceExt as _;

async fn greet(_: Cx, (): ()) -> Result<String, ToolError> {
    tokio::task::yield_now().await;
    Ok("hello".to_owned())
}

async fn count(cx: Cx, (): ()) -> Result<String, ToolError> {
    for n in 1..=3 {
        cx.progress(f64::from(n), 3.0, "counting\nout loud");
    }
    Ok("counted".to_owned())
}

#[tokio::test]
async fn a_handler_that_sends_nothing_is_answered_with_json() {
    let server = serve(builder().tool(tool("greet", greet))).await;
    let answer = server.send(&call("greet")).await;
    assert!(!is_event_stream(&answer));
    assert_eq!(
        answer.header("content-length"),
        Some(answer.body.len().to_string().as_str())
    );
    assert_eq!(text(&answer.json()), "hello");
}

#[tokio::test]
async fn notifications_come_as_events_before_the_response() {
    let server = serve(builder().tool(tool("count", count))).await;
    let answer = server.send(&call("count")).await;
    assert!(is_event_stream(&answer));
    let events = answer.events();
    let progress: Vec<_> = events[..3]
        .iter()
        .map(|event| &event["params"]["progress"])
        .collect();
    assert_eq!(progress, [1.0, 2.0, 3.0]);
    assert_eq!(events[0]["method"], "notifications/progress");
    assert_eq!(events[0]["params"]["progressToken"], "p");
    assert_eq!(events.len(), 4);
    assert_eq!(text(&events[3]), "counted");
    assert_eq!(events[3]["id"], 1);
}

#[tokio::test]
async fn nobody_who_asked_for_no_progress_gets_events() {
    let server = serve(builder().tool(tool("count", count))).await;
    assert!(!is_event_stream(
        &server.send(&Post::call("count", json!({}))).await
    ));
}

#[tokio::test(start_paused = true)]
async fn the_stream_begins_before_the_handler_ends() {
    let go = Arc::new(Notify::new());
    let wait = go.clone();
    let server = serve(builder().tool(tool("wait", move |cx: Cx, (): ()| {
        let go = wait.clone();
        async move {
            cx.progress(1.0, None, None);
            go.notified().await;
            cx.progress(2.0, None, None);
            Ok::<_, ToolError>("done")
        }
    })))
    .await;
    let mut connection = Connection::open(server.address).await;
    let started = Instant::now();
    connection.write(&call("wait").bytes()).await;
    let head = connection.answer_head().await;
    assert!(is_event_stream(&head));
    assert_eq!(
        started.elapsed(),
        Duration::from_millis(100),
        "held back for so long"
    );
    let chunk = connection.chunk().await.unwrap();
    assert!(
        chunk.ends_with(b"\"progress\":1}}\n\n"),
        "{}",
        String::from_utf8_lossy(&chunk)
    );
    go.notify_one();
    let mut rest = Vec::new();
    while let Some(chunk) = connection.chunk().await {
        rest.extend_from_slice(&chunk);
    }
    let answer = Answer { body: rest, ..head };
    assert_eq!(answer.events()[0]["params"]["progress"], 2.0);
    assert_eq!(text(&answer.events()[1]), "done");
    assert_eq!(
        connection
            .send(&call("wait").with("Mcp-Name", "x"))
            .await
            .status,
        400
    );
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_is_kept_open_by_comments() {
    let go = Arc::new(Notify::new());
    let wait = go.clone();
    let http = builder()
        .tool(tool("wait", move |cx: Cx, (): ()| {
            let go = wait.clone();
            async move {
                cx.progress(1.0, None, None);
                go.notified().await;
                Ok::<_, ToolError>("done")
            }
        }))
        .build()
        .unwrap()
        .http()
        .keep_alive(Duration::from_secs(5));
    let server = run(http).await;
    let mut connection = Connection::open(server.address).await;
    connection.write(&call("wait").bytes()).await;
    assert!(is_event_stream(&connection.answer_head().await));
    assert!(
        connection
            .chunk()
            .await
            .unwrap()
            .starts_with(b"event: message\n")
    );
    let started = Instant::now();
    for beats in 1..=3 {
        assert_eq!(connection.chunk().await.unwrap(), b":\n\n");
        assert_eq!(started.elapsed().as_secs(), 5 * beats);
    }
    go.notify_one();
    assert!(
        connection
            .chunk()
            .await
            .unwrap()
            .starts_with(b"event: message\n")
    );
    assert_eq!(connection.chunk().await, None);
}

#[tokio::test]
async fn a_missing_capability_is_status_400_even_after_a_notification() {
    let server = serve(builder().tool(tool("ask", |cx: Cx, (): ()| async move {
        cx.progress(1.0, None, "about to ask");
        tokio::task::yield_now().await;
        cx.confirm("sure", "Sure?").await?;
        Ok::<_, ToolError>("done")
    })))
    .await;
    let answer = server.send(&call("ask")).await;
    assert_eq!((answer.status, answer.code()), (400, Some(-32021)));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let able = server
        .send(&call_of(json!({"elicitation": {}}), "ask"))
        .await;
    assert!(is_event_stream(&able));
    assert_eq!(able.events()[1]["result"]["resultType"], "input_required");
}

#[tokio::test]
async fn a_panic_is_an_internal_error_and_the_connection_lives_on() {
    let panics = tool("panics", |cx: Cx, (): ()| async move {
        cx.progress(1.0, None, None);
        tokio::task::yield_now().await;
        if true {
            panic!("secret detail");
        }
        Ok::<_, ToolError>("unreachable")
    });
    let server = serve(builder().tool(panics).tool(tool("greet", greet))).await;
    let mut connection = Connection::open(server.address).await;
    let answer = connection.send(&Post::call("panics", json!({}))).await;
    assert_eq!((answer.status, answer.code()), (200, Some(-32603)));
    assert!(!answer.json().to_string().contains("secret"));
    let streamed = connection.send(&call("panics")).await;
    assert_eq!(streamed.events().last().unwrap()["error"]["code"], -32603);
    assert_eq!(text(&connection.send(&call("greet")).await.json()), "hello");
}

#[tokio::test]
async fn results_spread_over_lines_by_their_author_are_one_event() {
    let spread = tool("spread", |cx: Cx, (): ()| async move {
        cx.progress(1.0, None, None);
        let raw = serde_json::value::RawValue::from_string("{\n\"a\":\r\n1}".to_owned()).unwrap();
        Ok::<_, ToolError>(serde_json::to_string(&raw).unwrap())
    });
    let server = serve(builder().tool(spread)).await;
    let answer = server.send(&call("spread")).await;
    assert_eq!(text(&answer.events()[1]), "{\n\"a\":\r\n1}");
}

async fn who(cx: Cx, (): ()) -> Result<String, ToolError> {
    Ok(cx
        .principal()
        .map_or_else(|| "nobody".to_owned(), |who| who.subject().to_owned()))
}

#[tokio::test]
async fn the_principal_is_what_a_layer_has_put_into_the_request() {
    let http = builder().tool(tool("who", who)).build().unwrap().http();
    let listener = http.bind("127.0.0.1:0").await.unwrap().wrap(|http| {
        tower::service_fn(move |mut request: Request<RequestBody>| {
            let user = request
                .headers()
                .get("x-user")
                .map(|user| user.to_str().unwrap().to_owned());
            match user.as_deref() {
                Some("shared") => {
                    let principal = Arc::new(Principal::new("issuer", "shared"));
                    request.extensions_mut().insert(principal);
                }
                Some(user) => {
                    request
                        .extensions_mut()
                        .insert(Principal::new("issuer", user));
                }
                None => {}
            }
            let http = http.clone();
            async move { Ok::<_, Infallible>(http.oneshot(request).await.unwrap()) }
        })
    });
    let address = listener.local_addr();
    tokio::spawn(listener.run_until(std::future::pending()));
    let mut connection = Connection::open(address).await;
    for (user, seen) in [
        (Some("alice"), "alice"),
        (None, "nobody"),
        (Some("shared"), "shared"),
    ] {
        let mut post = Post::call("who", json!({}));
        if let Some(user) = user {
            post = post.with("X-User", user);
        }
        assert_eq!(text(&connection.send(&post).await.json()), seen);
    }
}
