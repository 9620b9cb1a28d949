//! Resources and a template.

use mrtr::server::{Json, ServerBuilder, resource, resource_template};
use mrtr::{Cx, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The bytes of a PNG of one transparent pixel.
const PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0,
    0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 10, b'I', b'D', b'A', b'T',
    0x78, 0x9c, 0x63, 0, 1, 0, 0, 5, 0, 1, 0x0d, 0x0a, 0x2d, 0xb4, 0, 0, 0, 0, b'I', b'E', b'N',
    b'D', 0xae, 0x42, 0x60, 0x82,
];

async fn text(_: Cx, (): ()) -> Result<&'static str, ToolError> {
    Ok("This is the content of the static text resource.")
}

async fn binary(_: Cx, (): ()) -> Result<Vec<u8>, ToolError> {
    Ok(PNG.to_vec())
}

#[derive(Deserialize, JsonSchema)]
struct Which {
    id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    id: String,
    template_test: bool,
    data: String,
}

async fn data(_: Cx, which: Which) -> Result<Json<Data>, ToolError> {
    Ok(Json(Data {
        data: format!("Data for ID: {}", which.id),
        id: which.id,
        template_test: true,
    }))
}

pub(crate) fn register(builder: ServerBuilder) -> ServerBuilder {
    builder
        .resource(
            resource("test://static-text", text)
                .description("A text")
                .mime_type("text/plain"),
        )
        .resource(
            resource("test://static-binary", binary)
                .description("An image")
                .mime_type("image/png"),
        )
        .resource_template(
            resource_template("test://template/{id}/data", data)
                .description("Data by id")
                .mime_type("application/json"),
        )
}
