//! One call, driven by hand or by an answerer.

use std::fmt;
use std::sync::{Arc, Mutex};

use mrtr_core::exchange::{Exchange, ExchangeLimits, ParamsError, Phase, Reached};
use mrtr_core::wire::{
    CallToolResult, Capabilities, ClientMeta, GetPromptResult, InputRequests, InputResponse,
    LoggingLevel, ProgressParams, ReadResourceResult,
};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::Client;
use super::error::{BadReply, ClientError, Refused, Usage};
use super::store::Store;
use crate::headers::ParamHeaders;

mod advance;
mod drive;
mod save;

/// One call of a tool, a prompt or a resource, over all its rounds.
///
/// Made by [`Client::tool`], [`Client::prompt`] and [`Client::resource`]; nothing is sent before the
/// first [`advance`](Self::advance). Drive it with an [`Answerer`](super::Answerer) through
/// [`drive`](Self::drive), or by hand:
///
/// ```no_run
/// # async fn run(client: mrtr::client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use mrtr::client::Turn;
/// use mrtr::wire::{Capabilities, Capability, ElicitResult, InputResponse};
///
/// let mut call = client
///     .tool("book", &serde_json::json!({ "to": "Kyoto" }))?
///     .declare(Capabilities::from(Capability::ElicitationForm));
/// let outcome = loop {
///     match call.advance().await? {
///         Turn::Done(outcome) => break outcome,
///         Turn::Asked(questions) => {
///             let decline = || InputResponse::Elicit(ElicitResult::decline());
///             let answers = questions.iter().map(|(key, _)| (key.to_owned(), decline()));
///             call.answer(answers.collect())?;
///         }
///     }
/// };
/// println!("{}", outcome.raw());
/// # Ok(())
/// # }
/// ```
///
/// Dropping the future of `advance` cancels the request in flight; dropping the call between rounds
/// sends nothing, since then nothing is in flight.
#[must_use = "a call does nothing until it is driven"]
pub struct Call {
    client: Client,
    exchange: Exchange,
    kind: Kind,
    /// The tool, the prompt or the URI.
    name: Option<String>,
    arguments: Option<Box<RawValue>>,
    declared: Capabilities,
    mirror: Option<Arc<ParamHeaders>>,
    on_progress: Option<OnProgress>,
    extras: Vec<(String, Box<RawValue>)>,
    log_level: Option<LoggingLevel>,
    store: Option<Store>,
    caching: Caching,
}

/// What a call has to do with the results that the client keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caching {
    /// A fresh one will do.
    Use,
    /// Whatever is kept is replaced.
    Renew,
    /// Nothing.
    Off,
}

/// In a mutex only so that a call can be shared.
type OnProgress = Mutex<Box<dyn FnMut(ProgressParams) + Send>>;

/// What kind of result a call has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tool,
    Prompt,
    Resource,
    Other,
}

impl Kind {
    fn of(method: &str) -> Self {
        match method {
            "tools/call" => Self::Tool,
            "prompts/get" => Self::Prompt,
            "resources/read" => Self::Resource,
            _ => Self::Other,
        }
    }
}

/// How far a call got.
#[derive(Debug)]
#[must_use]
pub enum Turn {
    /// The server asks; give all answers to [`Call::answer`] and advance again. Nothing is in flight.
    Asked(InputRequests),
    /// The call is over.
    Done(CallOutcome),
}

/// The result of a call.
#[derive(Debug)]
pub struct CallOutcome {
    method: String,
    raw: Box<RawValue>,
}

impl CallOutcome {
    /// The result as it came.
    #[must_use]
    pub fn raw(&self) -> &RawValue {
        &self.raw
    }

    /// The result of a tool. A tool that failed is a result too: see [`CallToolResult::is_error`].
    ///
    /// # Errors
    /// [`ClientError::BadReply`] when the server sent something else.
    pub fn into_tool(self) -> Result<CallToolResult, ClientError> {
        self.decode()
    }

    /// The result of a prompt.
    ///
    /// # Errors
    /// [`ClientError::BadReply`] when the server sent something else.
    pub fn into_prompt(self) -> Result<GetPromptResult, ClientError> {
        self.decode()
    }

    /// The contents of a resource.
    ///
    /// # Errors
    /// [`ClientError::BadReply`] when the server sent something else.
    pub fn into_resource(self) -> Result<ReadResourceResult, ClientError> {
        self.decode()
    }

    pub(crate) fn into_raw(self) -> Box<RawValue> {
        self.raw
    }

    pub(crate) fn decode<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        decode(&self.method, &self.raw)
    }
}

/// Decodes a result of `method`, or a part of it.
pub(crate) fn decode<T: DeserializeOwned>(method: &str, raw: &RawValue) -> Result<T, ClientError> {
    serde_json::from_str(raw.get())
        .map_err(|error| BadReply::new(format!("it is no result of `{method}`: {error}")).into())
}

impl Call {
    pub(crate) fn new(
        client: &Client,
        method: &str,
        params: Box<RawValue>,
        name: Option<String>,
        arguments: Option<Box<RawValue>>,
    ) -> Result<Self, ClientError> {
        let limits = client.session.limits.call;
        let exchange = Exchange::new(method, params, limits).map_err(unusable)?;
        Ok(Self::with_exchange(client, exchange, name, arguments))
    }

