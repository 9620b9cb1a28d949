//! Probes, and the end that they announce.

use std::time::Duration;

use axum::Router;
use mrtr::server::{Http, Server};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::gate::Gate;
use crate::support::{Answer, Connection, Post, Running, run};

const DELAY: Duration = Duration::from_secs(5);

fn http() -> Http {
    let server = Server::builder("health", "1.0.0").build().unwrap();
    server.http().health("/health/live", "/health/ready")
}

fn probe(target: &str) -> Post {
    Post::discover()
        .verb("GET")
        .target(target)
        .with("Host", "10.0.0.7")
        .without("Accept")
        .without("Content-Type")
        .body("")
}

async fn ask(server: &Running, target: &str) -> Answer {
    server.send(&probe(target)).await
}

#[tokio::test]
async fn probes_are_answered_whatever_their_host_and_only_where_they_are_wanted() {
    let server = run(http()).await;
    for target in ["/health/live", "/health/ready"] {
        let answer = ask(&server, target).await;
        assert_eq!(answer.status, 200, "{target}");
        assert_eq!(answer.json(), json!({"status": "ok"}));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let posted = server.send(&Post::discover().target(target)).await;
        assert_eq!(posted.status, 404, "a message is no probe");
    }
    let head = probe("/health/ready").verb("HEAD");
    let mut connection = Connection::open(server.address).await;
    connection.write(&head.bytes()).await;
    assert_eq!(connection.answer_head().await.status, 200);
    assert_eq!(ask(&server, "/health").await.status, 404);
    let without = run(Server::builder("h", "1").build().unwrap().http()).await;
    assert_eq!(ask(&without, "/health/live").await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stops_says_so_before_it_refuses_anything() {
    let mut server = run(http().drain_delay(DELAY)).await;
    let mut kept = Connection::open(server.address).await;
    assert_eq!(
        kept.send(&Post::discover()).await.header("connection"),
        None
    );
    let started = Instant::now();
    server.stop();
    while ask(&server, "/health/ready").await.status == 200 {
        tokio::task::yield_now().await;
    }
    let answer = ask(&server, "/health/ready").await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.json(), json!({"status": "draining"}));
    assert_eq!(ask(&server, "/health/live").await.status, 200);

    let answer = kept.send(&Post::discover()).await;
    assert_eq!(answer.status, 200, "still served");
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(kept.is_closed().await);
    assert_eq!(server.send(&Post::discover()).await.status, 200);
    assert_eq!(started.elapsed(), Duration::ZERO);

    let address = server.address;
    server.ended().await;
    assert_eq!(started.elapsed(), DELAY);
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_comes_while_a_server_drains_is_finished() {
    let gate = Gate::new();
    let server = Server::builder("health", "1.0.0").tool(gate.tool());
    let http = server.build().unwrap().http().drain_delay(DELAY);
    let mut server = run(http).await;
    server.stop();
    let mut connection = Connection::open(server.address).await;
    let call = Post::call("gate", json!({}));
    connection.write(&call.bytes()).await;
    gate.entered(1).await;
    let ended = tokio::spawn(server.ended());
    tokio::time::sleep(2 * DELAY).await;
    assert!(!ended.is_finished(), "it waits for the request");
    gate.let_go(1);
    let answer = connection.answer().await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "through");
    ended.await.unwrap();
}

#[tokio::test]
async fn a_server_in_a_router_drains_when_it_is_told_to() {
    let server = Server::builder("health", "1.0.0").build().unwrap();
    let service = server.http().health("/live", "/ready");
    let router = Router::new()
        .route_service("/mcp", service.clone())
        .route_service("/ready", service);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let ready = async || {
        let mut connection = Connection::open(address).await;
        connection.send(&probe("/ready")).await.status
    };
    assert_eq!(ready().await, 200);
    server.drain();
    assert_eq!(ready().await, 503);
    let mut connection = Connection::open(address).await;
    for (target, status) in [("/mcp", 200), ("/ready", 404)] {
        let answer = connection.send(&Post::discover().target(target)).await;
        assert_eq!(answer.status, status, "{target}");
    }
}
