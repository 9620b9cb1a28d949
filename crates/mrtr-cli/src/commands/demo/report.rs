//! What the demo tells: the JSON document, and what its text is made of.

use mrtr::form::{Field, FieldKind};
use serde::Serialize;
use serde_json::Value;

/// The whole play.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) status: &'static str,
    pub(super) endpoint: String,
    pub(super) rounds: Vec<Round>,
    /// What the tool gave in the end.
    pub(super) result: Value,
    pub(super) tampered: Tampered,
    /// How many servers there were, one for each request.
    pub(super) servers: usize,
    pub(super) milliseconds: u64,
}

/// One request and its reply.
#[derive(Serialize)]
pub(super) struct Round {
    pub(super) round: usize,
    pub(super) request: Sent,
    pub(super) reply: Received,
    pub(super) asks: Vec<Asked>,
    /// Absent in the last round.
    pub(super) state: Option<State>,
}

#[derive(Serialize)]
pub(super) struct Sent {
    pub(super) bytes: usize,
    pub(super) arguments: Option<Value>,
    /// The answers that go along, by key.
    pub(super) answers: Option<Value>,
    /// Whether the state came back exactly as it was given out.
    pub(super) returns_state: bool,
}

#[derive(Serialize)]
pub(super) struct Received {
    pub(super) http_status: u16,
    pub(super) bytes: usize,
    pub(super) result_type: String,
}

/// A question.
#[derive(Serialize)]
pub(super) struct Asked {
    pub(super) key: String,
    pub(super) message: String,
    pub(super) fields: Vec<AskedField>,
}

#[derive(Serialize)]
pub(super) struct AskedField {
    pub(super) name: String,
    pub(super) takes: String,
    pub(super) required: bool,
}

/// A `requestState`, and what the key makes readable of it.
#[derive(Serialize)]
pub(super) struct State {
    pub(super) characters: usize,
    pub(super) exchange: String,
    pub(super) round: u16,
    pub(super) good_for_seconds: u64,
    /// The handler's part of it.
    pub(super) journal_bytes: usize,
    /// What it knows, in words.
    pub(super) knows: Vec<String>,
}

/// How a changed state was received.
#[derive(Serialize)]
pub(super) struct Tampered {
    pub(super) http_status: u16,
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) reason: String,
}

impl From<&Field> for AskedField {
    fn from(field: &Field) -> Self {
        Self {
            name: field.name.clone(),
            takes: takes(&field.kind),
            required: field.required,
        }
    }
}

fn takes(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Text(text) => match &text.format {
            Some(format) => format.name().to_owned(),
            None => "text".to_owned(),
        },
        FieldKind::Number(number) => {
            let kind = if number.integer {
                "a whole number"
            } else {
                "a number"
            };
            match (&number.minimum, &number.maximum) {
                (Some(least), Some(most)) => format!("{kind} from {least} to {most}"),
                _ => kind.to_owned(),
            }
        }
        FieldKind::Boolean(_) => "yes or no".to_owned(),
        FieldKind::Select(select) => {
            let values = select.options.iter().map(|option| option.value.as_str());
            format!("one of {}", values.collect::<Vec<_>>().join(", "))
        }
        FieldKind::MultiSelect(select) => {
            let values = select.options.iter().map(|option| option.value.as_str());
            format!("some of {}", values.collect::<Vec<_>>().join(", "))
        }
        _ => "something".to_owned(),
    }
}
