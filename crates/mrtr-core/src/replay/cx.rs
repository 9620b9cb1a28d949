//! What a handler talks to.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ask::{Ask, Reading};
use super::confirm::Confirm;
use super::context::{Durable, Stateless};
use super::idempotency::IdempotencyKey;
use super::later::Later;
use super::once::Once;
use super::question::Question;
use super::shared::Shared;
use super::shield::Shielded;
use super::step::{Step, StepValue};
use super::url::UrlAsk;
use crate::form::{Form, FormContent, FormSchema};
use crate::wire::{CreateMessageRequest, CreateMessageResult, ListRootsResult, Root};

/// The context of one run of a handler: asks, remembers, and knows about the
/// exchange.
///
/// Cheap to clone; clones belong to the same run. It works inside the
/// handler's own future and whatever that polls (`join!`, `select!`,
/// `FuturesUnordered`), not in spawned tasks. What is made by it panics when it
/// is polled after its round has ended.
///
/// `M` says what the handler relies on: nothing but the state
/// ([`Stateless`]), or also a ledger that replicas share ([`Durable`]).
///
/// A key names a question or a step within the run and is the key of the
/// question in `inputRequests`. Each key is used once per run; loops take
/// [`at`](Self::at).
///
/// ```
/// use mrtr_core::replay::{Cx, ToolError};
///
/// async fn remove(cx: Cx, path: String) -> Result<String, ToolError> {
///     let size: u64 = cx.step("size", || async { Ok::<_, std::io::Error>(1_024) }).await?;
///     cx.confirm("remove", format!("Remove {path} ({size} bytes)?")).await?;
///     Ok(format!("removed {path} as {}", cx.idempotency_key("remove")))
/// }
/// ```
#[derive(Clone)]
pub struct Cx<M = Stateless> {
    pub(super) shared: Arc<Shared>,
    prefix: Option<Arc<str>>,
    mode: M,
}

impl<M> Cx<M> {
    pub(super) const fn new(shared: Arc<Shared>, mode: M) -> Self {
        Self {
            shared,
            prefix: None,
            mode,
        }
    }

    pub(super) fn relying_on<N>(self, mode: N) -> Cx<N> {
        Cx {
            shared: self.shared,
            prefix: self.prefix,
            mode,
        }
    }

    pub(super) fn key(&self, key: impl AsRef<str>) -> Arc<str> {
        let key = key.as_ref();
        match &self.prefix {
            None => key.into(),
            Some(prefix) => [prefix, key].concat().into(),
        }
    }

    /// Asks the person to fill in a form.
    ///
    /// An answer that does not fit the form is asked again, with what was
    /// wrong added to the message. Never ask for passwords or other secrets
    /// in a form: [`elicit_url`](Self::elicit_url) is for them.
    ///
    /// See [form mode](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#form-mode-elicitation-requests).
    pub fn elicit<T: Form>(&self, key: impl AsRef<str>, message: impl Into<String>) -> Ask<T> {
        let question = Question::form(message.into(), T::schema().clone());
        Ask::issue(&self.shared, self.key(key), question, false, |content| {
            let read = T::schema()
                .validate_text(content)
                .and_then(|content| T::read(&content));
            read.map_or_else(
                |problems| Reading::Wrong(problems.to_string()),
                Reading::Value,
            )
        })
    }

    /// Asks the person to fill in a form that is known only at run time.
    pub fn elicit_form(
        &self,
        key: impl AsRef<str>,
        message: impl Into<String>,
        schema: FormSchema,
    ) -> Ask<FormContent> {
        let question = Question::form(message.into(), schema.clone());
        Ask::issue(&self.shared, self.key(key), question, false, |content| {
            let read = schema.validate_text(content);
            read.map_or_else(
                |problems| Reading::Wrong(problems.to_string()),
                Reading::Value,
            )
        })
    }

    /// Asks the person to open `url` and do something there, and waits until
    /// `done` says that it happened.
    ///
    /// The URL should carry a ticket that ties what happens there to the
    /// [principal](Self::principal) and this exchange, and the page must check
    /// that its visitor is that person. The URL may differ in every round.
    ///
    /// `done` is called once the person agreed to go; what its future gives is
    /// recorded when it is `Ok`. See [`UrlAsk`] for how long it may take.
    ///
    /// See [URL mode](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode-elicitation-requests).
    ///
    /// ```
    /// # use mrtr_core::replay::{Cx, ToolError};
    /// # async fn wait_for_token() -> Result<String, std::io::Error> { Ok("t".into()) }
    /// async fn sign_in(cx: Cx) -> Result<String, ToolError> {
    ///     let url = format!("https://example.com/sign-in?exchange={}", cx.exchange_id());
    ///     Ok(cx.elicit_url("sign-in", "Please sign in.", url, wait_for_token).await?)
    /// }
    /// ```
    pub fn elicit_url<T, E, F, Fut>(
        &self,
        key: impl AsRef<str>,
        message: impl Into<String>,
        url: impl Into<String>,
        done: F,
    ) -> UrlAsk<F, Fut>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
        T: Serialize + DeserializeOwned,
    {
        UrlAsk::issue(
            &self.shared,
            self.key(key),
            message.into(),
            url.into(),
            done,
        )
    }

