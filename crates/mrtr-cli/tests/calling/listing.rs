//! `mrtr list`

use serde_json::json;

use crate::program::{Example, run, stdio_server};
use crate::scripted::{Say, Scripted};

#[test]
fn all_that_a_server_offers_is_listed() {
    let example = Example::start();
    let command = stdio_server();
    for server in [&[&*example.url][..], &["--command", &command]] {
        let ran = run([&["list"], server].concat()).expect(0);
        for part in [
            "book to=STRING",
            "deploy service=STRING [target=",
            "briefing to=TEXT",
            "trip://{city}/notes",
        ] {
            assert!(
                ran.stdout.contains(part),
                "{part} is missing in {}",
                ran.stdout
            );
        }
        assert!(
            !ran.stdout.contains("mrtr-example"),
            "it is named as the person named it"
        );
        let document = run([&["list", "--json"], server].concat()).expect(0).json();
        let names: Vec<_> = document["tools"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|tool| tool["name"].clone())
            .collect();
        assert!(
            names.contains(&json!("book")) && names.contains(&json!("echo")),
            "{names:?}"
        );
        assert_eq!(
            document["resourceTemplates"][0]["uriTemplate"],
            "trip://{city}/notes"
        );
    }
}

#[test]
fn a_list_cannot_act_on_the_terminal() {
    let tool = json!({ "name": "t\u{1b}[2J\u{202e}", "description": "a\r\u{9b}1mb\nfake:",
        "inputSchema": { "type": "object", "properties": { "k\u{1b}]0;x\u{7}": { "type": "s\u{7}" } } } });
    let server = Scripted::with_tools(json!([tool]), |_| Say::Nothing);
    for json in [&[][..], &["--json"]] {
        let ran = run([&["list", &*server.url], json].concat()).expect(0);
        let printable = |c: char| c == '\n' || (!c.is_control() && c != '\u{202e}');
        assert!(ran.stdout.chars().all(printable), "{:?}", ran.stdout);
    }
}
