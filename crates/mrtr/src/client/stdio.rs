//! JSON-RPC over standard streams and over any stream like them.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite};

use super::error::Unreachable;
use super::leg::{Fault, Leg};
use super::limits::ClientLimits;
use super::listener::Listener;
use super::trace::Hooks;

mod lines;
mod process;
mod table;

pub(crate) use lines::{InFlight, Lines};
pub use process::Stderr;
pub(crate) use process::{Process, Spec};

pub(crate) type Reader = Box<dyn AsyncRead + Send + Unpin>;
pub(crate) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// How a connection comes about.
pub(crate) enum Start {
    /// As often as needed.
    Command(Spec),
    /// Once.
    Stream(Mutex<Option<(Reader, Writer)>>),
}

/// A server on a byte stream. At most one connection is in use.
pub(crate) struct Stdio {
    start: Start,
    limits: ClientLimits,
    hooks: Hooks,
    peer: tokio::sync::Mutex<Option<Arc<Peer>>>,
}

/// A connection, and the process at its other end if there is one.
pub(crate) enum Peer {
    Child(Process),
    Stream(Lines),
}

impl Stdio {
    pub(crate) fn new(start: Start, limits: ClientLimits, hooks: Hooks) -> Self {
        Self {
            start,
            limits,
            hooks,
            peer: tokio::sync::Mutex::new(None),
        }
    }

    /// The place of the connection; whoever holds it may open one.
    pub(crate) async fn place(&self) -> tokio::sync::MutexGuard<'_, Option<Arc<Peer>>> {
        self.peer.lock().await
    }

    /// # Errors
    /// When the program cannot be started, or the stream is used up.
    pub(crate) fn open(&self) -> Result<Peer, Unreachable> {
        let hooks = self.hooks.clone();
        let limit = self.limits.message;
        match &self.start {
            Start::Command(spec) => {
                Process::start(spec, hooks, limit, self.limits.shutdown).map(Peer::Child)
            }
            Start::Stream(halves) => {
                let halves = halves.lock().unwrap_or_else(PoisonError::into_inner).take();
                let (reader, writer) = halves.ok_or_else(|| {
                    Unreachable::new("the stream was closed; make a client with a new one")
                })?;
                Ok(Peer::Stream(Lines::start(reader, writer, hooks, limit)))
            }
        }
    }

    /// Shuts the connection down and waits for the end of the process.
    pub(crate) async fn close(&self) {
        let peer = self.peer.lock().await.take();
        match peer.as_deref() {
            Some(Peer::Child(process)) => process.close().await,
            Some(Peer::Stream(lines)) => lines.end(),
            None => {}
        }
    }
}

impl Peer {
    pub(crate) fn lines(&self) -> &Lines {
        match self {
            Self::Child(process) => &process.lines,
            Self::Stream(lines) => lines,
        }
    }

    /// `reason`, and what is known of the process.
    pub(crate) async fn explain(&self, reason: &str) -> String {
        match self {
            Self::Child(process) => process.explain(reason).await,
            Self::Stream(_) => reason.to_owned(),
        }
    }
}

/// A subscription on a connection, which it keeps open. Dropping it tells the server.
pub(crate) struct Listening {
    // Told before the connection can go.
    _in_flight: InFlight,
    _peer: Arc<Peer>,
}

impl Listening {
    pub(crate) fn new(
        peer: &Arc<Peer>,
        leg: &Leg,
        listener: &Arc<Listener>,
    ) -> Result<Self, Fault> {
        Ok(Self {
            _in_flight: peer.lines().listen(leg, listener)?,
            _peer: Arc::clone(peer),
        })
    }
}
