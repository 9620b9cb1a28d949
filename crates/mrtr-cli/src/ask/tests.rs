//! Forms filled in by a script instead of a person.

use std::collections::VecDeque;

use mrtr::form::FormSchema;
use mrtr::wire::{Action, ElicitForm, ElicitResult};

use super::control::{Check, Controls, Label, Left};
use super::form::fill_in;

/// What the script does at one control.
#[derive(Clone, Debug)]
enum Do {
    /// Types a text over what is there.
    Type(&'static str),
    /// Enters what is there.
    Enter,
    /// Chooses the option with this title.
    Pick(&'static str),
    /// Ticks exactly the options with these titles.
    Tick(&'static [&'static str]),
    Yes,
    Esc,
    CtrlC,
}

/// A script, and what the controls looked like.
struct Script {
    steps: VecDeque<Do>,
    seen: Vec<String>,
}

impl Script {
    fn next(&mut self, control: &str, label: &Label, start: &str) -> Result<Do, Left> {
        self.seen
            .push(format!("{control} {} [{start}]", label.text));
        match self.steps.pop_front() {
            Some(Do::Esc) => Err(Left::Back),
            Some(Do::CtrlC) => Err(Left::Interrupted),
            Some(step) => Ok(step),
            None => panic!("no step for {:?}", self.seen),
        }
    }
}

impl Controls for Script {
    fn line(&mut self, label: &Label, start: &str, check: Check<str>) -> Result<String, Left> {
        loop {
            let typed = match self.next("line", label, start)? {
                Do::Type(text) => text.to_owned(),
                Do::Enter => start.to_owned(),
                other => panic!("{other:?} at a line"),
            };
            match check(&typed) {
                Ok(()) => return Ok(typed),
                Err(problem) => self.seen.push(format!("problem {problem}")),
            }
        }
    }

    fn one(&mut self, label: &Label, options: &[String], start: usize) -> Result<usize, Left> {
        match self.next("one", label, &options[start])? {
            Do::Enter => Ok(start),
            Do::Pick(title) => Ok(options
                .iter()
                .position(|option| option.starts_with(title))
                .unwrap_or_else(|| panic!("no {title} in {options:?}"))),
            other => panic!("{other:?} at a choice"),
        }
    }

    fn many(
        &mut self,
        label: &Label,
        options: &[String],
        chosen: &[usize],
        check: Check<[usize]>,
    ) -> Result<Vec<usize>, Left> {
        loop {
            let chosen = match self.next("many", label, &format!("{chosen:?}"))? {
                Do::Enter => chosen.to_vec(),
                Do::Tick(titles) => {
                    let ticked = |at: &usize| titles.contains(&options[*at].as_str());
                    (0..options.len()).filter(ticked).collect()
                }
                other => panic!("{other:?} at several choices"),
            };
            match check(&chosen) {
                Ok(()) => return Ok(chosen),
                Err(problem) => self.seen.push(format!("problem {problem}")),
            }
        }
    }

    fn yes_no(&mut self, label: &Label, start: Option<bool>) -> Result<bool, Left> {
        match self.next("yes_no", label, &format!("{start:?}"))? {
            Do::Yes => Ok(true),
            Do::Enter => Ok(start.expect("nothing was typed and nothing is preset")),
            other => panic!("{other:?} at yes or no"),
        }
    }

    fn has_calendar(&self) -> bool {
        true
    }

    fn day(&mut self, label: &Label, start: Option<&str>) -> Result<String, Left> {
        match self.next("day", label, start.unwrap_or("today"))? {
            Do::Enter => Ok(start.unwrap_or("2026-07-28").to_owned()),
            Do::Type(day) => Ok(day.to_owned()),
            other => panic!("{other:?} at a calendar"),
        }
    }

    fn say(&mut self, text: &str) {
        self.seen.push(format!("say {text}"));
    }

    fn quote(&mut self, text: &str) {
        self.seen.push(format!("quote {text}"));
    }

