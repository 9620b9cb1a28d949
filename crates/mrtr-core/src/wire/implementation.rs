//! What a client or a server says it is.

use super::RawObject;
use super::object::object;

object! {
    /// Name and version of a client or server, as it says itself: for display and logs, never for
    /// decisions.
    ///
    /// Implements [`Implementation`](https://modelcontextprotocol.io/specification/2026-07-28/schema#implementation).
    pub struct Implementation {
        /// The name for programs.
        req name: String = "name",
        /// The name for people.
        opt title: String = "title",
        /// The version.
        req version: String = "version",
        /// What it does.
        opt description: String = "description",
        /// Where to read about it.
        opt website_url: String = "websiteUrl",
        /// Pictures of it.
        opt icons: Vec<Icon> = "icons",
    }
}

impl Implementation {
    /// Something with this name and version.
    #[must_use]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            version: version.into(),
            description: None,
            website_url: None,
            icons: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// A picture that stands for something. Whoever shows it must not trust it.
    ///
    /// Implements [`Icon`](https://modelcontextprotocol.io/specification/2026-07-28/basic#icons).
    pub struct Icon {
        /// An `https:` or `data:` address.
        req src: String = "src",
        /// The MIME type.
        opt mime_type: String = "mimeType",
        /// Sizes such as `48x48`, or `any`.
        opt sizes: Vec<String> = "sizes",
        /// `light` or `dark`.
        opt theme: String = "theme",
    }
}

impl Icon {
    /// A picture at this address.
    #[must_use]
    pub fn new(src: impl Into<String>) -> Self {
        Self {
            src: src.into(),
            mime_type: None,
            sizes: None,
            theme: None,
            extra: RawObject::new(),
        }
    }
}
