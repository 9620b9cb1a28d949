//! The folders a client works in. Deprecated by this revision, still complete.

use super::RawObject;
use super::object::object;

object! {
    /// A root folder of the client. Deprecated by this revision.
    ///
    /// Implements [`Root`](https://modelcontextprotocol.io/specification/2026-07-28/schema#root).
    pub struct Root {
        /// Its address; must start with `file://`.
        req uri: String = "uri",
        /// What to call it.
        opt name: String = "name",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

impl Root {
    /// A root without a name.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// Asks for the client's root folders. Deprecated by this revision.
    ///
    /// Implements [`ListRootsRequest`](https://modelcontextprotocol.io/specification/2026-07-28/schema#listrootsrequest).
    #[derive(Default)]
    pub struct ListRootsRequest("method" = "roots/list") {
        /// Nothing but metadata.
        opt params: RawObject = "params",
    }
}

object! {
    /// The client's root folders. Deprecated by this revision.
    ///
    /// Implements [`ListRootsResult`](https://modelcontextprotocol.io/specification/2026-07-28/schema#listrootsresult).
    #[derive(Default)]
    pub struct ListRootsResult {
        /// The folders.
        req roots: Vec<Root> = "roots",
    }
}

impl ListRootsResult {
    /// These folders.
    #[must_use]
    pub const fn new(roots: Vec<Root>) -> Self {
        Self {
            roots,
            extra: RawObject::new(),
        }
    }

    /// Checks what the types do not say.
    ///
    /// # Errors
    /// When a root is not a `file://` address.
    pub fn validate(&self) -> Result<(), String> {
        match self
            .roots
            .iter()
            .find(|root| !root.uri.starts_with("file://"))
        {
            Some(root) => Err(format!(
                "root `{}` is not a file:// address",
                super::raw::excerpt(&root.uri)
            )),
            None => Ok(()),
        }
    }
}
