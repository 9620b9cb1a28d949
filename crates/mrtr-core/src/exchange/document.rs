//! The saved form of a call:
//!
//! ```json
//! {"format":"mrtr-pending","version":1,"check":"<BLAKE3 of the text of call>","call":{..}}
//! ```
//!
//! Parameters, questions, answers and state stand in it as they are, byte for byte.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::answers;
use super::call::may_ask;
use super::interim::{Interim, Questions};
use super::params::CallParams;
use super::pending::{HeaderNames, Peer, Pending, PendingPhase};
use super::target::Target;
use crate::time::Timestamp;
use crate::wire::{AnyResult, InputResponse, Strictness};

const FORMAT: &str = "mrtr-pending";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    version: u32,
    check: String,
    call: Box<RawValue>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    phase: PendingPhase,
    target: Target,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    method: String,
    params: Box<RawValue>,
    #[serde(default, skip_serializing_if = "HeaderNames::is_empty")]
    headers: HeaderNames,
    #[serde(skip_serializing_if = "Option::is_none")]
    questions: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<Box<RawValue>>,
    rounds: u32,
    waits: u32,
    spent_ms: u64,
    started_at_ms: u64,
    saved_at_ms: u64,
}

pub(super) fn write(pending: &Pending) -> Result<String, PendingError> {
    let interim = pending.interim.as_ref();
    let questions = interim.and_then(|interim| interim.questions.as_ref());
    let call = Call {
        phase: pending.phase,
        target: pending.peer.target.clone(),
        server: pending.peer.server.clone(),
        method: pending.method.clone(),
        params: pending.params.raw().to_owned(),
        headers: pending.headers.clone(),
        questions: questions.map(|questions| questions.raw.clone()),
        state: interim.and_then(|interim| interim.state.clone()),
        answers: pending.answers.clone(),
        rounds: pending.rounds,
        waits: pending.waits,
        spent_ms: u64::try_from(pending.spent.as_millis()).unwrap_or(u64::MAX),
        started_at_ms: pending.started_at.as_millis(),
        saved_at_ms: pending.saved_at.as_millis(),
    };
    let call = serde_json::value::to_raw_value(&call).map_err(PendingError::invalid)?;
    check_size(call.get().len())?;
    let document = Document {
        format: FORMAT.to_owned(),
        version: VERSION,
        check: checksum(&call),
        call,
    };
    let text = serde_json::to_string(&document).map_err(PendingError::invalid)?;
    check_size(text.len())?;
    Ok(text)
}

pub(super) fn read(text: &[u8]) -> Result<Pending, PendingError> {
    #[derive(Deserialize)]
    struct Head {
        format: String,
        version: u64,
    }
    check_size(text.len())?;
    let head: Head = serde_json::from_slice(text).map_err(PendingError::not_pending)?;
    if head.format != FORMAT {
        return Err(PendingError::not_pending(format!(
            "its format is `{}`",
            head.format
        )));
    }
    if head.version != u64::from(VERSION) {
        return Err(PendingError::Version {
            found: head.version,
        });
    }
    let document: Document = serde_json::from_slice(text).map_err(PendingError::not_pending)?;
    if document.check != checksum(&document.call) {
        return Err(PendingError::Changed);
    }
    let call: Call = serde_json::from_str(document.call.get()).map_err(PendingError::invalid)?;
    call.into_pending()
}

impl Call {
    fn into_pending(self) -> Result<Pending, PendingError> {
        let params = CallParams::new(self.params).map_err(PendingError::invalid)?;
        let interim = interim(self.questions.as_deref(), self.state.as_deref())?;
        let questions = interim
            .as_ref()
            .and_then(|interim| interim.questions.as_ref());
        let answers = match (questions, self.answers) {
            (Some(questions), Some(answers)) => Some(check_answers(questions, &answers)?),
            (None, Some(_)) => return Err(PendingError::invalid("it has answers to no question")),
            (Some(_), None) if self.phase == PendingPhase::Sent => {
                return Err(PendingError::invalid("it was sent without its answers"));
            }
            (_, None) => None,
        };
        if interim.is_some() && !may_ask(&self.method) {
            return Err(PendingError::invalid(
                "its method cannot have an interim result",
            ));
        }
        Ok(Pending {
            phase: self.phase,
            peer: Peer {
                target: self.target,
                server: self.server,
            },
            method: self.method,
            params,
            headers: self.headers,
            interim,
            answers,
            rounds: self.rounds,
            waits: self.waits,
            spent: Duration::from_millis(self.spent_ms),
            started_at: Timestamp::from_millis(self.started_at_ms),
            saved_at: Timestamp::from_millis(self.saved_at_ms),
        })
    }
}

