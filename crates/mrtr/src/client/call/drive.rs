//! Driving a call with an answerer.

use mrtr_core::wire::{
    ElicitRequest, ElicitResult, InputKind, InputRequest, InputRequests, InputResponse,
};

use super::{Call, CallOutcome, Turn};
use crate::client::answerer::{
    Answerer, FormQuestion, Handler, RootsQuestion, SampleQuestion, UrlQuestion,
};
use crate::client::error::{BoxError, ClientError};

impl Call {
    /// Advances the call to its end; `answerer` answers each round's questions, one after the other in
    /// the server's order.
    ///
    /// Dropping the future while a person answers sends nothing: no answer, no cancellation. The call
    /// keeps the questions and can be driven again.
    ///
    /// # Errors
    /// [`ClientError`]; [`Refused`](ClientError::Refused) when the answerer failed or refused, which
    /// ends the call; [`Answer`](ClientError::Answer) when an answer does not fit, which leaves the
    /// questions open.
    pub async fn drive<A>(&mut self, answerer: &A) -> Result<CallOutcome, ClientError>
    where
        A: Answerer + ?Sized,
    {
        loop {
            let questions = match self.advance().await? {
                Turn::Done(outcome) => return Ok(outcome),
                Turn::Asked(questions) => questions,
            };
            match self.ask(questions, answerer).await {
                Ok(answers) => self.answer(answers)?,
                Err((key, error)) => return Err(self.refuse(&key, error)?.into()),
            }
        }
    }

    async fn ask<A>(
        &self,
        questions: InputRequests,
        answerer: &A,
    ) -> Result<Vec<(String, InputResponse)>, (String, BoxError)>
    where
        A: Answerer + ?Sized,
    {
        let mut answers = Vec::with_capacity(questions.len());
        for (key, question) in questions {
            let answer = self.ask_one(&key, question, answerer).await;
            let answer = answer.map_err(|error| (key.clone(), error))?;
            answers.push((key, answer));
        }
        Ok(answers)
    }

    async fn ask_one<A>(
        &self,
        key: &str,
        question: InputRequest,
        answerer: &A,
    ) -> Result<InputResponse, BoxError>
    where
        A: Answerer + ?Sized,
    {
        let (key, target) = (key.to_owned(), self.client.session.target.clone());
        let kind = question.kind();
        match question {
            InputRequest::Elicit(ElicitRequest::Form(form)) => {
                let question = FormQuestion { key, target, form };
                put(answerer.form(), kind, question)
                    .await
                    .map(InputResponse::Elicit)
            }
            InputRequest::Elicit(ElicitRequest::Url(page)) => {
                let question = UrlQuestion { key, target, page };
                let action = put(answerer.url(), kind, question).await?;
                let mut answer = ElicitResult::accept(None);
                answer.action = action;
                Ok(InputResponse::Elicit(answer))
            }
            InputRequest::Sample(request) => {
                let question = SampleQuestion {
                    key,
                    target,
                    request: *request,
                };
                let answer = put(answerer.sampling(), kind, question).await?;
                Ok(InputResponse::Sample(Box::new(answer)))
            }
            InputRequest::Roots(_) => {
                let question = RootsQuestion { key, target };
                let answer = put(answerer.roots(), kind, question).await?;
                Ok(InputResponse::Roots(answer))
            }
            _ => Err(unanswerable(kind)),
        }
    }
}

/// A kind without a handler was not declared, so this is reached only when a call is driven by
/// another answerer than the one it was declared for.
async fn put<Q, A>(
    handler: Option<Handler<'_, Q, A>>,
    kind: InputKind,
    question: Q,
) -> Result<A, BoxError> {
    match handler {
        Some(handler) => handler.answer(question).await,
        None => Err(unanswerable(kind)),
    }
}

fn unanswerable(kind: InputKind) -> BoxError {
    format!("nothing here answers this kind of question ({kind}), although it was declared").into()
}
