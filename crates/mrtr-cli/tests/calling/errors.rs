//! Errors and their exit codes.

use std::net::TcpListener;

use serde_json::json;

use crate::program::{mrtr, run, run_with, stdio_server};
use crate::scripted::{Say, Scripted, form};

fn rejecting(error: serde_json::Value) -> Scripted {
    Scripted::start(move |_| Say::Error(error.clone()))
}

#[test]
fn c4_a_missing_capability_is_explained_with_the_flag_for_it() {
    let missing = |capabilities| {
        rejecting(json!({ "code": -32021, "message": "needs more",
            "data": { "requiredCapabilities": capabilities } }))
    };
    for (capabilities, flag) in [
        (json!({ "sampling": {} }), "--sampling-answer"),
        (json!({ "sampling": { "tools": {} } }), "tool_use"),
        (json!({ "sampling": { "context": {} } }), "cannot give"),
        (json!({ "roots": {} }), "--root DIR"),
        (json!({ "fax": {} }), "does not say which"),
    ] {
        let server = missing(capabilities);
        let ran = run(["call", &server.url, "t"]).expect(4);
        assert!(
            ran.stderr.contains(flag),
            "{flag} is missing in {}",
            ran.stderr
        );
    }
}

#[test]
fn the_example_server_says_what_it_needs() {
    let ran = run(["call", "--command", &stdio_server(), "summarise", "text=x"]).expect(4);
    assert!(ran.stderr.contains("--sampling-answer"), "{}", ran.stderr);
    let args = [
        "call",
        "--command",
        &stdio_server(),
        "summarise",
        "text=x",
        "--sampling-answer",
        "Short.",
    ];
    assert_eq!(run(args).expect(0).stdout, "Short.\n");
}

#[test]
fn for_scripts_a_servers_error_comes_whole() {
    let error = json!({ "code": -32602, "message": "no such thing", "data": { "k": 1 } });
    let server = rejecting(error.clone());
    let document = run(["call", "--json", &server.url, "t"]).expect(4).json();
    assert_eq!(document["status"], "server");
    assert_eq!(document["error"], error);
}

#[test]
fn each_kind_of_trouble_has_its_exit_code() {
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let url = format!("http://{}/mcp", closed.expect("an address"));
    run(["call", &url, "t"]).expect(5);
    run(["call", "not-a-url", "t"]).expect(2);
    run(["call", "ftp://host/", "t"]).expect(2);
    run(["call", "http://user:pass@127.0.0.1:1/", "t"]).expect(2);
    run(["call", "--command", "/nowhere/server", "t"]).expect(5);
    run(["call", "http://127.0.0.1:1/"]).expect(2);

    let lost = Scripted::start(|_| Say::Nothing);
    let ran = run(["call", &lost.url, "t"]).expect(5);
    assert!(
        ran.stderr.contains("may have carried it out"),
        "{}",
        ran.stderr
    );
    assert_eq!(lost.seen().len(), 1, "b21: it is not sent again");

    let page = Scripted::start(|_| Say::Raw(401, "text/html", "<p>no</p>".into()));
    let ran = run(["call", &page.url, "t"]).expect(4);
    assert!(ran.stderr.contains("--bearer"), "{}", ran.stderr);
}

#[test]
fn a3_an_empty_interim_result_is_the_servers_fault() {
    let server = Scripted::start(|_| Say::Result(json!({ "resultType": "input_required" })));
    run(["call", &server.url, "t"]).expect(4);
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn g9_a_form_without_a_schema_is_refused() {
    let question = json!({ "method": "elicitation/create", "params": {
        "message": "?", "schema": { "type": "object", "properties": {} } } });
    let server = Scripted::asking(json!({ "q": question }));
    run(["call", &server.url, "t", "--answer", "q=accept"]).expect(4);
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn a_token_in_the_environment_does_not_stand_in_the_way_of_a_command() {
    let mut command = mrtr(["call", "--command", &stdio_server(), "echo", "text=x"]);
    command.env("MRTR_TOKEN", "t0ken");
    run_with(command, "").expect(0);
}

#[test]
fn a_server_that_says_nothing_is_given_up_in_time() {
    let server = Scripted::start(|_| Say::Silence);
    let ran = run(["call", &server.url, "t", "--timeout", "1"]).expect(5);
    assert!(
        ran.stderr.contains("no answer came within 1s"),
        "{}",
        ran.stderr
    );
    run(["call", &server.url, "t", "--timeout", "0"]).expect(2);
}

#[cfg(unix)]
#[test]
fn b9_ctrl_c_ends_a_request_in_flight_and_keeps_the_call() {
    use std::process::Stdio;
    use std::sync::mpsc::channel;

    let (sender, arrived) = channel();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("call.json");
    let path = file.to_str().expect("UTF-8");
    let server = Scripted::start(move |request| match &request.params()["inputResponses"] {
        serde_json::Value::Null => Say::ask(json!({ "q": form("Go?", json!({}), &[]) })),
        _ => {
            sender.send(()).expect("the test waits");
            Say::Silence
        }
    });
    let child = mrtr([
        "call",
        &*server.url,
        "t",
        "--answer",
        "q=accept",
        "--save",
        path,
    ])
    .stdin(Stdio::null())
    .stdout(Stdio::null())
    .stderr(Stdio::piped())
    .spawn()
    .expect("the program starts");
    arrived.recv().expect("the second request");
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).expect("a signal");
    let output = child.wait_with_output().expect("the program ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("--send-again"), "{stderr}");
    run(["resume", path]).expect(2);
}

#[test]
fn a_file_that_is_there_is_never_replaced_by_a_saved_call() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "mine\n").unwrap();
    let file = path.to_str().unwrap();
    let server = stdio_server();
    let args = ["call", "--command", &server, "book", "to=Kyoto", "--save"];
    let ran = run(args.into_iter().chain([file])).expect(6);
    assert!(ran.stderr.contains("is not a saved call"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine\n");

    let path = folder.path().join("trip.json");
    let file = path.to_str().unwrap();
    run(args.into_iter().chain([file])).expect(3);
    let kept = std::fs::read_to_string(&path).unwrap();
    let ran = run(args.into_iter().chain([file])).expect(6);
    assert!(ran.stderr.contains("mrtr resume"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), kept);
}
