//! Calls that go on in another process.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::program::{Example, mrtr, run, run_with, stdio_server};
use crate::scripted::{Say, Scripted, form};

const DETAILS: &str = r#"details={"class":"standard","seats":1,"departure":"2026-07-28"}"#;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("call.json")
    }

    fn arg(&self) -> String {
        self.file().display().to_string()
    }
}

#[test]
fn a_saved_call_goes_on_in_another_process() {
    let example = Example::start();
    let command = stdio_server();
    for server in [&[&*example.url][..], &["--command", &command]] {
        let folder = Folder::new();
        let file = folder.arg();
        let ran =
            run([&["call"], server, &["book", "to=Oslo", "--save", &file]].concat()).expect(3);
        assert!(
            ran.stderr.contains(&format!("mrtr resume {file}")),
            "{}",
            ran.stderr
        );
        let ran = run(["resume", &file, "--answer", DETAILS]).expect(3);
        assert!(ran.stderr.contains("asks (pay)"), "{}", ran.stderr);
        let document = run(["resume", "--json", &file, "--answer", "pay=true"])
            .expect(0)
            .json();
        assert_eq!(document["result"]["structuredContent"]["to"], "Oslo");
        assert!(
            !folder.file().exists(),
            "a call that is done leaves nothing behind"
        );
        assert_eq!(fs::read_dir(folder.0.path()).expect("a folder").count(), 0);
    }
}

#[test]
fn for_scripts_the_document_names_the_file() {
    let folder = Folder::new();
    let server = Scripted::asking(json!({ "q": form("Go?", json!({}), &[]) }));
    let args = ["call", "--json", &*server.url, "t", "--save", &folder.arg()];
    assert_eq!(run(args).expect(3).json()["saved"], folder.arg());
}

#[test]
fn a_saved_call_holds_no_credential() {
    let folder = Folder::new();
    let server = Scripted::asking(json!({ "q": form("Go?", json!({}), &[]) }));
    let url = format!("{}?key=hunter2", server.url);
    let args = [
        "call",
        &*url,
        "t",
        "--save",
        &folder.arg(),
        "--bearer",
        "hunter2",
        "--header",
        "X-Key: hunter2",
    ];
    run(args).expect(3);
    let text = fs::read_to_string(folder.file()).expect("a file");
    assert!(!text.contains("hunter2"), "{text}");
    run([
        "resume",
        &folder.arg(),
        "--server",
        &url,
        "--answer",
        "q=accept",
    ])
    .expect(0);
}

#[test]
fn a_changed_file_is_refused() {
    let folder = Folder::new();
    let server = Scripted::asking(json!({ "q": form("Go?", json!({}), &[]) }));
    run(["call", &server.url, "t", "--save", &folder.arg()]).expect(3);
    let text = fs::read_to_string(folder.file()).expect("a file");
    let other = Scripted::asking(json!({}));
    for changed in [
        text.replace(&server.url, &other.url),
        text.replace("\"S1\"", "\"S2\""),
        text.replace("\"t\"", "\"u\""),
        text.replace("asked", "sent"),
        text[..text.len() - 1].to_owned(),
        String::new(),
    ] {
        assert_ne!(changed, text);
        fs::write(folder.file(), &changed).expect("a file");
        run(["resume", &folder.arg(), "--answer", "q=accept"]).expect(6);
    }
    assert_eq!(server.seen().len(), 1);
    assert!(other.seen().is_empty());
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_write_does_not_decide_what_is_started() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    let command = stdio_server();
    run([
        "call",
        "--command",
        &command,
        "book",
        "to=Oslo",
        "--save",
        &folder.arg(),
    ])
    .expect(3);
    let open = fs::Permissions::from_mode(0o666);
    fs::set_permissions(folder.file(), open).expect("a file");
    let ran = run(["resume", &folder.arg()]).expect(2);
    assert!(ran.stderr.contains("--command"), "{}", ran.stderr);
    run(["resume", &folder.arg(), "--command", &command]).expect(3);
}

#[test]
fn a_call_goes_on_only_with_its_own_server() {
    let folder = Folder::new();
    let server = Scripted::asking(json!({ "q": form("Go?", json!({}), &[]) }));
    let other = Scripted::asking(json!({}));
    run(["call", &server.url, "t", "--save", &folder.arg()]).expect(3);
    let args = [
        "resume",
        &*folder.arg(),
        "--server",
        &other.url,
        "--answer",
        "q=accept",
    ];
    run(args).expect(2);
    assert!(other.seen().is_empty());
    assert!(folder.file().exists());
}

/// A server that answers the second leg only when it comes a second time.
fn losing() -> Scripted {
    let mut lost = false;
    Scripted::start(move |request| match &request.params()["inputResponses"] {
        serde_json::Value::Null => Say::ask(json!({ "q": form("Go?", json!({}), &[]) })),
        _ if !lost => {
            lost = true;
            Say::Nothing
        }
        _ => Say::text("Done."),
    })
}

#[test]
fn b21_a_request_that_may_have_been_carried_out_is_sent_again_only_when_asked_to() {
    let folder = Folder::new();
    let server = losing();
    let args = [
        "call",
        &*server.url,
        "t",
        "--answer",
        "q=accept",
        "--save",
        &folder.arg(),
    ];
    let ran = run(args).expect(5);
    assert!(ran.stderr.contains("--send-again"), "{}", ran.stderr);
    let phase = |file: &Path| {
        let text = fs::read_to_string(file).expect("a file");
        let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        document["call"]["phase"].clone()
    };
    assert_eq!(phase(&folder.file()), "sent");

    let ran = run(["resume", &folder.arg()]).expect(2);
    assert!(ran.stderr.contains("--send-again"), "{}", ran.stderr);
    assert_eq!(server.seen().len(), 2);
    assert_eq!(phase(&folder.file()), "sent");

    let ran = run(["resume", &folder.arg(), "--sent"]).expect(0);
    assert_eq!(ran.stdout, "Done.\n");
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    let retry = |at: usize| {
        let params = seen[at].params();
        (
            params["inputResponses"].clone(),
            params["requestState"].clone(),
        )
    };
    assert_eq!(retry(1), retry(2));
    assert!(!folder.file().exists());
}

#[test]
fn a_state_that_the_server_no_longer_opens_ends_the_saved_call() {
    let folder = Folder::new();
    let server = Scripted::start(|request| match &request.params()["inputResponses"] {
        serde_json::Value::Null => Say::ask(json!({ "q": form("Go?", json!({}), &[]) })),
        _ => Say::Error(
            json!({ "code": -32602, "message": "Invalid or expired requestState",
            "data": { "reason": "invalid_request_state" } }),
        ),
    });
    run(["call", &server.url, "t", "--save", &folder.arg()]).expect(3);
    let ran = run(["resume", &folder.arg(), "--answer", "q=accept"]).expect(4);
    assert!(ran.stderr.contains("start the call anew"), "{}", ran.stderr);
    assert!(!folder.file().exists());
}

#[test]
fn what_is_no_saved_call_is_refused() {
    let folder = Folder::new();
    run(["resume", &folder.arg()]).expect(6);
    fs::write(folder.file(), "{\"format\":\"other\",\"version\":1}").expect("a file");
    run(["resume", &folder.arg()]).expect(6);
    let mut command = mrtr(["resume", "call.json", "--answers", "-"]);
    command.current_dir(folder.0.path());
    run_with(command, "{}").expect(6);
}
