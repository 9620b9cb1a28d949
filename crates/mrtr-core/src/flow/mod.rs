//! The explicit form of a handler: a state machine whose state is written out.
//!
//! A [`Flow`] is called once per round with the state of the round before, and
//! says what comes next: [ask](Next::Ask), come back [later](Next::Later), or
//! [done](Next::Done). Use it where the control flow is data: a wizard that is
//! configured, a conversation without a fixed order, a machine that exists
//! already. Everything else reads better as a plain `async fn` (see
//! [`replay`](crate::replay)), which is a flow whose state is the journal of
//! its answers and steps.
//!
//! Answers are read by the same rules and travel in the same sealed state:
//! missing or wrong ones are asked again, a changed question does not take an
//! old answer, consent must have been asked for.
//!
//! ```
//! use mrtr_core::flow::{Flow, Next, Turn, run};
//! use mrtr_core::form::{FieldValue, FormSchema};
//! use mrtr_core::replay::{Cx, ToolError};
//! use serde::{Deserialize, Serialize};
//!
//! /// Asks one configured question after the other.
//! struct Survey { questions: Vec<(String, FormSchema)> }
//!
//! #[derive(Serialize, Deserialize)]
//! struct Answered(Vec<String>);
//!
//! impl Flow for Survey {
//!     type State = Answered;
//!     type Output = Vec<String>;
//!
//!     async fn advance(&self, turn: &mut Turn, state: Option<Answered>)
//!         -> Result<Next<Answered, Vec<String>>, ToolError>
//!     {
//!         let mut answered = state.map_or_else(Vec::new, |Answered(texts)| texts);
//!         while let Some((message, form)) = self.questions.get(answered.len()) {
//!             let cx = turn.cx().at(answered.len());
//!             let ask = cx.elicit_form("question", message, form.clone()).keep(|content| {
//!                 content.to_json()
//!             });
//!             match turn.answer(ask)? {
//!                 Some(text) => answered.push(text),
//!                 None => return Ok(Next::Ask(Answered(answered))),
//!             }
//!         }
//!         Ok(Next::Done(answered))
//!     }
//! }
//!
//! // A flow runs wherever a handler does.
//! async fn survey(cx: Cx) -> Result<Vec<String>, ToolError> {
//!     let flow = Survey { questions: Vec::new() };
//!     run(&flow, cx).await
//! }
//! ```

mod turn;

use std::future::Future;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use turn::Turn;

use crate::replay::{Cx, ToolError};

/// A handler as an explicit state machine.
pub trait Flow: Sync {
    /// What one round leaves to the next. It travels through the client in
    /// sealed form: keep it short. It must survive JSON.
    type State: Serialize + DeserializeOwned + Send;
    /// The final result.
    type Output: Send;

    /// One round. `state` is what the round before left, nothing in the first.
    ///
    /// May await ordinary I/O. What it does happens again if the client
    /// presents the same state again.
    fn advance(
        &self,
        turn: &mut Turn,
        state: Option<Self::State>,
    ) -> impl Future<Output = Result<Next<Self::State, Self::Output>, ToolError>> + Send;
}

/// What follows from one round of a [`Flow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<S, T> {
    /// Ask everything that had no answer in this round. That nothing was
    /// missing is a fault.
    Ask(S),
    /// Let the client come back by itself. Many clients handle that badly, see
    /// [`Cx::later_when`].
    Later(S),
    /// The final result.
    Done(T),
}

/// Runs one round of a flow as a handler.
///
/// # Errors
/// What [`Flow::advance`] fails with.
pub async fn run<F: Flow>(flow: &F, cx: Cx) -> Result<F::Output, ToolError> {
    let state = turn::read_state(&cx).await;
    let mut turn = Turn::new(cx);
    let next = flow.advance(&mut turn, state).await?;
    match next {
        Next::Done(output) => Ok(output),
        Next::Ask(state) => turn.ask(&state).await,
        Next::Later(state) => turn.later(&state).await,
    }
}
