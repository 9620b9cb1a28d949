//! Servers that try to deceive the person.

use serde_json::json;

use crate::program::{Ran, run};
use crate::scripted::{Say, Scripted, form, page};

/// Escapes, C1 controls, bidi overrides, carriage returns and a false question.
const HOSTILE: &str = "Pay?\u{1b}[2J\u{1b}[1;1H\u{9b}31m\u{202e}gpj\u{1b}]0;title\u{7}\r\
    https://bank.example asks (pin):\n? What now? Continue\u{85}end\u{200b}\u{e0041}";

#[track_caller]
fn harmless(ran: &Ran) {
    let bad = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{202e}' | '\u{200b}' | '\u{e0041}')
    };
    for text in [&ran.stdout, &ran.stderr] {
        assert!(!text.chars().any(bad), "{text:?}");
    }
}

#[test]
fn a_message_is_cleaned_and_stands_behind_its_margin() {
    let question = form(
        HOSTILE,
        json!({ HOSTILE: { "type": "string", "title": HOSTILE,
        "description": HOSTILE, "enum": [HOSTILE] } }),
        &[],
    );
    let server = Scripted::asking(json!({ HOSTILE: question, "p": page(HOSTILE, HOSTILE) }));
    let ran = run(["call", &server.url, "t"]).expect(3);
    harmless(&ran);
    let false_line =
        |line: &str| line.starts_with("https://bank.example") || line.starts_with("? ");
    assert!(!ran.stderr.lines().any(false_line), "{}", ran.stderr);
    assert!(
        !ran.stderr.contains("--answer 'Pay"),
        "a key that cannot be pasted is not offered"
    );
    harmless(&run(["call", "--json", &server.url, "t"]).expect(3));
}

#[test]
fn errors_and_results_are_cleaned_as_well() {
    let error =
        Scripted::start(|_| Say::Error(json!({ "code": -1, "message": HOSTILE, "data": HOSTILE })));
    harmless(&run(["call", &error.url, "t"]).expect(4));
    harmless(&run(["call", "--json", &error.url, "t"]).expect(4));
    harmless(&run(["call", "--trace", &error.url, "t"]).expect(4));
    let result = Scripted::start(|_| Say::text(HOSTILE));
    harmless(&run(["call", &result.url, "t"]).expect(0));
    let exact = run(["call", "--json", &result.url, "t"]).expect(0);
    harmless(&exact);
    assert_eq!(
        exact.json()["result"]["content"][0]["text"],
        HOSTILE,
        "--json keeps every character"
    );
    let page = Scripted::start(|_| Say::Raw(500, "text/plain", HOSTILE.to_owned()));
    harmless(&run(["call", &page.url, "t"]).expect(4));
    harmless(&run(["call", "--trace", &page.url, "t"]).expect(4));
}

#[test]
fn a_server_is_named_by_its_url_never_by_itself() {
    let server = Scripted::asking(json!({ "q": form("Go?", json!({}), &[]) }));
    let ran = run(["call", &server.url, "t"]).expect(3);
    assert!(
        ran.stderr.contains(&format!("{} asks (q)", server.url)),
        "{}",
        ran.stderr
    );
    assert!(
        !ran.stderr.contains("bank.example"),
        "its own name is not shown"
    );
}

#[test]
fn a_suspicious_url_is_shown_in_full_with_a_warning() {
    for (url, host, warning) in [
        (
            "https://bank.example@evil.example/",
            "evil.example",
            "is a user name",
        ),
        ("https://xn--pple-43d.com/", "xn--pple-43d.com", "Punycode"),
        (
            "https://\u{430}pple.com/",
            "xn--pple-43d.com",
            "several scripts",
        ),
        ("http://site.example/", "site.example", "not encrypted"),
        ("https://192.0.2.1/", "192.0.2.1", "bare IP address"),
        (
            "https://site.example/\u{202e}fdp",
            "site.example",
            "invisible",
        ),
    ] {
        let server = Scripted::asking(json!({ "in": page("Sign in.", url) }));
        let ran = run(["call", &server.url, "t"]).expect(3);
        assert!(
            ran.stderr.contains(&format!("host: {host}\n")),
            "{}",
            ran.stderr
        );
        assert!(
            ran.stderr.contains(warning),
            "{warning} is missing in {}",
            ran.stderr
        );
        harmless(&ran);
    }
    let server = Scripted::asking(json!({ "in": page("Run.", "javascript:alert(1)") }));
    let ran = run(["call", &server.url, "t"]).expect(3);
    assert!(ran.stderr.contains("no web address"), "{}", ran.stderr);
}

#[test]
fn a_form_that_asks_for_a_secret_is_warned_of_also_when_it_is_answered() {
    let question = form(
        "Log in.",
        json!({ "password": { "type": "string" } }),
        &["password"],
    );
    let server = Scripted::asking(json!({ "q": question }));
    let ran = run(["call", &server.url, "t"]).expect(3);
    assert!(ran.stderr.contains("must not ask for"), "{}", ran.stderr);
    let ran = run(["call", &server.url, "t", "--answer", "q=x"]).expect(0);
    assert!(
        ran.stderr.contains("seems to ask for a secret (Password)"),
        "{}",
        ran.stderr
    );
    let ran = run(["call", &server.url, "t", "--answer", "q=decline"]).expect(0);
    assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
}

#[test]
fn a_flood_of_text_is_cut() {
    let question = form(&"line\n".repeat(5000), json!({}), &[]);
    let server = Scripted::asking(json!({ "q": question }));
    let ran = run(["call", &server.url, "t"]).expect(3);
    assert!(
        ran.stderr.lines().count() < 60,
        "{}",
        ran.stderr.lines().count()
    );
    assert!(ran.stderr.contains("more characters are not shown"));
}
