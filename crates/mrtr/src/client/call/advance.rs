//! Sending the legs of a call.

use std::sync::Arc;

use mrtr_core::exchange::{ExchangeError, Next, Phase, Reached};
use mrtr_core::wire::{ErrorCode, ErrorObject, ProgressParams, meta_key};
use serde_json::value::RawValue;
use tokio::task::unconstrained;
use tokio::time::sleep;

use super::{Caching, Call, CallOutcome, Kind, Turn};
use crate::client::cache::{Key, Subject, Ticket};
#[cfg(feature = "json-schema")]
use crate::client::error::OutputMismatch;
use crate::client::error::{AmbiguousDelivery, ClientError, Loss, Unreachable, Usage};
use crate::client::leg::{Fault, Leg, Reply};
use crate::client::session::{self, Link, Patience, Ready, Session};
use crate::headers::ParamHeaders;

impl Call {
    /// Sends what is due and waits until the server asks or is done. State-only results are retried
    /// with growing pauses. With questions open it returns them again and sends nothing.
    ///
    /// Dropping the future cancels the request in flight. Whether the server carried it out is then
    /// not known; see [`send_again`](Self::send_again).
    ///
    /// # Errors
    /// [`ClientError`]. Where its [`delivery`](ClientError::delivery) is
    /// [`NotDelivered`](super::super::Delivery::NotDelivered), the call can simply be advanced again
    /// once the cause is gone; where it is not, only after [`send_again`](Self::send_again). A call that
    /// has ended says so.
    pub async fn advance(&mut self) -> Result<Turn, ClientError> {
        if let Some(questions) = self.exchange.questions() {
            return Ok(Turn::Asked(questions.clone()));
        }
        if self.exchange.phase() == Phase::Sent {
            return Err(self.exchange.lost().into());
        }
        loop {
            match self.leg().await? {
                Next::Done(raw) => {
                    self.forget();
                    let method = self.exchange.method().to_owned();
                    return self
                        .kept_promise(CallOutcome { method, raw })
                        .await
                        .map(Turn::Done);
                }
                Next::Ask(questions) => {
                    self.rewrite()?;
                    return Ok(Turn::Asked(questions));
                }
                Next::Wait { delay } => sleep(delay).await,
                _ => return Err(Usage::new("this exchange cannot be driven").into()),
            }
        }
    }

    /// The outcome, unless a tool breaks what its definition promises.
    #[cfg(feature = "json-schema")]
    async fn kept_promise(&self, outcome: CallOutcome) -> Result<CallOutcome, ClientError> {
        let Some(tool) = self.name.as_deref().filter(|_| self.kind == Kind::Tool) else {
            return Ok(outcome);
        };
        match self.client.broken_promise(tool, &outcome.raw).await {
            None => Ok(outcome),
            Some(problem) => Err(OutputMismatch {
                tool: tool.to_owned(),
                problem,
                outcome,
            }
            .into()),
        }
    }

    #[cfg(not(feature = "json-schema"))]
    async fn kept_promise(&self, outcome: CallOutcome) -> Result<CallOutcome, ClientError> {
        Ok(outcome)
    }

    /// One leg, sent anew only when the server refused it as such and it can be mended.
    async fn leg(&mut self) -> Result<Next, ClientError> {
        let session = Arc::clone(&self.client.session);
        let (mut refreshed, mut refusals) = (false, 0);
        loop {
            let ready = match self.connect(&session).await {
                Ok(ready) => ready,
                // Answers that wait to be sent are kept.
                Err(error) => return Err(self.rewrite().err().unwrap_or(error)),
            };
            let version = session.versions.current();
            let ticket = self.ticket(&ready, &version);
            let kept = ticket.as_ref().and_then(|ticket| self.kept(ticket));
            let leg = self.prepare(&version)?;
            if let Some(kept) = kept {
                return self.receive(&kept);
            }
            if let Err(error) = self.rewrite() {
                self.exchange.unsent().map_err(ExchangeError::from)?;
                return Err(error);
            }
            let error = match self.send(&ready, &leg).await {
                Ok(Ok(result)) => {
                    let next = self.receive(&result)?;
                    if let (Some(ticket), Next::Done(result)) = (ticket, &next) {
                        session.cache.keep(ticket, result, session.clock.now());
                    }
                    return Ok(next);
                }
                Ok(Err(error)) => error,
                Err(fault) => return Err(self.fault(&ready, fault).await),
            };
            let mended = match error.code {
                ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => {
                    refusals += 1;
                    session
                        .refused_version(&version, &error, refusals)
                        .map(|()| true)
                }
                ErrorCode::HEADER_MISMATCH if !refreshed => {
                    refreshed = true;
                    self.refresh_mirror().await
                }
                _ => Ok(false),
            };
            if let Ok(false) = mended {
                return Err(self.reject(error));
            }
            self.exchange.unsent().map_err(ExchangeError::from)?;
            mended?;
        }
    }

