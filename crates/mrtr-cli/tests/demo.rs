//! `mrtr demo`

mod support;

use std::process::Stdio;

use serde_json::{Value, json};
use support::{mrtr, run, stderr, stdout};

#[test]
fn it_shows_every_round_and_succeeds_without_terminal_or_input() {
    let output = run(&["demo"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    let text = stdout(&output);
    let mut rest = text.as_str();
    for expected in [
        "Round 1",
        "asks details: Your trip to Kyoto",
        "requestState, ",
        "that `details` was asked",
        "It remembers nothing",
        "Round 2",
        r#"details: {"class":"green""#,
        "asks pay: Pay 182 euros",
        "the price, which was fetched once",
        "Round 3",
        r#"pay: {"confirmed":true}"#,
        "complete",
        r#""euros":182"#,
        "refused: HTTP 400, error -32602: Invalid or expired requestState",
        "Done: 3 rounds, 5 servers",
    ] {
        let at = rest.find(expected);
        let at = at.unwrap_or_else(|| panic!("no `{expected}` (in this place) in:\n{text}"));
        rest = &rest[at + expected.len()..];
    }
    assert!(
        !text.contains('\x1b'),
        "no colours where there is no terminal"
    );
}

#[test]
fn json_is_one_document_with_every_round() {
    let output = run(&["demo", "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let report: Value = serde_json::from_str(&stdout(&output)).expect("one JSON document");
    assert_eq!(report["status"], "done");
    let rounds = report["rounds"].as_array().expect("rounds");
    let keys: Vec<_> = rounds
        .iter()
        .map(|round| &round["asks"][0]["key"])
        .collect();
    assert_eq!(keys, [&json!("details"), &json!("pay"), &Value::Null]);
    let sizes = rounds
        .iter()
        .map(|round| round["state"]["characters"].as_u64());
    let sizes: Vec<_> = sizes.collect();
    assert!(sizes[0] < sizes[1] && sizes[2].is_none(), "{sizes:?}");
    let exchange = |round: usize| rounds[round]["state"]["exchange"].as_str();
    assert_eq!(exchange(0), exchange(1));
    assert_eq!(rounds[2]["request"]["returns_state"], true);
    assert_eq!(report["result"]["seats"], 2);
    assert_eq!(report["tampered"]["reason"], "invalid_request_state");
    assert_eq!(report["tampered"]["http_status"], 400);
    assert_eq!(report["servers"], 5, "one for each request");
}

#[test]
fn colours_can_be_forced() {
    let output = run(&["demo", "--color", "always"]);
    assert!(stdout(&output).contains("\x1b[36mclient -> server\x1b[0m"));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut command = mrtr(&["demo"]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    assert_eq!(stderr(&output), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("/dev/full");
    let mut command = mrtr(&["demo", "--json"]);
    let output = command.stdout(full).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(6));
    assert!(
        stderr(&output).contains("cannot be written"),
        "{}",
        stderr(&output)
    );
}