    /// Asks for consent. Only an explicit yes is `Ok`.
    pub fn confirm(&self, key: impl AsRef<str>, message: impl Into<String>) -> Confirm {
        Confirm::issue(&self.shared, self.key(key), message.into())
    }

    /// Asks the client's model for a message.
    ///
    /// What is sent is checked first: a tool use must be answered by a message
    /// of results only. Breaking that is a fault.
    ///
    /// Sampling is deprecated by the 2026-07-28 revision and may go in a later
    /// one.
    ///
    /// See [sampling](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling).
    pub fn sample(
        &self,
        key: impl AsRef<str>,
        request: CreateMessageRequest,
    ) -> Ask<CreateMessageResult> {
        match Question::sample(request) {
            Ok(question) => Ask::issue(&self.shared, self.key(key), question, false, from_json),
            Err(problem) => Ask::refuse(&self.shared, self.key(key), problem),
        }
    }

    /// Asks the client for its roots.
    ///
    /// Roots are deprecated by the 2026-07-28 revision and may go in a later
    /// one.
    ///
    /// See [roots](https://modelcontextprotocol.io/specification/2026-07-28/client/roots).
    pub fn roots(&self, key: impl AsRef<str>) -> Ask<Vec<Root>> {
        let read = |text: &str| match from_json::<ListRootsResult>(text) {
            Reading::Value(result) => Reading::Value(result.roots),
            Reading::Wrong(problem) => Reading::Wrong(problem),
            Reading::No => Reading::No,
        };
        Ask::issue(&self.shared, self.key(key), Question::roots(), false, read)
    }

    /// Does `work` once: its `Ok` is remembered for all later rounds.
    ///
    /// Nothing starts before it is awaited, and nothing at all when the value
    /// is already known. Until the round ends with a question the value is not
    /// remembered, so the work happens at least once. An `Err` is given back and not remembered.
    ///
    /// A round waits for work that has begun before it asks anything: the work
    /// must not wait in turn (on a channel, for a lock) for what the handler
    /// does with an answer.
    ///
    /// Remembered values travel through the client in sealed form: keep them
    /// short. They must survive JSON.
    pub fn step<T, E, F, Fut>(&self, key: impl AsRef<str>, work: F) -> Step<F, Fut>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
        T: Serialize + DeserializeOwned,
    {
        Step::new(&self.shared, self.key(key), work)
    }

    /// As [`step`](Self::step), for work whose value is remembered whatever it
    /// is, such as the time or a random choice.
    pub fn step_value<F, Fut>(&self, key: impl AsRef<str>, work: F) -> StepValue<F, Fut>
    where
        F: FnOnce() -> Fut,
        Fut: Future,
        Fut::Output: Serialize + DeserializeOwned,
    {
        StepValue::new(&self.shared, self.key(key), work)
    }

    /// Runs `work` to its end once it was awaited, even when the handler is
    /// dropped: because the client has gone or cancelled the request, its time
    /// is over, or the round ends with a question.
    ///
    /// For work that must not stop half-way. It is nothing more: the round does
    /// not wait for it, and in a later round it runs again. Where that must not
    /// be, shield the work of a step: the round then waits until it is done, and
    /// its value is remembered.
    ///
    /// Questions and steps do not work inside, as in a spawned task. A panic
    /// inside is one of the handler. When the server stops it waits for such
    /// work, for a bounded time. Where nothing can run by itself (in
    /// [`harness`](crate::harness)) the work runs within the handler and ends with
    /// it.
    ///
    /// ```
    /// # use mrtr_core::replay::{Cx, ToolError};
    /// # async fn withdraw(key: String) -> Result<(), std::io::Error> { Ok(()) }
    /// # async fn deposit(key: String) -> Result<u64, std::io::Error> { Ok(7) }
    /// async fn transfer(cx: Cx) -> Result<String, ToolError> {
    ///     cx.confirm("transfer", "Transfer 100 EUR?").await?;
    ///     let key = cx.idempotency_key("transfer").to_string();
    ///     let receipt = cx.shield(async move {
    ///         withdraw(key.clone()).await?;
    ///         deposit(key).await
    ///     });
    ///     Ok(format!("Done: receipt {}.", receipt.await?))
    /// }
    /// ```
    pub fn shield<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Shielded<T> {
        Shielded::new(&self.shared, work)
    }

