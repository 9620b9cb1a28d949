//! Questions to the person at a terminal.

use serde_json::{Value, json};

use crate::program::Example;
use crate::pty::{BACKSPACE, CTRL_C, DOWN, ENTER, ESC, Terminal};
use crate::scripted::{Scripted, form, page};

/// The program at a terminal; the test ends early where there is none.
macro_rules! terminal {
    ($args:expr) => {
        match Terminal::start($args) {
            Some(terminal) => terminal,
            None => return,
        }
    };
}

fn all_kinds() -> Value {
    form(
        "Everything, please.",
        json!({
            "a_name": { "type": "string", "minLength": 2 },
            "b_mail": { "type": "string", "format": "email", "default": "ada@example.com" },
            "c_nick": { "type": "string" },
            "d_count": { "type": "integer", "minimum": 1, "maximum": 3 },
            "e_ratio": { "type": "number", "default": 0.5 },
            "f_day": { "type": "string", "format": "date", "default": "2026-07-28" },
            "g_yes": { "type": "boolean" },
            "h_maybe": { "type": "boolean" },
            "i_class": { "oneOf": [{ "const": "e", "title": "Economy" }, { "const": "b", "title": "Business" }],
                "type": "string", "default": "b" },
            "j_tags": { "type": "array", "minItems": 1, "items": { "anyOf": [
                { "const": "x", "title": "Ex" }, { "const": "y", "title": "Why" }] } },
        }),
        &[
            "a_name", "b_mail", "d_count", "e_ratio", "f_day", "g_yes", "i_class", "j_tags",
        ],
    )
}

#[test]
fn every_kind_of_field_has_its_control_and_the_whole_is_reviewed() {
    let server = Scripted::asking(json!({ "q": all_kinds() }));
    let mut terminal = terminal!(&["call", &server.url, "t"]);
    terminal
        .wait_for("asks (q):")
        .wait_for("Everything, please.");
    terminal
        .wait_for("A name")
        .press("A")
        .press(ENTER)
        .wait_for("at least 2 characters");
    terminal.press("da").press(ENTER);
    // A default stands there already.
    terminal
        .wait_for("B mail")
        .wait_for("ada@example.com")
        .press(ENTER);
    terminal
        .wait_for("C nick (optional)")
        .wait_for("nothing leaves it out")
        .press(ENTER);
    // G1: a required integer is typed, and bounded.
    terminal
        .wait_for("D count")
        .wait_for("a whole number between 1 and 3")
        .press(ENTER);
    terminal
        .wait_for("D count is needed")
        .press("7")
        .press(ENTER);
    terminal
        .wait_for("must be between 1 and 3")
        .press(BACKSPACE)
        .press("2")
        .press(ENTER);
    terminal.wait_for("E ratio").wait_for("0.5").press(ENTER);
    terminal
        .wait_for("F day")
        .wait_for("july 2026")
        .press(ENTER);
    // A required yes or no has no preset to slip into.
    terminal
        .wait_for("y/n")
        .press(ENTER)
        .wait_for("type y for yes or n for no");
    terminal.press("y").press(ENTER);
    terminal
        .wait_for("H maybe (optional)")
        .wait_for("(leave it out)")
        .press(ENTER);
    // The default is where the cursor starts.
    terminal
        .wait_for("I class")
        .wait_for("Business")
        .press(ENTER);
    terminal
        .wait_for("J tags")
        .wait_for("Why")
        .press(ENTER)
        .wait_for("at least 1 choice");
    terminal.press(DOWN).press(" ").press(ENTER);
    terminal
        .wait_for("Your answer:")
        .wait_for("A name: Ada")
        .wait_for("C nick: -")
        .wait_for("G yes: yes");
    terminal
        .wait_for("I class: Business")
        .wait_for("J tags: Why")
        .wait_for("What now?")
        .wait_for("Send");
    assert_eq!(server.seen().len(), 1, "nothing is sent before the review");
    terminal.press(ENTER);
    let (code, seen) = terminal.end();
    assert_eq!(code, 0, "{seen}");
    let content = json!({ "a_name": "Ada", "b_mail": "ada@example.com", "d_count": 2, "e_ratio": 0.5,
        "f_day": "2026-07-28", "g_yes": true, "i_class": "b", "j_tags": ["y"] });
    assert_eq!(
        server.answers()["q"],
        json!({ "action": "accept", "content": content })
    );
}

