//! Answers are checked against their questions before anything is sent.

use std::collections::HashMap;
use std::fmt;

use serde_json::value::RawValue;

use super::error::Misuse;
use super::interim::Questions;
use crate::form::Problems;
use crate::wire::{Action, ElicitRequest, ElicitResult, InputKind, InputRequest, InputResponse};

/// The `inputResponses` for `questions`, in their order.
pub(super) fn compile(
    questions: &Questions,
    answers: Vec<(String, InputResponse)>,
) -> Result<Box<RawValue>, AnswerError> {
    let mut given: HashMap<&str, Option<InputResponse>> = questions
        .requests
        .iter()
        .map(|(key, _)| (key, None))
        .collect();
    for (key, answer) in answers {
        match given.get_mut(key.as_str()) {
            None => return Err(AnswerError::NotAsked { key }),
            Some(Some(_)) => return Err(AnswerError::Twice { key }),
            Some(slot) => *slot = Some(answer),
        }
    }
    let keys = questions.requests.iter().map(|(key, _)| key);
    let missing = keys.filter(|key| matches!(given.get(key), Some(None)));
    let missing: Vec<_> = missing.map(ToOwned::to_owned).collect();
    if !missing.is_empty() {
        return Err(AnswerError::Missing { keys: missing });
    }
    let mut text = String::from("{");
    for (key, question) in questions.requests.iter() {
        if let Some(Some(mut answer)) = given.remove(key) {
            check(key, question, &mut answer)?;
            push_member(&mut text, key, &answer).map_err(|error| invalid(key, error))?;
        }
    }
    text.push('}');
    RawValue::from_string(text).map_err(|error| invalid("", error))
}

fn push_member(
    text: &mut String,
    key: &str,
    answer: &InputResponse,
) -> Result<(), serde_json::Error> {
    if text.len() > 1 {
        text.push(',');
    }
    text.push_str(&serde_json::to_string(key)?);
    text.push(':');
    text.push_str(&serde_json::to_string(answer)?);
    Ok(())
}

fn check(
    key: &str,
    question: &InputRequest,
    answer: &mut InputResponse,
) -> Result<(), AnswerError> {
    match (question, answer) {
        (InputRequest::Elicit(question), InputResponse::Elicit(answer)) => {
            check_elicitation(key, question, answer)
        }
        (InputRequest::Sample(_), InputResponse::Sample(answer)) => {
            answer.validate().map_err(|error| invalid(key, error))
        }
        (InputRequest::Roots(_), InputResponse::Roots(answer)) => {
            answer.validate().map_err(|error| invalid(key, error))
        }
        (question, _) => Err(AnswerError::OtherKind {
            key: key.to_owned(),
            asked: question.kind(),
        }),
    }
}

fn check_elicitation(
    key: &str,
    question: &ElicitRequest,
    answer: &mut ElicitResult,
) -> Result<(), AnswerError> {
    match (question, answer.action) {
        (ElicitRequest::Form(form), Action::Accept) => {
            let content = answer.content.as_deref();
            form.schema
                .validate(content)
                .map_err(|problems| AnswerError::Form {
                    key: key.to_owned(),
                    problems,
                })?;
            if answer.content.is_none() {
                // Servers may take an accepted form without content for no answer.
                let empty = RawValue::from_string("{}".to_owned());
                answer.content = Some(empty.map_err(|error| invalid(key, error))?);
            }
            Ok(())
        }
        _ if answer.content.is_some() => Err(AnswerError::Content {
            key: key.to_owned(),
            action: answer.action,
        }),
        _ => Ok(()),
    }
}

fn invalid(key: &str, error: impl fmt::Display) -> AnswerError {
    AnswerError::Invalid {
        key: key.to_owned(),
        reason: error.to_string(),
    }
}

/// The answers cannot be sent. The questions stay open: correct the answers and give all of them again.
#[derive(Debug)]
#[non_exhaustive]
pub enum AnswerError {
    /// No question is open.
    Misuse(Misuse),
    /// Questions without an answer. A retry answers all that was asked.
    Missing {
        /// Their keys.
        keys: Vec<String>,
    },
    /// An answer to a key that was not asked in this round.
    NotAsked {
        /// The key.
        key: String,
    },
    /// Two answers to one question.
    Twice {
        /// The question's key.
        key: String,
    },
    /// An answer of another kind than the question.
    OtherKind {
        /// The question's key.
        key: String,
        /// What was asked.
        asked: InputKind,
    },
    /// An accepted form that its schema refuses.
    Form {
        /// The question's key.
        key: String,
        /// What is wrong, field by field, for the person who filled it in.
        problems: Problems,
    },
    /// Content on a decline, a cancellation or an accepted URL; only an accepted form has content.
    Content {
        /// The question's key.
        key: String,
        /// The answer's action.
        action: Action,
    },
    /// A sampling or roots result that the protocol does not allow.
    Invalid {
        /// The question's key.
        key: String,
        /// The broken rule.
        reason: String,
    },
}

impl From<Misuse> for AnswerError {
    fn from(misuse: Misuse) -> Self {
        Self::Misuse(misuse)
    }
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Misuse(misuse) => misuse.fmt(f),
            Self::Missing { keys } => write!(f, "no answer to `{}`", keys.join("`, `")),
            Self::NotAsked { key } => write!(f, "`{key}` was not asked in this round"),
            Self::Twice { key } => write!(f, "`{key}` is answered twice"),
            Self::OtherKind { key, asked } => write!(f, "`{key}` asks for {asked}"),
            Self::Form { key, problems } => write!(f, "the answer to `{key}`: {problems}"),
            Self::Content { key, action } => {
                write!(
                    f,
                    "the answer to `{key}` ({action:?}) must not have content"
                )
            }
            Self::Invalid { key, reason } => write!(f, "the answer to `{key}`: {reason}"),
        }
    }
}

impl std::error::Error for AnswerError {}
