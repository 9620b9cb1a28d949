//! The service in an axum router.

use crate::support::{Connection, Post};
use axum::Router;
use mrtr::server::Server;
use serde_json::json;
use std::net::SocketAddr;
use tokio::net::TcpListener;

async fn serve(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

fn server() -> Server {
    Server::builder("axum", "1.0.0").build().unwrap()
}

#[tokio::test]
async fn it_mounts_with_route_service_and_with_nest_service() {
    let router = Router::new()
        .route_service("/mcp", server().http())
        .nest_service("/nested", server().http());
    let mut connection = Connection::open(serve(router).await).await;
    for (target, status) in [("/mcp", 200), ("/nested", 200), ("/other", 404)] {
        let answer = connection.send(&Post::discover().target(target)).await;
        assert_eq!(answer.status, status, "{target}");
    }
    let answer = connection.send(&Post::discover().verb("GET")).await;
    assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")));
}

#[tokio::test]
async fn pages_of_this_machine_pass_only_where_the_host_is_this_machine() {
    let router = Router::new()
        .route_service("/mcp", server().http())
        .route_service("/local", server().http().loopback_only());
    let address = serve(router).await;
    for (target, host, origin, status) in [
        ("/mcp", "mcp.example.com", None, 200),
        (
            "/mcp",
            "mcp.example.com",
            Some("http://localhost:3000"),
            403,
        ),
        (
            "/mcp",
            "mcp.example.com",
            Some("http://mcp.example.com"),
            403,
        ),
        ("/mcp", "localhost", Some("http://localhost:3000"), 200),
        ("/local", "mcp.example.com", None, 403),
        ("/local", "localhost", None, 200),
    ] {
        let mut post = Post::discover().target(target).with("Host", host);
        if let Some(origin) = origin {
            post = post.with("Origin", origin);
        }
        let answer = Connection::open(address).await.send(&post).await;
        assert_eq!(answer.status, status, "{target} {host} {origin:?}");
    }
}

#[tokio::test]
async fn the_body_limit_holds_there_too() {
    let router = Router::new().route_service("/mcp", server().http().body_limit(200));
    let post = Post::new("server/discover", json!({"padding": "x".repeat(200)}));
    let answer = Connection::open(serve(router).await)
        .await
        .send(&post)
        .await;
    assert_eq!((answer.status, answer.code()), (413, Some(-32600)));
}
