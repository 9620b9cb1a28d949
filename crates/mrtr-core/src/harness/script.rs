//! The answers of a scripted client.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::wire::{ElicitResult, InputRequests, InputResponse};

/// Answers by key, each used once. One that does not serialise is kept as what
/// is wrong with it.
#[derive(Debug, Default)]
pub(super) struct Script(BTreeMap<String, VecDeque<Result<Box<RawValue>, String>>>);

impl Script {
    pub(super) fn accept(&mut self, key: String, content: &impl Serialize) {
        let answer = to_raw_value(content)
            .and_then(|content| to_raw_value(&ElicitResult::accept(Some(content))));
        self.push(key, answer);
    }

    pub(super) fn agree(&mut self, key: String) {
        self.push(key, to_raw_value(&ElicitResult::accept(None)));
    }

    pub(super) fn decline(&mut self, key: String) {
        self.push(key, to_raw_value(&ElicitResult::decline()));
    }

    pub(super) fn cancel(&mut self, key: String) {
        self.push(key, to_raw_value(&ElicitResult::cancel()));
    }

    pub(super) fn respond(&mut self, key: String, response: &InputResponse) {
        self.push(key, to_raw_value(response));
    }

    fn push(&mut self, key: String, answer: serde_json::Result<Box<RawValue>>) {
        let answer = answer.map_err(|problem| problem.to_string());
        self.0.entry(key).or_default().push_back(answer);
    }

    /// The `inputResponses` to these questions, as far as there are answers.
    /// Nothing when there is none at all.
    pub(super) fn take(
        &mut self,
        questions: &InputRequests,
    ) -> Result<Option<Box<RawValue>>, String> {
        let mut answers = BTreeMap::new();
        for (key, _) in questions.iter() {
            if let Some(answer) = self.0.get_mut(key).and_then(VecDeque::pop_front) {
                let answer = answer.map_err(|problem| format!("the answer `{key}`: {problem}"))?;
                answers.insert(key, answer);
            }
        }
        if answers.is_empty() {
            return Ok(None);
        }
        to_raw_value(&answers)
            .map(Some)
            .map_err(|problem| problem.to_string())
    }
}
