//! Content of tool results and prompts: text, images, audio, links and embedded resources.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::Decimal;
use super::object::{object, same_json};
use super::tagged::{decode, tag_of};
use super::{RawObject, Resource, ResourceContents};

/// Who says or hears something in a conversation.
///
/// Implements [`Role`](https://modelcontextprotocol.io/specification/2026-07-28/schema#role).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// The person, or whoever speaks for them.
    User,
    /// The model.
    Assistant,
}

object! {
    /// Hints on how content is meant to be used.
    ///
    /// Implements [`Annotations`](https://modelcontextprotocol.io/specification/2026-07-28/schema#annotations).
    #[derive(Default)]
    pub struct Annotations {
        /// For whom it is.
        opt audience: Vec<Role> = "audience",
        /// How important it is, from 0 (optional) to 1 (required).
        opt priority: Decimal = "priority",
        /// When it was last changed, ISO 8601.
        opt last_modified: String = "lastModified",
    }
}

object! {
    /// Text.
    ///
    /// Implements [`TextContent`](https://modelcontextprotocol.io/specification/2026-07-28/schema#textcontent).
    pub struct TextContent("type" = "text") {
        /// The text.
        req text: String = "text",
        /// Hints for the client.
        opt annotations: Annotations = "annotations",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

object! {
    /// A picture.
    ///
    /// Implements [`ImageContent`](https://modelcontextprotocol.io/specification/2026-07-28/schema#imagecontent).
    pub struct ImageContent("type" = "image") {
        /// The bytes in base64.
        req data: String = "data",
        /// Their MIME type, such as `image/png`.
        req mime_type: String = "mimeType",
        /// Hints for the client.
        opt annotations: Annotations = "annotations",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

object! {
    /// A sound.
    ///
    /// Implements [`AudioContent`](https://modelcontextprotocol.io/specification/2026-07-28/schema#audiocontent).
    pub struct AudioContent("type" = "audio") {
        /// The bytes in base64.
        req data: String = "data",
        /// Their MIME type, such as `audio/wav`.
        req mime_type: String = "mimeType",
        /// Hints for the client.
        opt annotations: Annotations = "annotations",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

object! {
    /// The contents of a resource, inside a result.
    ///
    /// Implements [`EmbeddedResource`](https://modelcontextprotocol.io/specification/2026-07-28/schema#embeddedresource).
    pub struct EmbeddedResource("type" = "resource") {
        /// What the resource holds.
        req resource: ResourceContents = "resource",
        /// Hints for the client.
        opt annotations: Annotations = "annotations",
        /// Metadata.
        opt meta: RawObject = "_meta",
    }
}

/// One piece of a tool result or a prompt message.
///
/// Implements [`ContentBlock`](https://modelcontextprotocol.io/specification/2026-07-28/schema#contentblock).
///
/// ```
/// use mrtr_core::wire::ContentBlock;
///
/// let block = ContentBlock::text("Booked.");
/// assert_eq!(serde_json::to_string(&block)?, r#"{"type":"text","text":"Booked."}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text(TextContent),
    /// A picture.
    Image(ImageContent),
    /// A sound.
    Audio(AudioContent),
    /// A resource that can be read. Written with `"type":"resource_link"`.
    ResourceLink(Box<Resource>),
    /// A resource with its contents.
    Resource(EmbeddedResource),
    /// A kind of block this library does not know, kept as it came.
    Other(Box<RawValue>),
}

impl ContentBlock {
    /// A block of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// A picture; `data` is base64.
    #[must_use]
    pub fn image(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Image(ImageContent::new(data, mime_type))
    }

    /// The text, when the block is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

impl TextContent {
    /// Whether there is nothing but the text.
    pub(super) fn is_bare(&self) -> bool {
        self.annotations.is_none() && self.meta.is_none() && self.extra.is_empty()
    }

    /// Text without annotations.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            annotations: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl ImageContent {
    /// A picture without annotations; `data` is base64.
    #[must_use]
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl AudioContent {
    /// A sound without annotations; `data` is base64.
    #[must_use]
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl EmbeddedResource {
    /// A resource without annotations.
    #[must_use]
    pub fn new(resource: ResourceContents) -> Self {
        Self {
            resource,
            annotations: None,
            meta: None,
            extra: RawObject::new(),
        }
    }
}

impl From<TextContent> for ContentBlock {
    fn from(content: TextContent) -> Self {
        Self::Text(content)
    }
}

impl From<Resource> for ContentBlock {
    fn from(resource: Resource) -> Self {
        Self::ResourceLink(Box::new(resource))
    }
}

impl From<EmbeddedResource> for ContentBlock {
    fn from(content: EmbeddedResource) -> Self {
        Self::Resource(content)
    }
}

/// Equal when both are written as the same JSON text.
impl PartialEq for ContentBlock {
    fn eq(&self, other: &Self) -> bool {
        same_json(self, other)
    }
}

const LINK: &str = "resource_link";

impl Serialize for ContentBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(content) => content.serialize(serializer),
            Self::Image(content) => content.serialize(serializer),
            Self::Audio(content) => content.serialize(serializer),
            Self::ResourceLink(resource) => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("type", LINK)?;
                resource.write(&mut map)?;
                map.end()
            }
            Self::Resource(content) => content.serialize(serializer),
            Self::Other(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let kind = tag_of(&raw, "type").map_err(D::Error::custom)?;
        match kind.as_deref() {
            None => Err(D::Error::missing_field("type")),
            Some("text") => decode(&raw).map(Self::Text),
            Some("image") => decode(&raw).map(Self::Image),
            Some("audio") => decode(&raw).map(Self::Audio),
            Some("resource") => decode(&raw).map(Self::Resource),
            Some(LINK) => {
                let mut resource: Box<Resource> = decode(&raw)?;
                resource.extra.remove("type");
                Ok(Self::ResourceLink(resource))
            }
            Some(_) => {
                drop(kind);
                Ok(Self::Other(raw))
            }
        }
    }
}
