//! Tools that ask. Nothing is held between the rounds: each handler runs again with the answers.

use mrtr::server::{Notify as _, ServerBuilder, tool};
use mrtr::wire::{Capability, CreateMessageRequest, Role, Root, SamplingContent, SamplingMessage};
use mrtr::{Cx, Form, ToolError};

#[derive(Form)]
struct Name {
    name: String,
}

#[derive(Form)]
struct Color {
    color: String,
}

#[derive(Form)]
struct Consent {
    ok: bool,
}

fn question(text: &str, max_tokens: u64) -> CreateMessageRequest {
    let message = SamplingMessage::new(Role::User, SamplingContent::text(text));
    CreateMessageRequest::new(vec![message], max_tokens)
}

fn listed(roots: &[Root]) -> String {
    let uris: Vec<&str> = roots.iter().map(|root| root.uri.as_str()).collect();
    uris.join(", ")
}

async fn elicitation(cx: Cx, (): ()) -> Result<String, ToolError> {
    let Name { name } = cx.elicit("user_name", "What is your name?").await?;
    Ok(format!("Hello, {name}!"))
}

async fn streaming(cx: Cx, (): ()) -> Result<String, ToolError> {
    cx.progress(1.0, 2.0, "about to ask");
    elicitation(cx, ()).await
}

async fn sampling(cx: Cx, (): ()) -> Result<String, ToolError> {
    let request = question("What is the capital of France?", 100);
    let answer = cx.sample("capital_question", request).await?;
    Ok(answer.content.to_text())
}

async fn roots(cx: Cx, (): ()) -> Result<String, ToolError> {
    let roots = cx.roots("client_roots").await?;
    Ok(format!("Roots: {}", listed(&roots)))
}

async fn state(cx: Cx, (): ()) -> Result<&'static str, ToolError> {
    let consent: Consent = cx.elicit("confirm", "Please confirm").asked().await?;
    Ok(match consent.ok {
        true => "state-ok",
        false => "state-ok, not confirmed",
    })
}

async fn several(cx: Cx, (): ()) -> Result<String, ToolError> {
    let name = cx.elicit("user_name", "What is your name?");
    let greeting = cx.sample("greeting", question("Generate a greeting", 50));
    let roots = cx.roots("client_roots");
    // All three are issued, so all three are asked in one round.
    let (Name { name }, greeting, roots) = (name.await?, greeting.await?, roots.await?);
    let greeting = greeting.content.to_text();
    Ok(format!("{greeting} {name}, at {}", listed(&roots)))
}

async fn rounds(cx: Cx, (): ()) -> Result<String, ToolError> {
    let Name { name } = cx.elicit("step1", "Step 1: What is your name?").await?;
    let Color { color } = cx
        .elicit("step2", "Step 2: What is your favorite color?")
        .await?;
    Ok(format!("{name} likes {color}."))
}

/// Asks for whatever the client can be asked.
async fn capable(cx: Cx, (): ()) -> Result<String, ToolError> {
    let mut told = Vec::new();
    if cx.can_ask(Capability::ElicitationForm) {
        let Name { name } = cx.elicit("user_name", "What is your name?").await?;
        told.push(name);
    }
    if cx.can_ask(Capability::Sampling) {
        let answer = cx.sample("greeting", question("Generate a greeting", 50));
        told.push(answer.await?.content.to_text());
    }
    Ok(told.join(" "))
}

pub(crate) fn register(builder: ServerBuilder) -> ServerBuilder {
    builder
        .tool(
            tool("test_input_required_result_elicitation", elicitation).description("Asks a name"),
        )
        .tool(tool("test_input_required_result_sampling", sampling).description("Asks the model"))
        .tool(tool("test_input_required_result_list_roots", roots).description("Asks for roots"))
        .tool(tool("test_input_required_result_request_state", state).description("Keeps state"))
        .tool(tool("test_input_required_result_tampered_state", state).description("Seals state"))
        .tool(
            tool("test_input_required_result_multiple_inputs", several)
                .description("Asks three questions at once"),
        )
        .tool(
            tool("test_input_required_result_multi_round", rounds)
                .description("Asks one question after another"),
        )
        .tool(
            tool("test_input_required_result_capabilities", capable)
                .description("Asks what the client can answer"),
        )
        .tool(tool("test_streaming_elicitation", streaming).description("Tells, then asks"))
        .tool(
            tool("test_missing_capability", sampling)
                .description("Needs a model")
                .requires(Capability::Sampling),
        )
}
