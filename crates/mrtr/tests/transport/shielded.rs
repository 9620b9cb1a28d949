//! Shielded work ends although its request does not.

use std::sync::Arc;
use std::time::Duration;

use mrtr::server::{Notify as _, Server, Tool, tool};
use mrtr::{Cx, ToolError};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use crate::replies::{builder, call, is_event_stream};
use crate::support::pipe::Pipe;
use crate::support::{Connection, Post, Running, message, run};

/// What a test sees of a tool whose work is shielded.
#[derive(Clone)]
struct Work {
    begun: Arc<Semaphore>,
    go: Arc<Semaphore>,
    ended: Arc<Semaphore>,
    handler_dropped: Arc<Semaphore>,
}

struct Tells(Arc<Semaphore>);

impl Drop for Tells {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

async fn wait(for_one: &Semaphore) {
    for_one.acquire().await.unwrap().forget();
}

impl Work {
    fn new() -> Self {
        let none = || Arc::new(Semaphore::new(0));
        Self {
            begun: none(),
            go: none(),
            ended: none(),
            handler_dropped: none(),
        }
    }

    fn tool(&self) -> Tool {
        let work = self.clone();
        tool("work", move |cx: Cx, (): ()| {
            let work = work.clone();
            async move {
                let _tells = Tells(work.handler_dropped.clone());
                cx.progress(1.0, None, None);
                cx.shield(async move {
                    work.begun.add_permits(1);
                    wait(&work.go).await;
                    work.ended.add_permits(1);
                })
                .await;
                Ok::<_, ToolError>("worked")
            }
        })
    }

    fn server(&self) -> Server {
        builder().tool(self.tool()).build().unwrap()
    }

