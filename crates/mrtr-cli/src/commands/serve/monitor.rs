//! The address for whoever watches the server: metrics and probes, and nothing else.

use std::net::SocketAddr;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use mrtr::server::{Http, Server};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::{LIVE, READY, origin};
use crate::exit::Failure;

const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Served until it is dropped.
pub(super) struct Monitor {
    /// Where the metrics are.
    pub(super) url: String,
    serving: JoinHandle<()>,
}

impl Monitor {
    pub(super) async fn start(
        address: SocketAddr,
        server: Server,
        endpoint: &Http,
    ) -> Result<Self, Failure> {
        let cannot_listen =
            |error| Failure::local(error).context(format!("cannot listen on {address}"));
        let socket = TcpListener::bind(address).await.map_err(cannot_listen)?;
        let bound = socket.local_addr().map_err(cannot_listen)?;
        let metrics = move || async move { ([(CONTENT_TYPE, TEXT)], server.metrics()) };
        let router = Router::new()
            .route("/metrics", get(metrics))
            .route_service(LIVE, endpoint.clone())
            .route_service(READY, endpoint.clone());
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(socket, router).await {
                tracing::error!(%error, "the metrics are not served any more");
            }
        });
        let url = format!("{}/metrics", origin(bound));
        Ok(Self { url, serving })
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
