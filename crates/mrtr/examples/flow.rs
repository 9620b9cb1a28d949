//! The explicit form: a questionnaire whose questions are data.
//!
//! Where the order of questions is known, an `async fn` reads better (see `hello.rs`). Here it is
//! read from a table, so the state machine is written out: what one round leaves to the next is a
//! value that travels through the client, sealed.
//!
//! `cargo run -p mrtr --example flow`

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;

use mrtr::flow::{Flow, Next, Turn, run};
use mrtr::form::{Field, FieldValue, FormSchema};
use mrtr::harness::Harness;
use mrtr::server::{Server, tool};
use mrtr::{Cx, ToolError};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// One line of the table: what to ask, and where each answer leads.
struct Line {
    message: &'static str,
    choices: &'static [(&'static str, Option<usize>)],
}

static TABLE: [Line; 3] = [
    Line {
        message: "What broke?",
        choices: &[("screen", Some(1)), ("battery", Some(2))],
    },
    Line {
        message: "Is the glass cracked?",
        choices: &[("yes", None), ("no", Some(2))],
    },
    Line {
        message: "Is it still under warranty?",
        choices: &[("yes", None), ("no", None)],
    },
];

struct Triage;

/// Where the questionnaire stands.
#[derive(Default, Serialize, Deserialize)]
struct Standing {
    line: usize,
    said: BTreeMap<usize, String>,
}

impl Flow for Triage {
    type State = Standing;
    type Output = String;

    async fn advance(
        &self,
        turn: &mut Turn,
        state: Option<Standing>,
    ) -> Result<Next<Standing, String>, ToolError> {
        let mut standing = state.unwrap_or_default();
        loop {
            let line = TABLE.get(standing.line).ok_or_else(ToolError::not_found)?;
            let choices = line.choices.iter().map(|(value, _)| (*value, *value));
            let form = FormSchema::builder()
                .field(Field::select("answer", choices))
                .build()?;
            let ask = turn
                .cx()
                .at(standing.line)
                .elicit_form("line", line.message, form);
            let Some(content) = turn.answer(ask)? else {
                return Ok(Next::Ask(standing));
            };
            let Some(FieldValue::Text(answer)) = content.get("answer") else {
                return Err(ToolError::visible("the answer is not a text"));
            };
            standing.said.insert(standing.line, answer.clone());
            match line.choices.iter().find(|(value, _)| value == answer) {
                Some((_, Some(next))) => standing.line = *next,
                _ => return Ok(Next::Done(format!("{:?}", standing.said))),
            }
        }
    }
}

/// A flow runs wherever a handler does.
async fn triage(cx: Cx, _: ()) -> Result<String, ToolError> {
    run(&Triage, cx).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    Server::builder("repairs", "1.0.0")
        .tool(tool("triage", triage).description("Finds out what to repair"))
        .build()?;

    let played = Harness::new(|cx| triage(cx, ()))
        .answer("0/line", json!({"answer": "screen"}))
        .answer("1/line", json!({"answer": "no"}))
        .answer("2/line", json!({"answer": "yes"}))
        .play()
        .await;
    for (key, round) in ["0/line", "1/line", "2/line"].iter().zip(&played.rounds) {
        println!("asked: {}", round.message(key).unwrap_or_default());
    }
    println!("result: {}", played.value());
    Ok(())
}