    /// A connection, and what has to be known before a leg can leave on it.
    async fn connect<'a>(&mut self, session: &'a Session) -> Result<Ready<'a>, ClientError> {
        self.load_mirror().await?;
        session.ready().await
    }

    /// For a request whose result may be kept: never a retry, whose answers and state are not in the
    /// key, nor one with metadata that a server may go by.
    fn ticket(&self, ready: &Ready<'_>, version: &str) -> Option<Ticket> {
        let is_trace = |(name, _): &(String, _)| {
            matches!(
                name.as_str(),
                meta_key::TRACEPARENT | meta_key::TRACESTATE | meta_key::BAGGAGE
            )
        };
        let subject = Subject::of(self.exchange.method())?;
        if self.caching == Caching::Off
            || self.exchange.reached() != Reached::default()
            || !self.extras.iter().all(is_trace)
        {
            return None;
        }
        let cache = &self.client.session.cache;
        let key = Key {
            subject,
            params: self.exchange.params().get().to_owned(),
            version: version.to_owned(),
            declared: self.declared,
        };
        Some(cache.ticket(key, ready.context(cache)))
    }

    fn kept(&self, ticket: &Ticket) -> Option<Box<RawValue>> {
        let session = &self.client.session;
        let cached = session.cache.get(ticket, session.clock.now());
        cached.filter(|_| self.caching == Caching::Use)
    }

    /// The leg that is due, with an id, headers and a `_meta` of its own.
    fn prepare(&mut self, version: &str) -> Result<Leg, ClientError> {
        let session = &self.client.session;
        let id = session.next_id();
        let headers = match &self.mirror {
            Some(mirror) => mirror
                .write(self.arguments.as_deref())
                .map_err(Usage::new)?,
            None => Vec::new(),
        };
        let progress = self.on_progress.is_some().then_some(id);
        let meta = session.meta(version, self.declared, progress, |meta| self.edit(meta))?;
        self.exchange.set_meta(meta).map_err(super::unusable)?;
        let params = self.exchange.request(session.clock.now())?;
        Ok(Leg {
            id,
            method: self.exchange.method().to_owned(),
            name: self.name.clone(),
            params,
            version: version.to_owned(),
            headers,
        })
    }

    async fn send(&mut self, ready: &Ready<'_>, leg: &Leg) -> Result<Reply, Fault> {
        let session = &self.client.session;
        let patience = Patience::new(session.limits.leg);
        let left = self.exchange.time_left(session.clock.now());
        let on_progress = self.on_progress.as_mut();
        let mut on_progress = on_progress.and_then(|on_progress| on_progress.get_mut().ok());
        let mut heard = |progress: ProgressParams| {
            patience.renew();
            if let Some(on_progress) = &mut on_progress {
                on_progress(progress);
            }
        };
        // A flood of progress uses up what the runtime lets a task do at a time; the timers run all
        // the same.
        tokio::select! {
            biased;
            reply = ready.send(leg, &mut heard) => reply,
            after = unconstrained(patience.end()) => Err(Fault::Lost(Loss::Timeout { after })),
            () = unconstrained(sleep(left)) => Err(Fault::Lost(Loss::Timeout { after: left })),
        }
    }

    fn receive(&mut self, result: &RawValue) -> Result<Next, ClientError> {
        let next = self
            .exchange
            .receive(result, self.client.session.clock.now())?;
        if matches!(next, Next::Ask(_))
            && let Some(name) = session::named_in(result)
        {
            self.client.session.note_server(Some(name));
        }
        Ok(next)
    }

    fn reject(&mut self, error: ErrorObject) -> ClientError {
        let error = self.exchange.reject(error);
        if matches!(&error, ExchangeError::Rejected(rejected) if rejected.is_state_rejected()) {
            self.forget();
        }
        error.into()
    }

    async fn fault(&mut self, ready: &Ready<'_>, fault: Fault) -> ClientError {
        match fault {
            Fault::NotSent(unreachable) => {
                if let Err(misuse) = self.exchange.unsent() {
                    return ExchangeError::from(misuse).into();
                }
                if let Err(error) = self.rewrite() {
                    return error;
                }
                match ready {
                    Ready::Http { .. } => unreachable.into(),
                    Ready::Stream(_) => {
                        let reason = ready.explain(unreachable.reason()).await;
                        Unreachable::new(reason).into()
                    }
                }
            }
            Fault::Lost(loss) => {
                if let Err(error) = self.exchange.check_time(self.client.session.clock.now()) {
                    return error.into();
                }
                let loss = match loss {
                    Loss::Closed { reason } => Loss::closed(ready.explain(&reason).await),
                    loss => loss,
                };
                ClientError::Ambiguous(AmbiguousDelivery {
                    target: self.client.session.target.clone(),
                    method: self.exchange.method().to_owned(),
                    loss,
                    reached: self.exchange.reached(),
                })
            }
            Fault::Bad(bad) => bad.into(),
            Fault::Status(status) if status.is_refusal() => {
                match self.exchange.unsent().map_err(ExchangeError::from) {
                    Ok(()) => self.rewrite().err().unwrap_or(ClientError::Status(status)),
                    Err(error) => error.into(),
                }
            }
            Fault::Status(status) => ClientError::Status(status),
        }
    }

    /// Over HTTP the tool's definition has to be known before its first leg.
    async fn load_mirror(&mut self) -> Result<(), ClientError> {
        if self.mirror.is_none() && self.is_mirrored() {
            self.mirror = Some(self.fetch_mirror(false).await?);
        }
        Ok(())
    }

    /// Whether the headers have changed.
    async fn refresh_mirror(&mut self) -> Result<bool, ClientError> {
        if !self.is_mirrored() {
            return Ok(false);
        }
        let mirror = self.fetch_mirror(true).await?;
        let changed = self.mirror.as_deref() != Some(&*mirror);
        self.mirror = Some(mirror);
        Ok(changed)
    }

    pub(super) fn is_mirrored(&self) -> bool {
        self.kind == Kind::Tool && matches!(self.client.session.link, Link::Http(_))
    }

    async fn fetch_mirror(&self, refresh: bool) -> Result<Arc<ParamHeaders>, ClientError> {
        let tool = self.name.as_deref().unwrap_or_default();
        self.client.mirror(tool, refresh).await
    }
}
