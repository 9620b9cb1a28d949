//! One request on its way, and what can come of it.

use std::time::Duration;

use http::{HeaderName, HeaderValue};
use mrtr_core::wire::{ErrorObject, ProgressParams};
use serde_json::value::RawValue;

use super::error::{BadReply, HttpStatus, Loss, Unreachable};

/// One request as the transports send it.
pub(crate) struct Leg {
    /// The JSON-RPC id, and the progress token.
    pub(crate) id: u64,
    pub(crate) method: String,
    /// The value of `Mcp-Name`.
    pub(crate) name: Option<String>,
    /// The whole `params` object.
    pub(crate) params: String,
    pub(crate) version: String,
    /// Mirrored arguments.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

impl Leg {
    /// The JSON-RPC request.
    pub(crate) fn body(&self) -> String {
        let Self { id, params, .. } = self;
        let method = serde_json::Value::from(self.method.as_str());
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":{method},\"params\":{params}}}")
    }
}

/// What the server answered.
pub(crate) type Reply = Result<Box<RawValue>, ErrorObject>;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Nothing was delivered.
    NotSent(Unreachable),
    /// It may have been delivered.
    Lost(Loss),
    /// It was delivered, and the reply cannot be read.
    Bad(BadReply),
    /// An HTTP status instead of an answer.
    Status(Box<HttpStatus>),
}

/// Bounds that both transports keep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WireLimits {
    /// The largest message that is read.
    pub(crate) message: usize,
    /// How long connecting may take.
    pub(crate) connect: Duration,
}

/// Called with every progress notification of the request.
pub(crate) type OnProgress<'a> = dyn FnMut(ProgressParams) + Send + 'a;
