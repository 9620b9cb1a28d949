//! What handlers return.

mod prompt;
mod resource;
mod tool;

pub use prompt::PromptOutput;
pub use resource::ResourceOutput;
pub use tool::ToolOutput;

/// A value that is written as JSON.
///
/// From a tool it becomes `structuredContent`, its text as well for clients
/// that read only `content`, and its type becomes the tool's `outputSchema`.
/// From a resource it becomes `application/json` text.
///
/// ```
/// use mrtr::server::{Json, tool};
/// use mrtr::{Cx, ToolError};
/// use schemars::JsonSchema;
/// use serde::Serialize;
///
/// #[derive(Serialize, JsonSchema)]
/// struct Weather {
///     celsius: f64,
/// }
///
/// async fn weather(_: Cx, _: ()) -> Result<Json<Weather>, ToolError> {
///     Ok(Json(Weather { celsius: 21.5 }))
/// }
/// let weather = tool("weather", weather);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);
