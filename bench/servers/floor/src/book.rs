//! The tool.

use std::time::{SystemTime, UNIX_EPOCH};

use bench_kit::{QUESTION, booked, question};
use serde::Deserialize;

use crate::reply::Reply;
use crate::request::Message;
use crate::state::{self, Claims, Key};

#[derive(Deserialize)]
struct Trip<'a> {
    city: &'a str,
}

#[derive(Deserialize)]
struct Answers<'a> {
    #[serde(borrow)]
    dates: Answer<'a>,
}

#[derive(Deserialize)]
struct Answer<'a> {
    action: &'a str,
    #[serde(borrow)]
    content: Dates<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Dates<'a> {
    from: &'a str,
    to: &'a str,
}

/// The form of the question, as it is sent.
pub const FORM: &str = r#"{"type":"object","properties":{"from":{"type":"string","title":"From"},"to":{"type":"string","title":"To"}},"required":["from","to"]}"#;

pub fn book(message: &Message<'_>, key: &Key) -> Reply {
    let params = &message.params;
    if params.name != "book" {
        return Reply::error(message, -32602, "unknown tool");
    }
    let Ok(trip) = serde_json::from_str::<Trip<'_>>(params.arguments.get()) else {
        return Reply::error(message, -32602, "arguments");
    };
    let asks = question(trip.city);
    let now = now();
    let asked = match &params.state {
        None => None,
        Some(text) => match state::open(key, text, params.arguments.get(), &params.name, now) {
            Some(asked) => Some(asked),
            None => return Reply::error(message, -32602, "Invalid or expired requestState"),
        },
    };
    let answers = params
        .answers
        .and_then(|raw| serde_json::from_str::<Answers<'_>>(raw.get()).ok());
    let asks_digest = state::question_digest(&asks, key);
    if let (Some(asked), Some(Answers { dates })) = (asked, answers)
        && asked == asks_digest
        && dates.action == "accept"
    {
        return Reply::text(
            message,
            &booked(trip.city, dates.content.from, dates.content.to),
        );
    }
    if params
        .meta
        .capabilities
        .elicitation
        .is_none_or(|given| !given.get().starts_with('{'))
    {
        return Reply::error(message, -32021, "elicitation");
    }
    let mut random = [0; 32];
    rand::fill(&mut random);
    let claims = Claims {
        now,
        target: &params.name,
        arguments: params.arguments.get(),
        city: trip.city,
        asked: asks_digest,
    };
    let state = state::seal(key, &claims, &random);
    Reply::asks(message, QUESTION, &asks, FORM, &state)
}

fn now() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    since.as_millis() as u64
}
