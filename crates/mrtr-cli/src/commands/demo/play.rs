//! The play itself.

use std::time::{SystemTime, UNIX_EPOCH};

use mrtr::Timestamp;
use mrtr::client::{Call, Client, ClientError, Turn};
use mrtr::state::{self, Binding, Method, StateLimits};
use mrtr::wire::{
    Capability, ElicitRequest, ElicitResult, InputRequest, InputRequests, InputResponse,
};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::fresh::Fresh;
use super::report::{Asked, AskedField, Received, Report, Round, Sent, State, Tampered};
use super::tap::{Leg, Tap};
use super::{show, tamper};
use crate::example;
use crate::exit::{Exit, Failure};
use crate::out::Out;

const TOOL: &str = "book";
/// What the tool uses for a question or a step, and what its state knows of it then.
const KEYS: [(&str, &str); 3] = [
    ("details", "the details"),
    ("price", "the price, which was fetched once"),
    ("pay", "the yes to pay"),
];

pub(super) struct Play<'a> {
    pub(super) fresh: &'a Fresh,
    pub(super) client: &'a Client,
    pub(super) tap: &'a Tap,
    pub(super) out: &'a Out,
}

/// What the person in the play answers.
fn answer(key: &str) -> Option<Value> {
    match key {
        "details" => Some(json!({
            "class": "green", "seats": 2, "departure": "2027-04-02", "extras": ["meal"],
        })),
        "pay" => Some(json!({ "confirmed": true })),
        _ => None,
    }
}

impl Play<'_> {
    /// Plays. An error means that something did not go as it must.
    pub(super) async fn play(&self, endpoint: &str) -> Result<Report, Failure> {
        let arguments = json!({ "to": "Kyoto" });
        if !self.out.is_json() {
            show::beginning(TOOL, &arguments, endpoint, self.out);
        }
        let call = self.client.tool(TOOL, &arguments).map_err(client_failed)?;
        let mut call = call.declare(Capability::ElicitationForm.into());
        let mut rounds = Vec::new();
        let result = loop {
            let turn = call.advance().await.map_err(client_failed)?;
            let leg = self.tap.last();
            let round = self.round(&leg, rounds.last(), &turn, rounds.len() + 1)?;
            if !self.out.is_json() {
                show::round(&round, self.out);
            }
            rounds.push(round);
            match turn {
                Turn::Done(outcome) => break outcome.into_tool().map_err(client_failed)?,
                Turn::Asked(questions) => give_answers(&mut call, &questions)?,
            }
        };
        let result = serde_json::to_value(result.structured_content).unwrap_or_default();
        as_expected(
            "the result is the booked trip",
            result["to"] == "Kyoto" && result["seats"] == 2 && rounds.len() == 3,
        )?;
        let tampered = self.tampered(endpoint).await?;
        Ok(Report {
            status: Exit::Done.name(),
            endpoint: endpoint.to_owned(),
            rounds,
            result,
            tampered,
            servers: 0,
            milliseconds: 0,
        })
    }

    fn round(
        &self,
        leg: &Leg,
        before: Option<&Round>,
        turn: &Turn,
        number: usize,
    ) -> Result<Round, Failure> {
        let sent_state = leg.param("requestState");
        as_expected(
            "a state comes back once there is one",
            sent_state.is_some() == before.is_some_and(|round| round.state.is_some()),
        )?;
        let (asks, state) = match turn {
            Turn::Asked(questions) => {
                let asks = asked(questions);
                let state = self.state(leg, &asks)?;
                (asks, Some(state))
            }
            Turn::Done(_) => (Vec::new(), None),
        };
        let result_type = leg.result("resultType");
        Ok(Round {
            round: number,
            request: Sent {
                bytes: leg.request.len(),
                arguments: leg.param("arguments"),
                answers: leg.param("inputResponses"),
                returns_state: sent_state.is_some(),
            },
            reply: Received {
                http_status: leg.status,
                bytes: leg.reply.len(),
                result_type: result_type
                    .as_ref()
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned(),
            },
            asks,
            state,
        })
    }

    /// Opens the state of a reply with the server's key.
    fn state(&self, leg: &Leg, asks: &[Asked]) -> Result<State, Failure> {
        let text = leg.result("requestState").unwrap_or_default();
        let text = text.as_str().unwrap_or_default();
        let arguments = leg
            .param("arguments")
            .and_then(|value| to_raw_value(&value).ok());
        let binding = Binding {
            principal: None,
            method: Method::ToolsCall,
            target: TOOL,
            arguments: arguments.as_deref(),
            audience: example::NAME,
            revision: None,
        };
        let now = now();
        let opened = state::open(
            self.fresh.keyring(),
            text,
            &binding,
            now,
            &StateLimits::default(),
        );
        let opened = opened.map_err(|error| {
            Failure::new(Exit::Server, error)
                .context("the server's own key does not open its state")
        })?;
        let body = opened.body();
        let holds = |key: &str| body.windows(key.len()).any(|part| part == key.as_bytes());
        let is_open = |key| asks.iter().any(|asked| asked.key == key);
        let knows = KEYS.into_iter().filter(|(key, _)| holds(key));
        let knows = knows.map(|(key, known)| match is_open(key) {
            true => format!("that `{key}` was asked"),
            false => known.to_owned(),
        });
        Ok(State {
            characters: text.len(),
            exchange: opened.claims.exchange.to_string(),
            round: opened.claims.round,
            good_for_seconds: opened.claims.expires_at.since(now).as_secs_f64().round() as u64,
            journal_bytes: body.len(),
            knows: knows.collect(),
        })
    }

    /// Sends the last request again with a state in which one character differs.
    async fn tampered(&self, endpoint: &str) -> Result<Tampered, Failure> {
        let last = self.tap.last();
        let state = last.param("requestState").unwrap_or_default();
        let state = state.as_str().unwrap_or_default();
        let body = last
            .request
            .replace(state, &tamper::change_one_character(state));
        let lost = |error| Failure::new(Exit::Transport, anyhow::Error::new(error));
        let leg = tamper::post(endpoint, &last.headers, body)
            .await
            .map_err(lost)?;
        let reply: Value = serde_json::from_str(&leg.reply).unwrap_or_default();
        let error = &reply["error"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let tampered = Tampered {
            http_status: leg.status,
            code: error["code"].as_i64().unwrap_or_default(),
            message: text(&error["message"]),
            reason: text(&error["data"]["reason"]),
        };
        as_expected(
            "a changed state is refused",
            (tampered.http_status, tampered.code) == (400, -32602)
                && tampered.reason == "invalid_request_state",
        )?;
        Ok(tampered)
    }
}

