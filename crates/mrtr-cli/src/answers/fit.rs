//! Reading a given answer by the question that it is for.

use mrtr::form::FormSchema;
use mrtr::wire::{
    Action, CreateMessageResult, ElicitRequest, ElicitResult, InputKind, InputRequest,
    InputResponse, SamplingBlock,
};
use serde_json::value::{RawValue, to_raw_value};

use super::given::Value;

/// What a model that is only text on a command line is called.
const MODEL: &str = "given-by-hand";

/// The answer to `question` that `value` means.
///
/// # Errors
/// Says why it is none.
pub(super) fn fit(question: &InputRequest, value: &Value) -> Result<InputResponse, String> {
    match question {
        InputRequest::Elicit(ElicitRequest::Form(form)) => {
            form_answer(&form.schema, value).map(InputResponse::Elicit)
        }
        InputRequest::Elicit(_) => page_answer(value),
        InputRequest::Sample(_) => sample_answer(value),
        InputRequest::Roots(_) => match value {
            Value::Json(json) => InputResponse::decode(InputKind::Roots, json),
            _ => Err("it asks for root folders: use --root DIR".to_owned()),
        },
        _ => Err("this program does not know this kind of question".to_owned()),
    }
}

fn form_answer(schema: &FormSchema, value: &Value) -> Result<ElicitResult, String> {
    let answer = match value {
        Value::Action(Action::Decline) => return Ok(ElicitResult::decline()),
        Value::Action(Action::Cancel) => return Ok(ElicitResult::cancel()),
        Value::Action(Action::Accept) => ElicitResult::accept(None),
        Value::Json(json) if json.get().starts_with('{') => {
            if !is_whole(schema, value) {
                return accepted(schema, json.clone());
            }
            match InputResponse::decode(InputKind::ElicitForm, json)? {
                InputResponse::Elicit(answer) => answer,
                _ => return Err("it is no answer to a form".to_owned()),
            }
        }
        Value::Json(json) => return only_field(schema, Some(json), json.get()),
        Value::Text(text) => return only_field(schema, None, text),
    };
    if answer.action != Action::Accept {
        return Ok(answer);
    }
    let nothing = || to_raw_value(&serde_json::json!({})).map_err(|error| error.to_string());
    let content = match answer.content {
        Some(content) => content,
        None => nothing()?,
    };
    accepted(schema, content)
}

/// Whether an object is a whole answer rather than the content of one. Content has no objects in it,
/// so an object under `content` settles it where the form itself has a field `action`.
fn is_whole(schema: &FormSchema, value: &Value) -> bool {
    let Some(members) = value.members() else {
        return false;
    };
    let action: Option<Action> = members.get_as("action");
    if action.is_none() {
        return false;
    }
    schema.field("action").is_none()
        || members
            .get("content")
            .is_some_and(|content| content.get().starts_with('{'))
}

/// A value that is no object stands for the only field of its form.
fn only_field(
    schema: &FormSchema,
    json: Option<&RawValue>,
    typed: &str,
) -> Result<ElicitResult, String> {
    let [field] = schema.fields() else {
        let fields = schema.fields().len();
        return Err(format!(
            "this form has {fields} fields, so its answer is a JSON object of them"
        ));
    };
    let content = |value: &RawValue| {
        let mut members = mrtr::wire::RawObject::new();
        members.insert(&field.name, value.to_owned());
        to_raw_value(&members).map_err(|error| error.to_string())
    };
    let as_json = json.map(|json| accepted(schema, content(json)?));
    if let Some(Ok(answer)) = as_json {
        return Ok(answer);
    }
    // Digits for a text field, a title instead of a value.
    let typed: String = json
        .and_then(|json| serde_json::from_str(json.get()).ok())
        .unwrap_or_else(|| typed.to_owned());
    match (field.enter(&typed), as_json) {
        (Ok(value), _) => {
            let value = to_raw_value(&value).map_err(|error| error.to_string())?;
            accepted(schema, content(&value)?)
        }
        (Err(_), Some(Err(problem))) => Err(problem),
        (Err(problem), _) => Err(problem.message().to_owned()),
    }
}

fn accepted(schema: &FormSchema, content: Box<RawValue>) -> Result<ElicitResult, String> {
    match schema.validate(Some(&content)) {
        Ok(_) => Ok(ElicitResult::accept(Some(content))),
        Err(problems) => Err(problems.to_string()),
    }
}

fn page_answer(value: &Value) -> Result<InputResponse, String> {
    match value {
        Value::Action(Action::Accept) => Ok(ElicitResult::accept(None).into()),
        Value::Action(Action::Decline) => Ok(ElicitResult::decline().into()),
        Value::Action(Action::Cancel) => Ok(ElicitResult::cancel().into()),
        Value::Json(json) if json.get().starts_with('{') => {
            InputResponse::decode(InputKind::ElicitUrl, json)
        }
        _ => Err("it asks to go to a page: answer accept, decline or cancel".to_owned()),
    }
}

fn sample_answer(value: &Value) -> Result<InputResponse, String> {
    let text = match value {
        Value::Json(json) if json.get().starts_with('{') => {
            return InputResponse::decode(InputKind::Sample, json);
        }
        Value::Json(json) => {
            serde_json::from_str(json.get()).unwrap_or_else(|_| json.get().to_owned())
        }
        Value::Text(text) => text.clone(),
        Value::Action(_) => {
            return Err(
                "it asks a model, which neither accepts nor declines: give its answer".to_owned(),
            );
        }
    };
    let message = to_raw_value(&serde_json::json!({
        "role": "assistant",
        "content": { "type": "text", "text": text },
        "model": MODEL,
        "stopReason": "endTurn",
    }));
    let message = message.map_err(|error| error.to_string())?;
    InputResponse::decode(InputKind::Sample, &message)
}

/// Whether a given message of a model uses tools.
pub(super) fn uses_tools(value: &Value) -> bool {
    let Value::Json(json) = value else {
        return false;
    };
    let message: Result<CreateMessageResult, _> = serde_json::from_str(json.get());
    message.is_ok_and(|message| {
        let blocks = message.content.blocks();
        blocks
            .iter()
            .any(|block| matches!(block, SamplingBlock::ToolUse(_)))
    })
}
