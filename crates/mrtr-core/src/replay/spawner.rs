//! Running work by itself, which the core cannot do.

use std::future::Future;
use std::pin::Pin;

/// Work that is to run to its end, whoever waits for it.
pub type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// How a round starts work that outlives it: given by whoever runs it, as the
/// core has no runtime.
///
/// Needed for [`shield`](super::Cx::shield).
pub trait Spawner: Send + Sync {
    /// Runs `task` to its end. A panic of the task is one that nobody else
    /// learns of.
    fn spawn(&self, task: Task);
}
