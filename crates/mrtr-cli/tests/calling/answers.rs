//! Answers from the command line, and what happens without them.

use std::fs;

use serde_json::json;

use crate::program::{mrtr, run, run_with};
use crate::scripted::{Say, Scripted, form, page};

fn seat() -> serde_json::Value {
    form(
        "Which seat?",
        json!({
            "row": { "type": "integer", "minimum": 1, "maximum": 3 },
            "side": { "type": "string", "enum": ["left", "right"] },
        }),
        &["row"],
    )
}

#[test]
fn a_given_content_is_sent_as_an_accepted_form() {
    let server = Scripted::asking(json!({ "seat": seat() }));
    run([
        "call",
        &server.url,
        "t",
        "--answer",
        r#"seat={"row":2,"side":"left"}"#,
    ])
    .expect(0);
    let answer = json!({ "action": "accept", "content": { "row": 2, "side": "left" } });
    assert_eq!(server.answers(), json!({ "seat": answer }));
}

#[test]
fn b17_without_an_answer_nothing_is_made_up_and_nothing_is_sent() {
    let server = Scripted::asking(json!({ "seat": seat() }));
    let ran = run(["call", &server.url, "t"]).expect(3);
    assert_eq!(server.seen().len(), 1);
    assert_eq!(ran.stdout, "");
    for part in [
        &*server.url,
        "asks (seat)",
        "Which seat?",
        "row: a whole number between 1 and 3, required",
        "side: one of the choices, optional",
        "- left",
        r#"--answer 'seat={"row":1}'"#,
    ] {
        assert!(
            ran.stderr.contains(part),
            "{part} is missing in {}",
            ran.stderr
        );
    }
}

#[test]
fn the_suggested_answer_can_be_pasted() {
    let properties = json!({
        "it's": { "type": "string", "minLength": 3 },
        "day": { "type": "string", "format": "date" },
        "pick": { "type": "array", "items": { "enum": ["a b", "c"] }, "minItems": 2 },
        "free": { "type": "string" },
    });
    let question = form("?", properties, &["it's", "day", "pick"]);
    let server = Scripted::asking(json!({ "a key": question }));
    let ran = run(["call", &server.url, "t"]).expect(3);
    let line = ran
        .stderr
        .lines()
        .find_map(|line| line.trim().strip_prefix("answer with: "));
    let words = shell_words::split(line.expect("a suggestion")).expect("shell words");
    run([
        &["call", &server.url, "t"],
        &*words.iter().map(String::as_str).collect::<Vec<_>>(),
    ]
    .concat())
    .expect(0);
    assert_eq!(
        server.answers()["a key"]["content"]["pick"],
        json!(["a b", "c"])
    );
}

#[test]
fn for_scripts_the_questions_come_as_json() {
    let server = Scripted::asking(json!({ "seat": seat() }));
    let document = run(["call", "--json", &server.url, "t", "--answer", "sea=1"])
        .expect(3)
        .json();
    assert_eq!(document["status"], "input_needed");
    assert_eq!(document["exit"], 3);
    assert_eq!(document["open"], json!(["seat"]));
    assert_eq!(document["unused"], json!(["sea"]));
    assert_eq!(document["inputRequests"]["seat"], seat());
}

#[test]
fn d2_a_no_and_a_cancellation_are_words() {
    for (word, action) in [("decline", "decline"), ("cancel", "cancel")] {
        let server = Scripted::asking(json!({ "seat": seat() }));
        run([
            "call",
            &server.url,
            "t",
            "--answer",
            &format!("seat={word}"),
        ])
        .expect(0);
        assert_eq!(server.answers(), json!({ "seat": { "action": action } }));
    }
}

#[test]
fn a_no_that_the_server_takes_as_the_end_has_its_own_exit_code() {
    let server = Scripted::start(|request| match &request.params()["inputResponses"] {
        serde_json::Value::Null => Say::ask(json!({ "seat": seat() })),
        _ => Say::Error(json!({ "code": -32602, "message": "declined" })),
    });
    run([
        "call",
        &server.url,
        "--prompt",
        "p",
        "--answer",
        "seat=decline",
    ])
    .expect(1);
    run([
        "call",
        &server.url,
        "--prompt",
        "p",
        "--answer",
        r#"seat={"row":1}"#,
    ])
    .expect(4);
}

