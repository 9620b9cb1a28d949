//! What replies look like on the wire, and what the client's behaviour does to the handler.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used)]

mod transport_support;

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http::Request;
use mrtr::server::http::RequestBody;
use mrtr::server::{Notify as _, Server, ServerBuilder, tool};
use mrtr::state::{Keyring, Principal, Secret};
use mrtr::{Cx, ToolError};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};
use tower::ServiceExt as _;
use transport_support::{Answer, Connection, Post, Running, meta_with, run};

/// Resolves when everything else waits: with the clock paused, it only moves then.
const IDLE: Duration = Duration::from_millis(10);

fn builder() -> ServerBuilder {
    let keyring = Keyring::new([Secret::generate([7; 32])]).unwrap();
    Server::builder("replies", "1.0.0").keyring(keyring)
}

async fn serve(builder: ServerBuilder) -> Running {
    run(builder.build().unwrap().http()).await
}

/// A call of a tool without arguments that asks for progress.
fn call(tool: &str) -> Post {
    call_of(json!({}), tool)
}

fn call_of(capabilities: Value, tool: &str) -> Post {
    let mut meta = meta_with(capabilities);
    meta["progressToken"] = json!("p");
    Post::new(
        "tools/call",
        json!({"name": tool, "arguments": {}, "_meta": meta}),
    )
}

fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{message}"))
}

fn is_event_stream(answer: &Answer) -> bool {
    match answer.header("content-type").unwrap() {
        "text/event-stream" => {
            assert_eq!(answer.status, 200);
            assert_eq!(answer.header("x-accel-buffering"), Some("no"));
            assert_eq!(answer.header("cache-control"), Some("no-store"));
            true
        }
        "application/json" => {
            assert_eq!(answer.header("x-accel-buffering"), None);
            false
        }
        other => panic!("{other}"),
    }
}

/// Tells when it is dropped.
struct Tells(Arc<Notify>);

impl Drop for Tells {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

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

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_cannot_stop_the_handler() {
    let done = Arc::new(Notify::new());
    let sent = Arc::new(AtomicU32::new(0));
    let (tell, counter) = (done.clone(), sent.clone());
    let server = serve(builder().tool(tool("flood", move |cx: Cx, (): ()| {
        let (tell, sent) = (tell.clone(), counter.clone());
        async move {
            let _tells = Tells(tell);
            let long = "x".repeat(16 * 1024);
            for n in 1..=1000 {
                cx.progress(f64::from(n), None, &*long);
                sent.store(n, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
            Ok::<_, ToolError>("flooded")
        }
    })))
    .await;
    let mut connection = Connection::open(server.address).await;
    connection.write(&call("flood").bytes()).await;
    done.notified().await;
    assert_eq!(sent.load(Ordering::Relaxed), 1000);
    let answer = connection.answer().await;
    assert!(is_event_stream(&answer));
    let events = answer.events();
    assert!(events.len() < 1000, "progress was lost: {}", events.len());
    let steps: Vec<_> = events
        .iter()
        .filter_map(|e| e["params"]["progress"].as_f64())
        .collect();
    assert!(steps.is_sorted(), "in order");
    assert_eq!(steps.last(), Some(&1000.0), "the newest is kept");
    assert_eq!(text(events.last().unwrap()), "flooded");
}

async fn hangs_until_dropped(streams: bool) {
    let (running, dropped) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell_running, tell_dropped) = (running.clone(), dropped.clone());
    let server = serve(builder().tool(tool("hang", move |cx: Cx, (): ()| {
        let (running, dropped) = (tell_running.clone(), tell_dropped.clone());
        async move {
            let _tells = Tells(dropped);
            if streams {
                cx.progress(1.0, None, None);
            }
            running.notify_one();
            std::future::pending::<Result<&str, ToolError>>().await
        }
    })))
    .await;
    let mut connection = Connection::open(server.address).await;
    connection.write(&call("hang").bytes()).await;
    running.notified().await;
    if streams {
        assert!(is_event_stream(&connection.answer_head().await));
    }
    assert!(
        timeout(IDLE, dropped.notified()).await.is_err(),
        "still running"
    );
    drop(connection);
    dropped.notified().await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_goes_away_before_the_reply_cancels_the_handler() {
    hangs_until_dropped(false).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_closes_the_stream_cancels_the_handler() {
    hangs_until_dropped(true).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_takes_too_long_is_a_deadline_error_and_its_handler_is_dropped() {
    let dropped = Arc::new(Notify::new());
    let tell = dropped.clone();
    let hang = tool("hang", move |_: Cx, (): ()| {
        let tells = Tells(tell.clone());
        async move {
            let _tells = tells;
            std::future::pending::<Result<&str, ToolError>>().await
        }
    });
    let server = serve(
        builder()
            .tool(hang)
            .request_deadline(Duration::from_secs(9)),
    )
    .await;
    let started = Instant::now();
    let answer = server.send(&Post::call("hang", json!({}))).await;
    assert_eq!(started.elapsed().as_secs(), 9);
    assert_eq!((answer.status, answer.code()), (200, Some(-32603)));
    assert_eq!(answer.json()["error"]["data"]["reason"], "deadline");
    dropped.notified().await;
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
async fn what_runs_when_the_server_stops_is_finished() {
    let (running, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (running.clone(), go.clone());
    let mut server = serve(builder().tool(tool("wait", move |_: Cx, (): ()| {
        let (running, go) = (tell.clone(), wait.clone());
        async move {
            running.notify_one();
            go.notified().await;
            Ok::<_, ToolError>("finished")
        }
    })))
    .await;
    let mut connection = Connection::open(server.address).await;
    connection
        .write(&Post::call("wait", json!({})).bytes())
        .await;
    running.notified().await;
    server.stop();
    tokio::task::yield_now().await;
    go.notify_one();
    assert_eq!(text(&connection.answer().await.json()), "finished");
    assert!(connection.is_closed().await);
    server.ended().await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_its_reply_is_hung_up_on() {
    let big = tool("big", |_: Cx, (): ()| async {
        Ok::<_, ToolError>("x".repeat(16 << 20))
    });
    let http = builder().tool(big).build().unwrap().http();
    let http = http
        .write_timeout(Duration::from_secs(20))
        .shutdown_grace(Duration::from_secs(900));
    let mut server = run(http).await;
    let mut connection = Connection::open(server.address).await;
    connection
        .write(&Post::call("big", json!({})).bytes())
        .await;
    assert_eq!(connection.answer_head().await.status, 200);
    // The connection that waits for us is all that keeps the server from its end.
    let started = Instant::now();
    server.stop();
    server.ended().await;
    assert_eq!(started.elapsed().as_secs(), 20);
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
