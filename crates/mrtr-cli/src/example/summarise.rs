//! `summarise`: asks the client's model. Sampling is deprecated by the 2026-07-28 revision.

use mrtr::server::{Tool, tool};
use mrtr::wire::{Capability, CreateMessageRequest, Role, SamplingContent, SamplingMessage};
use mrtr::{Cx, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Summarise {
    /// The text to summarise
    text: String,
}

async fn summarise(cx: Cx, summarise: Summarise) -> Result<String, ToolError> {
    let message = SamplingMessage::new(Role::User, SamplingContent::text(summarise.text));
    let mut request = CreateMessageRequest::new(vec![message], 200);
    request.system_prompt = Some("Summarise the text in one sentence.".to_owned());
    let answer = cx.sample("summary", request).await?;
    Ok(answer.content.to_text())
}

pub(super) fn register() -> Tool {
    tool("summarise", summarise)
        .title("Summarise")
        .description("Summarises a text with the client's own model, which it asks for that.")
        .requires(Capability::Sampling)
        .read_only()
}
