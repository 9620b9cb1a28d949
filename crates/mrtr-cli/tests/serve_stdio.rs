//! `mrtr serve --stdio`

mod support;

use serde_json::{Value, json};
use support::Serving;
use support::http::{message, tool_params};

/// A server whose state folder is a new one.
fn start(folder: &std::path::Path, args: &[&str]) -> (Serving, support::Pipes) {
    Serving::stdio(|command| {
        command.args(args).env("XDG_STATE_HOME", folder);
    })
}

fn call(
    id: u64,
    tool: &str,
    arguments: Value,
    state: Option<&Value>,
    answers: &[(&str, Value)],
) -> String {
    message(
        id,
        "tools/call",
        tool_params(tool, &arguments, state, answers),
    )
}

#[test]
fn stdout_carries_protocol_messages_only_even_when_all_is_logged() {
    let folder = tempfile::tempdir().expect("a folder");
    let (server, mut pipes) = start(folder.path(), &["-vvv", "--json"]);
    pipes.send(&message(1, "server/discover", json!({})));
    assert_eq!(
        pipes.receive()["result"]["supportedVersions"],
        json!(["2026-07-28"])
    );
    pipes.send("nonsense");
    assert_eq!(pipes.receive()["error"]["code"], -32700);
    pipes.send(&call(2, "deploy", json!({ "service": "api" }), None, &[]));
    let asked = pipes.receive();
    assert_eq!(asked["id"], 2);
    let state = Some(&asked["result"]["requestState"]);
    let yes = [("confirm", json!({ "confirmed": true }))];
    pipes.send(&call(3, "deploy", json!({ "service": "api" }), state, &yes));
    let done = pipes.receive()["result"]["content"][0]["text"].to_string();
    assert!(done.contains("Deployed api 2.8.0"), "{done}");
    assert_eq!(pipes.close(), "", "nothing but replies");
    let (status, lines) = server.wait();
    assert_eq!(status.code(), Some(0), "the end of input is the end");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("replaced an instance")),
        "logs are on stderr"
    );
}

#[test]
fn a_restarted_server_goes_on_with_the_call_of_its_predecessor() {
    let folder = tempfile::tempdir().expect("a folder");
    let trip = || json!({ "to": "Oslo" });
    let (server, mut pipes) = start(folder.path(), &[]);
    pipes.send(&call(1, "book", trip(), None, &[]));
    let asked = pipes.receive();
    pipes.close();
    server.wait();

    let (_server, mut pipes) = start(folder.path(), &[]);
    let details = json!({ "class": "standard", "seats": 1, "departure": "2027-05-01" });
    let state = Some(&asked["result"]["requestState"]);
    pipes.send(&call(2, "book", trip(), state, &[("details", details)]));
    let priced = pipes.receive();
    assert!(
        priced["result"]["inputRequests"]["pay"].is_object(),
        "{priced}"
    );
}

#[cfg(unix)]
#[test]
fn sigterm_ends_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut server, mut pipes) = start(folder.path(), &[]);
    server.wait_for("  bob  ");
    pipes.send(&message(1, "server/discover", json!({})));
    pipes.receive();
    server.signal(rustix::process::Signal::TERM);
    assert_eq!(server.wait().0.code(), Some(0));
}
