//! Resources: what a server can be read from.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::value::RawValue;

use super::object::object;
use super::tagged::decode;
use super::{Annotations, CacheScope, Icon, RawObject};

object! {
    /// A resource that can be read.
    ///
    /// Implements [`Resource`](https://modelcontextprotocol.io/specification/2026-07-28/schema#resource).
    pub struct Resource {
        /// Its address.
        req uri: String = "uri",
        /// The name for programs.
        req name: String = "name",
        /// The name for people.
        opt title: String = "title",
        /// What it holds.
        opt description: String = "description",
        /// The MIME type.
        opt mime_type: String = "mimeType",
        /// Hints for the client.
        opt annotations: Annotations = "annotations",
        /// How many bytes it has, unencoded.
        opt size: u64 = "size",
        /// Pictures of it.
        opt icons: Vec<Icon> = "icons",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

impl Resource {
    /// A resource with this address and name.
    #[must_use]
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            annotations: None,
            size: None,
            icons: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// A pattern of addresses that can be read.
    ///
    /// Implements [`ResourceTemplate`](https://modelcontextprotocol.io/specification/2026-07-28/schema#resourcetemplate).
    pub struct ResourceTemplate {
        /// The pattern, RFC 6570.
        req uri_template: String = "uriTemplate",
        /// The name for programs.
        req name: String = "name",
        /// The name for people.
        opt title: String = "title",
        /// What the resources hold.
        opt description: String = "description",
        /// The MIME type, when all have the same.
        opt mime_type: String = "mimeType",
        /// Hints for the client.
        opt annotations: Annotations = "annotations",
        /// Pictures of them.
        opt icons: Vec<Icon> = "icons",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

impl ResourceTemplate {
    /// A pattern with this name.
    #[must_use]
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            annotations: None,
            icons: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

object! {
    /// Contents that are text.
    ///
    /// Implements [`TextResourceContents`](https://modelcontextprotocol.io/specification/2026-07-28/schema#textresourcecontents).
    pub struct TextResourceContents {
        /// The address it was read from.
        req uri: String = "uri",
        /// The MIME type.
        opt mime_type: String = "mimeType",
        /// The text.
        req text: String = "text",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

object! {
    /// Contents that are bytes.
    ///
    /// Implements [`BlobResourceContents`](https://modelcontextprotocol.io/specification/2026-07-28/schema#blobresourcecontents).
    pub struct BlobResourceContents {
        /// The address it was read from.
        req uri: String = "uri",
        /// The MIME type.
        opt mime_type: String = "mimeType",
        /// The bytes in base64.
        req blob: String = "blob",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

/// What a resource holds: text or bytes, told apart by whether there is a `text`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum ResourceContents {
    /// Text.
    Text(TextResourceContents),
    /// Bytes.
    Blob(BlobResourceContents),
}

impl ResourceContents {
    /// Text read from `uri`.
    #[must_use]
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        let (uri, text, extra) = (uri.into(), text.into(), RawObject::new());
        Self::Text(TextResourceContents {
            uri,
            mime_type: None,
            text,
            meta: None,
            extra,
        })
    }

    /// Bytes read from `uri`; `blob` is base64.
    #[must_use]
    pub fn blob(uri: impl Into<String>, blob: impl Into<String>) -> Self {
        let (uri, blob, extra) = (uri.into(), blob.into(), RawObject::new());
        Self::Blob(BlobResourceContents {
            uri,
            mime_type: None,
            blob,
            meta: None,
            extra,
        })
    }

    /// Sets the MIME type.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        let slot = match &mut self {
            Self::Text(contents) => &mut contents.mime_type,
            Self::Blob(contents) => &mut contents.mime_type,
        };
        *slot = Some(mime_type.into());
        self
    }

    /// The address it was read from.
    #[must_use]
    pub fn uri(&self) -> &str {
        match self {
            Self::Text(contents) => &contents.uri,
            Self::Blob(contents) => &contents.uri,
        }
    }
}

impl<'de> Deserialize<'de> for ResourceContents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let members: RawObject = decode(&raw)?;
        match (members.get("text"), members.get("blob")) {
            (Some(_), _) => decode(&raw).map(Self::Text),
            (None, Some(_)) => decode(&raw).map(Self::Blob),
            (None, None) => Err(D::Error::custom(
                "resource contents must have `text` or `blob`",
            )),
        }
    }
}

object! {
    /// What reading a resource gives.
    ///
    /// Implements [`ReadResourceResult`](https://modelcontextprotocol.io/specification/2026-07-28/schema#readresourceresult).
    pub struct ReadResourceResult(lenient "resultType" = "complete") {
        /// The contents; several when the resource is a folder, for example.
        req contents: Vec<ResourceContents> = "contents",
        /// For how many milliseconds a client may keep it.
        opt ttl_ms: i64 = "ttlMs",
        /// Who may share a kept copy.
        opt cache_scope: CacheScope = "cacheScope",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

impl ReadResourceResult {
    /// These contents, not to be kept: what a resource says may depend on who reads it.
    #[must_use]
    pub fn new(contents: Vec<ResourceContents>) -> Self {
        Self {
            contents,
            ttl_ms: Some(0),
            cache_scope: Some(CacheScope::Private),
            meta: None,
            extra: RawObject::new(),
        }
    }
}
