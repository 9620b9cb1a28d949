//! Putting a server together.

use std::sync::Arc;

use mrtr_core::wire::{DiscoverResult, Implementation, RawObject, ServerCapabilities, meta_key};

use super::{Inner, Server};

/// Collects what a server offers; [`build`](Self::build) checks it all.
#[must_use = "a builder does nothing until `build` is called"]
#[derive(Debug)]
pub struct ServerBuilder {
    info: Implementation,
}

impl ServerBuilder {
    pub(super) const fn new(info: Implementation) -> Self {
        Self { info }
    }

    /// The server.
    ///
    /// # Errors
    /// When something it was given is wrong.
    pub fn build(self) -> Result<Server, serde_json::Error> {
        let mut meta = RawObject::new();
        meta.insert_as(meta_key::SERVER_INFO, &self.info)?;
        let mut discover = DiscoverResult::new(ServerCapabilities::default());
        discover.meta = Some(meta);
        let discover = serde_json::to_vec(&discover)?.into();
        Ok(Server {
            inner: Arc::new(Inner {
                info: self.info,
                discover,
            }),
        })
    }
}
