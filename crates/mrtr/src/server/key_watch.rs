//! Following the key file while the server runs.

use std::future::Future;
use std::time::Duration;

use tokio::task::{AbortHandle, spawn_blocking};

use super::{KeysError, Server};

/// Between two looks at the key file.
const EVERY: Duration = Duration::from_secs(1);

impl Server {
    /// Reads the [key file](super::ServerBuilder::key_file) every second and
    /// takes over what changed, however it got there: written in place, renamed
    /// over the old one, or behind a symbolic link that was swapped. A file that
    /// cannot be read or holds no usable keys leaves the keys as they are, and an
    /// error in the log.
    ///
    /// A [listener](super::http::Listener) and [stdio](super::Stdio) do this by
    /// themselves. Where [`Http`](super::Http) is mounted in another server,
    /// spawn this future. It ends at once when there is no key file, and
    /// otherwise never.
    pub fn watch_keys(&self) -> impl Future<Output = ()> + Send + use<> {
        let server = self.clone();
        async move {
            let Some(file) = server.inner.keychain.file() else {
                return;
            };
            let mut told = None;
            loop {
                let followed = server.look().await.map_err(|error| error.to_string());
                match (followed, &told) {
                    (Ok(()), None) => {}
                    (Ok(()), Some(_)) => {
                        tracing::warn!(file = %file.display(), "the key file is readable again");
                        told = None;
                    }
                    // Once for each way of being broken, not every second.
                    (Err(error), Some(before)) if error == *before => {}
                    (Err(error), _) => {
                        tracing::error!(error, "the keys stay as they are");
                        told = Some(error);
                    }
                }
                server.inner.runtime.sleep(EVERY).await;
            }
        }
    }

    /// Looks at the file where waiting for a disk holds up nobody.
    async fn look(&self) -> Result<(), KeysError> {
        let server = self.clone();
        let looked = spawn_blocking(move || server.follow_keys()).await;
        looked.unwrap_or(Ok(()))
    }

    /// Follows the key file, if there is one, until what is returned is
    /// dropped.
    pub(crate) fn watching_keys(&self) -> Watching {
        let file = self.inner.keychain.file();
        Watching(file.map(|_| tokio::spawn(self.watch_keys()).abort_handle()))
    }
}

/// Ends with whatever serves.
pub(crate) struct Watching(Option<AbortHandle>);

impl Drop for Watching {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}
