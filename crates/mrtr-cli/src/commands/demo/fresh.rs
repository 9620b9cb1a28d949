//! A server that cannot remember: each request gets one of its own.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use http::{Request, Response};
use mrtr::server::http::{ReplyBody, RequestBody};
use mrtr::server::{BuildError, Server};
use mrtr::state::{Keyring, Secret};
use tower_service::Service;

use crate::example::{self, Desk, People};
use crate::exit::Failure;

/// Builds a server for every request and drops it after the reply. All they have in common is the key.
#[derive(Clone)]
pub(super) struct Fresh {
    keyring: Keyring,
    served: Arc<AtomicUsize>,
}

impl Fresh {
    pub(super) fn new() -> Result<Self, Failure> {
        let keyring = Keyring::new([Secret::generate(rand::random())]);
        Ok(Self {
            keyring: keyring.map_err(Failure::local)?,
            served: Arc::default(),
        })
    }

    pub(super) fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    /// How many servers there were.
    pub(super) fn served(&self) -> usize {
        self.served.load(Ordering::Relaxed)
    }

    pub(super) fn server(&self) -> Result<Server, BuildError> {
        let people = Arc::new(People::new(self.keyring.clone()));
        let desk = Arc::new(Desk::new(people, None));
        example::server(desk).keyring(self.keyring.clone()).build()
    }
}

impl Service<Request<RequestBody>> for Fresh {
    type Response = Response<ReplyBody>;
    type Error = BuildError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BuildError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BuildError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        self.served.fetch_add(1, Ordering::Relaxed);
        let server = self.server();
        Box::pin(async move {
            let mut endpoint = server?.http().loopback_only();
            endpoint.call(request).await.map_err(|never| match never {})
        })
    }
}