    fn with_exchange(
        client: &Client,
        exchange: Exchange,
        name: Option<String>,
        arguments: Option<Box<RawValue>>,
    ) -> Self {
        let declared = Capabilities::NONE;
        Self {
            client: client.clone(),
            kind: Kind::of(exchange.method()),
            exchange: exchange.with_declared(declared),
            name,
            arguments,
            declared,
            mirror: None,
            on_progress: None,
            extras: Vec::new(),
            log_level: None,
            store: None,
            caching: Caching::Use,
        }
    }

    /// What the server may ask in this call; nothing by default. Declare only what will be answered.
    /// [`drive`](Self::drive) does not change it: give it the answerer's
    /// [`capabilities`](super::Answerer::capabilities).
    pub fn declare(mut self, capabilities: Capabilities) -> Self {
        self.declared = capabilities;
        self.exchange = self.exchange.with_declared(capabilities);
        self
    }

    /// Asks for progress notifications and hands them to `on_progress`.
    pub fn on_progress(mut self, on_progress: impl FnMut(ProgressParams) + Send + 'static) -> Self {
        self.on_progress = Some(Mutex::new(Box::new(on_progress)));
        self
    }

    /// From which level on log messages are wanted; they go to
    /// [`ClientBuilder::on_notification`](super::ClientBuilder::on_notification). Deprecated by this
    /// revision.
    pub fn log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = Some(level);
        self
    }

    /// Adds a member to the `_meta` of every request of this call. The members that the protocol needs
    /// cannot be replaced. For trace context see [`ClientBuilder::trace_context`](super::ClientBuilder::trace_context).
    pub fn meta(mut self, name: impl Into<String>, value: Box<RawValue>) -> Self {
        self.extras.push((name.into(), value));
        self
    }

    /// Asks the server even when a result is kept that is still fresh, as results of
    /// [`resources/read`](Client::resource) may be. What comes is kept in its place.
    pub fn anew(self) -> Self {
        self.caching(Caching::Renew)
    }

    pub(crate) fn caching(mut self, caching: Caching) -> Self {
        self.caching = caching;
        self
    }

    /// Bounds for this call instead of [`ClientLimits::call`](super::ClientLimits::call).
    ///
    /// # Errors
    /// [`ClientError::Usage`] when the call has begun.
    pub fn limits(mut self, limits: ExchangeLimits) -> Result<Self, ClientError> {
        if self.exchange.phase() != Phase::Ready || self.exchange.reached() != Reached::default() {
            return Err(Usage::new("the bounds of a call are set before it begins").into());
        }
        let params = self.exchange.params().to_owned();
        let exchange = Exchange::new(self.exchange.method(), params, limits).map_err(unusable)?;
        self.exchange = exchange.with_declared(self.declared);
        Ok(self)
    }

    /// The questions that wait for answers.
    #[must_use]
    pub fn questions(&self) -> Option<&InputRequests> {
        self.exchange.questions()
    }

    /// What the call is doing.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.exchange.phase()
    }

    /// How many rounds there were.
    #[must_use]
    pub fn reached(&self) -> Reached {
        self.exchange.reached()
    }

    /// Answers all open questions. Nothing is sent yet: [`advance`](Self::advance) does that.
    ///
    /// # Errors
    /// [`ClientError::Answer`]; the questions stay open.
    pub fn answer(&mut self, answers: Vec<(String, InputResponse)>) -> Result<(), ClientError> {
        self.exchange
            .answer(answers, self.client.session.clock.now())?;
        Ok(())
    }

    /// Ends the call because the question `key` will not be answered. Nothing is sent.
    ///
    /// # Errors
    /// [`ClientError::Answer`] when no question is open under `key`.
    pub fn refuse(
        &mut self,
        key: &str,
        error: impl Into<super::BoxError>,
    ) -> Result<Refused, ClientError> {
        let error = error.into();
        let refusal = self.exchange.refuse(key, error.to_string())?;
        self.forget();
        Ok(Refused { refusal, error })
    }

    /// Lets the next [`advance`](Self::advance) send the last request again, although the server may
    /// have carried it out. Do this after [`ClientError::Ambiguous`] only, and only when doing the
    /// work twice is all right.
    ///
    /// # Errors
    /// [`ClientError::Exchange`] when no request is open.
    pub fn send_again(&mut self) -> Result<(), ClientError> {
        self.exchange
            .send_again()
            .map_err(|misuse| ClientError::Exchange(misuse.into()))
    }

    /// The members of `_meta` that are this call's own.
    fn edit(&self, meta: &mut ClientMeta) {
        meta.log_level = self.log_level;
        for (name, value) in &self.extras {
            meta.extra.insert(name.clone(), value.clone());
        }
    }

    /// The saved file, if there is one, is of no more use.
    fn forget(&mut self) {
        if let Some(store) = self.store.take() {
            store.remove();
        }
    }
}

fn unusable(error: ParamsError) -> ClientError {
    Usage::new(error).into()
}

/// Shows how far the call is; never parameters, answers or state.
impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("server", &self.client.session.target)
            .field("name", &self.name)
            .field("exchange", &self.exchange)
            .finish_non_exhaustive()
    }
}