fn one(kind: Value) -> Scripted {
    Scripted::asking(json!({ "q": form("One.", json!({ "x": kind }), &["x"]) }))
}

#[test]
fn an_answer_is_edited_before_it_is_sent() {
    let server = one(json!({ "type": "string" }));
    let mut terminal = terminal!(&["call", &server.url, "t"]);
    terminal
        .wait_for("text; Esc")
        .press("old")
        .press(ENTER)
        .wait_for("X: old")
        .wait_for("Cancel (");
    terminal
        .press(DOWN)
        .press(ENTER)
        .wait_for("text; Esc")
        .press(&BACKSPACE.repeat(3))
        .press("new")
        .press(ENTER);
    terminal
        .wait_for("X: new")
        .wait_for("Cancel (")
        .press(ENTER);
    assert_eq!(terminal.end().0, 0);
    assert_eq!(server.answers()["q"]["content"], json!({ "x": "new" }));
}

#[test]
fn decline_and_cancel_are_always_at_hand() {
    for (keys, action) in [([DOWN, ""], "decline"), ([DOWN, DOWN], "cancel")] {
        let server = one(json!({ "type": "integer" }));
        let mut terminal = terminal!(&["call", &server.url, "t"]);
        // Esc in a field leads to the review, which does not offer to send what is not complete.
        terminal
            .wait_for("a whole number")
            .press(ESC)
            .wait_for("warning:")
            .wait_for("What now?");
        terminal
            .wait_for("Cancel (")
            .press(keys[0])
            .press(keys[1])
            .press(ENTER);
        let (code, seen) = terminal.end();
        assert_eq!(code, 0, "{seen}");
        assert!(!seen.contains("Send"), "{seen}");
        assert_eq!(server.answers(), json!({ "q": { "action": action } }));
    }
}

#[test]
fn b9_ctrl_c_sends_nothing_and_a_saved_call_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("call.json");
    let server = one(json!({ "type": "string" }));
    let path = file.to_str().expect("UTF-8");
    let mut terminal = terminal!(&["call", &server.url, "t", "--save", path]);
    terminal.wait_for("text; Esc").press("half").press(CTRL_C);
    let (code, seen) = terminal.end();
    assert_eq!(code, 130, "{seen}");
    assert_eq!(server.seen().len(), 1);
    assert!(file.exists());
    let mut terminal = terminal!(&["resume", path]);
    terminal
        .wait_for("text; Esc")
        .press("whole")
        .press(ENTER)
        .wait_for("Cancel (")
        .press(ENTER);
    assert_eq!(terminal.end().0, 0);
    assert_eq!(server.answers()["q"]["content"], json!({ "x": "whole" }));
    assert!(!file.exists());
}

#[test]
fn g7_a_form_without_fields_is_a_yes_or_a_no() {
    let server = Scripted::asking(json!({ "q": form("Go on?", json!({}), &[]) }));
    let mut terminal = terminal!(&["call", &server.url, "t"]);
    terminal
        .wait_for("Go on?")
        .wait_for("What now?")
        .wait_for("Cancel (")
        .press(ENTER);
    assert_eq!(terminal.end().0, 0);
    assert_eq!(
        server.answers()["q"],
        json!({ "action": "accept", "content": {} })
    );
}

#[test]
fn a_form_that_asks_for_a_secret_is_declined_unless_the_person_insists() {
    let question = form(
        "Log in.",
        json!({ "api_key": { "type": "string" } }),
        &["api_key"],
    );
    let server = Scripted::asking(json!({ "q": question }));
    let mut terminal = terminal!(&["call", &server.url, "t"]);
    terminal
        .wait_for("seems to ask for a secret")
        .wait_for("Fill it in anyway")
        .press(ENTER);
    assert_eq!(terminal.end().0, 0);
    assert_eq!(server.answers(), json!({ "q": { "action": "decline" } }));
}