fn asked(questions: &InputRequests) -> Vec<Asked> {
    let asked = |(key, question): (&str, &InputRequest)| {
        let InputRequest::Elicit(ElicitRequest::Form(form)) = question else {
            return None;
        };
        Some(Asked {
            key: key.to_owned(),
            message: form.message.clone(),
            fields: form.schema.fields().iter().map(AskedField::from).collect(),
        })
    };
    questions.iter().filter_map(asked).collect()
}

fn give_answers(call: &mut Call, questions: &InputRequests) -> Result<(), Failure> {
    let answers = questions.iter().map(|(key, _)| {
        let content: Option<Box<RawValue>> =
            answer(key).and_then(|value| to_raw_value(&value).ok());
        as_expected("only what the play knows is asked", content.is_some())?;
        Ok((
            key.to_owned(),
            InputResponse::Elicit(ElicitResult::accept(content)),
        ))
    });
    let answers = answers.collect::<Result<_, Failure>>()?;
    call.answer(answers).map_err(client_failed)
}

fn as_expected(what: &str, holds: bool) -> Result<(), Failure> {
    if holds {
        return Ok(());
    }
    Err(Failure::message(
        Exit::Server,
        format!("this must hold, and does not: {what}"),
    ))
}

fn client_failed(error: ClientError) -> Failure {
    Failure::new(Exit::Server, error).context("the call failed")
}

fn now() -> Timestamp {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp::from_millis(u64::try_from(now.as_millis()).unwrap_or(u64::MAX))
}
