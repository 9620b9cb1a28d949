//! Every way to ask.

use std::future::Future;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::ask::{Ask, Reading};
use super::confirm::Confirm;
use super::cx::Cx;
use super::question::Question;
use super::url::{UrlAsk, check_url};
use crate::form::{Form, FormContent, FormSchema};
use crate::wire::{CreateMessageRequest, CreateMessageResult, ListRootsResult, Root};

impl<M> Cx<M> {
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
            let read = raw(content)
                .and_then(|raw| T::from_answer(Some(raw)).map_err(|problems| problems.to_string()));
            read.map_or_else(Reading::Wrong, Reading::Value)
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
            let read = raw(content).and_then(|raw| {
                schema
                    .validate(Some(raw))
                    .map_err(|problems| problems.to_string())
            });
            read.map_or_else(Reading::Wrong, Reading::Value)
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

    /// Asks for consent to open a URL, without a check of what happens there.
    pub(crate) fn visit(&self, key: impl AsRef<str>, message: String, url: String) -> Ask<()> {
        if let Err(problem) = check_url(&url) {
            return Ask::refuse(&self.shared, self.key(key), problem.to_owned());
        }
        let question = Question::url(message, url);
        Ask::issue(&self.shared, self.key(key), question, false, |_| {
            Reading::Value(())
        })
    }
}

fn raw(text: &str) -> Result<&RawValue, String> {
    serde_json::from_str(text).map_err(|problem| problem.to_string())
}

fn from_json<T: DeserializeOwned>(text: &str) -> Reading<T> {
    match serde_json::from_str(text) {
        Ok(value) => Reading::Value(value),
        Err(problem) => Reading::Wrong(problem.to_string()),
    }
}
