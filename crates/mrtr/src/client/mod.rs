//! A client for MCP servers: calls that ask back, over Streamable HTTP and child processes.
//!
//! ```
//! use mrtr::client::{Answers, Client, FormQuestion};
//! use mrtr::wire::CallToolResult;
//!
//! # use mrtr::{Cx, Form, ToolError, server::{Server, tool}};
//! # #[derive(Form)]
//! # struct Seat { seat: String }
//! # async fn book(cx: Cx, _: ()) -> Result<String, ToolError> {
//! #     let Seat { seat } = cx.elicit("seat", "Which seat?").await?;
//! #     Ok(format!("seat {seat} is yours"))
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let server = Server::builder("travel", "1.0.0").tool(tool("book", book)).build()?;
//! # let listener = server.http().bind("127.0.0.1:0").await?;
//! # let url = listener.url();
//! # tokio::spawn(listener.run_until(std::future::pending()));
//! let client = Client::http(url).build()?;
//! let answers = Answers::new().form(|question: FormQuestion| async move {
//!     println!("{} asks: {}", question.target, question.form.message);
//!     question.accept(&serde_json::json!({ "seat": "12A" }))
//! });
//! let result = client.call_tool("book", &(), &answers).await?;
//! assert_eq!(result.content, CallToolResult::text("seat 12A is yours").content);
//! # Ok(())
//! # }
//! ```
//!
//! Every request stands for itself, so a [`Client`] has nothing to connect and nothing to lose:
//! [`Client::http`] sends when it is told to, [`Client::command`] starts its child process with the
//! first request and starts it anew when it died. What a server may ask follows from what the
//! [`Answerer`] of a call answers.
//!
//! A request whose answer was lost is never sent again silently: see [`AmbiguousDelivery`].
//!
//! # Kept results and changes
//!
//! Lists, the discovery and the contents of resources are kept for as long as the server allows
//! (`ttlMs`), those that are private for requests with the same credentials only, within
//! [`ClientLimits::cache_entries`] and [`ClientLimits::cache_bytes`]. What came of a question, or carries
//! `_meta` members of the caller other than a trace context, is never kept. [`Client::listen`] subscribes
//! to changes, which also end what is kept.

mod answerer;
mod answers;
mod builder;
mod cache;
mod call;
mod clock;
mod error;
mod http;
mod leg;
mod limits;
mod listener;
mod lists;
mod mistakes;
#[cfg(feature = "json-schema")]
mod promise;
mod session;
mod stdio;
mod store;
mod subscription;
mod tools;
mod trace;
mod versions;

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use mrtr_core::exchange::Target;
use mrtr_core::wire::{CallToolResult, GetPromptResult, ReadResourceResult};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::io::{AsyncRead, AsyncWrite};

pub use self::answerer::{
    Answerer, Answering, FormQuestion, Handler, RootsQuestion, SampleQuestion, UrlQuestion,
};
pub use self::answers::Answers;
pub use self::builder::ClientBuilder;
pub use self::call::{Call, CallOutcome, Turn};
pub use self::error::{
    AmbiguousDelivery, BadReply, BoxError, ClientError, Delivery, HttpStatus, Loss,
    NoCommonVersion, OlderServer, OutputMismatch, Refused, SubscriptionLost, TooManyPages,
    ToolDefinition, Unreachable, Usage,
};
pub use self::limits::ClientLimits;
pub use self::listener::Change;
pub use self::stdio::Stderr;
pub use self::store::{SaveError, saved_call};
pub use self::subscription::Subscription;
pub use self::trace::{Direction, Traced};
pub use mrtr_core::exchange::{IfSent, Pending, PendingPhase};

use self::session::{Link, Session};

/// A client of one server. Clones share its connections and what it knows of the server.
///
/// See the [module](self) for an example.
#[derive(Clone)]
pub struct Client {
    session: Arc<Session>,
}

impl Client {
    /// A client of the server at `url`: `http://..`, or `https://..` with the feature `tls`.
    ///
    /// Redirections are not followed, since answers and credentials would go along.
    pub fn http(url: impl Into<String>) -> ClientBuilder {
        ClientBuilder::http(url.into())
    }

    /// A client of a server that runs as a child process and speaks over its standard streams.
    ///
    /// The process starts with the first request, in a process group of its own, and is asked with
    /// `server/discover` what it speaks. When it died it is started anew by the next request.
    /// [`close`](Self::close) ends it and waits; dropping the last clone ends it in the background.
    pub fn command<A>(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = A>,
    ) -> ClientBuilder
    where
        A: Into<OsString>,
    {
        let arguments = arguments.into_iter().map(Into::into).collect();
        ClientBuilder::command(program.into(), arguments)
    }

