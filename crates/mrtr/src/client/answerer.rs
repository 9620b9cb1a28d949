//! Answering what servers ask.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use mrtr_core::exchange::Target;
use mrtr_core::form::{FormContent, Problems};
use mrtr_core::wire::{
    Action, Capabilities, Capability, CreateMessageRequest, CreateMessageResult, ElicitForm,
    ElicitResult, ElicitUrl, ListRootsResult,
};
use serde::Serialize;

use super::error::BoxError;

/// Answers the questions of servers.
///
/// Each kind of question has a method of its own that returns the [`Handler`] for it, or `None`, which
/// is the default. A client declares to servers exactly the kinds that have a handler, so that nothing
/// is asked that nobody can answer, and no answer is ever made up.
///
/// A person who says no to a form or a page gives an answer ([`ElicitResult::decline`],
/// [`Action::Cancel`]). An `Err` is something else: the handler failed, or refuses (a model or a list
/// of roots that the person does not want to share). Then the call ends and nothing is sent.
///
/// [`Answers`](super::Answers) makes one of closures; a type that holds a terminal or a model implements the trait:
///
/// ```
/// use mrtr::client::{Answerer, BoxError, FormQuestion, Handler};
/// use mrtr::wire::ElicitResult;
///
/// struct Terminal;
///
/// impl Terminal {
///     async fn ask(&self, question: FormQuestion) -> Result<ElicitResult, BoxError> {
///         println!("{} asks: {}", question.target, question.form.message);
///         Ok(ElicitResult::decline())
///     }
/// }
///
/// impl Answerer for Terminal {
///     fn form(&self) -> Option<Handler<'_, FormQuestion, ElicitResult>> {
///         Some(Handler::new(move |question| self.ask(question)))
///     }
/// }
/// ```
pub trait Answerer: Send + Sync {
    /// Fills in forms: capability `elicitation.form`.
    fn form(&self) -> Option<Handler<'_, FormQuestion, ElicitResult>> {
        None
    }

    /// Sends the person to a page: capability `elicitation.url`. [`Action::Accept`] means that the
    /// person agreed to go there, not that anything was done there.
    ///
    /// Show the full URL, and never open or fetch it without the person's consent
    /// ([safe URL handling](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#safe-url-handling)).
    fn url(&self) -> Option<Handler<'_, UrlQuestion, Action>> {
        None
    }

    /// Asks a model: capability `sampling`. Deprecated by this revision.
    fn sampling(&self) -> Option<Handler<'_, SampleQuestion, CreateMessageResult>> {
        None
    }

    /// What of `sampling` the handler understands beyond plain messages:
    /// [`SamplingTools`](Capability::SamplingTools), [`SamplingContext`](Capability::SamplingContext).
    /// Nothing by default. Deprecated by this revision.
    fn sampling_features(&self) -> Capabilities {
        Capabilities::NONE
    }

    /// Lists root folders: capability `roots`. Deprecated by this revision.
    fn roots(&self) -> Option<Handler<'_, RootsQuestion, ListRootsResult>> {
        None
    }

    /// What is declared to servers: the kinds that have a handler. Not meant to be overridden.
    fn capabilities(&self) -> Capabilities {
        let mut declared = Capabilities::NONE;
        if self.form().is_some() {
            declared.insert(Capability::ElicitationForm);
        }
        if self.url().is_some() {
            declared.insert(Capability::ElicitationUrl);
        }
        if self.sampling().is_some() {
            declared.insert(Capability::Sampling);
            for feature in [Capability::SamplingTools, Capability::SamplingContext] {
                if self.sampling_features().contains(feature) {
                    declared.insert(feature);
                }
            }
        }
        if self.roots().is_some() {
            declared.insert(Capability::Roots);
        }
        declared
    }
}

/// Answers nothing and declares nothing.
impl Answerer for () {}

macro_rules! forward {
    ($($type:ty),*) => {$(
        impl<T: Answerer + ?Sized> Answerer for $type {
            fn form(&self) -> Option<Handler<'_, FormQuestion, ElicitResult>> {
                T::form(self)
            }
            fn url(&self) -> Option<Handler<'_, UrlQuestion, Action>> {
                T::url(self)
            }
            fn sampling(&self) -> Option<Handler<'_, SampleQuestion, CreateMessageResult>> {
                T::sampling(self)
            }
            fn sampling_features(&self) -> Capabilities {
                T::sampling_features(self)
            }
            fn roots(&self) -> Option<Handler<'_, RootsQuestion, ListRootsResult>> {
                T::roots(self)
            }
        }
    )*};
}
forward!(&T, Box<T>, Arc<T>);

/// What a [`Handler`] returns: the answer, later.
pub type Answering<'a, A> = Pin<Box<dyn Future<Output = Result<A, BoxError>> + Send + 'a>>;

type HandlerFn<'a, Q, A> = dyn Fn(Q) -> Answering<'a, A> + Send + Sync + 'a;

/// Answers one kind of question.
pub struct Handler<'a, Q, A>(Box<HandlerFn<'a, Q, A>>);

impl<'a, Q, A> Handler<'a, Q, A> {
    /// A handler that runs `answer` for each question.
    pub fn new<F, Fut, E>(answer: F) -> Self
    where
        F: Fn(Q) -> Fut + Send + Sync + 'a,
        Fut: Future<Output = Result<A, E>> + Send + 'a,
        E: Into<BoxError>,
    {
        Self(Box::new(move |question| {
            let answer = answer(question);
            Box::pin(async move { answer.await.map_err(Into::into) })
        }))
    }

    /// Asks it one question.
    pub fn answer(&self, question: Q) -> Answering<'a, A> {
        (self.0)(question)
    }
}

impl<Q, A> fmt::Debug for Handler<'_, Q, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler(..)")
    }
}

/// A form to fill in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FormQuestion {
    /// The server's key of the question.
    pub key: String,
    /// Who asks: show this, never what the server calls itself.
    pub target: Target,
    /// The message and the fields.
    pub form: ElicitForm,
}

impl FormQuestion {
    /// Checks an answer as the client will before it is sent.
    ///
    /// # Errors
    /// [`Problems`], in words for the person who filled the form in.
    pub fn check(&self, content: &impl Serialize) -> Result<FormContent, Problems> {
        let content = serde_json::value::to_raw_value(content).ok();
        self.form.schema.validate(content.as_deref())
    }

    /// The answer with this content.
    ///
    /// # Errors
    /// [`Problems`] when the form refuses it.
    pub fn accept(&self, content: &impl Serialize) -> Result<ElicitResult, Problems> {
        self.check(content)?;
        Ok(ElicitResult::accept(
            serde_json::value::to_raw_value(content).ok(),
        ))
    }
}

/// A page to go to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UrlQuestion {
    /// The server's key of the question.
    pub key: String,
    /// Who asks: show this, never what the server calls itself.
    pub target: Target,
    /// The message and the URL.
    pub page: ElicitUrl,
}

/// A question for a model. Deprecated by this revision.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SampleQuestion {
    /// The server's key of the question.
    pub key: String,
    /// Who asks.
    pub target: Target,
    /// What is asked. It has been checked: tool uses are answered as the protocol wants.
    pub request: CreateMessageRequest,
}

/// A question for root folders. Deprecated by this revision.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RootsQuestion {
    /// The server's key of the question.
    pub key: String,
    /// Who asks.
    pub target: Target,
}