    /// Waits for `future` within this request for up to `hold`; then the
    /// client is sent away with a state and comes back by itself.
    ///
    /// The future is made anew in every round and its value is not remembered.
    /// Such rounds do not count against the cap; the deadline of the exchange
    /// ends them. Many clients handle a result without questions badly: give
    /// up after the first one, or come back at once ten times. Prefer to hold
    /// the request, and use this only where a rare second round does no harm.
    pub fn later_when<Fut: Future>(&self, future: Fut, hold: Duration) -> Later<Fut> {
        Later::new(&self.shared, future, hold)
    }

    /// A context whose keys start with `i/`, for loops.
    ///
    /// ```
    /// # use mrtr_core::replay::{Cx, Refused};
    /// async fn confirm_all(cx: Cx, files: Vec<String>) -> Result<(), Refused> {
    ///     for (i, file) in files.iter().enumerate() {
    ///         cx.at(i).confirm("remove", format!("Remove {file}?")).await?; // "0/remove", ..
    ///     }
    ///     Ok(())
    /// }
    /// ```
    #[must_use]
    pub fn at(&self, i: impl fmt::Display) -> Self
    where
        M: Clone,
    {
        let prefix = match &self.prefix {
            None => format!("{i}/"),
            Some(prefix) => format!("{prefix}{i}/"),
        };
        Self {
            shared: self.shared.clone(),
            prefix: Some(prefix.into()),
            mode: self.mode.clone(),
        }
    }

    /// A key for external services that is the same in every later run of this
    /// exchange. The label may be used more than once.
    pub fn idempotency_key(&self, label: impl AsRef<str>) -> IdempotencyKey {
        let label = self.key(label);
        IdempotencyKey::new(&self.shared, label.as_ref().to_owned())
    }
}

impl Cx<Durable> {
    /// Does `body` at most once per exchange, and remembers what it came to for
    /// all later rounds and for the same request sent again.
    ///
    /// Handlers are at-least-once; a `once` body is attempted at most once per
    /// exchange; when its outcome is not known the caller is told so, unless the
    /// author's lookup settles it. So where a process dies between the effect and
    /// its record, awaiting gives [`OutcomeUnknown`](super::OutcomeUnknown), and
    /// with `?` the client is told; [`reconcile`](Once::reconcile) asks whoever
    /// knows.
    ///
    /// What the body returns is recorded whatever it is: an error in it was an
    /// attempt too. The body runs to its end even when the client has gone, and
    /// questions and steps do not work inside. A panic inside is one of the
    /// handler, and the outcome is not known. Values must survive JSON, and at
    /// most 48 KB of it are recorded.
    ///
    /// Before the exchange has a token, that is before the first question was
    /// answered, a client that repeats its request starts another exchange. It is
    /// a fault then, unless a [scope](Once::scope) names what it is done to.
    ///
    /// ```
    /// use mrtr_core::replay::{Cx, Durable, ToolError};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize)]
    /// enum Charge { Paid { receipt: u64 }, Declined }
    ///
    /// # async fn charge(cents: u64, key: String) -> Charge { Charge::Paid { receipt: cents } }
    /// # async fn find_charge(key: &str) -> Option<Charge> { None }
    /// async fn order(cx: Cx<Durable>) -> Result<String, ToolError> {
    ///     cx.confirm("pay", "Pay 20 EUR?").await?;
    ///     let key = cx.idempotency_key("charge").to_string();
    ///     let sent = key.clone();
    ///     let charge = cx
    ///         .once("charge", move || charge(2_000, sent))
    ///         .reconcile(|| find_charge(&key))
    ///         .await?;
    ///     match charge {
    ///         Charge::Paid { receipt } => Ok(format!("Paid: receipt {receipt}.")),
    ///         Charge::Declined => Err(ToolError::visible("The card was declined.")),
    ///     }
    /// }
    /// ```
    pub fn once<'a, T, Fut>(
        &self,
        key: impl AsRef<str>,
        body: impl FnOnce() -> Fut + Send + 'static,
    ) -> Once<'a, T>
    where
        Fut: Future<Output = T> + Send + 'static,
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        Once::new(&self.shared, &self.mode.0, self.key(key), body)
    }
}

impl<M> fmt::Debug for Cx<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx")
            .field("exchange", &self.exchange_id())
            .field("round", &self.round())
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

fn from_json<T: DeserializeOwned>(text: &str) -> Reading<T> {
    match serde_json::from_str(text) {
        Ok(value) => Reading::Value(value),
        Err(problem) => Reading::Wrong(problem.to_string()),
    }
}
