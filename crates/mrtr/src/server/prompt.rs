//! Registering a prompt.

use std::fmt;

use mrtr_core::replay::{Context, ToolError};
use mrtr_core::wire::{self, PromptArgument};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::args::BadArguments;
use super::args::text::from_texts;
use super::completion::{Completions, completion_methods};
use super::handler::{PromptHandler, start};
use super::output::PromptOutput;
use super::schema::Schema;
use super::settings::{Settings, shared_methods};

/// A prompt to give to [`ServerBuilder::prompt`](super::ServerBuilder::prompt),
/// made by [`prompt`].
#[must_use = "a prompt does nothing until a server has it"]
pub struct Prompt {
    pub(super) definition: wire::Prompt,
    pub(super) handler: PromptHandler,
    pub(super) completions: Completions,
    pub(super) settings: Settings,
    pub(super) problems: Vec<String>,
}

/// A prompt called `name`: 1 to 128 characters, none of them a control
/// character.
///
/// The handler is an `async fn` of a [`Cx`](crate::Cx) and the arguments. Their type
/// derives `Deserialize` and `JsonSchema`; its fields are the prompt's
/// arguments, `Option` or `#[serde(default)]` makes one optional. All prompt
/// arguments are texts on the wire: fields that are numbers, booleans or
/// choices are read from theirs. `()` takes none.
///
/// See [prompts](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts).
///
/// ```
/// use mrtr::server::{Server, prompt};
/// use mrtr::{Cx, ToolError};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Brief {
///     /// What the brief is about.
///     topic: String,
///     words: Option<u32>,
/// }
///
/// async fn brief(_: Cx, brief: Brief) -> Result<String, ToolError> {
///     Ok(format!("Write {} words about {}.", brief.words.unwrap_or(200), brief.topic))
/// }
///
/// let server = Server::builder("writer", "1.0.0").prompt(prompt("brief", brief)).build()?;
/// # Ok::<(), mrtr::server::BuildError>(())
/// ```
pub fn prompt<F, C, A, Fut, T, E>(name: impl Into<String>, handler: F) -> Prompt
where
    F: Fn(C, A) -> Fut + Send + Sync + 'static,
    C: Context,
    A: DeserializeOwned + JsonSchema + Send + 'static,
    Fut: Future<Output = Result<T, E>> + Send + 'static,
    T: PromptOutput,
    E: Into<ToolError>,
{
    let mut problems = Vec::new();
    let mut definition = wire::Prompt::new(name);
    let mut completions = Completions::default();
    match Schema::of_arguments::<A>() {
        Ok(schema) => {
            definition.arguments = arguments(&schema);
            completions = Completions::of(schema.properties());
        }
        Err(problem) => problems.push(problem),
    }
    let handler: PromptHandler = Box::new(move |round, arguments| {
        let arguments = from_texts(arguments).map_err(BadArguments::new)?;
        Ok(start(round, |cx| {
            let running = handler(cx, arguments);
            async move { running.await.map_err(Into::into)?.into_result() }
        }))
    });
    Prompt {
        definition,
        handler,
        completions,
        settings: Settings::of::<C>(),
        problems,
    }
}

fn arguments(schema: &Schema) -> Option<Vec<PromptArgument>> {
    let text = |schema: &Value, name| schema.get(name).and_then(Value::as_str).map(str::to_owned);
    let arguments: Vec<PromptArgument> = schema
        .properties()
        .into_iter()
        .map(|(name, property)| {
            let mut argument = PromptArgument::new(name, schema.requires(name));
            argument.title = text(property, "title");
            argument.description = text(property, "description");
            argument
        })
        .collect();
    (!arguments.is_empty()).then_some(arguments)
}

impl Prompt {
    shared_methods!("prompt");
    completion_methods!("prompt");
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt")
            .field("definition", &self.definition)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
