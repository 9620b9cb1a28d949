//! Driving a call: sending its rounds and answering what the server asks.

use std::path::Path;
use std::pin::Pin;
use std::time::{Duration, Instant};

use mrtr::client::{Call, CallOutcome, Client, ClientError, Turn};
use mrtr::wire::{Action, ElicitRequest, InputRequest, InputRequests, InputResponse};

use crate::answers::{Given, Needed};
use crate::ask::{self, Left};
use crate::exit::{Exit, Failure};
use crate::faults;
use crate::show::status::Status;
use crate::show::{Screen, clean};

/// What a call is driven with.
pub(crate) struct Driver<'a> {
    pub(crate) screen: Screen<'a>,
    pub(crate) status: Status,
    pub(crate) client: &'a Client,
    pub(crate) given: Given,
    /// Where the call is kept while questions are open.
    pub(crate) save: Option<&'a Path>,
    /// Whether a question was declined or cancelled.
    pub(crate) refused: bool,
}

impl Driver<'_> {
    /// Drives `call` to its end.
    ///
    /// # Errors
    /// Whatever keeps it from its end, Ctrl-C included. A call that is saved can be gone on with.
    pub(crate) async fn drive(&mut self, call: Call) -> Result<CallOutcome, Failure> {
        let status = self.status.clone();
        let mut call = call
            .declare(self.given.capabilities())
            .on_progress(move |progress| status.progress(&progress));
        // One listener for the whole call: what is pressed between two requests counts as well.
        let mut interrupt = std::pin::pin!(interrupt());
        loop {
            let turn = self.advance(&mut call, interrupt.as_mut()).await;
            self.status.end();
            match turn? {
                Turn::Done(outcome) => return Ok(outcome),
                Turn::Asked(questions) => {
                    if let Some(path) = self.save {
                        call.save(path)
                            .await
                            .map_err(|error| faults::failure(&error, None))?;
                    }
                    let answers = self.answer(&questions)?;
                    call.answer(answers)
                        .map_err(|error| faults::failure(&error, self.save))?;
                }
            }
        }
    }

    async fn advance(
        &self,
        call: &mut Call,
        mut interrupt: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<Turn, Failure> {
        let server = self.client.target().to_string();
        let started = Instant::now();
        let mut advance = std::pin::pin!(call.advance());
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        tick.tick().await;
        loop {
            tokio::select! {
                biased;
                () = &mut interrupt => return Err(self.interrupted()),
                turn = &mut advance => return turn.map_err(|error| self.failed(&error)),
                _ = tick.tick() => self.status.waiting(&server, started.elapsed()),
            }
        }
    }

    /// The request is cancelled by dropping its future.
    fn interrupted(&self) -> Failure {
        let mut message = "interrupted; the request was cancelled".to_owned();
        if let Some(path) = self.save.filter(|path| path.exists()) {
            let path = path.display().to_string();
            message.push_str(&format!(
                ", but the server may have carried it out\nhint: `mrtr resume {} --send-again` sends it again",
                shell_words::quote(&path)
            ));
        }
        Failure::message(Exit::Interrupted, message)
    }

    /// An error after a no is the server's way of saying that it stopped.
    fn failed(&self, error: &ClientError) -> Failure {
        let mut failure = faults::failure(error, self.save);
        if self.refused && faults::is_rejected(error) {
            failure.exit = Exit::Refused;
        }
        failure
    }

    /// Answers all questions of a round: with what was given, else by asking the person.
    fn answer(
        &mut self,
        questions: &InputRequests,
    ) -> Result<Vec<(String, InputResponse)>, Failure> {
        let server = self.client.target();
        let person = ask::is_possible();
        let mut answers = Vec::with_capacity(questions.len());
        let mut open = Vec::new();
        for (key, question) in questions.iter() {
            let mut answer = self.given.answer(key, question).unwrap_or_else(|problem| {
                let (key, problem) = (clean::line(key, 120), clean::line(&problem, 1000));
                self.screen.warn(&format!(
                    "the answer given for `{key}` does not fit: {problem}"
                ));
                None
            });
            match &answer {
                Some(answer) => self.announce(key, question, answer),
                None if person => {
                    answer = ask::put(&self.screen, server, key, question)
                        .map_err(|reason| left(&reason, self.save))?;
                }
                None => {}
            }
            match answer {
                Some(answer) => {
                    self.refused |= is_refusal(&answer);
                    answers.push((key.to_owned(), answer));
                }
                None => open.push(key.to_owned()),
            }
        }
        if open.is_empty() {
            return Ok(answers);
        }
        let needed = Needed {
            server,
            questions,
            open,
            unused: self.given.unused().map(ToOwned::to_owned).collect(),
            saved: self.save,
        };
        needed.show(&self.screen);
        Err(needed.failure())
    }

    /// What is answered without asking is said all the same where it matters: a page that the caller
    /// agreed to, a form that should not be.
    fn announce(&self, key: &str, question: &InputRequest, answer: &InputResponse) {
        if is_refusal(answer) {
            return;
        }
        match question {
            InputRequest::Elicit(ElicitRequest::Url(url)) => {
                self.screen.asks(self.client.target(), key, &url.message);
                self.screen.address(&url.url);
            }
            InputRequest::Elicit(ElicitRequest::Form(form)) => {
                let secrets = ask::secrets(&form.schema);
                if !secrets.is_empty() {
                    self.screen.warn(&ask::secret_warning(&secrets));
                }
            }
            _ => {}
        }
    }
}

/// Ends at the first Ctrl-C.
async fn interrupt() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

fn is_refusal(answer: &InputResponse) -> bool {
    matches!(answer, InputResponse::Elicit(answer) if answer.action != Action::Accept)
}

fn left(left: &Left, saved: Option<&Path>) -> Failure {
    match left {
        Left::Back | Left::Interrupted => {
            let mut message = "interrupted; the open question was not answered".to_owned();
            if let Some(path) = saved {
                let path = path.display().to_string();
                let path = shell_words::quote(&path);
                message.push_str(&format!(
                    "\nhint: the call is kept; `mrtr resume {path}` goes on"
                ));
            }
            Failure::message(Exit::Interrupted, message)
        }
        Left::Broken(reason) => Failure::message(
            Exit::Local,
            format_args!("the terminal cannot be used: {reason}"),
        ),
    }
}
