//! Work that outlives the request which began it.

use std::pin::pin;
use std::sync::Arc;

use mrtr_core::replay::{Spawner, Task};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};
use tracing::Instrument as _;

use super::panic::catch;
use super::{Server, ServerBuilder};

/// Runs shielded work, and what the server itself has to bring to its end, on
/// tokio; knows how much of it runs.
#[derive(Debug)]
pub(crate) struct Tasks {
    running: watch::Sender<usize>,
    shielded: Arc<Semaphore>,
}

impl Tasks {
    /// At most so many pieces of shielded work at a time.
    pub(super) fn new(shielded: usize) -> Self {
        Self {
            running: watch::Sender::default(),
            shielded: Arc::new(Semaphore::new(shielded.min(Semaphore::MAX_PERMITS))),
        }
    }

    /// Resolves once nothing runs.
    pub(crate) async fn ended(&self) {
        // Fails only when the sender is gone, which is here.
        let _ = self.running.subscribe().wait_for(|n| *n == 0).await;
    }

    pub(crate) fn running(&self) -> usize {
        *self.running.borrow()
    }

    /// Runs a task of the server itself. Without a runtime, which has ended
    /// then, it is dropped.
    pub(super) fn run(&self, task: impl Future<Output = ()> + Send + 'static) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let running = Running::begin(&self.running);
        let task = async move {
            let _running = running;
            if let Err(panic) = catch(pin!(task)).await {
                tracing::error!(panic, "work panicked after its request had ended");
            }
        };
        runtime.spawn(task.in_current_span());
    }
}

impl Spawner for Tasks {
    fn spawn(&self, task: Task) {
        let Ok(slot) = self.shielded.clone().try_acquire_owned() else {
            // Dropped, the task is a fault of its handler.
            tracing::error!("too much shielded work runs to begin more");
            return;
        };
        self.run(async move {
            task.await;
            drop(slot);
        });
    }
}

/// One that counts, until it is dropped.
struct Running(watch::Sender<usize>);

impl Running {
    fn begin(running: &watch::Sender<usize>) -> Self {
        running.send_modify(|n| *n += 1);
        Self(running.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.send_modify(|n| *n -= 1);
    }
}

impl ServerBuilder {
    /// Most pieces of [shielded](crate::Cx::shield) work that run at a time. It
    /// goes on when its client has gone, so nothing else bounds it; a further
    /// one does not begin, and its handler ends with a fault. Default 1024.
    pub fn max_shielded(mut self, pieces: usize) -> Self {
        self.max_shielded = pieces;
        self
    }
}

impl Server {
    /// Resolves once no [shielded](crate::Cx::shield) work runs.
    ///
    /// The own listener and stdio wait for that by themselves when they stop. A
    /// program that mounts the service elsewhere does it before it ends, with a
    /// bound:
    ///
    /// ```
    /// # use mrtr::server::Server;
    /// # use std::time::Duration;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), mrtr::server::BuildError> {
    /// let server = Server::builder("travel", "1.0.0").build()?;
    /// // axum::serve(..).with_graceful_shutdown(..).await?;
    /// let _ = tokio::time::timeout(Duration::from_secs(10), server.shielded_ended()).await;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn shielded_ended(&self) {
        self.inner.tasks.ended().await;
    }
}
