//! Explicit flows follow the rules of answers and states.

mod support;

use mrtr_core::flow::{Flow, Next, Turn, run};
use mrtr_core::replay::{Cx, FaultKind, Refused, ToolError};
use serde::{Deserialize, Serialize};
use serde_json::json;
use support::*;

/// Collects names until one is empty, then wants consent.
struct Guests;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum State {
    Naming(Vec<String>),
    Confirming(Vec<String>),
}

impl Flow for Guests {
    type State = State;
    type Output = Vec<String>;

    async fn advance(
        &self,
        turn: &mut Turn,
        state: Option<State>,
    ) -> Result<Next<State, Vec<String>>, ToolError> {
        let mut names = match state {
            None => Vec::new(),
            Some(State::Naming(names)) => names,
            Some(State::Confirming(names)) => return confirm(turn, names),
        };
        tokio::task::yield_now().await;
        let ask = turn
            .cx()
            .at(names.len())
            .elicit_form("name", "Next guest?", text());
        match turn.answer(ask.keep(|content| said(&content)))? {
            None => Ok(Next::Ask(State::Naming(names))),
            Some(name) if name.is_empty() => confirm(turn, names),
            Some(name) => {
                names.push(name);
                let ask = turn
                    .cx()
                    .at(names.len())
                    .elicit_form("name", "Next guest?", text());
                turn.answer(ask)?;
                Ok(Next::Ask(State::Naming(names)))
            }
        }
    }
}

fn confirm(turn: &mut Turn, names: Vec<String>) -> Result<Next<State, Vec<String>>, ToolError> {
    let ask = turn.cx().confirm("ok", format!("Invite {}?", names.len()));
    Ok(match turn.answer(ask)? {
        Some(()) => Next::Done(names),
        None => Next::Ask(State::Confirming(names)),
    })
}

async fn guests(cx: Cx) -> Result<Vec<String>, ToolError> {
    run(&Guests, cx).await
}

#[tokio::test]
async fn a_flow_advances_round_by_round() {
    let mut call = Call::new();
    assert_eq!(keys(call.play(none(), guests).await), ["0/name"]);
    let closed = call.play(json!({ "0/name": value("Ada") }), guests).await;
    assert_eq!(keys(closed), ["1/name"]);
    let closed = call.play(json!({ "1/name": value("Bob") }), guests).await;
    assert_eq!(keys(closed), ["2/name"]);
    let closed = call.play(json!({ "2/name": value("") }), guests).await;
    assert_eq!(messages(closed), [("ok".into(), "Invite 2?".into())]);
    let closed = call.play(json!({ "ok": yes() }), guests).await;
    assert_eq!(done(closed), ["Ada", "Bob"]);
}

#[tokio::test]
async fn missing_and_wrong_answers_are_asked_again_from_the_same_state() {
    let mut call = Call::new();
    keys(call.play(none(), guests).await);
    keys(call.play(json!({ "0/name": value("Ada") }), guests).await);
    assert_eq!(keys(call.play(none(), guests).await), ["1/name"]);
    let closed = call.play(json!({ "1/name": value(7) }), guests).await;
    let [(key, message)] = messages(closed).try_into().expect("one question");
    assert_eq!(key, "1/name");
    assert!(message.starts_with("Next guest?\n\n"), "{message}");
    keys(call.play(json!({ "1/name": value("") }), guests).await);
    let closed = call.play(json!({ "ok": decline() }), guests).await;
    assert_eq!(refused(closed), Refused::declined("ok"));
}

#[tokio::test]
async fn consent_without_a_state_does_not_count_in_a_flow_either() {
    let answers = json!({ "0/name": value(""), "ok": yes() });
    assert_eq!(keys(Call::new().play(answers, guests).await), ["ok"]);
}

/// A flow made of a function.
struct By<F>(F);

impl<F> Flow for By<F>
where
    F: Fn(&mut Turn, Option<u32>) -> Result<Next<u32, u32>, ToolError> + Sync,
{
    type State = u32;
    type Output = u32;

    async fn advance(
        &self,
        turn: &mut Turn,
        state: Option<u32>,
    ) -> Result<Next<u32, u32>, ToolError> {
        (self.0)(turn, state)
    }
}

#[tokio::test]
async fn later_is_a_round_without_questions_and_does_not_count() {
    let flow = By(|turn: &mut Turn, state: Option<u32>| {
        assert_eq!(turn.cx().round(), 1);
        // What was looked at and is missing is not asked by `Later`.
        turn.answer(turn.cx().confirm("ok", "?"))?;
        Ok(match state.unwrap_or(0) {
            20 => Next::Done(20),
            n => Next::Later(n + 1),
        })
    });
    let mut call = Call::new();
    for _ in 0..20 {
        let result = asked(call.play(none(), |cx| run(&flow, cx)).await);
        assert!(result.is_state_only());
    }
    assert_eq!(done(call.play(none(), |cx| run(&flow, cx)).await), 20);
}

#[tokio::test]
async fn several_questions_go_out_together_and_taken_answers_stay() {
    let flow = By(|turn: &mut Turn, _| {
        let a = turn.answer(Said::into_inner(ask_of(turn.cx(), "a")))?;
        let b = turn.answer(Said::into_inner(ask_of(turn.cx(), "b")))?;
        Ok(match (a, b) {
            (Some(_), Some(_)) => Next::Done(2),
            _ => Next::Ask(0),
        })
    });
    let mut call = Call::new();
    let run = |cx| run(&flow, cx);
    assert_eq!(keys(call.play(none(), run).await), ["a", "b"]);
    assert_eq!(
        keys(call.play(json!({ "b": value("2") }), run).await),
        ["a"]
    );
    assert_eq!(done(call.play(json!({ "a": value("1") }), run).await), 2);
}

fn ask_of(cx: &Cx, key: &str) -> Said {
    Said(cx.elicit_form(key, "?", text()))
}

#[tokio::test]
async fn a_forgotten_answer_is_asked_anew() {
    let flow = By(|turn: &mut Turn, state: Option<u32>| {
        let tries = state.unwrap_or(0);
        match turn.visit("page", "Go there.", "https://example.com")? {
            Some(()) if tries == 2 => Ok(Next::Done(tries)),
            Some(()) => {
                turn.forget("page");
                Ok(Next::Later(tries + 1))
            }
            None => Ok(Next::Ask(tries)),
        }
    });
    let mut call = Call::new();
    let run = |cx| run(&flow, cx);
    for _ in 0..2 {
        assert_eq!(keys(call.play(none(), run).await), ["page"]);
        let result = asked(call.play(json!({ "page": accept() }), run).await);
        assert!(result.is_state_only());
    }
    assert_eq!(keys(call.play(none(), run).await), ["page"]);
    assert_eq!(done(call.play(json!({ "page": accept() }), run).await), 2);
}

#[tokio::test]
async fn asking_with_nothing_missing_is_a_fault() {
    let flow = By(|_: &mut Turn, _| Ok(Next::Ask(1)));
    let fault = fault(Call::new().play(none(), |cx| run(&flow, cx)).await);
    assert_eq!(fault.kind(), &FaultKind::NothingToAsk);
}

#[tokio::test]
async fn a_state_of_another_type_is_a_fault() {
    let flow = By(|_: &mut Turn, _| Ok(Next::Later(1)));
    let mut call = Call::new();
    asked(call.play(none(), |cx| run(&flow, cx)).await);
    let fault = fault(call.play(none(), guests).await);
    assert!(matches!(fault.kind(), FaultKind::FlowState(_)), "{fault}");
}
