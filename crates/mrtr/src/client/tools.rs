//! The tools of a server, and what of their arguments goes into headers.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use mrtr_core::exchange::ExchangeError;
#[cfg(feature = "json-schema")]
use mrtr_core::wire::CallToolResult;
use mrtr_core::wire::{ErrorCode, Tool};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Client;
use super::cache::Subject;
use super::error::{ClientError, ToolDefinition};
use super::mistakes::Mistakes;
#[cfg(feature = "json-schema")]
use super::promise::Promise;
use super::session::{Definition, Definitions, Link};
use crate::headers::{ParamError, ParamHeaders};

impl Client {
    /// All tools; from what is kept while that is fresh. Tools whose definition is invalid are left
    /// out and a warning is logged; over HTTP the `x-mcp-header` annotations count too.
    ///
    /// Schemas are handed out as they came. Nothing that a `$ref` in them points to is fetched.
    ///
    /// Implements [listing tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools).
    ///
    /// # Errors
    /// [`ClientError`]; [`TooManyPages`](ClientError::TooManyPages) beyond [`ClientLimits::pages`].
    ///
    /// [`ClientLimits::pages`]: super::ClientLimits::pages
    pub async fn list_tools(&self) -> Result<Vec<Tool>, ClientError> {
        self.tools(false).await
    }

    async fn tools(&self, anew: bool) -> Result<Vec<Tool>, ClientError> {
        let session = &self.session;
        let epoch = session.cache.epoch(Subject::Tools);
        let items = self.items("tools/list", "tools", anew).await?;
        let mistakes = Mistakes::default();
        let mut tools: Vec<Tool> = items
            .iter()
            .filter_map(|item| tool(item, &mistakes))
            .collect();
        let over_http = matches!(session.link, Link::Http(_));
        let mut definitions = session.definitions();
        definitions.by_tool.clear();
        definitions.listed = Some(epoch);
        tools.retain(|tool| {
            let mirror = match over_http {
                true => mirror(tool),
                false => Ok(Arc::default()),
            };
            if let Err(reason) = &mirror
                && mistakes.are_worth_a_warning()
            {
                tracing::warn!(tool = tool.name, reason = ?reason.to_string(), "a tool with an invalid definition was left out");
            }
            let valid = mirror.is_ok();
            let definition = Definition {
                mirror,
                #[cfg(feature = "json-schema")]
                promise: Promise::of(tool).map(Arc::new),
            };
            definitions.by_tool.insert(tool.name.clone(), definition);
            valid
        });
        Ok(tools)
    }

    /// The mirrored arguments of a tool, listed first if they are not known. A tool that is not listed
    /// has none: the server says so itself when it is called.
    ///
    /// Boxed, since listing is a call of its own.
    pub(super) fn mirror<'a>(&'a self, tool: &'a str, refresh: bool) -> Fetching<'a> {
        Box::pin(async move {
            let session = &self.session;
            let epoch = session.cache.epoch(Subject::Tools);
            if !refresh && let Some(known) = session.definitions().known(tool, epoch) {
                return known;
            }
            match self.tools(refresh).await {
                Ok(_) => {}
                // Without a list there is nothing to mirror. The server decides what that means.
                Err(ClientError::Exchange(ExchangeError::Rejected(rejected))) => {
                    tracing::debug!(error = ?rejected.error.to_string(), "the tools cannot be listed");
                    if rejected.error.code == ErrorCode::METHOD_NOT_FOUND {
                        session.definitions().listed = Some(epoch);
                    }
                }
                Err(error) => return Err(error),
            }
            session.definitions().of(tool)
        })
    }
}

#[cfg(feature = "json-schema")]
impl Client {
    /// What is wrong with the result of a tool whose definition is known. A definition that may have
    /// changed since is asked for anew before it is held against anybody.
    ///
    /// Boxed, since listing is a call of its own.
    pub(super) fn broken_promise<'a>(
        &'a self,
        tool: &'a str,
        result: &'a RawValue,
    ) -> Checking<'a> {
        Box::pin(async move {
            let promise = self.promise(tool)?;
            let result: CallToolResult = serde_json::from_str(result.get()).ok()?;
            let problem = promise.check(&result).err()?;
            if self.tools(true).await.is_err() {
                return Some(problem);
            }
            self.promise(tool)?.check(&result).err()
        })
    }

    fn promise(&self, tool: &str) -> Option<Arc<Promise>> {
        let session = &self.session;
        let definitions = session.definitions();
        let is_fresh = definitions.listed == Some(session.cache.epoch(Subject::Tools));
        let definition = definitions.by_tool.get(tool).filter(|_| is_fresh)?;
        definition.promise.clone()
    }
}

#[cfg(feature = "json-schema")]
type Checking<'a> = Pin<Box<dyn Future<Output = Option<String>> + Send + 'a>>;

type Fetching<'a> =
    Pin<Box<dyn Future<Output = Result<Arc<ParamHeaders>, ClientError>> + Send + 'a>>;

impl Definitions {
    /// `None` when the tools are not known as they are now.
    fn known(&self, tool: &str, epoch: u64) -> Option<Result<Arc<ParamHeaders>, ClientError>> {
        (self.listed == Some(epoch)).then(|| self.of(tool))
    }

    fn of(&self, tool: &str) -> Result<Arc<ParamHeaders>, ClientError> {
        match self.by_tool.get(tool).map(|tool| &tool.mirror) {
            Some(Ok(mirror)) => Ok(Arc::clone(mirror)),
            Some(Err(reason)) => {
                let (tool, reason) = (tool.to_owned(), reason.to_string());
                Err(ToolDefinition { tool, reason }.into())
            }
            None => Ok(Arc::default()),
        }
    }
}

fn tool(item: &RawValue, mistakes: &Mistakes) -> Option<Tool> {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    match serde_json::from_str(item.get()) {
        Ok(tool) => Some(tool),
        Err(_) if !mistakes.are_worth_a_warning() => None,
        Err(reason) => {
            let named: Option<Named> = serde_json::from_str(item.get()).ok();
            let tool = named.map_or_else(|| "without a name".to_owned(), |named| named.name);
            tracing::warn!(tool, reason = ?reason.to_string(), "a tool with an invalid definition was left out");
            None
        }
    }
}

fn mirror(tool: &Tool) -> Result<Arc<ParamHeaders>, ParamError> {
    let schema = serde_json::to_value(&tool.input_schema).map_err(|_| ParamError::unreadable())?;
    ParamHeaders::from_schema(&schema).map(Arc::new)
}
