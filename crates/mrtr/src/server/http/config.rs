//! What can be set on the HTTP side of a server.

use std::time::Duration;

use super::guard::Guard;
use super::health::Probes;
use crate::server::Closing;

/// Limits of one endpoint. Every bound has a default that suits a server on the open network.
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) guard: Guard,
    /// Bytes of a request body.
    pub(super) body_limit: usize,
    /// For a whole request body to arrive.
    pub(super) body_timeout: Duration,
    /// From the first notification until the reply becomes an event stream.
    pub(super) hold: Duration,
    /// Notifications kept for a client that does not read.
    pub(super) queue: usize,
    /// Between comments in a silent event stream.
    pub(super) keep_alive: Duration,
    /// When the own listener stops.
    pub(super) closing: Closing,
    pub(super) probes: Option<Probes>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            guard: Guard::default(),
            body_limit: 4 * 1024 * 1024,
            body_timeout: Duration::from_secs(30),
            hold: Duration::from_millis(100),
            queue: 64,
            keep_alive: Duration::from_secs(15),
            closing: Closing::default(),
            probes: None,
        }
    }
}

/// Limits of a listener.
#[derive(Clone, Debug)]
pub(super) struct ListenerConfig {
    /// Where the endpoint is.
    pub(super) path: String,
    pub(super) max_connections: usize,
    /// For the whole head of a request, and between requests on one connection.
    pub(super) header_timeout: Duration,
    /// Without any progress of a reply.
    pub(super) write_timeout: Duration,
    /// Between the word that the server stops and its end for new requests.
    pub(super) drain_delay: Duration,
    /// For what runs when the server stops.
    pub(super) grace: Duration,
}

impl Default for ListenerConfig {
    fn default() -> Self {
        Self {
            path: "/mcp".to_owned(),
            max_connections: 1024,
            header_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            drain_delay: Duration::ZERO,
            grace: Duration::from_secs(10),
        }
    }
}