#[test]
fn a_whole_answer_is_taken_as_it_is() {
    let server = Scripted::asking(json!({ "seat": seat() }));
    let whole = r#"seat={"action":"accept","content":{"row":3}}"#;
    run(["call", &server.url, "t", "--answer", whole]).expect(0);
    let answer = json!({ "action": "accept", "content": { "row": 3 } });
    assert_eq!(server.answers()["seat"], answer);
}

#[test]
fn a_field_called_action_is_content_all_the_same() {
    let question = form("?", json!({ "action": { "type": "string" } }), &["action"]);
    let server = Scripted::asking(json!({ "q": question }));
    run([
        "call",
        &server.url,
        "t",
        "--answer",
        r#"q={"action":"accept"}"#,
    ])
    .expect(0);
    assert_eq!(
        server.answers()["q"]["content"],
        json!({ "action": "accept" })
    );
}

#[test]
fn the_only_field_of_a_form_needs_no_name() {
    for (schema, typed, value) in [
        (json!({ "type": "boolean" }), "true", json!(true)),
        (json!({ "type": "boolean" }), "no", json!(false)),
        (json!({ "type": "string" }), "12A", json!("12A")),
        (json!({ "type": "string" }), "12", json!("12")),
        (json!({ "type": "string" }), "01", json!("01")),
        (json!({ "type": "number" }), "36.6", json!(36.6)),
        (
            json!({ "oneOf": [{ "const": "e", "title": "Economy" }], "type": "string" }),
            "economy",
            json!("e"),
        ),
        (
            json!({ "type": "array", "items": { "enum": ["a", "b"] } }),
            r#"["b"]"#,
            json!(["b"]),
        ),
    ] {
        let server = Scripted::asking(json!({ "q": form("?", json!({ "x": schema }), &["x"]) }));
        run(["call", &server.url, "t", "--answer", &format!("q={typed}")]).expect(0);
        assert_eq!(
            server.answers()["q"]["content"],
            json!({ "x": value }),
            "{typed}"
        );
    }
}

#[test]
fn an_answer_that_does_not_fit_is_not_sent() {
    for answer in [
        r#"{"row":4}"#,
        "{}",
        r#"{"row":"x"}"#,
        "7",
        r#"{"row":1,"side":"up"}"#,
    ] {
        let server = Scripted::asking(json!({ "seat": seat() }));
        let ran = run([
            "call",
            &server.url,
            "t",
            "--answer",
            &format!("seat={answer}"),
        ])
        .expect(3);
        assert!(ran.stderr.contains("does not fit"), "{}", ran.stderr);
        assert_eq!(server.seen().len(), 1, "{answer}");
    }
}

