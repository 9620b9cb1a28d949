//! What is counted of HTTP.

use mrtr::server::Server;
use serde_json::json;

use crate::gate::Gate;
use crate::support::{Connection, Post, run};

#[tokio::test]
async fn requests_that_do_not_reach_a_method_are_counted_too() {
    let server = Server::builder("metrics", "1.0.0").build().unwrap();
    let running = run(server.http().body_limit(500)).await;
    let large = Post::new("server/discover", json!({"padding": "x".repeat(500)}));
    let mut sent = std::collections::BTreeMap::new();
    for post in [
        Post::discover().with("Host", "evil.example"),
        Post::discover().target("/no"),
        Post::discover().verb("PUT"),
        Post::discover().with("Accept", "text/html"),
        large,
        Post::discover().with("Content-Type", "text/plain"),
        Post::discover().with("Content-Type", "text/html"),
    ] {
        let status = running.send(&post).await.status;
        *sent.entry(status).or_insert(0) += 1;
    }
    assert_eq!(
        sent.into_iter().collect::<Vec<_>>(),
        [(403, 1), (404, 1), (405, 1), (406, 1), (413, 1), (415, 2),]
    );
    let text = server.metrics();
    for (status, times) in [
        (400, 0),
        (403, 1),
        (404, 1),
        (405, 1),
        (406, 1),
        (408, 0),
        (413, 1),
        (415, 2),
    ] {
        let line = format!("mrtr_http_refused_total{{status=\"{status}\"}} {times}\n");
        assert!(text.contains(&line), "{line}{text}");
    }
    running
        .send(&Post::discover().with("Mcp-Method", "tools/list"))
        .await;
    let mismatch = "mrtr_requests_total{method=\"server/discover\",outcome=\"invalid\"} 1\n";
    assert!(server.metrics().contains(mismatch), "{}", server.metrics());
}

#[tokio::test]
async fn a_client_that_goes_away_is_counted_as_such() {
    let gate = Gate::new();
    let server = Server::builder("metrics", "1.0.0")
        .tool(gate.tool())
        .build()
        .unwrap();
    let running = run(server.http()).await;
    let mut connection = Connection::open(running.address).await;
    connection
        .write(&Post::call("gate", json!({})).bytes())
        .await;
    gate.entered(1).await;
    let now = "mrtr_requests_in_flight{method=\"tools/call\"} 1\n";
    assert!(server.metrics().contains(now), "{}", server.metrics());
    drop(connection);
    gate.left(1).await;
    running.ended().await;
    let gone = "mrtr_requests_total{method=\"tools/call\",outcome=\"cancelled\"} 1\n";
    assert!(server.metrics().contains(gone), "{}", server.metrics());
}