    /// A client of a server at the other end of a byte stream (a Unix socket, a pipe), with one
    /// message on a line as over stdio. `name` stands for the server in errors and saved calls. Once
    /// the stream is closed, so is the client.
    pub fn stream<R, W>(name: impl Into<String>, reader: R, writer: W) -> ClientBuilder
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        ClientBuilder::stream(name.into(), Box::new(reader), Box::new(writer))
    }

    /// The server, as this client was told to reach it.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.session.target
    }

    /// Calls a tool; `answerer` answers what the server asks. A tool that failed is a result too, see
    /// [`CallToolResult::is_error`].
    ///
    /// `arguments` is anything that serialises to a JSON object; `()` stands for none.
    ///
    /// Implements [calling tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools).
    ///
    /// # Errors
    /// [`ClientError`]; see [`Call::drive`].
    pub async fn call_tool<A>(
        &self,
        name: &str,
        arguments: &(impl Serialize + ?Sized),
        answerer: &A,
    ) -> Result<CallToolResult, ClientError>
    where
        A: Answerer + ?Sized,
    {
        let mut call = self.tool(name, arguments)?.declare(answerer.capabilities());
        call.drive(answerer).await?.into_tool()
    }

    /// Gets a prompt; `answerer` answers what the server asks.
    ///
    /// Implements [getting a prompt](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt).
    ///
    /// # Errors
    /// [`ClientError`]; see [`Call::drive`].
    pub async fn get_prompt<A>(
        &self,
        name: &str,
        arguments: &(impl Serialize + ?Sized),
        answerer: &A,
    ) -> Result<GetPromptResult, ClientError>
    where
        A: Answerer + ?Sized,
    {
        let mut call = self
            .prompt(name, arguments)?
            .declare(answerer.capabilities());
        call.drive(answerer).await?.into_prompt()
    }

    /// Reads a resource; `answerer` answers what the server asks.
    ///
    /// Implements [reading resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources).
    ///
    /// # Errors
    /// [`ClientError`]; see [`Call::drive`].
    pub async fn read_resource<A>(
        &self,
        uri: &str,
        answerer: &A,
    ) -> Result<ReadResourceResult, ClientError>
    where
        A: Answerer + ?Sized,
    {
        let mut call = self.resource(uri)?.declare(answerer.capabilities());
        call.drive(answerer).await?.into_resource()
    }

    /// A call of a tool, to be configured and driven.
    ///
    /// # Errors
    /// [`ClientError::Usage`] when `arguments` is not a JSON object.
    pub fn tool(
        &self,
        name: &str,
        arguments: &(impl Serialize + ?Sized),
    ) -> Result<Call, ClientError> {
        self.named("tools/call", name, arguments)
    }

    /// A call of a prompt, to be configured and driven.
    ///
    /// # Errors
    /// [`ClientError::Usage`] when `arguments` is not a JSON object.
    pub fn prompt(
        &self,
        name: &str,
        arguments: &(impl Serialize + ?Sized),
    ) -> Result<Call, ClientError> {
        self.named("prompts/get", name, arguments)
    }

    /// A call of a resource, to be configured and driven.
    ///
    /// # Errors
    /// None at present.
    pub fn resource(&self, uri: &str) -> Result<Call, ClientError> {
        #[derive(Serialize)]
        struct Params<'a> {
            uri: &'a str,
        }
        let params = json(&Params { uri })?;
        Call::new(self, "resources/read", params, Some(uri.to_owned()), None)
    }

    fn named(
        &self,
        method: &str,
        name: &str,
        arguments: &(impl Serialize + ?Sized),
    ) -> Result<Call, ClientError> {
        #[derive(Serialize)]
        struct Params<'a> {
            name: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            arguments: Option<&'a RawValue>,
        }
        let arguments = Some(json(arguments)?).filter(|arguments| arguments.get() != "null");
        if arguments
            .as_ref()
            .is_some_and(|arguments| !arguments.get().starts_with('{'))
        {
            return Err(Usage::new("arguments must be a JSON object").into());
        }
        let params = json(&Params {
            name,
            arguments: arguments.as_deref(),
        })?;
        Call::new(self, method, params, Some(name.to_owned()), arguments)
    }

    /// Closes the server's connection. A child process is asked to exit by closing its input, then
    /// terminated, then killed, with [`ClientLimits::shutdown`] between; this returns when it is gone.
    /// Requests in flight are lost. The next request starts it anew.
    ///
    /// Implements [shutdown](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#shutdown).
    pub async fn close(&self) {
        if let Link::Stdio(stdio) = &self.session.link {
            stdio.close().await;
        }
    }
}

fn json(value: &(impl Serialize + ?Sized)) -> Result<Box<RawValue>, ClientError> {
    to_raw_value(value).map_err(|error| Usage::new(format!("not JSON: {error}")).into())
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("server", &self.session.target)
            .finish_non_exhaustive()
    }
}
