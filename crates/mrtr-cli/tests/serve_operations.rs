//! `mrtr serve` as an operator sees it.

mod support;

use serde_json::{Value, json};
use support::http::{Reply, call, mcp, request};
use support::{Serving, run, stderr};

/// Where else the server answers.
fn beside(endpoint: &str, path: &str) -> String {
    let origin = endpoint.strip_suffix("/mcp").expect("the endpoint");
    format!("{origin}{path}")
}

fn probe(endpoint: &str, path: &str) -> Reply {
    request("GET", &beside(endpoint, path), &[("host", "10.0.0.7")], "")
}

#[cfg(unix)]
#[test]
fn a_server_that_was_told_to_stop_says_so_and_serves_on() {
    let mut server = Serving::http(&["-v", "--drain-delay", "3600"]);
    for path in ["/health/live", "/health/ready"] {
        assert_eq!(probe(&server.endpoint, path).status, 200, "{path}");
    }
    server.signal(rustix::process::Signal::TERM);
    server.wait_for_text("draining");
    assert_eq!(probe(&server.endpoint, "/health/ready").status, 503);
    assert_eq!(probe(&server.endpoint, "/health/live").status, 200);
    let asked = call(
        &server.endpoint,
        "book",
        &json!({ "to": "Oslo" }),
        None,
        &[],
    );
    assert_eq!(asked.json()["result"]["resultType"], "input_required");
}

#[test]
fn behind_a_proxy_it_serves_the_named_host_and_takes_nobody_for_local() {
    let named = [
        "--allow-host",
        "mcp.example.com",
        "--allow-origin",
        "https://app.example",
    ];
    let (proxied, plain) = (Serving::http(&named), Serving::http(&[]));
    let trip = json!({ "name": "echo", "arguments": { "text": "hello" } });
    let send = |server: &Serving, headers: &[(&str, &str)]| {
        mcp(&server.endpoint, "tools/call", trip.clone(), headers).status
    };
    let host = ("host", "mcp.example.com");
    assert_eq!(send(&proxied, &[host]), 200);
    assert_eq!(send(&plain, &[host]), 403);
    assert_eq!(send(&proxied, &[("host", "other.example.com")]), 403);
    assert_eq!(
        send(&proxied, &[host, ("origin", "https://app.example")]),
        200
    );
    assert_eq!(
        send(&proxied, &[host, ("origin", "https://other.example")]),
        403
    );

    let sign_in = |server: &Serving| -> Value {
        call(&server.endpoint, "sign_in", &json!({}), None, &[]).json()["result"].clone()
    };
    assert_eq!(sign_in(&plain)["resultType"], "input_required");
    assert_eq!(sign_in(&proxied)["isError"], true, "who is it?");

    let wrong = run(&["serve", "--http", "127.0.0.1:0", "--allow-host", "a/b"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        stderr(&wrong).contains("`a/b` is not a host"),
        "{}",
        stderr(&wrong)
    );
}

#[cfg(unix)]
#[test]
fn metrics_and_probes_are_on_an_address_of_their_own_until_the_end() {
    let mut server = Serving::http(&["-v", "--metrics", "127.0.0.1:0", "--drain-delay", "3600"]);
    let url = server.wait_for("metrics on ")["metrics on ".len()..].to_owned();
    let own = url.strip_suffix("/metrics").expect("a path");
    call(
        &server.endpoint,
        "book",
        &json!({ "to": "Oslo" }),
        None,
        &[],
    );
    let reply = request("GET", &url, &[], "");
    assert_eq!(reply.status, 200);
    let kind = reply.header("content-type").expect("a type");
    assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
    assert!(
        reply.body.contains("mrtr_exchanges_asked_total 1"),
        "{}",
        reply.body
    );

    let elsewhere = request("GET", &beside(&server.endpoint, "/metrics"), &[], "");
    assert_eq!(elsewhere.status, 404, "not public by accident");
    let discover = |url: &str| mcp(url, "server/discover", json!({}), &[]).status;
    assert_eq!(discover(&server.endpoint), 200);
    for path in ["/mcp", "/health/live", "/health/ready"] {
        assert_eq!(
            discover(&format!("{own}{path}")),
            404,
            "{path} is no endpoint here"
        );
    }
    server.signal(rustix::process::Signal::TERM);
    server.wait_for_text("draining");
    let ready = request("GET", &format!("{own}/health/ready"), &[], "");
    assert_eq!(ready.status, 503);
    assert!(
        request("GET", &url, &[], "")
            .body
            .contains("mrtr_draining 1")
    );
}