    fn warn(&mut self, text: &str) {
        self.seen.push(format!("warn {text}"));
    }
}

/// Plays `steps` at a form with these properties, and required names.
fn play(
    properties: &str,
    required: &str,
    steps: &[Do],
) -> (Result<ElicitResult, Left>, Vec<String>) {
    let schema =
        format!(r#"{{"type":"object","properties":{{{properties}}},"required":[{required}]}}"#);
    let schema: FormSchema = serde_json::from_str(&schema).expect("a form");
    let mut script = Script {
        steps: steps.iter().cloned().collect(),
        seen: Vec::new(),
    };
    let answer = fill_in(&mut script, &ElicitForm::new("?", schema));
    assert!(
        script.steps.is_empty(),
        "{:?} left of {:?}",
        script.steps,
        script.seen
    );
    (answer, script.seen)
}

fn content(properties: &str, required: &str, steps: &[Do]) -> String {
    let (answer, seen) = play(properties, required, steps);
    let answer = answer.unwrap_or_else(|left| panic!("{left:?} after {seen:?}"));
    assert_eq!(answer.action, Action::Accept, "{seen:?}");
    answer.content.expect("content").get().to_owned()
}

const SEND: Do = Do::Pick("Send");

#[test]
fn g1_a_required_integer_is_typed_and_never_accepted_without_a_value() {
    let n = r#""n":{"type":"integer","minimum":1,"maximum":3}"#;
    let steps = [
        Do::Enter,
        Do::Type("4"),
        Do::Type("1.5"),
        Do::Type("yes"),
        Do::Type("3"),
        SEND,
    ];
    assert_eq!(content(n, r#""n""#, &steps), r#"{"n":3}"#);
    let (_, seen) = play(n, r#""n""#, &[Do::Esc, Do::Pick("Cancel")]);
    assert!(seen[0].starts_with("line N"), "{seen:?}");
    let offered = |title| {
        let steps = [Do::Esc, Do::Pick(title)];
        std::panic::catch_unwind(|| play(n, r#""n""#, &steps)).is_ok()
    };
    assert!(!offered("Send"), "what is not complete cannot be sent");
}

#[test]
fn g6_defaults_are_preset_and_unknown_formats_are_text() {
    let fields = r#""t":{"type":"string","default":"x","format":"int32"},
        "n":{"type":"number","default":0.5},"b":{"type":"boolean","default":true},
        "s":{"type":"string","enum":["a","b"],"default":"b"},
        "m":{"type":"array","items":{"enum":["a","b"]},"default":["b"]},
        "d":{"type":"string","format":"date","default":"2020-02-29"}"#;
    let required = r#""t","n","b","s","m","d""#;
    let enter = [
        Do::Enter,
        Do::Enter,
        Do::Enter,
        Do::Enter,
        Do::Enter,
        Do::Enter,
        SEND,
    ];
    let expected = r#"{"t":"x","n":0.5,"b":true,"s":"b","m":["b"],"d":"2020-02-29"}"#;
    assert_eq!(content(fields, required, &enter), expected);
}

#[test]
fn optional_fields_can_be_left_out_one_by_one() {
    let fields = r#""t":{"type":"string"},"n":{"type":"integer"},"b":{"type":"boolean"},
        "s":{"type":"string","enum":["a","b"]},"m":{"type":"array","items":{"enum":["a"]},"minItems":1},
        "d":{"type":"string","format":"date"}"#;
    let steps = [
        Do::Enter,
        Do::Enter,
        Do::Enter,
        Do::Enter,
        Do::Enter,
        Do::Enter,
        SEND,
    ];
    assert_eq!(content(fields, "", &steps), "{}");
    let steps = [
        Do::Type("x"),
        Do::Type("7"),
        Do::Pick("No"),
        Do::Pick("b"),
        Do::Tick(&["a"]),
        Do::Pick("Pick a day"),
        Do::Enter,
        SEND,
    ];
    let all = r#"{"t":"x","n":7,"b":false,"s":"b","m":["a"],"d":"2026-07-28"}"#;
    assert_eq!(content(fields, "", &steps), all);
}

#[test]
fn a_default_that_was_taken_back_stays_away() {
    let text = r#""t":{"type":"string","default":"x"}"#;
    assert_eq!(content(text, "", &[Do::Type(""), SEND]), "{}");
    let many = r#""m":{"type":"array","items":{"enum":["a","b"]},"default":["a"]}"#;
    assert_eq!(content(many, "", &[Do::Tick(&[]), SEND]), r#"{"m":[]}"#);
    let least = r#""m":{"type":"array","items":{"enum":["a","b"]},"minItems":1,"default":["a"]}"#;
    assert_eq!(content(least, "", &[Do::Tick(&[]), SEND]), "{}");
}

#[test]
fn g2_several_choices_are_bounded() {
    let many = r#""m":{"type":"array","minItems":1,"maxItems":2,
        "items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"},{"const":"c","title":"C"}]}}"#;
    let steps = [
        Do::Tick(&[]),
        Do::Tick(&["A", "B", "C"]),
        Do::Tick(&["A", "C"]),
        SEND,
    ];
    assert_eq!(content(many, r#""m""#, &steps), r#"{"m":["a","c"]}"#);
}

#[test]
fn a_required_yes_or_no_has_nothing_to_slip_into() {
    let (answer, seen) = play(r#""b":{"type":"boolean"}"#, r#""b""#, &[Do::Yes, SEND]);
    assert_eq!(
        answer.expect("an answer").content.expect("content").get(),
        r#"{"b":true}"#
    );
    assert_eq!(seen[0], "yes_no B [None]");
}

#[test]
fn one_field_is_edited_and_the_others_stay() {
    let fields = r#""a":{"type":"string"},"b":{"type":"string"}"#;
    let steps = [
        Do::Type("1"),
        Do::Type("2"),
        Do::Pick("Edit"),
        Do::Pick("B"),
        Do::Type("3"),
        Do::Pick("Edit"),
        Do::Pick("All"),
        Do::Enter,
        Do::Enter,
        Do::Pick("Edit"),
        Do::Esc,
        SEND,
    ];
    assert_eq!(
        content(fields, r#""a","b""#, &steps),
        r#"{"a":"1","b":"3"}"#
    );
}

#[test]
fn leaving_offers_decline_and_cancel_and_ctrl_c_answers_nothing() {
    let text = r#""t":{"type":"string"}"#;
    let action = |steps: &[Do]| {
        play(text, r#""t""#, steps)
            .0
            .map(|answer| answer.action)
            .ok()
    };
    assert_eq!(
        action(&[Do::Esc, Do::Pick("Decline")]),
        Some(Action::Decline)
    );
    assert_eq!(action(&[Do::Esc, Do::Pick("Cancel")]), Some(Action::Cancel));
    assert_eq!(action(&[Do::Esc, Do::Esc]), Some(Action::Cancel));
    assert_eq!(
        action(&[Do::Type("x"), Do::Pick("Decline")]),
        Some(Action::Decline)
    );
    assert_eq!(action(&[Do::CtrlC]), None);
    assert_eq!(action(&[Do::Type("x"), Do::CtrlC]), None);
}

#[test]
fn a_secret_is_declined_unless_the_person_insists() {
    let secret = r#""pin":{"type":"string"}"#;
    let action = |steps: &[Do]| {
        play(secret, r#""pin""#, steps)
            .0
            .map(|answer| answer.action)
            .ok()
    };
    assert_eq!(action(&[Do::Enter]), Some(Action::Decline));
    assert_eq!(action(&[Do::Esc]), Some(Action::Cancel));
    assert_eq!(action(&[Do::CtrlC]), None);
    let steps = [Do::Pick("Fill it in"), Do::Type("7"), SEND];
    assert_eq!(content(secret, r#""pin""#, &steps), r#"{"pin":"7"}"#);
}

#[test]
fn a_choice_of_nothing_and_a_day_that_cannot_be_are_no_dead_ends() {
    let nothing = r#""s":{"type":"string","enum":[]}"#;
    let (answer, _) = play(nothing, r#""s""#, &[Do::Pick("Decline")]);
    assert_eq!(answer.expect("an answer").action, Action::Decline);
    let short = r#""d":{"type":"string","format":"date","maxLength":5}"#;
    let (answer, seen) = play(
        short,
        r#""d""#,
        &[Do::Type("2026-07-28"), Do::Esc, Do::Pick("Decline")],
    );
    assert_eq!(answer.expect("an answer").action, Action::Decline);
    assert!(seen[1].starts_with("problem"), "{seen:?}");
}
