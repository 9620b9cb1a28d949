//! What a server is and has.

use mrtr_core::wire::{
    Capabilities, DiscoverResult, Implementation, Prompt, RawObject, Resource, ResourceTemplate,
    meta_key,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::cache::{Key, Subject};
use super::call::{Caching, Call, CallOutcome, Turn, decode};
use super::error::{BadReply, ClientError, TooManyPages, Usage};
use super::{Client, json};

impl Client {
    /// What the server is and can do; from what is kept while that is fresh.
    ///
    /// Implements [discovery](https://modelcontextprotocol.io/specification/2026-07-28/server/discover).
    ///
    /// # Errors
    /// [`ClientError`]
    pub async fn discover(&self) -> Result<DiscoverResult, ClientError> {
        self.discover_with(Caching::Use).await
    }

    pub(super) async fn discover_with(
        &self,
        caching: Caching,
    ) -> Result<DiscoverResult, ClientError> {
        let params = json(&Cursor { cursor: None })?;
        let outcome = self.send("server/discover", params, caching).await?;
        let result: DiscoverResult = outcome.decode()?;
        let info = result
            .meta
            .as_ref()
            .and_then(|meta| meta.get_as(meta_key::SERVER_INFO));
        self.session
            .note_server(info.map(|info: Implementation| info.name));
        Ok(result)
    }

    /// All prompts; from what is kept while that is fresh.
    ///
    /// Implements [listing prompts](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#listing-prompts).
    ///
    /// # Errors
    /// [`ClientError`]; [`TooManyPages`](ClientError::TooManyPages) beyond [`ClientLimits::pages`].
    ///
    /// [`ClientLimits::pages`]: super::ClientLimits::pages
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, ClientError> {
        self.list("prompts/list", "prompts").await
    }

    /// All resources; from what is kept while that is fresh.
    ///
    /// Implements [listing resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#listing-resources).
    ///
    /// # Errors
    /// As [`list_prompts`](Self::list_prompts).
    pub async fn list_resources(&self) -> Result<Vec<Resource>, ClientError> {
        self.list("resources/list", "resources").await
    }

    /// All resource templates; from what is kept while that is fresh.
    ///
    /// Implements [resource templates](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates).
    ///
    /// # Errors
    /// As [`list_prompts`](Self::list_prompts).
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, ClientError> {
        self.list("resources/templates/list", "resourceTemplates")
            .await
    }

    /// Sends a request of any other method, such as `completion/complete`, and returns its result as it
    /// came, which is never kept. `params` must be an object without `_meta`.
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
        let outcome = self.send(method, json(params)?, Caching::Off).await?;
        Ok(outcome.into_raw())
    }

    async fn send(
        &self,
        method: &str,
        params: Box<RawValue>,
        caching: Caching,
    ) -> Result<CallOutcome, ClientError> {
        let call = Call::new(self, method, params, None, None)?;
        match call.caching(caching).advance().await? {
            Turn::Done(outcome) => Ok(outcome),
            Turn::Asked(_) => Err(BadReply::new(format!("`{method}` must not ask")).into()),
        }
    }

    async fn list<T: DeserializeOwned>(
        &self,
        method: &'static str,
        member: &'static str,
    ) -> Result<Vec<T>, ClientError> {
        let items = self.items(method, member, false).await?;
        items.iter().map(|item| decode(method, item)).collect()
    }

    /// All items of a list, from kept pages when all of them are fresh and none has to be asked for
    /// `anew`: pages of different times would not fit together.
    pub(super) async fn items(
        &self,
        method: &'static str,
        member: &'static str,
        anew: bool,
    ) -> Result<Vec<Box<RawValue>>, ClientError> {
        if !anew && let Some(items) = self.kept_items(method, member).await? {
            return Ok(items);
        }
        if let Some(subject) = Subject::of(method) {
            self.session.cache.drop_kept(subject);
        }
        let limits = &self.session.limits;
        let started = Instant::now();
        let mut pages = Pages::new(method, member);
        let mut read = 0;
        loop {
            read += 1;
            let page = self.send(method, pages.params()?, Caching::Renew).await?;
            pages.bytes += page.raw().get().len();
            let fits = pages.bytes <= limits.message;
            if fits && pages.add(page.raw())? {
                return Ok(pages.items);
            }
            if !fits || read >= limits.pages || started.elapsed() >= limits.call.total {
                return Err(TooManyPages {
                    method: method.to_owned(),
                    pages: read,
                }
                .into());
            }
        }
    }

    async fn kept_items(
        &self,
        method: &'static str,
        member: &'static str,
    ) -> Result<Option<Vec<Box<RawValue>>>, ClientError> {
        let session = &self.session;
        let cache = &session.cache;
        let Some(subject) = Subject::of(method).filter(|subject| cache.has(*subject)) else {
            return Ok(None);
        };
        let context = session.ready().await?.context(cache);
        let mut pages = Pages::new(method, member);
        for _ in 0..session.limits.pages {
            let key = Key {
                subject,
                params: pages.params()?.get().to_owned(),
                version: session.versions.current(),
                declared: Capabilities::NONE,
            };
            let Some(page) = cache.get(&cache.ticket(key, context), session.clock.now()) else {
                return Ok(None);
            };
            pages.bytes += page.get().len();
            if pages.bytes > session.limits.message {
                return Ok(None);
            }
            if pages.add(&page)? {
                return Ok(Some(pages.items));
            }
        }
        Ok(None)
    }
}

/// The pages of a list, one after the other.
struct Pages {
    method: &'static str,
    member: &'static str,
    items: Vec<Box<RawValue>>,
    cursor: Option<String>,
    /// Of all pages together.
    bytes: usize,
}

impl Pages {
    fn new(method: &'static str, member: &'static str) -> Self {
        Self {
            method,
            member,
            items: Vec::new(),
            cursor: None,
            bytes: 0,
        }
    }

    /// The parameters of the next page.
    fn params(&self) -> Result<Box<RawValue>, ClientError> {
        let cursor = self.cursor.as_deref();
        json(&Cursor { cursor })
    }

    /// Takes a page; whether it is the last one. A `nextCursor` of `null` ends the list too, and an
    /// empty one does not.
    fn add(&mut self, page: &RawValue) -> Result<bool, ClientError> {
        let members: RawObject = decode(self.method, page)?;
        let member = |name| members.get(name).unwrap_or(RawValue::NULL);
        let items: Vec<Box<RawValue>> = decode(self.method, member(self.member))?;
        self.items.extend(items);
        self.cursor = decode(self.method, member("nextCursor"))?;
        Ok(self.cursor.is_none())
    }
}

#[derive(Serialize)]
struct Cursor<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<&'a str>,
}