#[test]
fn an_answer_is_used_once() {
    let server = Scripted::start(|_| Say::ask(json!({ "seat": seat() })));
    run(["call", &server.url, "t", "--answer", r#"seat={"row":1}"#]).expect(3);
    assert_eq!(server.seen().len(), 2);
}

#[test]
fn g7_a_form_of_optional_fields_or_none_is_accepted_empty() {
    for properties in [json!({}), json!({ "x": { "type": "string" } })] {
        let server = Scripted::asking(json!({ "q": form("Go on?", properties, &[]) }));
        run(["call", &server.url, "t", "--answer", "q=accept"]).expect(0);
        assert_eq!(
            server.answers()["q"],
            json!({ "action": "accept", "content": {} })
        );
    }
}

#[test]
fn answers_come_from_a_file_and_from_stdin() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("answers.json");
    let text = r#"{"seat":{"row":1},"go":{"action":"decline"}}"#;
    fs::write(&file, text).expect("a file");
    let go = form("Go?", json!({}), &[]);
    for (path, input) in [(file.to_str().expect("UTF-8"), ""), ("-", text)] {
        let server = Scripted::asking(json!({ "seat": seat(), "go": go }));
        let args = [
            "call",
            &server.url,
            "t",
            "--answers",
            path,
            "--answer",
            r#"seat={"row":2}"#,
        ];
        run_with(mrtr(args), input).expect(0);
        assert_eq!(
            server.answers()["seat"]["content"]["row"],
            2,
            "an option wins over the file"
        );
        assert_eq!(server.answers()["go"], json!({ "action": "decline" }));
    }
}

#[test]
fn what_cannot_be_read_as_answers_is_refused_before_anything_is_sent() {
    let server = Scripted::asking(json!({ "seat": seat() }));
    let call = ["call", &*server.url, "t"];
    for wrong in [
        ["--answer", "seat"],
        ["--answer", r#"seat={"row":1"#],
        ["--answers", "/nowhere.json"],
        ["--root", "/nowhere"],
    ] {
        run([&call[..], &wrong].concat()).expect(2);
    }
    assert!(server.seen().is_empty());
}

#[test]
fn a_page_is_agreed_to_in_words_and_its_url_is_shown() {
    let url = "https://login.example/x?id=7";
    let server = Scripted::asking(json!({ "in": page("Sign in.", url) }));
    let ran = run(["call", &server.url, "t", "--answer", "in=accept"]).expect(0);
    assert_eq!(server.answers(), json!({ "in": { "action": "accept" } }));
    assert!(ran.stderr.contains(url), "{}", ran.stderr);
    assert!(ran.stderr.contains("host: login.example"), "{}", ran.stderr);
}

fn sampling() -> serde_json::Value {
    json!({ "method": "sampling/createMessage", "params": { "maxTokens": 9, "messages": [
        { "role": "user", "content": { "type": "text", "text": "Capital of France?" } }] } })
}

#[test]
fn a_models_answer_is_declared_only_when_it_was_given() {
    let server = Scripted::asking(json!({ "m": sampling() }));
    run(["call", &server.url, "t"]).expect(4);
    let declared = |request: usize| {
        let seen = server.seen();
        let meta = &seen[request].params()["_meta"];
        meta["io.modelcontextprotocol/clientCapabilities"].clone()
    };
    assert_eq!(
        declared(0),
        json!({ "elicitation": { "form": {}, "url": {} } })
    );

    run(["call", &server.url, "t", "--sampling-answer", "Paris"]).expect(0);
    assert_eq!(declared(1)["sampling"], json!({}));
    assert_eq!(
        server.answers()["m"]["content"],
        json!({ "type": "text", "text": "Paris" })
    );

    let whole = r#"m={"role":"assistant","model":"x","content":{"type":"text","text":"Lyon"}}"#;
    run(["call", &server.url, "t", "--answer", whole]).expect(0);
    assert_eq!(declared(3)["sampling"], json!({}));
    assert_eq!(server.answers()["m"]["model"], "x");
}

#[test]
fn answers_of_a_model_are_used_in_their_order_and_run_out() {
    let server = Scripted::start(|_| Say::ask(json!({ "m": sampling() })));
    let args = [
        "call",
        &*server.url,
        "t",
        "--sampling-answer",
        "one",
        "--sampling-answer",
        "two",
    ];
    let ran = run(args).expect(3);
    assert!(ran.stderr.contains("Capital of France?"), "{}", ran.stderr);
    let text =
        |at: usize| server.seen()[at].params()["inputResponses"]["m"]["content"]["text"].clone();
    assert_eq!([text(1), text(2)], [json!("one"), json!("two")]);
    assert_eq!(server.seen().len(), 3);
}

#[test]
fn folders_are_given_as_roots() {
    let folder = tempfile::tempdir().expect("a folder");
    let work = folder.path().join("my work");
    fs::create_dir(&work).expect("a folder");
    let server = Scripted::asking(json!({ "r": { "method": "roots/list" } }));
    run([
        "call",
        &server.url,
        "t",
        "--root",
        work.to_str().expect("UTF-8"),
    ])
    .expect(0);
    let root = &server.answers()["r"]["roots"][0];
    assert_eq!(root["name"], "my work");
    let uri = root["uri"].as_str().expect("a text");
    assert!(
        uri.starts_with("file:///") && uri.ends_with("/my%20work"),
        "{uri}"
    );
}
