//! Collecting the answers that were given.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use mrtr::wire::{
    Action, Capabilities, Capability, InputRequest, InputResponse, ListRootsResult, RawObject, Root,
};
use serde_json::value::RawValue;
use url::Url;

use super::fit;
use crate::cli::connect::AnswerArgs;
use crate::exit::{Exit, Failure};

/// An answer as it was given; the question decides how it is read.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// `accept`, `decline` or `cancel`.
    Action(Action),
    /// JSON.
    Json(Box<RawValue>),
    /// Anything else, as typed.
    Text(String),
}

impl Value {
    fn of_text(text: &str) -> Self {
        if let Some(action) = action(text) {
            return Self::Action(action);
        }
        match serde_json::from_str(text) {
            Ok(json) => Self::of_json(json),
            Err(_) => Self::Text(text.to_owned()),
        }
    }

    fn of_json(json: Box<RawValue>) -> Self {
        let word: Option<String> = serde_json::from_str(json.get()).ok();
        match word.as_deref().and_then(action) {
            Some(action) => Self::Action(action),
            None => Self::Json(json),
        }
    }

    /// The members, when it is a JSON object.
    pub(super) fn members(&self) -> Option<RawObject> {
        match self {
            Self::Json(json) if json.get().starts_with('{') => {
                serde_json::from_str(json.get()).ok()
            }
            _ => None,
        }
    }
}

fn action(word: &str) -> Option<Action> {
    Some(match word {
        "accept" => Action::Accept,
        "decline" => Action::Decline,
        "cancel" => Action::Cancel,
        _ => return None,
    })
}

/// All answers that were given. Each is used once: a question that comes again needs another one.
#[derive(Debug, Default)]
pub(crate) struct Given {
    by_key: Vec<(String, Value)>,
    sampling: VecDeque<Value>,
    roots: Option<Vec<Root>>,
}

impl Given {
    /// # Errors
    /// Answers that cannot be read.
    pub(crate) fn read(args: &AnswerArgs) -> Result<Self, Failure> {
        let mut given = Self::default();
        if let Some(path) = &args.answers_file {
            let text = read_file(path)?;
            let members: RawObject = serde_json::from_str(&text).map_err(|error| {
                Failure::usage(format_args!(
                    "{} must hold a JSON object of question keys and their answers: {error}",
                    path.display()
                ))
            })?;
            for (key, value) in members.iter() {
                given.put(key, Value::of_json(value.to_owned()));
            }
        }
        for answer in &args.answers {
            let (key, value) = answer.split_once('=').ok_or_else(|| {
                Failure::usage(format_args!(
                    "--answer {answer}: write it as KEY=ANSWER, like --answer seat='{{\"row\":7}}'"
                ))
            })?;
            if value.starts_with(['{', '[']) {
                // What is meant as JSON and is none would be sent as text.
                serde_json::from_str::<&RawValue>(value).map_err(|error| {
                    Failure::usage(format_args!("--answer {key}: this is not JSON: {error}"))
                })?;
            }
            given.put(key, Value::of_text(value));
        }
        let sampling = args.sampling_answers.iter();
        given.sampling = sampling.map(|text| Value::of_text(text)).collect();
        if !args.roots.is_empty() {
            let roots = args.roots.iter().map(|folder| root(folder));
            given.roots = Some(roots.collect::<Result<_, _>>()?);
        }
        Ok(given)
    }

    /// A later answer to the same key replaces the earlier one.
    fn put(&mut self, key: &str, value: Value) {
        match self.by_key.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = value,
            None => self.by_key.push((key.to_owned(), value)),
        }
    }

    /// What to declare: forms and pages always, sampling and roots when an answer for them was given.
    pub(crate) fn capabilities(&self) -> Capabilities {
        let mut declared =
            Capabilities::from(Capability::ElicitationForm).with(Capability::ElicitationUrl);
        let mut sampling = !self.sampling.is_empty();
        let mut tools = false;
        let keyed = self.by_key.iter().map(|(_, value)| value);
        for value in keyed.chain(&self.sampling) {
            let Some(members) = value.members() else {
                continue;
            };
            let is_message = members.get("role").is_some() && members.get("content").is_some();
            sampling |= is_message;
            tools |= is_message && fit::uses_tools(value);
            if members
                .get("roots")
                .is_some_and(|roots| roots.get().starts_with('['))
            {
                declared.insert(Capability::Roots);
            }
        }
        if sampling {
            declared.insert(Capability::Sampling);
        }
        if tools {
            declared.insert(Capability::SamplingTools);
        }
        if self.roots.is_some() {
            declared.insert(Capability::Roots);
        }
        declared
    }

    /// The given answer to a question; `None` when there is none.
    ///
    /// # Errors
    /// Says why the given answer does not fit.
    pub(crate) fn answer(
        &mut self,
        key: &str,
        question: &InputRequest,
    ) -> Result<Option<InputResponse>, String> {
        if let Some(at) = self.by_key.iter().position(|(known, _)| known == key) {
            let (_, value) = self.by_key.remove(at);
            return fit::fit(question, &value).map(Some);
        }
        match question {
            InputRequest::Sample(_) => match self.sampling.pop_front() {
                Some(value) => fit::fit(question, &value).map(Some),
                None => Ok(None),
            },
            InputRequest::Roots(_) => {
                let roots = self.roots.clone().map(ListRootsResult::new);
                Ok(roots.map(InputResponse::Roots))
            }
            _ => Ok(None),
        }
    }

    /// The keys of answers that were given and not asked for so far.
    pub(crate) fn unused(&self) -> impl Iterator<Item = &str> {
        self.by_key.iter().map(|(key, _)| key.as_str())
    }
}

fn read_file(path: &Path) -> Result<String, Failure> {
    let read = || {
        if path.as_os_str() == "-" {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text)?;
            return Ok(text);
        }
        fs::read_to_string(path)
    };
    read().map_err(|error: io::Error| {
        Failure::new(Exit::Usage, error).context(format!("cannot read {}", path.display()))
    })
}

/// The folder as a root, by its full path.
fn root(folder: &Path) -> Result<Root, Failure> {
    let full = fs::canonicalize(folder).map_err(|error| {
        Failure::new(Exit::Usage, error).context(format!("--root {}", folder.display()))
    })?;
    if !full.is_dir() {
        return Err(Failure::usage(format_args!(
            "--root {}: this is no folder",
            folder.display()
        )));
    }
    let url = Url::from_directory_path(&full).map_err(|()| {
        Failure::usage(format_args!(
            "--root {}: no URL can name it",
            folder.display()
        ))
    })?;
    let mut root = Root::new(url.as_str().trim_end_matches('/'));
    if root.uri == "file:" {
        root.uri = url.into();
    }
    root.name = full
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    Ok(root)
}
