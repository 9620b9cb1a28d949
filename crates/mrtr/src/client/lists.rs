//! What a server is and has.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use mrtr_core::exchange::ExchangeError;
use mrtr_core::wire::{
    DiscoverResult, ErrorCode, Implementation, Prompt, RawObject, Resource, ResourceTemplate, Tool,
    meta_key,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::call::{Call, CallOutcome, Turn};
use super::error::{BadReply, ClientError, TooManyPages, ToolDefinition, Usage};
use super::session::{Link, Mirrors};
use super::{Client, json};
use crate::headers::ParamHeaders;

impl Client {
    /// What the server is and can do.
    ///
    /// Implements [discovery](https://modelcontextprotocol.io/specification/2026-07-28/server/discover).
    ///
    /// # Errors
    /// [`ClientError`]
    pub async fn discover(&self) -> Result<DiscoverResult, ClientError> {
        let outcome = self
            .send("server/discover", json(&Cursor { cursor: None })?)
            .await?;
        let result: DiscoverResult = outcome.decode()?;
        let info = result
            .meta
            .as_ref()
            .and_then(|meta| meta.get_as(meta_key::SERVER_INFO));
        self.session
            .note_server(info.map(|info: Implementation| info.name));
        Ok(result)
    }

    /// All tools. Over HTTP, tools whose `x-mcp-header` annotations are invalid are left out and a
    /// warning is logged.
    ///
    /// Implements [listing tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools).
    ///
    /// # Errors
    /// [`ClientError`]; [`TooManyPages`](ClientError::TooManyPages) beyond [`ClientLimits::pages`].
    ///
    /// [`ClientLimits::pages`]: super::ClientLimits::pages
    pub async fn list_tools(&self) -> Result<Vec<Tool>, ClientError> {
        let mut tools = self.pages("tools/list", "tools").await?;
        if matches!(self.session.link, Link::Stdio(_)) {
            return Ok(tools);
        }
        let mut mirrors = self.session.mirrors.lock().await;
        mirrors.by_tool.clear();
        mirrors.listed = true;
        tools.retain(|tool| {
            let schema = serde_json::to_value(&tool.input_schema).unwrap_or_default();
            let mirror = ParamHeaders::from_schema(&schema).map(Arc::new);
            if let Err(reason) = &mirror {
                tracing::warn!(tool = tool.name, %reason, "the tool's definition is invalid");
            }
            let valid = mirror.is_ok();
            mirrors.by_tool.insert(tool.name.clone(), mirror);
            valid
        });
        Ok(tools)
    }

    /// All prompts.
    ///
    /// Implements [listing prompts](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#listing-prompts).
    ///
    /// # Errors
    /// As [`list_tools`](Self::list_tools).
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, ClientError> {
        self.pages("prompts/list", "prompts").await
    }

    /// All resources.
    ///
    /// Implements [listing resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#listing-resources).
    ///
    /// # Errors
    /// As [`list_tools`](Self::list_tools).
    pub async fn list_resources(&self) -> Result<Vec<Resource>, ClientError> {
        self.pages("resources/list", "resources").await
    }

    /// All resource templates.
    ///
    /// Implements [resource templates](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates).
    ///
    /// # Errors
    /// As [`list_tools`](Self::list_tools).
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, ClientError> {
        self.pages("resources/templates/list", "resourceTemplates")
            .await
    }

    /// Sends a request of any other method, such as `completion/complete`, and returns its result as it
    /// came. `params` must be an object without `_meta`.
    ///
    /// # Errors
    /// [`ClientError`]; [`Usage`](ClientError::Usage) for the three methods that may ask back, which
    /// have calls of their own.
    pub async fn request(
        &self,
        method: &str,
        params: &(impl Serialize + ?Sized),
    ) -> Result<Box<RawValue>, ClientError> {
        if matches!(method, "tools/call" | "prompts/get" | "resources/read") {
            let reason =
                format!("`{method}` may ask back: use the client's `tool`, `prompt` or `resource`");
            return Err(Usage::new(reason).into());
        }
        Ok(self.send(method, json(params)?).await?.into_raw())
    }

    async fn send(&self, method: &str, params: Box<RawValue>) -> Result<CallOutcome, ClientError> {
        match Call::new(self, method, params, None, None)?
            .advance()
            .await?
        {
            Turn::Done(outcome) => Ok(outcome),
            Turn::Asked(_) => Err(BadReply::new(format!("`{method}` must not ask")).into()),
        }
    }

    /// All items of a list. A `nextCursor` of `null` ends it too, and an empty one does not.
    async fn pages<T: DeserializeOwned>(
        &self,
        method: &'static str,
        items: &str,
    ) -> Result<Vec<T>, ClientError> {
        let mut all: Vec<T> = Vec::new();
        let mut cursor = None;
        for _ in 0..self.session.limits.pages {
            let page = self.send(method, json(&Cursor { cursor })?).await?;
            let members: RawObject = page.decode()?;
            let list = members.get(items).unwrap_or(RawValue::NULL);
            all.extend(page.part::<Vec<T>>(list)?);
            let next = members.get("nextCursor").unwrap_or(RawValue::NULL);
            cursor = page.part(next)?;
            if cursor.is_none() {
                return Ok(all);
            }
        }
        let pages = self.session.limits.pages;
        Err(TooManyPages {
            method: method.to_owned(),
            pages,
        }
        .into())
    }

    /// The mirrored arguments of a tool, listed first if they are not known. A tool that is not listed
    /// has none: the server says so itself when it is called.
    ///
    /// Boxed, since listing is a call of its own.
    pub(super) fn mirror<'a>(&'a self, tool: &'a str, refresh: bool) -> Fetching<'a> {
        Box::pin(async move {
            if !refresh {
                let mirrors = self.session.mirrors.lock().await;
                if mirrors.listed {
                    return known(&mirrors, tool);
                }
            }
            match self.list_tools().await {
                Ok(_) => {}
                // Without a list there is nothing to mirror. The server decides what that means.
                Err(ClientError::Exchange(ExchangeError::Rejected(rejected))) => {
                    tracing::debug!(error = %rejected.error, "the tools cannot be listed");
                    if rejected.error.code == ErrorCode::METHOD_NOT_FOUND {
                        self.session.mirrors.lock().await.listed = true;
                    }
                }
                Err(error) => return Err(error),
            }
            known(&*self.session.mirrors.lock().await, tool)
        })
    }
}

type Fetching<'a> =
    Pin<Box<dyn Future<Output = Result<Arc<ParamHeaders>, ClientError>> + Send + 'a>>;

fn known(mirrors: &Mirrors, tool: &str) -> Result<Arc<ParamHeaders>, ClientError> {
    match mirrors.by_tool.get(tool) {
        Some(Ok(mirror)) => Ok(Arc::clone(mirror)),
        Some(Err(reason)) => {
            let (tool, reason) = (tool.to_owned(), reason.to_string());
            Err(ToolDefinition { tool, reason }.into())
        }
        None => Ok(Arc::default()),
    }
}

#[derive(Serialize)]
struct Cursor {
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}
