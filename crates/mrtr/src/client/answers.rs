//! An answerer made of closures.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use mrtr_core::wire::{Action, Capabilities, CreateMessageResult, ElicitResult, ListRootsResult};

use super::answerer::{
    Answerer, FormQuestion, Handler, RootsQuestion, SampleQuestion, UrlQuestion,
};
use super::error::BoxError;

/// An [`Answerer`] made of closures. A kind without a closure is not declared to servers.
///
/// ```
/// use mrtr::client::{Answerer, Answers, FormQuestion};
/// use mrtr::wire::Capability;
///
/// let answers = Answers::new().form(|question: FormQuestion| async move {
///     question.accept(&serde_json::json!({ "seat": "12A" }))
/// });
/// assert!(answers.capabilities().contains(Capability::ElicitationForm));
/// assert!(!answers.capabilities().contains(Capability::Sampling));
/// ```
#[derive(Clone, Default)]
pub struct Answers {
    form: Option<Shared<FormQuestion, ElicitResult>>,
    url: Option<Shared<UrlQuestion, Action>>,
    sampling: Option<Shared<SampleQuestion, CreateMessageResult>>,
    sampling_features: Capabilities,
    roots: Option<Shared<RootsQuestion, ListRootsResult>>,
}

type Shared<Q, A> = Arc<Handler<'static, Q, A>>;

fn shared<Q, A, F, Fut, E>(answer: F) -> Option<Shared<Q, A>>
where
    F: Fn(Q) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<A, E>> + Send + 'static,
    E: Into<BoxError>,
{
    Some(Arc::new(Handler::new(answer)))
}

fn lent<Q: 'static, A: 'static>(shared: Option<&Shared<Q, A>>) -> Option<Handler<'_, Q, A>> {
    let shared = shared?;
    Some(Handler::new(move |question| shared.answer(question)))
}

impl Answers {
    /// Answers nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills in forms; see [`Answerer::form`].
    #[must_use]
    pub fn form<F, Fut, E>(mut self, answer: F) -> Self
    where
        F: Fn(FormQuestion) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ElicitResult, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.form = shared(answer);
        self
    }

    /// Sends the person to pages; see [`Answerer::url`].
    #[must_use]
    pub fn url<F, Fut, E>(mut self, answer: F) -> Self
    where
        F: Fn(UrlQuestion) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Action, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.url = shared(answer);
        self
    }

    /// Asks a model; see [`Answerer::sampling`]. `features` is what the closure understands beyond
    /// plain messages, see [`Answerer::sampling_features`]. Deprecated by this revision.
    #[must_use]
    pub fn sampling<F, Fut, E>(mut self, features: Capabilities, answer: F) -> Self
    where
        F: Fn(SampleQuestion) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<CreateMessageResult, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.sampling = shared(answer);
        self.sampling_features = features;
        self
    }

    /// Lists root folders; see [`Answerer::roots`]. Deprecated by this revision.
    #[must_use]
    pub fn roots<F, Fut, E>(mut self, answer: F) -> Self
    where
        F: Fn(RootsQuestion) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ListRootsResult, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.roots = shared(answer);
        self
    }
}

impl Answerer for Answers {
    fn form(&self) -> Option<Handler<'_, FormQuestion, ElicitResult>> {
        lent(self.form.as_ref())
    }

    fn url(&self) -> Option<Handler<'_, UrlQuestion, Action>> {
        lent(self.url.as_ref())
    }

    fn sampling(&self) -> Option<Handler<'_, SampleQuestion, CreateMessageResult>> {
        lent(self.sampling.as_ref())
    }

    fn sampling_features(&self) -> Capabilities {
        self.sampling_features
    }

    fn roots(&self) -> Option<Handler<'_, RootsQuestion, ListRootsResult>> {
        lent(self.roots.as_ref())
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answers")
            .field("capabilities", &self.capabilities())
            .finish()
    }
}