/// Puts the saved parts through the same reading as a result from the wire.
fn interim(
    questions: Option<&RawValue>,
    state: Option<&RawValue>,
) -> Result<Option<Interim>, PendingError> {
    #[derive(Serialize)]
    struct Result<'a> {
        #[serde(rename = "resultType")]
        result_type: &'static str,
        #[serde(rename = "inputRequests", skip_serializing_if = "Option::is_none")]
        questions: Option<&'a RawValue>,
        #[serde(rename = "requestState", skip_serializing_if = "Option::is_none")]
        state: Option<&'a RawValue>,
    }
    if questions.is_none() && state.is_none() {
        return Ok(None);
    }
    let result_type = "input_required";
    let result = serde_json::value::to_raw_value(&Result {
        result_type,
        questions,
        state,
    })
    .map_err(PendingError::invalid)?;
    match AnyResult::parse(&result, Strictness::Strict).map_err(PendingError::invalid)? {
        AnyResult::InputRequired(decoded) => {
            let interim = Interim::new(decoded, &result).map_err(PendingError::invalid)?;
            Ok(Some(interim))
        }
        AnyResult::Complete(_) => Ok(None),
    }
}

fn check_answers(questions: &Questions, answers: &RawValue) -> Result<Box<RawValue>, PendingError> {
    let mut texts: HashMap<String, &RawValue> =
        serde_json::from_str(answers.get()).map_err(PendingError::invalid)?;
    let mut decoded = Vec::with_capacity(texts.len());
    for (key, question) in questions.requests.iter() {
        let Some((key, text)) = texts.remove_entry(key) else {
            continue;
        };
        let answer = InputResponse::decode(question.kind(), text).map_err(PendingError::invalid)?;
        decoded.push((key, answer));
    }
    if let Some(key) = texts.keys().next() {
        return Err(PendingError::invalid(format!(
            "it answers `{key}`, which was not asked"
        )));
    }
    answers::compile(questions, decoded).map_err(PendingError::invalid)
}

fn checksum(call: &RawValue) -> String {
    blake3::hash(call.get().as_bytes()).to_hex().to_string()
}

fn check_size(bytes: usize) -> Result<(), PendingError> {
    if bytes > Pending::MAX_BYTES {
        return Err(PendingError::TooLarge { bytes });
    }
    Ok(())
}

/// A document cannot be a saved call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PendingError {
    /// It is larger than [`Pending::MAX_BYTES`].
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It is something else: not JSON, not this format, members missing or added.
    NotPending {
        /// What was found.
        reason: String,
    },
    /// It was written in another version of the format.
    Version {
        /// Its version.
        found: u64,
    },
    /// It was changed after it was written.
    Changed,
    /// Its parts do not fit together.
    Invalid {
        /// What is wrong.
        reason: String,
    },
}

impl PendingError {
    fn not_pending(reason: impl fmt::Display) -> Self {
        let reason = reason.to_string();
        Self::NotPending { reason }
    }

    fn invalid(reason: impl fmt::Display) -> Self {
        let reason = reason.to_string();
        Self::Invalid { reason }
    }
}

impl fmt::Display for PendingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes } => write!(
                f,
                "the saved call has {bytes} bytes, more than the {} that are allowed",
                Pending::MAX_BYTES
            ),
            Self::NotPending { reason } => write!(f, "this is not a saved call: {reason}"),
            Self::Version { found } => write!(
                f,
                "the saved call has version {found} and this program reads version {VERSION}: resume \
                 it with the program that saved it"
            ),
            Self::Changed => f.write_str(
                "the saved call was changed after it was written and cannot be trusted: start the \
                 call anew",
            ),
            Self::Invalid { reason } => {
                write!(
                    f,
                    "the saved call is inconsistent: {reason}; start the call anew"
                )
            }
        }
    }
}

impl std::error::Error for PendingError {}
