//! Completing arguments while they are typed.

mod answer;
mod choices;

use std::collections::BTreeMap;
use std::fmt;

use mrtr_core::replay::ToolError;
use mrtr_core::wire::{CompleteResult, Completion};
use serde_json::Value;

pub(crate) use self::choices::choices;
use self::choices::matching;
use super::Caller;
use super::handler::Running;

/// An argument that is being typed, see [`Prompt::complete`](super::Prompt::complete).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Completing {
    /// What was typed so far; may be empty.
    pub value: String,
    /// Arguments that were filled in before, by name. They were not checked:
    /// they are what the client says.
    pub filled: BTreeMap<String, String>,
    /// Who types. What is not everybody's must not be completed for everybody.
    pub caller: Caller,
}

impl Completing {
    /// Of these choices, those that begin with or contain what was typed, in
    /// any case of letters; the ones that begin with it first.
    ///
    /// ```
    /// use mrtr::server::Completing;
    ///
    /// async fn language(typed: Completing) -> Result<Vec<String>, mrtr::ToolError> {
    ///     Ok(typed.matching(["python", "rust", "typescript"]))
    /// }
    /// ```
    #[must_use]
    pub fn matching<S: Into<String>>(&self, choices: impl IntoIterator<Item = S>) -> Vec<String> {
        matching(&self.value, choices)
    }
}

/// A type that completions can be: any list of texts, and [`CompleteResult`].
///
/// At most [`CompleteResult::MAX_VALUES`] are sent; the client is told when
/// there are more.
///
/// See [completion results](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#completion-results).
#[diagnostic::on_unimplemented(
    message = "completions cannot be `{Self}`",
    label = "no completions",
    note = "return `Result<T, ToolError>` where `T` is a `Vec` of texts or `CompleteResult`"
)]
pub trait CompletionOutput {
    /// The result to send.
    fn into_result(self) -> CompleteResult;
}

impl CompletionOutput for CompleteResult {
    fn into_result(mut self) -> CompleteResult {
        let Completion {
            values, has_more, ..
        } = &mut self.completion;
        if values.len() > Self::MAX_VALUES {
            values.truncate(Self::MAX_VALUES);
            *has_more = Some(true);
        }
        self
    }
}

impl<S: Into<String>> CompletionOutput for Vec<S> {
    fn into_result(self) -> CompleteResult {
        CompleteResult::new(self.into_iter().map(Into::into).collect())
    }
}

/// Completes one argument.
type Completer = Box<dyn Fn(Completing) -> Running<CompleteResult> + Send + Sync>;

/// The arguments of a prompt or a template, and who completes them.
#[derive(Default)]
pub(crate) struct Completions(Vec<(Box<str>, Option<Completer>)>);

impl Completions {
    /// Arguments with their schemas: those with few values complete
    /// themselves.
    pub(crate) fn of<'a>(arguments: impl IntoIterator<Item = (&'a str, &'a Value)>) -> Self {
        let with_completer = |(name, schema): (&str, &Value)| {
            let completer = choices(schema).map(from_choices);
            (name.into(), completer)
        };
        Self(arguments.into_iter().map(with_completer).collect())
    }

    /// Sets who completes an argument.
    ///
    /// # Errors
    /// When there is no such argument; the author's fault.
    pub(crate) fn set<F, Fut, T, E>(&mut self, argument: &str, complete: F) -> Result<(), String>
    where
        F: Fn(Completing) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        T: CompletionOutput,
        E: Into<ToolError>,
    {
        let slot = self.0.iter_mut().find(|(name, _)| **name == *argument);
        let (_, slot) = slot
            .ok_or_else(|| format!("there is no argument `{argument}` that could be completed"))?;
        *slot = Some(Box::new(move |typed| {
            let running = complete(typed);
            Box::pin(async move { Ok(running.await.map_err(Into::into)?.into_result()) })
        }));
        Ok(())
    }

    /// Whether any argument is completed.
    pub(crate) fn is_any(&self) -> bool {
        self.0.iter().any(|(_, completer)| completer.is_some())
    }

    /// Who completes `argument`, if anybody does; `None` when there is no such
    /// argument.
    fn get(&self, argument: &str) -> Option<Option<&Completer>> {
        let (_, completer) = self.0.iter().find(|(name, _)| **name == *argument)?;
        Some(completer.as_ref())
    }
}

fn from_choices(choices: Vec<String>) -> Completer {
    Box::new(move |typed| {
        let found = typed.matching(choices.iter()).into_result();
        Box::pin(async { Ok(found) })
    })
}

impl fmt::Debug for Completions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.0.iter().map(|(name, _)| name))
            .finish()
    }
}

/// Methods of everything that has `completions: Completions` and `problems`.
macro_rules! completion_methods {
    ($what:literal) => {
        #[doc = concat!("Suggests values for an argument of the ", $what, " while it is typed.")]
        ///
        /// Arguments that are booleans or choices (an enum without data) suggest
        /// their values by themselves. Suggesting cannot ask, and what it returns
        /// as error the client is told as for a prompt.
        ///
        /// See [completion](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion).
        pub fn complete<F, Fut, T, E>(mut self, argument: &str, complete: F) -> Self
        where
            F: Fn(super::Completing) -> Fut + Send + Sync + 'static,
            Fut: Future<Output = Result<T, E>> + Send + 'static,
            T: super::CompletionOutput,
            E: Into<ToolError>,
        {
            if let Err(problem) = self.completions.set(argument, complete) {
                self.problems.push(problem);
            }
            self
        }
    };
}
pub(crate) use completion_methods;
