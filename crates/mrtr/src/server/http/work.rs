//! What is done for one request: read it, check it, answer it.

use std::pin::pin;
use std::sync::Arc;

use ::http::request::Parts;
use ::http::{Extensions, StatusCode};
use http_body::Body;
use mrtr_core::state::Principal;
use mrtr_core::wire::{Cause, Incoming, Request};

use super::body::{self, BodyError};
use super::config::Config;
use super::outbox::Outbox;
use super::reply::Outcome;
use super::{mirror, refuse};
use crate::server::panic::catch;
use crate::server::{Caller, Closing, Notifier, Reply, Server, Sink, Stream};

/// Checks 7 to 21 and the answer.
pub(super) async fn run<B: Body>(
    server: Server,
    config: Arc<Config>,
    parts: Parts,
    body: B,
    outbox: Arc<Outbox>,
) -> Outcome {
    let outcome = outcome(&server, &config, &parts, body, outbox).await;
    let mut headers = parts.headers;
    headers.clear();
    Outcome { headers, ..outcome }
}

async fn outcome<B: Body>(
    server: &Server,
    config: &Config,
    parts: &Parts,
    body: B,
    outbox: Arc<Outbox>,
) -> Outcome {
    let bytes = match body::read(body, config.body_limit, config.body_timeout).await {
        Ok(bytes) => bytes,
        Err(error) => return server.turned_away(unreadable(error, config)),
    };
    match server.read(&bytes) {
        Ok(Incoming::Request(request)) => {
            let closing = &config.closing;
            let events = Events { outbox, closing };
            answer(server, parts, &request, &events).await.into()
        }
        // No notification means anything here: what cancels a request is the end of its stream.
        Ok(_) => Outcome::empty(StatusCode::ACCEPTED),
        Err(reply) => reply.into(),
    }
}

async fn answer(
    server: &Server,
    parts: &Parts,
    request: &Request<'_>,
    events: &Events<'_>,
) -> Reply {
    let checked = mirror::check(&parts.headers, request, |tool| server.mirrored(tool));
    if let Err(cause) = checked {
        let reply = Reply::error(Some(&request.id), &cause);
        server.refused(server.route(&request.method), &reply);
        return reply;
    }
    let caller = caller(&parts.extensions);
    let answering = pin!(server.answer(request, &caller, events));
    catch(answering).await.unwrap_or_else(|panic| {
        tracing::error!(method = ?request.method, panic, "answering a request panicked");
        Reply::error(Some(&request.id), &Cause::Fault)
    })
}

/// Who calls, as a layer before this service has found out.
fn caller(extensions: &Extensions) -> Caller {
    if let Some(principal) = extensions.get::<Arc<Principal>>() {
        return principal.clone().into();
    }
    match extensions.get::<Principal>() {
        Some(principal) => principal.clone().into(),
        None => Caller::anonymous(),
    }
}

struct Events<'a> {
    outbox: Arc<Outbox>,
    closing: &'a Closing,
}

impl Notifier for Events<'_> {
    fn sink(&self) -> Arc<dyn Sink> {
        self.outbox.clone()
    }

    fn stream(&self) -> Option<Stream> {
        Some(Stream {
            sink: self.sink(),
            closing: self.closing.clone(),
            shared: false,
        })
    }
}

fn unreadable(error: BodyError, config: &Config) -> Outcome {
    match error {
        BodyError::TooLarge => {
            let what = format!("the body is larger than {} bytes", config.body_limit);
            refuse(StatusCode::PAYLOAD_TOO_LARGE, what.into())
        }
        BodyError::TooSlow => {
            let what = "the body did not arrive in time";
            refuse(StatusCode::REQUEST_TIMEOUT, what.into())
        }
        BodyError::Broken => refuse(StatusCode::BAD_REQUEST, "the body could not be read".into()),
    }
}
