//! What is done for one request: read it, check it, answer it.

use std::sync::Arc;

use ::http::StatusCode;
use ::http::request::Parts;
use http_body::Body;
use mrtr_core::json::depth;
use mrtr_core::state::Principal;
use mrtr_core::wire::{Cause, Incoming, Request, RequestId};

use super::body::{self, BodyError};
use super::config::Config;
use super::mirror;
use super::outbox::{Loss, Outbox};
use super::refuse;
use super::reply::Outcome;
use crate::server::panic::catch;
use crate::server::refusal::error_response;
use crate::server::{Caller, Notifier, Server};

/// Checks 7 to 21 and the answer.
pub(super) async fn run<B: Body>(
    server: Server,
    config: Arc<Config>,
    parts: Parts,
    body: B,
    outbox: Arc<Outbox>,
) -> Outcome {
    let bytes = match body::read(body, config.body_limit, config.body_timeout).await {
        Ok(bytes) => bytes,
        Err(error) => return unreadable(error, &config),
    };
    if let Err(too_deep) = depth::check(&bytes, config.depth_limit) {
        return refuse(StatusCode::BAD_REQUEST, too_deep.to_string().into());
    }
    match Incoming::parse(&bytes) {
        Ok(Incoming::Request(request)) => {
            answer(&server, &config, &parts, &request, outbox).await
        }
        // Nothing a client can tell this way is of use: a cancellation is the end of the stream.
        Ok(_) => Outcome {
            status: StatusCode::ACCEPTED,
            body: bytes::Bytes::new(),
        },
        Err(malformed) => failed(malformed.id.as_ref(), &malformed.cause),
    }
}

async fn answer(
    server: &Server,
    config: &Config,
    parts: &Parts,
    request: &Request<'_>,
    outbox: Arc<Outbox>,
) -> Outcome {
    let checked = mirror::check(&parts.headers, request, |tool| server.param_headers(tool));
    if let Err(cause) = checked {
        return failed(Some(&request.id), &cause);
    }
    let caller = Caller {
        principal: parts.extensions.get::<Principal>().cloned(),
    };
    let notifier = Notifier(Arc::new(move |lossy, message| {
        outbox.push(if lossy { Loss::Superseded } else { Loss::Distinct }, message);
    }));
    let answer = catch(server.answer(request, &caller, &notifier));
    match tokio::time::timeout(config.deadline, answer).await {
        Ok(Ok(reply)) => Outcome {
            status: StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK),
            body: reply.body,
        },
        Ok(Err(panic)) => {
            tracing::error!(method = %request.method, panic, "answering a request panicked");
            failed(Some(&request.id), &Cause::Fault)
        }
        Err(_) => {
            tracing::warn!(method = %request.method, deadline = ?config.deadline, "a request took too long");
            failed(Some(&request.id), &Cause::Deadline)
        }
    }
}

fn failed(id: Option<&RequestId>, cause: &Cause) -> Outcome {
    Outcome {
        status: StatusCode::from_u16(cause.http_status()).unwrap_or(StatusCode::BAD_REQUEST),
        body: error_response(id, &cause.error()),
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
