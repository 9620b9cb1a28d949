//! What a flow talks to during one round.

use std::fmt;
use std::future::pending;
use std::task::Poll;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Cx;
use crate::replay::{Answerable, FaultKind, Refused};

/// One round of a [`Flow`](super::Flow): looks at answers and remembers what
/// is missing.
pub struct Turn {
    cx: Cx,
    missing: Vec<Box<dyn Missing>>,
}

/// A question that is kept so that it stays issued.
trait Missing: Send {
    fn block(&mut self);
}

impl<A: Answerable + Send> Missing for A {
    fn block(&mut self) {
        Answerable::block(self);
    }
}

impl Turn {
    pub(super) const fn new(cx: Cx) -> Self {
        Self {
            cx,
            missing: Vec::new(),
        }
    }

    /// The context: makes the questions for [`answer`](Self::answer), and
    /// knows the exchange. Awaiting a question suspends the round at once,
    /// with the state that the round before left.
    #[must_use]
    pub const fn cx(&self) -> &Cx {
        &self.cx
    }

    /// The answer to a question, or `None` if it has to be asked:
    /// `turn.answer(turn.cx().confirm("pay", "Pay?"))?`.
    ///
    /// An answer once taken is there in all later rounds, until it is
    /// [forgotten](Self::forget).
    ///
    /// # Errors
    /// The person refused. That is an answer too.
    pub fn answer<A>(&mut self, mut question: A) -> Result<Option<A::Value>, Refused>
    where
        A: Answerable + Send + 'static,
    {
        match question.settle() {
            Poll::Ready(answer) => answer.map(Some),
            Poll::Pending => {
                self.missing.push(Box::new(question));
                Ok(None)
            }
        }
    }

    /// Whether the person agreed to open `url`, or `None` if that has to be
    /// asked. Whether they are done there is for the flow to find out; to send
    /// them again, [forget](Self::forget) the key first.
    ///
    /// # Errors
    /// The person refused.
    pub fn visit(
        &mut self,
        key: impl AsRef<str>,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Result<Option<()>, Refused> {
        let ask = self.cx.visit(key, message.into(), url.into());
        self.answer(ask)
    }

    /// Drops the answer to `key`, so that the question is asked anew. To be
    /// called before the question is made.
    pub fn forget(&mut self, key: impl AsRef<str>) {
        self.cx.forget(key);
    }

    pub(super) async fn ask<T>(mut self, state: &impl Serialize) -> T {
        if self.missing.is_empty() {
            self.cx.fault(FaultKind::NothingToAsk);
        }
        self.write(state);
        for question in &mut self.missing {
            question.block();
        }
        pending().await
    }

    pub(super) async fn later<T>(mut self, state: &impl Serialize) -> T {
        self.missing.clear();
        self.write(state);
        self.cx.later_when(pending(), Duration::ZERO).await
    }

    fn write(&self, state: &impl Serialize) {
        match serde_json::to_string(state) {
            Ok(text) => self.cx.set_flow_state(text.into()),
            Err(problem) => self.cx.fault(FaultKind::FlowState(problem.to_string())),
        }
    }
}

/// The state that the round before left. One that does not read is a fault,
/// and this does not return.
pub(super) async fn read_state<S: DeserializeOwned>(cx: &Cx) -> Option<S> {
    match serde_json::from_str(&cx.flow_state()?) {
        Ok(state) => Some(state),
        Err(problem) => {
            cx.fault(FaultKind::FlowState(problem.to_string()));
            pending().await
        }
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("cx", &self.cx)
            .field("missing", &self.missing.len())
            .finish()
    }
}
