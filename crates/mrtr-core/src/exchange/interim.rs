//! One interim result: its questions, and its state exactly as it came.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::Violation;
use crate::wire::{
    Capabilities, Capability, InputRequest, InputRequests, InputRequiredResult, ResultError,
};

/// What a retry and a saved call need of an interim result.
#[derive(Clone)]
pub(super) struct Interim {
    /// The state's JSON text, so that the echo is exact down to the escapes.
    pub(super) state: Option<Box<RawValue>>,
    /// At least one question, or none at all.
    pub(super) questions: Option<Questions>,
}

/// The questions of one round, decoded and as they came.
#[derive(Clone)]
pub(super) struct Questions {
    pub(super) requests: InputRequests,
    pub(super) raw: Box<RawValue>,
}

impl Interim {
    /// `result` is the text that `decoded` was decoded from.
    pub(super) fn new(
        decoded: InputRequiredResult,
        result: &RawValue,
    ) -> Result<Self, ResultError> {
        #[derive(Deserialize)]
        struct Texts<'a> {
            #[serde(rename = "inputRequests", borrow)]
            questions: Option<&'a RawValue>,
            #[serde(rename = "requestState", borrow)]
            state: Option<&'a RawValue>,
        }
        let texts: Texts<'_> = serde_json::from_str(result.get())
            .map_err(|error| ResultError::Malformed(error.to_string()))?;
        let state = decoded
            .request_state
            .and(texts.state)
            .map(ToOwned::to_owned);
        let questions = match (decoded.input_requests, texts.questions) {
            (Some(requests), Some(raw)) if !requests.is_empty() => Some(Questions {
                requests,
                raw: raw.to_owned(),
            }),
            _ => None,
        };
        if state.is_none() && questions.is_none() {
            return Err(ResultError::Empty);
        }
        Ok(Self { state, questions })
    }
}

impl Questions {
    /// Checks what the server must not ask: what was not declared, and sampling that no model may see.
    pub(super) fn check(&self, declared: Option<Capabilities>) -> Result<(), Violation> {
        for (key, request) in self.requests.iter() {
            if let Some(declared) = declared {
                // `includeContext` without `sampling.context` is only a SHOULD NOT; it may be ignored.
                let mut known = declared;
                known.insert(Capability::SamplingContext);
                let missing = known.missing(request.required_capabilities());
                if !missing.is_empty() {
                    return Err(Violation::Undeclared {
                        key: key.to_owned(),
                        kind: request.kind(),
                        missing,
                    });
                }
            }
            if let InputRequest::Sample(sample) = request {
                sample.validate().map_err(|error| Violation::Sampling {
                    key: key.to_owned(),
                    reason: error.to_string(),
                })?;
            }
        }
        Ok(())
    }
}
