//! What a client's behaviour does to the handler: going away, not reading, waiting too long.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::replies::{builder, call, is_event_stream, serve, text};
use crate::support::{Connection, Post, run};
use mrtr::server::{Notify as _, tool};
use mrtr::{Cx, ToolError};
use serde_json::json;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// Resolves when everything else waits: with the clock paused, it only moves then.
const IDLE: Duration = Duration::from_millis(10);

/// Tells when it is dropped.
struct Tells(Arc<Notify>);

impl Drop for Tells {
    fn drop(&mut self) {
        self.0.notify_one();
    }
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
