//! Completing arguments while they are typed.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::value::RawValue;

use super::object::object;
use super::raw::excerpt;
use super::tagged::{decode, tag_of};
use super::{ClientMeta, RawObject};

object! {
    /// What a client wants completed: the `params` of `completion/complete`.
    ///
    /// Implements [completion requests](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#requesting-completions).
    pub struct CompleteParams {
        /// Metadata every request carries.
        req meta: ClientMeta = "_meta",
        /// Of what an argument is typed.
        req reference: CompletionReference = "ref",
        /// The argument.
        req argument: CompletionArgument = "argument",
        /// What was filled in before.
        opt context: CompletionContext = "context",
    }
}

object! {
    /// An argument that is being typed.
    pub struct CompletionArgument {
        /// Its name.
        req name: String = "name",
        /// What was typed so far.
        req value: String = "value",
    }
}

object! {
    /// What was filled in before.
    #[derive(Default)]
    pub struct CompletionContext {
        /// Values by argument.
        opt arguments: RawObject = "arguments",
    }
}

object! {
    /// A prompt, by name.
    pub struct PromptReference("type" = "ref/prompt") {
        /// The name for programs.
        req name: String = "name",
        /// The name for people.
        opt title: String = "title",
    }
}

object! {
    /// A resource template or resource, by address.
    pub struct ResourceReference("type" = "ref/resource") {
        /// The address or pattern.
        req uri: String = "uri",
    }
}

/// Of what an argument is completed.
///
/// Implements [reference types](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#reference-types).
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum CompletionReference {
    /// A prompt.
    Prompt(PromptReference),
    /// A resource template.
    Resource(ResourceReference),
}

impl<'de> Deserialize<'de> for CompletionReference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        match tag_of(&raw, "type").map_err(D::Error::custom)?.as_deref() {
            None => Err(D::Error::missing_field("type")),
            Some("ref/prompt") => decode(&raw).map(Self::Prompt),
            Some("ref/resource") => decode(&raw).map(Self::Resource),
            Some(other) => Err(D::Error::custom(format_args!(
                "unknown reference `{}`",
                excerpt(other)
            ))),
        }
    }
}

object! {
    /// Completions of an argument.
    ///
    /// Implements [`CompleteResult`](https://modelcontextprotocol.io/specification/2026-07-28/schema#completeresult).
    pub struct CompleteResult(lenient "resultType" = "complete") {
        /// The values.
        req completion: Completion = "completion",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

object! {
    /// Values an argument can take.
    #[derive(Default)]
    pub struct Completion {
        /// At most 100 values, the best first.
        req values: Vec<String> = "values",
        /// How many there are in all.
        opt total: u64 = "total",
        /// Whether there are more than `values`.
        opt has_more: bool = "hasMore",
    }
}

impl CompleteResult {
    /// The most values one answer may have.
    pub const MAX_VALUES: usize = 100;

    /// The first [`MAX_VALUES`](Self::MAX_VALUES) of these values; says so when there are more.
    #[must_use]
    pub fn new(mut values: Vec<String>) -> Self {
        let total = values.len();
        values.truncate(Self::MAX_VALUES);
        let completion = Completion {
            has_more: Some(total > values.len()),
            total: u64::try_from(total).ok(),
            values,
            extra: RawObject::new(),
        };
        Self {
            completion,
            meta: None,
            extra: RawObject::new(),
        }
    }
}
