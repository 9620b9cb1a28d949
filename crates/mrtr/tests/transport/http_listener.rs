//! The listener of its own: slow peers, many peers, and the end.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};
use std::time::Duration;

use crate::support::{Connection, Post, run};
use http::{Request, Response};
use mrtr::server::http::{ReplyBody, RequestBody};
use mrtr::server::{Http, Server};
use serde_json::json;
use tokio::time::{Instant, timeout};
use tower::Service;

fn http() -> Http {
    Server::builder("listener", "1.0.0").build().unwrap().http()
}

/// Resolves when everything else waits: with the clock paused, it only moves then.
const IDLE: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_arrive_in_time_ends_the_connection() {
    let server = run(http().header_timeout(Duration::from_secs(7))).await;
    for sent in ["", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"] {
        let mut connection = Connection::open(server.address).await;
        let started = Instant::now();
        connection.write(sent.as_bytes()).await;
        assert!(connection.is_closed().await);
        assert_eq!(started.elapsed().as_secs(), 7, "{sent:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_further_requests_is_closed() {
    let server = run(http().header_timeout(Duration::from_secs(7))).await;
    let mut connection = Connection::open(server.address).await;
    for _ in 0..3 {
        assert_eq!(connection.send(&Post::discover()).await.status, 200);
    }
    let started = Instant::now();
    assert!(connection.is_closed().await);
    assert_eq!(started.elapsed().as_secs(), 7);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_arrive_in_time_is_answered_408() {
    let server = run(http().body_timeout(Duration::from_secs(3))).await;
    let mut connection = Connection::open(server.address).await;
    let started = Instant::now();
    let post = Post::discover().with("Content-Length", "1000");
    connection.write(&post.bytes()).await;
    let answer = connection.answer().await;
    assert_eq!((answer.status, answer.code()), (408, Some(-32600)));
    assert_eq!(started.elapsed().as_secs(), 3);
}

#[tokio::test(start_paused = true)]
async fn connections_beyond_the_limit_wait_for_one_to_end() {
    let server = run(http().max_connections(2)).await;
    let mut first = Connection::open(server.address).await;
    let mut second = Connection::open(server.address).await;
    for connection in [&mut first, &mut second] {
        assert_eq!(connection.send(&Post::discover()).await.status, 200);
    }
    let mut third = Connection::open(server.address).await;
    third.write(&Post::discover().bytes()).await;
    assert!(
        timeout(IDLE, third.answer()).await.is_err(),
        "no slot is free"
    );
    drop(first);
    assert_eq!(third.answer().await.status, 200);
    assert_eq!(second.send(&Post::discover()).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn the_end_closes_idle_connections_at_once_and_takes_no_new_ones() {
    let mut server = run(http()).await;
    let address = server.address;
    let mut idle = Connection::open(address).await;
    assert_eq!(idle.send(&Post::discover()).await.status, 200);
    let started = Instant::now();
    server.stop();
    assert!(idle.is_closed().await);
    server.ended().await;
    assert!(started.elapsed() < IDLE);
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_does_not_finish_within_the_grace_is_cut_off() {
    let grace = Duration::from_secs(4);
    let mut server = run(http().shutdown_grace(grace)).await;
    let mut stuck = Connection::open(server.address).await;
    stuck
        .write(
            Post::discover()
                .with("Content-Length", "1000")
                .head()
                .as_bytes(),
        )
        .await;
    assert!(timeout(IDLE, stuck.is_closed()).await.is_err());
    let started = Instant::now();
    server.stop();
    server.ended().await;
    assert_eq!(started.elapsed(), grace);
    assert!(stuck.is_closed().await);
}

#[tokio::test]
async fn the_path_can_be_chosen() {
    let server = run(http().path("rpc")).await;
    assert_eq!(
        server.send(&Post::discover().target("/rpc")).await.status,
        200
    );
    assert_eq!(server.send(&Post::discover()).await.status, 404);
}

#[tokio::test]
async fn a_listener_tells_its_address() {
    let listener = http().bind("127.0.0.1:0").await.unwrap();
    assert_ne!(listener.local_addr().port(), 0);
    assert_eq!(
        listener.url(),
        format!("http://{}/mcp", listener.local_addr())
    );
    let everywhere = http().bind("0.0.0.0:0").await.unwrap();
    let port = everywhere.local_addr().port();
    assert_eq!(everywhere.url(), format!("http://127.0.0.1:{port}/mcp"));
}

#[tokio::test]
async fn a_listener_on_all_addresses_serves_every_host_but_no_page_that_is_not_listed() {
    let http = http().allow_origin("https://app.example").unwrap();
    let listener = http.bind("0.0.0.0:0").await.unwrap();
    let address = ([127, 0, 0, 1], listener.local_addr().port()).into();
    tokio::spawn(listener.run_until(std::future::pending()));
    let post = Post::discover().with("Host", "mcp.example.com");
    for (origin, status) in [
        (None, 200),
        (Some("https://app.example"), 200),
        (Some("https://other.example"), 403),
        (Some("http://mcp.example.com"), 403),
        (Some("http://localhost:3000"), 403),
    ] {
        let post = match origin {
            Some(origin) => post.clone().with("Origin", origin),
            None => post.clone(),
        };
        let answer = Connection::open(address).await.send(&post).await;
        assert_eq!(answer.status, status, "{origin:?}");
    }
}

#[tokio::test]
async fn listed_hosts_are_served_beside_loopback_ones() {
    let server = run(http().allow_host("mcp.internal").unwrap()).await;
    for (host, status) in [
        ("mcp.internal", 200),
        ("localhost", 200),
        ("other.internal", 403),
    ] {
        let answer = server.send(&Post::discover().with("Host", host)).await;
        assert_eq!(answer.status, status, "{host}");
    }
}

#[test]
fn what_is_no_origin_or_host_is_refused_when_it_is_set() {
    for origin in [
        "app.example",
        "https://app.example/path",
        "https://",
        "*",
        "null",
    ] {
        assert!(http().allow_origin(origin).is_err(), "{origin}");
    }
    for host in ["http://mcp.example.com", "a/b", "", "[::1"] {
        assert!(http().allow_host(host).is_err(), "{host}");
    }
}

/// Answers `/health` itself and leaves the rest to the endpoint.
#[derive(Clone)]
struct Health(Http);

impl Service<Request<RequestBody>> for Health {
    type Response = Response<ReplyBody>;
    type Error = Infallible;
    type Future = futures::future::Either<
        mrtr::server::http::ReplyFuture,
        Ready<Result<Self::Response, Infallible>>,
    >;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Service::<Request<RequestBody>>::poll_ready(&mut self.0, cx)
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        if request.uri().path() == "/health" {
            let response = Response::new(ReplyBody::from("well"));
            return futures::future::Either::Right(ready(Ok(response)));
        }
        futures::future::Either::Left(self.0.call(request))
    }
}

#[tokio::test]
async fn a_layer_before_the_endpoint_sees_every_path() {
    let listener = http().bind("127.0.0.1:0").await.unwrap().wrap(Health);
    let address = listener.local_addr();
    tokio::spawn(listener.run_until(std::future::pending()));
    let mut connection = Connection::open(address).await;
    let health = connection.send(&Post::discover().target("/health")).await;
    assert_eq!(health.body, b"well");
    assert_eq!(
        connection.send(&Post::discover()).await.json()["id"],
        json!(1)
    );
    assert_eq!(
        connection
            .send(&Post::discover().target("/no"))
            .await
            .status,
        404
    );
}
