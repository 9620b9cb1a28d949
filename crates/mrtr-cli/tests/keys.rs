//! `mrtr keys`

mod support;

use std::collections::BTreeSet;

use serde_json::Value;
use support::{mrtr, run, run_command, stderr, stdout};

fn new_key() -> String {
    let output = run(&["keys", "new"]);
    assert!(output.status.success());
    stdout(&output).trim_end().to_owned()
}

#[test]
fn every_new_key_is_another_one_and_a_line_of_its_own() {
    let keys: BTreeSet<_> = (0..3).map(|_| new_key()).collect();
    assert_eq!(keys.len(), 3);
    for key in keys {
        assert_eq!(key.len(), 43, "256 bits in base64url");
        assert!(!key.contains(char::is_whitespace));
    }
}

#[test]
fn show_names_the_keys_of_a_file_and_never_shows_them() {
    let (new, old) = (new_key(), new_key());
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("keys");
    std::fs::write(&file, format!("# rotated\n{new}\n{old} # until Friday\n")).expect("written");
    let file = file.to_str().expect("UTF-8");

    let output = run(&["keys", "show", file]);
    assert!(output.status.success());
    let text = stdout(&output);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].ends_with("  seals and opens"), "{text}");
    assert!(lines[1].ends_with("  opens"), "{text}");
    assert!(!text.contains(&new[..8]) && !text.contains(&old[..8]));

    let output = run(&["--json", "keys", "show", file]);
    let shown: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert!(lines[0].starts_with(shown[0]["id"].as_str().expect("an id")));
    assert_eq!([&shown[0]["seals"], &shown[1]["seals"]], [true, false]);
}

#[test]
fn show_reads_the_variable_and_standard_input() {
    let key = new_key();
    let output = run_command(mrtr(&["keys", "show", "-"]), &key);
    let from_input = stdout(&output);
    let mut command = mrtr(&["keys", "show"]);
    command.env("MRTR_KEYS", &key);
    assert_eq!(stdout(&run_command(command, "")), from_input);
    assert_eq!(from_input.lines().count(), 1);
}

#[test]
fn what_is_wrong_with_keys_is_told_without_showing_them() {
    let mut command = mrtr(&["keys", "show"]);
    command.env("MRTR_KEYS", "c2hvcnQ");
    let output = run_command(command, "");
    assert_eq!(output.status.code(), Some(6));
    assert_eq!(stdout(&output), "");
    let text = stderr(&output);
    assert!(
        text.contains("MRTR_KEYS: line 1") && text.contains("mrtr keys new"),
        "{text}"
    );
    assert!(!text.contains("c2hvcnQ"), "{text}");

    let output = run(&["keys", "show", "/nowhere/keys"]);
    assert_eq!(output.status.code(), Some(6));
    assert!(stderr(&output).contains("/nowhere/keys"));

    let output = run(&["keys", "show"]);
    assert_eq!(output.status.code(), Some(2), "no keys at all");
}

#[test]
fn a_failure_is_a_document_too() {
    let output = run(&["--json", "keys", "show", "/nowhere/keys"]);
    let document: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(document["status"], "local");
    assert_eq!(document["exit"], 6);
    assert!(
        document["message"]
            .as_str()
            .is_some_and(|text| text.contains("/nowhere/keys"))
    );
}
