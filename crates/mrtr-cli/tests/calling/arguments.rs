//! Arguments as words.

use serde_json::{Value, json};

use crate::program::{Example, run, stdio_server};
use crate::scripted::{Say, Scripted};

/// A server that says which arguments its tool got.
fn mirror() -> Scripted {
    let schema = json!({ "type": "object", "properties": {
        "text": { "type": "string" }, "count": { "type": "integer" }, "ratio": { "type": "number" },
        "yes": { "type": "boolean" }, "list": { "type": "array" }, "maybe": { "type": ["integer", "null"] },
    } });
    Scripted::with_tools(json!([{ "name": "t", "inputSchema": schema }]), |_| {
        Say::text("ok")
    })
}

fn sent(server: &Scripted) -> Value {
    server.seen().last().expect("a request").params()["arguments"].clone()
}

#[test]
fn words_are_read_by_the_tools_own_types() {
    let server = mirror();
    let words = [
        "text=7",
        "count=9007199254740993",
        "ratio=0.5",
        "yes=no",
        "list=[1]",
        "maybe=null",
        "other=7",
        "equals=a=b",
    ];
    run([&["call", &server.url, "t"], &words[..]].concat()).expect(0);
    let expected = json!({ "text": "7", "count": 9007199254740993_u64, "ratio": 0.5, "yes": false,
        "list": [1], "maybe": null, "other": "7", "equals": "a=b" });
    assert_eq!(sent(&server), expected);
}

#[test]
fn a_word_of_another_type_is_refused_before_the_call() {
    let server = mirror();
    let ran = run(["call", &server.url, "t", "count=many"]).expect(2);
    assert!(
        ran.stderr.contains("`count` must be a whole number"),
        "{}",
        ran.stderr
    );
    for words in [
        &["count"][..],
        &["count=1", "count=2"],
        &["{\"a\""],
        &["--input-json", "[1]"],
    ] {
        run([&["call", &server.url, "t"], words].concat()).expect(2);
    }
    assert!(server.seen().is_empty());
}

#[test]
fn words_add_to_a_json_object() {
    let server = mirror();
    let object = r#"{"count":1,"text":"a"}"#;
    run(["call", &server.url, "t", "count=2", "--input-json", object]).expect(0);
    assert_eq!(sent(&server), json!({ "count": 2, "text": "a" }));
    run(["call", &server.url, "t", object]).expect(0);
    assert_eq!(sent(&server), json!({ "count": 1, "text": "a" }));
}

#[test]
fn no_arguments_are_none() {
    let server = mirror();
    run(["call", &server.url, "t"]).expect(0);
    assert_eq!(sent(&server), Value::Null);
}

#[test]
fn a_prompt_gets_text_and_a_resource_gets_nothing() {
    let server = Scripted::start(|request| match request.method() {
        "prompts/get" => Say::Result(json!({ "messages": [] })),
        _ => Say::Result(json!({ "contents": [] })),
    });
    run(["call", &server.url, "--prompt", "p", "count=7"]).expect(0);
    assert_eq!(
        server.seen()[0].params()["arguments"],
        json!({ "count": "7" })
    );
    run([
        "call",
        &server.url,
        "--prompt",
        "p",
        "--input-json",
        r#"{"count":7}"#,
    ])
    .expect(2);
    run(["call", &server.url, "note://x"]).expect(0);
    assert_eq!(server.seen()[1].params()["uri"], "note://x");
    run(["call", &server.url, "note://x", "a=1"]).expect(2);
}

#[test]
fn over_stdio_the_same_words_mean_the_same() {
    let ran = run(["call", "--command", &stdio_server(), "echo", "text=12"]).expect(0);
    assert_eq!(ran.stdout, "12\n");
    let example = Example::start();
    let ran = run(["call", &example.url, "echo", "text=12"]).expect(0);
    assert_eq!(ran.stdout, "12\n");
}

#[test]
fn a_command_line_is_split_but_never_run_by_a_shell() {
    let folder = tempfile::tempdir().expect("a folder");
    let trap = folder.path().join("trap");
    let command = format!("{} ; touch '{}'", stdio_server(), trap.display());
    run(["list", "--command", &command]).expect(5);
    assert!(!trap.exists());
    run(["list", "--command", "'open"]).expect(2);
    run(["list", "--command", ""]).expect(2);
}
