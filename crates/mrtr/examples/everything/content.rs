//! Tools that answer with content of every kind.

use mrtr::server::{ServerBuilder, tool};
use mrtr::wire::{AudioContent, ContentBlock, EmbeddedResource, ResourceContents};
use mrtr::{Cx, ToolError};

/// A PNG of one red pixel.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A WAV without samples.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

async fn simple_text(_: Cx, (): ()) -> Result<&'static str, ToolError> {
    Ok("This is a simple text response for testing.")
}

async fn image(_: Cx, (): ()) -> Result<ContentBlock, ToolError> {
    Ok(ContentBlock::image(PNG, "image/png"))
}

async fn audio(_: Cx, (): ()) -> Result<ContentBlock, ToolError> {
    Ok(ContentBlock::Audio(AudioContent::new(WAV, "audio/wav")))
}

async fn embedded(_: Cx, (): ()) -> Result<ContentBlock, ToolError> {
    let text = "This is an embedded resource content.";
    let resource = ResourceContents::text("test://embedded-resource", text).mime_type("text/plain");
    Ok(ContentBlock::Resource(EmbeddedResource::new(resource)))
}

async fn several(_: Cx, (): ()) -> Result<Vec<ContentBlock>, ToolError> {
    let json = r#"{"test":"data","value":123}"#;
    let resource =
        ResourceContents::text("test://mixed-content-resource", json).mime_type("application/json");
    Ok(vec![
        ContentBlock::text("Multiple content types test:"),
        ContentBlock::image(PNG, "image/png"),
        ContentBlock::Resource(EmbeddedResource::new(resource)),
    ])
}

async fn fails(_: Cx, (): ()) -> Result<(), ToolError> {
    Err(ToolError::visible(
        "This tool intentionally returns an error for testing",
    ))
}

/// The first tool of the server takes no arguments and needs nothing of the client.
pub(crate) fn register(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(tool("test_simple_text", simple_text).description("Gives a text"))
        .tool(tool("test_image_content", image).description("Gives an image"))
        .tool(tool("test_audio_content", audio).description("Gives audio"))
        .tool(tool("test_embedded_resource", embedded).description("Gives a resource"))
        .tool(tool("test_multiple_content_types", several).description("Gives several contents"))
        .tool(tool("test_error_handling", fails).description("Always fails"))
}
