//! Answering `completion/complete`.

use std::collections::BTreeMap;

use mrtr_core::state::Method;
use mrtr_core::wire::{Cause, CompleteResult, CompletionArgument, CompletionReference, RawObject};
use tracing::Span;

use super::{Completing, Completions};
use crate::server::call::within;
use crate::server::methods::{Asking, failed, too_many};
use crate::server::settings::Rules;
use crate::server::{Reply, Server, Target};

/// What is completed: a prompt or a template.
struct Completed<'a> {
    method: Method,
    /// As it was registered.
    name: &'a str,
    completions: &'a Completions,
    rules: &'a Rules,
}

impl Server {
    pub(in crate::server) async fn complete(&self, asking: &Asking<'_>) -> Result<Reply, Cause> {
        let params = &asking.request.params;
        let reference = params.decode("ref", params.reference)?;
        let argument: CompletionArgument = params.decode("argument", params.argument)?;
        let filled = match params.context {
            Some(context) => filled(params.decode("context", Some(context))?)?,
            None => BTreeMap::new(),
        };
        let Some(completed) = self.completed(&reference)? else {
            return self.result(asking.request, CompleteResult::new(Vec::new()));
        };
        Span::current().record("target", completed.name);
        let completer = completed.completions.get(&argument.name).ok_or_else(|| {
            let (name, argument) = (completed.name, &argument.name);
            Cause::InvalidArguments(format!("`{name}` has no argument `{argument}`").into())
        })?;
        let target = Target::new(completed.method, completed.name).completing();
        self.allow(asking.caller, target).map_err(too_many)?;
        let Some(completer) = completer else {
            return self.result(asking.request, CompleteResult::new(Vec::new()));
        };
        let running = completer(Completing {
            value: argument.value,
            filled,
            caller: asking.caller.clone(),
        });
        let limit = completed.rules.request_deadline;
        match within(&*self.inner.runtime, limit, running).await {
            Some(Ok(result)) => self.result(asking.request, result),
            Some(Err(error)) => {
                tracing::warn!(?error, "completing failed");
                Err(failed(&error, None))
            }
            None => {
                tracing::error!(?limit, "completing took too long and was dropped");
                Err(Cause::Deadline)
            }
        }
    }

    /// What a reference means; `None` for a resource, which has no arguments.
    fn completed<'a>(
        &'a self,
        reference: &'a CompletionReference,
    ) -> Result<Option<Completed<'a>>, Cause> {
        let registry = &self.inner.registry;
        match reference {
            CompletionReference::Prompt(prompt) => {
                let found = registry.prompts.get_key_value(&*prompt.name);
                let (name, entry) = found.ok_or_else(|| Cause::UnknownPrompt {
                    name: prompt.name.clone(),
                })?;
                Ok(Some(Completed {
                    method: Method::PromptsGet,
                    name,
                    completions: &entry.completions,
                    rules: &entry.rules,
                }))
            }
            CompletionReference::Resource(resource) => {
                let uri = &*resource.uri;
                if registry.resources.contains_key(uri) {
                    return Ok(None);
                }
                let mut templates = registry.templates.iter();
                let template = templates
                    .find(|template| *template.text == *uri)
                    .or_else(|| registry.template_of(uri).map(|(template, _)| template))
                    .ok_or_else(|| Cause::ResourceNotFound {
                        uri: uri.to_owned(),
                    })?;
                Ok(Some(Completed {
                    method: Method::ResourcesRead,
                    name: &template.text,
                    completions: &template.completions,
                    rules: &template.entry.rules,
                }))
            }
            _ => Err(Cause::InvalidParams("`ref`: unknown reference".into())),
        }
    }
}

/// The values in `context.arguments`.
fn filled(context: mrtr_core::wire::CompletionContext) -> Result<BTreeMap<String, String>, Cause> {
    let arguments: RawObject = context.arguments.unwrap_or_default();
    let value = |(name, _): (&str, _)| match arguments.get_as::<String>(name) {
        Some(value) => Ok((name.to_owned(), value)),
        None => Err(Cause::InvalidParams(
            format!("`context.arguments.{name}` must be a string").into(),
        )),
    };
    arguments.iter().map(value).collect()
}