#[test]
fn a_page_is_shown_whole_and_only_the_person_goes_on() {
    for (keys, answer) in [("", "accept"), (DOWN, "decline"), (ESC, "cancel")] {
        let url = "https://login.example/x?id=7";
        let server = Scripted::asking(json!({ "in": page("Sign in.", url) }));
        let mut terminal = terminal!(&["call", "--color=never", &server.url, "t"]);
        terminal
            .wait_for("Sign in.")
            .wait_for(url)
            .wait_for("host: login.example");
        terminal
            .wait_for("this program does not")
            .wait_for("Continue")
            .wait_for("Cancel (");
        assert_eq!(server.seen().len(), 1);
        terminal.press(keys);
        if keys != ESC {
            terminal.press(ENTER);
        }
        let (code, seen) = terminal.end();
        assert_eq!(code, 0, "{seen}");
        assert_eq!(server.answers(), json!({ "in": { "action": answer } }));
    }
}

#[test]
fn the_host_of_a_page_is_highlighted() {
    let server = Scripted::asking(json!({ "in": page("Sign in.", "https://login.example/x") }));
    let mut terminal = terminal!(&["call", &server.url, "t"]);
    terminal
        .wait_for("https://\u{1b}[")
        .wait_for("login.example\u{1b}[0m/x")
        .wait_for("Cancel (");
    terminal.press(ENTER);
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn an_address_that_is_none_cannot_be_gone_to() {
    let server = Scripted::asking(json!({ "in": page("Sign in.", "log\u{1b}[2Jin") }));
    let mut terminal = terminal!(&["call", &server.url, "t"]);
    terminal
        .wait_for("no valid URL")
        .wait_for("Cancel (")
        .press(ENTER);
    let (code, seen) = terminal.end();
    assert_eq!(code, 0, "{seen}");
    assert!(!seen.contains("Continue"), "{seen}");
    assert_eq!(server.answers(), json!({ "in": { "action": "decline" } }));
}

#[test]
fn a_hostile_form_writes_nothing_but_text() {
    let hostile = "\u{1b}]0;owned\u{7}\u{1b}[7mx\u{202e}\u{9b}7m";
    let kind = json!({ "type": "string", "title": hostile, "description": hostile,
        "oneOf": [{ "const": "a", "title": hostile }, { "const": "b", "title": "b" }] });
    let server =
        Scripted::asking(json!({ hostile: form(hostile, json!({ hostile: kind }), &[hostile]) }));
    let mut terminal = terminal!(&["call", &server.url, "t"]);
    terminal
        .wait_for("one of the choices")
        .press(ENTER)
        .wait_for("Cancel (")
        .press(ENTER);
    let (code, seen) = terminal.end();
    assert_eq!(code, 0, "{seen}");
    for bad in ["\u{1b}]0;owned", "\u{1b}[7m", "\u{202e}", "\u{9b}"] {
        assert!(!seen.contains(bad), "{bad:?} in {seen:?}");
    }
}

#[test]
fn a_long_line_is_broken_behind_its_margin() {
    let text = format!("Hello.{}https://bank.example asks (pin):", " ".repeat(94));
    let server = Scripted::asking(json!({ "q": form(&text, json!({}), &[]) }));
    let mut terminal = terminal!(&["call", &server.url, "t"]);
    terminal
        .wait_for("  │ https://bank.example")
        .wait_for("Cancel (")
        .press(ENTER);
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn the_example_booking_is_played_at_a_terminal() {
    let example = Example::start();
    let mut terminal = terminal!(&["call", &example.url, "book", "to=Kyoto"]);
    terminal
        .wait_for("Your trip to Kyoto")
        .wait_for("one of the choices")
        .press(ENTER);
    terminal
        .wait_for("Seats")
        .wait_for("between 1 and 9")
        .press(ENTER);
    terminal
        .wait_for("Departure")
        .wait_for("a date")
        .press(ENTER);
    terminal
        .wait_for("Extras (optional)")
        .wait_for("at most 2")
        .press(" ")
        .press(ENTER);
    terminal
        .wait_for("Extras: A bicycle")
        .wait_for("Cancel (")
        .press(ENTER);
    terminal
        .wait_for("asks (pay):")
        .wait_for("euros for one seat")
        .wait_for("y/n")
        .press("y")
        .press(ENTER);
    terminal
        .wait_for("Your answer:")
        .wait_for("Cancel (")
        .press(ENTER);
    let (code, seen) = terminal.end();
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains("\"reference\":"), "{seen}");
}
