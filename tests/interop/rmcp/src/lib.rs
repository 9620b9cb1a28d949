//! Asking round by round with rmcp: what was answered travels in a state that `RequestStateCodec` seals.

#![allow(deprecated)]

use std::fmt::Display;

use rmcp::model::*;
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

/// Why there is no result yet.
pub enum Asking {
    Round(InputRequiredResult),
    Refused(ElicitationAction),
    Wrong(ErrorData),
}

/// Asks for one form after the other.
pub struct Gather {
    name: &'static str,
    known: Result<Map<String, Value>, Asking>,
    answers: InputResponses,
}

impl Gather {
    /// Opens the state, which is bound to `name`.
    pub fn new(name: &'static str, state: Option<String>, answers: Option<InputResponses>) -> Self {
        let known = match state {
            None => Ok(Map::new()),
            Some(state) => codec()
                .open_json_with(&state, name.as_bytes())
                .map_err(|_| Asking::Wrong(ErrorData::invalid_params("invalid requestState", None))),
        };
        Self {
            name,
            known,
            answers: answers.unwrap_or_default(),
        }
    }

    /// Asks for `schema` unless it was answered or something else has to be asked first.
    pub fn form(mut self, key: &str, message: impl Into<String>, schema: Value) -> Self {
        self.known = self.known.and_then(|mut known| {
            if let Some(answer) = self.answers.get(key) {
                let answer: ElicitResult =
                    serde_json::from_value(answer.clone()).map_err(|error| Asking::Wrong(invalid(error)))?;
                if answer.action != ElicitationAction::Accept {
                    return Err(Asking::Refused(answer.action));
                }
                known.insert(key.to_owned(), answer.content.unwrap_or_default());
            }
            if known.contains_key(key) {
                return Ok(known);
            }
            let params = json!({"mode": "form", "message": message.into(), "requestedSchema": schema});
            let sealed = codec().seal_json_with(&known, &SealOptions::new().associated_data(self.name.as_bytes()));
            match (elicit(params), sealed) {
                (Ok(question), Ok(state)) => Err(Asking::Round(input([(key, question)], Some(state)))),
                (Err(error), _) => Err(Asking::Wrong(error)),
                (_, Err(error)) => Err(Asking::Wrong(invalid(error))),
            }
        });
        self
    }

    /// As `form`, with the form of a type.
    pub fn of<T: JsonSchema>(self, key: &str, message: &str) -> Self {
        let schema = ElicitationSchema::from_type::<T>().expect("a form");
        self.form(key, message, serde_json::to_value(schema).expect("JSON"))
    }

    pub fn known(self) -> Result<Map<String, Value>, Asking> {
        self.known
    }
}

fn codec() -> RequestStateCodec {
    RequestStateCodec::try_new("interop".repeat(6)).expect("a long enough key")
}

pub fn invalid(error: impl Display) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

pub fn elicit(params: Value) -> Result<InputRequest, ErrorData> {
    let params: ElicitRequestParams = serde_json::from_value(params).map_err(invalid)?;
    Ok(InputRequest::Elicitation(ElicitRequest::new(params)))
}

pub fn say_hello() -> InputRequest {
    let message = SamplingMessage::user_text("Say hello.");
    let params = CreateMessageRequestParams::new(vec![message], 100).with_system_prompt("One word.");
    InputRequest::CreateMessage(CreateMessageRequest::new(params))
}

/// Asks with a tool, and with what comes behind the question.
pub fn weather(more: Vec<SamplingMessage>) -> InputRequest {
    let mut messages = vec![SamplingMessage::user_text("Weather in Kyoto?")];
    messages.extend(more);
    let city = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let tool = Tool::new("weather", "The weather", city.as_object().cloned().unwrap_or_default());
    let params = CreateMessageRequestParams::new(messages, 100).with_tools(vec![tool]);
    InputRequest::CreateMessage(CreateMessageRequest::new(params))
}

pub fn list_roots() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest::default())
}

pub fn input<const N: usize>(questions: [(&str, InputRequest); N], state: Option<String>) -> InputRequiredResult {
    let questions = questions.into_iter().map(|(key, question)| (key.to_owned(), question));
    InputRequiredResult::new(Some(questions.collect()), state)
}