    /// Its handler is gone and it is still at it; then it ends.
    async fn goes_on(&self) {
        wait(&self.handler_dropped).await;
        assert_eq!(self.ended.available_permits(), 0);
        self.go.add_permits(1);
        wait(&self.ended).await;
    }
}

async fn begun_over_http(
    work: &Work,
    http: mrtr::server::Http,
    post: &Post,
) -> (Running, Connection) {
    let server = run(http).await;
    let mut connection = Connection::open(server.address).await;
    connection.write(&post.bytes()).await;
    wait(&work.begun).await;
    (server, connection)
}

fn request(id: u32) -> Value {
    let mut message = message("tools/call", json!({"name": "work", "arguments": {}}));
    message["id"] = id.into();
    message
}

fn cancel(id: u32) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

async fn begun_and_cancelled_over_stdio(work: &Work, stdio: mrtr::server::Stdio) -> Pipe {
    let mut pipe = Pipe::new(stdio);
    pipe.send(&request(1)).await;
    wait(&work.begun).await;
    pipe.send(&cancel(1)).await;
    wait(&work.handler_dropped).await;
    pipe
}

#[tokio::test]
async fn its_value_is_given_to_the_handler() {
    let work = Work::new();
    work.go.add_permits(2);
    let answer = run(work.server().http()).await;
    let answer = answer.send(&Post::call("work", json!({}))).await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "worked");
    let mut pipe = Pipe::new(work.server().stdio());
    pipe.send(&request(1)).await;
    assert_eq!(pipe.next().await["result"]["content"][0]["text"], "worked");
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_the_handler_and_not_the_work() {
    let work = Work::new();
    let post = Post::call("work", json!({}));
    let (_server, connection) = begun_over_http(&work, work.server().http(), &post).await;
    drop(connection);
    work.goes_on().await;
}

#[tokio::test]
async fn a_client_that_closes_the_stream_cancels_the_handler_and_not_the_work() {
    let work = Work::new();
    let http = work.server().http().first_notification_hold(Duration::ZERO);
    let (_server, mut connection) = begun_over_http(&work, http, &call("work")).await;
    assert!(is_event_stream(&connection.answer_head().await));
    drop(connection);
    work.goes_on().await;
}

#[tokio::test]
async fn a_cancellation_over_stdio_drops_the_handler_and_not_the_work() {
    let work = Work::new();
    let mut pipe = Pipe::new(work.server().stdio());
    pipe.send(&request(1)).await;
    wait(&work.begun).await;
    pipe.send(&cancel(1)).await;
    work.goes_on().await;
    assert_eq!(pipe.rest().await, [] as [Value; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_drops_the_handler_and_not_the_work() {
    let work = Work::new();
    let deadline = Duration::from_secs(9);
    let builder = builder().tool(work.tool().request_deadline(deadline));
    let mut pipe = Pipe::new(builder.build().unwrap().stdio());
    let started = Instant::now();
    pipe.send(&request(1)).await;
    let answer = pipe.next().await;
    assert_eq!(answer["error"]["data"]["reason"], "deadline");
    assert_eq!(started.elapsed(), deadline);
    work.goes_on().await;
}

/// Expects `end` to come when the work has ended, and no sooner.
async fn ends_with(work: &Work, end: impl Future<Output = ()>) {
    let mut end = Box::pin(end);
    let early = timeout(Duration::from_secs(4), &mut end).await;
    assert!(early.is_err(), "it does not wait");
    work.go.add_permits(1);
    end.await;
    assert_eq!(work.ended.available_permits(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_listener_waits_for_it_when_it_stops() {
    let work = Work::new();
    let post = Post::call("work", json!({}));
    let (server, connection) = begun_over_http(&work, work.server().http(), &post).await;
    drop(connection);
    wait(&work.handler_dropped).await;
    ends_with(&work, server.ended()).await;
}

#[tokio::test(start_paused = true)]
async fn stdio_waits_for_it_at_the_end_of_input() {
    let work = Work::new();
    let pipe = begun_and_cancelled_over_stdio(&work, work.server().stdio()).await;
    ends_with(&work, async { assert_eq!(pipe.rest().await.len(), 0) }).await;
}

#[tokio::test(start_paused = true)]
async fn stdio_waits_for_it_when_the_client_has_hung_up() {
    let work = Work::new();
    let mut pipe = Pipe::new(work.server().stdio());
    pipe.send(&request(1)).await;
    wait(&work.begun).await;
    pipe.write(b"what cannot be answered is noticed\n").await;
    ends_with(&work, async { pipe.hang_up().await.unwrap() }).await;
    wait(&work.handler_dropped).await;
}

#[tokio::test(start_paused = true)]
async fn work_without_end_keeps_no_server_from_its_end() {
    let grace = Duration::from_secs(3);
    let work = Work::new();
    let http = work.server().http().shutdown_grace(grace);
    let (server, connection) = begun_over_http(&work, http, &Post::call("work", json!({}))).await;
    drop(connection);
    wait(&work.handler_dropped).await;
    let started = Instant::now();
    server.ended().await;
    assert_eq!(started.elapsed(), grace);

    let stdio = work.server().stdio().shutdown_grace(grace);
    let pipe = begun_and_cancelled_over_stdio(&work, stdio).await;
    let started = Instant::now();
    pipe.rest().await;
    assert_eq!(started.elapsed(), grace);
    assert_eq!(work.ended.available_permits(), 0);
}

#[tokio::test]
async fn a_program_with_a_listener_of_its_own_can_wait_for_it() {
    let work = Work::new();
    let server = work.server();
    let answer = async {
        let message = request(1).to_string();
        server
            .respond(message.as_bytes(), &mrtr::server::Caller::anonymous())
            .await
    };
    let mut answer = Box::pin(answer);
    tokio::select! {
        biased;
        _ = &mut answer => panic!("it waits"),
        () = wait(&work.begun) => {}
    }
    drop(answer);
    let mut ended = Box::pin(server.shielded_ended());
    assert!(futures::poll!(&mut ended).is_pending());
    work.go.add_permits(1);
    ended.await;
    assert_eq!(work.ended.available_permits(), 1);
}

#[tokio::test]
async fn work_left_behind_is_bounded_and_more_of_it_is_an_error() {
    let work = Work::new();
    let server = builder().tool(work.tool()).max_shielded(2);
    let mut pipe = Pipe::new(server.build().unwrap().stdio());
    for id in [1, 2] {
        pipe.send(&request(id)).await;
        wait(&work.begun).await;
        pipe.send(&cancel(id)).await;
        wait(&work.handler_dropped).await;
    }
    pipe.send(&request(3)).await;
    assert_eq!(pipe.next().await["error"]["code"], -32603);
    wait(&work.handler_dropped).await;
    work.go.add_permits(3);
    wait(&work.ended).await;
    pipe.send(&request(4)).await;
    assert_eq!(pipe.rest().await.len(), 1, "it ran");
}
