//! The three methods that run handlers.

use mrtr_core::replay::{Refused, ToolError, ToolErrorKind};
use mrtr_core::round::OpenRound;
use mrtr_core::state::{Method, Principal};
use mrtr_core::trace::TraceContext;
use mrtr_core::wire::{
    Action, CacheHints, CallToolResult, Cause, ReadResourceResult, Request, RequestMeta,
    ResourceContents,
};
use serde_json::value::RawValue;
use tracing::Span;

use super::args::text::texts_of;
use super::call::{Call, Ended};
use super::limiter::{RetryAfter, Target};
use super::metrics::Outcome;
use super::registry::{ResourceEntry, ToolEntry};
use super::reply::Outgoing;
use super::settings::Rules;
use super::{Caller, Notifier, Reply, Server};

/// A request that may run a handler, and whoever sent it.
pub(super) struct Asking<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) meta: &'a RequestMeta<'a>,
    pub(super) trace: Option<TraceContext>,
    pub(super) caller: &'a Caller,
    pub(super) notifier: &'a dyn Notifier,
}

impl Asking<'_> {
    /// Whether the result depends on more than method and parameters.
    fn is_retry(&self) -> bool {
        let params = &self.request.params;
        let given = |raw: Option<&RawValue>| raw.is_some_and(|raw| raw.get() != "null");
        given(params.request_state) || given(params.input_responses)
    }
}

impl Server {
    pub(super) async fn call_tool(&self, asking: &Asking<'_>) -> Result<Reply, Cause> {
        let name = asking.request.params.name()?;
        let Some((name, tool)) = self.inner.registry.tools.get_key_value(&*name) else {
            return Err(Cause::UnknownTool {
                name: name.into_owned(),
            });
        };
        Span::current().record("target", &**name);
        let arguments = asking.request.params.arguments()?;
        if let Err(retry) = self.allow(asking.caller, Target::new(Method::ToolsCall, name)) {
            let seconds = retry.0.as_millis().div_ceil(1_000).max(1);
            let text = format!("Too many calls. Try again in {seconds} seconds.");
            let reply = self.result(asking.request, CallToolResult::error(text))?;
            return Ok(Reply {
                retry_after: Some(retry.0),
                outcome: Outcome::RateLimited,
                ..reply
            });
        }
        let mut call = self.call(asking, Method::ToolsCall, name, &tool.rules);
        call.arguments = arguments;
        let start = |round: &OpenRound| {
            if let Some(check) = &tool.input {
                check.check(arguments)?;
            }
            (tool.handler)(round, arguments)
        };
        let answer = |ended| self.tool_called(asking, name, tool, ended);
        call.run(start, answer).await
    }

    fn tool_called(
        &self,
        asking: &Asking<'_>,
        name: &str,
        tool: &ToolEntry,
        ended: Ended<CallToolResult>,
    ) -> Result<Reply, Cause> {
        let result = match ended {
            Ended::InputRequired(result) => return self.result(asking.request, result),
            Ended::Complete(result) => {
                if let Some(promise) = &tool.output
                    && let Err(problem) = promise.check(&result)
                {
                    tracing::error!(problem = ?problem.to_string(), "the result does not fit the tool's output schema");
                    return Err(Cause::Fault);
                }
                result
            }
            Ended::BadArguments(problem) => {
                tracing::debug!(problem = ?problem.to_string(), "the arguments do not fit the tool");
                CallToolResult::error(format!(
                    "Invalid arguments for the tool `{name}`: {problem}"
                ))
            }
            Ended::Refused(refused) => {
                CallToolResult::error(ToolError::from(refused).client_text())
            }
            Ended::Failed(error) => CallToolResult::error(error.client_text()),
        };
        self.result(asking.request, result)
    }

    pub(super) async fn get_prompt(&self, asking: &Asking<'_>) -> Result<Reply, Cause> {
        let name = asking.request.params.name()?;
        let Some((name, prompt)) = self.inner.registry.prompts.get_key_value(&*name) else {
            return Err(Cause::UnknownPrompt {
                name: name.into_owned(),
            });
        };
        Span::current().record("target", &**name);
        let arguments = asking.request.params.arguments()?;
        let texts = texts_of(arguments)
            .map_err(|problem| Cause::InvalidParams(problem.to_string().into()))?;
        self.allow(asking.caller, Target::new(Method::PromptsGet, name))
            .map_err(too_many)?;
        let mut call = self.call(asking, Method::PromptsGet, name, &prompt.rules);
        call.arguments = arguments;
        let start = |round: &OpenRound| (prompt.handler)(round, &texts);
        let answer = |ended| match ended {
            Ended::InputRequired(result) => self.result(asking.request, result),
            Ended::Complete(result) => self.result(asking.request, result),
            Ended::BadArguments(problem) => {
                Err(Cause::InvalidArguments(problem.to_string().into()))
            }
            Ended::Refused(refused) => Err(declined(&refused)),
            Ended::Failed(error) => Err(failed(&error, None)),
        };
        call.run(start, answer).await
    }

