//! Saving a call and going on with it in another process.

use std::path::Path;
use std::sync::Arc;

use mrtr_core::exchange::{HeaderNames, IfSent, Peer, Pending};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Caching, Call};
use crate::client::Client;
use crate::client::error::ClientError;
use crate::client::store::{SaveError, Store};
use crate::headers::ParamHeaders;

impl Call {
    /// Saves the call to `path`, so that [`Client::resume`] can go on with it in another process.
    ///
    /// The file holds parameters, questions and state, never credentials; only its owner can read it.
    /// From here on it follows the call: it is marked as sent before a request leaves, rewritten with
    /// each round, and removed when the call is done. It is locked until the call is dropped. What is
    /// in `path` is replaced.
    ///
    /// Files are written at once, on the calling thread.
    ///
    /// # Errors
    /// [`ClientError::Save`] when the file cannot be written or another process has it;
    /// [`ClientError::Exchange`] when the call has not begun or is over.
    pub async fn save(&mut self, path: impl AsRef<Path>) -> Result<(), ClientError> {
        if self.client.session.server().is_none() {
            // The name is worth a request, but not an error.
            let _ = self.client.discover_with(Caching::Renew).await;
        }
        let text = self.pending()?;
        let path = path.as_ref();
        let store = match self.store.take().filter(|store| store.path() == path) {
            Some(store) => store,
            None => Store::open(path)?,
        };
        store.write(&text)?;
        self.store = Some(store);
        Ok(())
    }

    fn pending(&self) -> Result<String, ClientError> {
        let session = &self.client.session;
        let peer = Peer {
            target: session.target.clone(),
            server: session.server(),
        };
        let names = self
            .mirror
            .as_deref()
            .map(ParamHeaders::names)
            .unwrap_or_default();
        let pending = self
            .exchange
            .pending(&peer, names, session.clock.now())
            .map_err(|misuse| ClientError::Exchange(misuse.into()))?;
        Ok(pending.to_json().map_err(SaveError::document)?)
    }

    /// Brings the saved file, if there is one, up to date.
    pub(super) fn rewrite(&self) -> Result<(), ClientError> {
        if let Some(store) = &self.store {
            store.write(&self.pending()?)?;
        }
        Ok(())
    }
}

impl Client {
    /// Goes on with a call that was [saved](Call::save). Nothing of it is sent yet: declare what will
    /// be answered and drive it like a new one.
    ///
    /// The saved call must belong to this client's server: the same URL or command, and the same name
    /// that the server gives itself (which is asked for, unless it gave none). A call whose last
    /// request may have been carried out is resumed only with [`IfSent::SendAgain`].
    ///
    /// # Errors
    /// [`ClientError::Save`] when the file cannot be read, is in use, or must not go on here.
    pub async fn resume(
        &self,
        path: impl AsRef<Path>,
        if_sent: IfSent,
    ) -> Result<Call, ClientError> {
        let store = Store::open(path.as_ref())?;
        let pending = Pending::from_json(&store.read()?).map_err(SaveError::document)?;
        let limits = self.session.limits.call;
        let mut peer = pending.peer().clone();
        self.session.target.clone_into(&mut peer.target);
        let mut exchange = pending
            .resume(&peer, limits, if_sent)
            .map_err(SaveError::resume)?;
        if peer.server.is_some() {
            self.discover_with(Caching::Renew).await?;
            peer.server = self.session.server();
            exchange = pending
                .resume(&peer, limits, if_sent)
                .map_err(SaveError::resume)?;
        }
        let params = Params::of(pending.params());
        let mut call = Call::with_exchange(self, exchange, params.name, params.arguments);
        call.mirror = Some(mirror(pending.headers())?).filter(|_| call.is_mirrored());
        call.store = Some(store);
        Ok(call)
    }
}

fn mirror(names: &HeaderNames) -> Result<Arc<ParamHeaders>, ClientError> {
    let headers = ParamHeaders::from_names(names);
    let invalid = || SaveError::document("the saved call has a header name that is none");
    Ok(Arc::new(headers.ok_or_else(invalid)?))
}

/// What headers are made of.
#[derive(Default)]
struct Params {
    name: Option<String>,
    arguments: Option<Box<RawValue>>,
}

impl Params {
    fn of(params: &RawValue) -> Self {
        #[derive(Default, Deserialize)]
        struct Members {
            name: Option<String>,
            uri: Option<String>,
            arguments: Option<Box<RawValue>>,
        }
        let Members {
            name,
            uri,
            arguments,
        } = serde_json::from_str(params.get()).unwrap_or_default();
        Self {
            name: name.or(uri),
            arguments,
        }
    }
}
