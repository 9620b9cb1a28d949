//! Prompts, one of which asks.

use mrtr::server::{Completing, ServerBuilder, prompt};
use mrtr::wire::{ContentBlock, EmbeddedResource, PromptMessage, ResourceContents, Role};
use mrtr::{Cx, Form, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::content::PNG;

#[derive(Deserialize, JsonSchema)]
struct TwoArguments {
    /// The first test argument.
    arg1: String,
    /// The second test argument.
    arg2: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Embedding {
    /// The resource to embed.
    resource_uri: String,
}

#[derive(Form)]
struct Context {
    context: String,
}

async fn simple(_: Cx, (): ()) -> Result<&'static str, ToolError> {
    Ok("This is a simple prompt for testing.")
}

async fn with_arguments(_: Cx, given: TwoArguments) -> Result<String, ToolError> {
    let TwoArguments { arg1, arg2 } = given;
    Ok(format!(
        "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"
    ))
}

async fn suggestions(typed: Completing) -> Result<Vec<String>, ToolError> {
    Ok(typed.matching(["paris", "park", "party", "test"]))
}

async fn with_resource(_: Cx, given: Embedding) -> Result<Vec<PromptMessage>, ToolError> {
    let text = "Embedded resource content for testing.";
    let resource = ResourceContents::text(given.resource_uri, text).mime_type("text/plain");
    let resource = ContentBlock::Resource(EmbeddedResource::new(resource));
    Ok(vec![
        PromptMessage::new(Role::User, resource),
        PromptMessage::user("Please process the embedded resource above."),
    ])
}

async fn with_image(_: Cx, (): ()) -> Result<Vec<PromptMessage>, ToolError> {
    let image = ContentBlock::image(PNG, "image/png");
    Ok(vec![
        PromptMessage::new(Role::User, image),
        PromptMessage::user("Please analyze the image above."),
    ])
}

async fn asks(cx: Cx, (): ()) -> Result<String, ToolError> {
    let question = "What context should the prompt use?";
    let Context { context } = cx.elicit("user_context", question).await?;
    Ok(format!("Answer in this context: {context}"))
}

pub(crate) fn register(builder: ServerBuilder) -> ServerBuilder {
    builder
        .prompt(prompt("test_simple_prompt", simple).description("One message"))
        .prompt(
            prompt("test_prompt_with_arguments", with_arguments)
                .description("A message made from arguments")
                .complete("arg1", suggestions),
        )
        .prompt(
            prompt("test_prompt_with_embedded_resource", with_resource)
                .description("A message with a resource"),
        )
        .prompt(prompt("test_prompt_with_image", with_image).description("A message with an image"))
        .prompt(prompt("test_input_required_result_prompt", asks).description("Asks for context"))
}