    pub(super) async fn read_resource(&self, asking: &Asking<'_>) -> Result<Reply, Cause> {
        let uri = asking.request.params.uri()?;
        let Some(found) = self.inner.registry.find(&uri) else {
            return Err(Cause::ResourceNotFound {
                uri: uri.into_owned(),
            });
        };
        Span::current().record("target", found.name);
        self.allow(
            asking.caller,
            Target::new(Method::ResourcesRead, found.name),
        )
        .map_err(too_many)?;
        let call = self.call(asking, Method::ResourcesRead, &uri, &found.entry.rules);
        let start = |round: &OpenRound| (found.entry.handler)(round, &uri, &found.variables);
        let answer = |ended| match ended {
            Ended::InputRequired(result) => self.result(asking.request, result),
            Ended::Complete(result) => self.result(
                asking.request,
                finished(result, &uri, found.entry, asking.is_retry()),
            ),
            // A value the template allows but the resource does not.
            Ended::BadArguments(problem) => {
                tracing::debug!(problem = ?problem.to_string(), "the variables do not fit the resource");
                Err(Cause::ResourceNotFound {
                    uri: uri.to_string(),
                })
            }
            Ended::Refused(refused) => Err(declined(&refused)),
            Ended::Failed(error) => Err(failed(&error, Some(&uri))),
        };
        call.run(start, answer).await
    }

    fn call<'a>(
        &'a self,
        asking: &'a Asking<'a>,
        method: Method,
        target: &'a str,
        rules: &'a Rules,
    ) -> Call<'a> {
        Call {
            server: &self.inner,
            rules,
            id: &asking.request.id,
            method,
            target,
            arguments: None,
            params: &asking.request.params,
            meta: asking.meta,
            trace: asking.trace.as_ref(),
            principal: asking.caller.principal.as_ref(),
            notifier: asking.notifier,
        }
    }

    pub(super) fn allow(&self, caller: &Caller, target: Target<'_>) -> Result<(), RetryAfter> {
        let Some(limiter) = &self.inner.limiter else {
            return Ok(());
        };
        let principal = caller.principal.as_deref();
        limiter
            .check(principal, target, self.inner.runtime.now())
            .inspect_err(|retry| {
                let subject = principal.map_or("", Principal::subject);
                tracing::warn!(subject, retry_after = ?retry.0, "called too often");
            })
    }

    pub(super) fn result(
        &self,
        request: &Request<'_>,
        result: impl Outgoing,
    ) -> Result<Reply, Cause> {
        Reply::result(&request.id, result, &self.inner.server_meta).map_err(|error| {
            tracing::error!(%error, "a result cannot be written as JSON");
            Cause::Fault
        })
    }
}

pub(super) fn too_many(retry: RetryAfter) -> Cause {
    Cause::TooManyRequests {
        retry_after: retry.0,
    }
}

fn declined(refused: &Refused) -> Cause {
    let action = match refused {
        Refused::Declined(_) => Action::Decline,
        Refused::Cancelled(_) => Action::Cancel,
    };
    Cause::Refused {
        key: refused.key().to_owned(),
        action,
    }
}

/// What a failed prompt or resource says; `uri` is the resource.
pub(super) fn failed(error: &ToolError, uri: Option<&str>) -> Cause {
    match (error.kind(), uri) {
        (ToolErrorKind::NotFound, Some(uri)) => Cause::ResourceNotFound {
            uri: uri.to_owned(),
        },
        (ToolErrorKind::NotFound | ToolErrorKind::Visible(_), _) => {
            Cause::InvalidArguments(error.client_text())
        }
        (ToolErrorKind::Refused(refused), _) => declined(refused),
        _ => Cause::Fault,
    }
}

/// A resource's result with what its registration adds.
fn finished(
    mut result: ReadResourceResult,
    uri: &str,
    entry: &ResourceEntry,
    is_retry: bool,
) -> ReadResourceResult {
    if is_retry {
        result = result.with_cache_hints(CacheHints::default());
    } else if result.cache_hints() == CacheHints::default() {
        result = result.with_cache_hints(entry.hints);
    }
    let Some(mime_type) = &entry.mime_type else {
        return result;
    };
    for contents in result
        .contents
        .iter_mut()
        .filter(|contents| contents.uri() == uri)
    {
        let slot = match contents {
            ResourceContents::Text(contents) => &mut contents.mime_type,
            ResourceContents::Blob(contents) => &mut contents.mime_type,
        };
        slot.get_or_insert_with(|| mime_type.to_string());
    }
    result
}
