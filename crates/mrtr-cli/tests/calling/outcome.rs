//! Results, for people and for scripts.

use serde_json::{Value, json};

use crate::program::{Example, run, stdio_server};
use crate::scripted::{Say, Scripted};

const DETAILS: &str = r#"details={"class":"green","seats":2,"departure":"2026-07-28"}"#;

#[test]
fn a_booking_is_played_to_its_end_over_http_and_stdio() {
    let example = Example::start();
    let command = stdio_server();
    for server in [&[&*example.url][..], &["--command", &command]] {
        let args = [
            &["call"],
            server,
            &[
                "book", "to=Kyoto", "--answer", DETAILS, "--answer", "pay=true",
            ],
        ];
        let ran = run(args.concat()).expect(0);
        let ticket: Value = serde_json::from_str(&ran.stdout).expect("structured content, once");
        assert_eq!(ticket["to"], "Kyoto");
        assert_eq!(ticket["seats"], 2);
    }
}

#[test]
fn for_scripts_the_result_is_whole() {
    let example = Example::start();
    let args = ["call", "--json", &example.url, "echo", "text=hi"];
    let document = run(args).expect(0).json();
    assert_eq!(document["status"], "done");
    assert_eq!(document["server"], example.url);
    assert_eq!(document["result"]["content"][0]["text"], "hi");
    assert_eq!(document["result"]["resultType"], "complete");
}

#[test]
fn a_tool_that_failed_shows_in_the_exit_code() {
    let example = Example::start();
    let ran = run([
        "call",
        &example.url,
        "deploy",
        "service=web",
        "--answer",
        "confirm=decline",
    ]);
    let ran = ran.expect(1);
    assert!(ran.stdout.contains("Nothing was deployed"), "{ran:#?}");
    let args = ["call", "--json", &example.url, "deploy", "service=none"];
    let document = run(args).expect(1).json();
    assert_eq!(document["status"], "refused");
    assert_eq!(document["result"]["isError"], true);
}

#[test]
fn prompts_and_resources_ask_and_answer_too() {
    let example = Example::start();
    let reader = r#"reader={"reader":"Ada","length":"short"}"#;
    let args = [
        "call",
        &example.url,
        "--prompt",
        "briefing",
        "to=Oslo",
        "--answer",
        reader,
    ];
    let ran = run(args).expect(0);
    assert!(
        ran.stdout
            .starts_with("[user] Write a briefing about a trip to Oslo"),
        "{ran:#?}"
    );
    let args = [
        "call",
        &example.url,
        "trip://oslo/notes",
        "--answer",
        "when=winter",
    ];
    let ran = run(args).expect(0);
    assert_eq!(ran.stdout, "Oslo: bring a warm coat, and good shoes.\n");
}

#[test]
fn what_is_no_text_is_described() {
    let content = json!([
        { "type": "image", "mimeType": "image/png", "data": "AAAA" },
        { "type": "audio", "mimeType": "audio/wav", "data": "AAAAAAAA" },
        { "type": "resource_link", "uri": "note://1", "name": "One" },
        { "type": "resource", "resource": { "uri": "note://2", "text": "Two." } },
    ]);
    let server = Scripted::start(move |_| Say::Result(json!({ "content": content })));
    let ran = run(["call", &server.url, "t"]).expect(0);
    let expected = "[image image/png, 3 bytes; use --json to get it]\n\
                    [audio audio/wav, 6 bytes; use --json to get it]\n\
                    [resource note://1 \"One\"]\n# note://2\nTwo.\n";
    assert_eq!(ran.stdout, expected);
}

#[test]
fn progress_of_a_long_call_is_shown_beside_the_result() {
    let events = |id: &str| {
        let progress = |done: u32, message: &str| {
            json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": {
                "progressToken": id.parse::<u64>().expect("a number"), "progress": done, "total": 3,
                "message": message } })
        };
        let result = json!({ "jsonrpc": "2.0", "id": id.parse::<u64>().expect("a number"), "result": {
            "resultType": "complete", "content": [{ "type": "text", "text": "Done." }] } });
        [progress(1, "one"), progress(2, "\u{1b}[2Jtwo"), result]
            .map(|event| format!("event: message\ndata: {event}\n\n"))
            .concat()
    };
    let server = Scripted::start(move |request| {
        assert!(request.params()["_meta"]["progressToken"].is_number());
        Say::Raw(
            200,
            "text/event-stream",
            events(&request.body["id"].to_string()),
        )
    });
    let ran = run(["call", &server.url, "t"]).expect(0);
    assert_eq!(ran.stdout, "Done.\n");
    assert!(
        ran.stderr.contains("progress 1/3 one\nprogress 2/3 two\n"),
        "{}",
        ran.stderr
    );
}
