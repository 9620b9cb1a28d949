//! The scenarios. Each fails when what the server says is not what the client should make of it.

use std::env;

use anyhow::{Context as _, Result, bail, ensure};
use mrtr::client::{Answerer, Answers, BoxError, Client, FormQuestion, Turn, UrlQuestion};
use mrtr::wire::{
    Action, CallToolResult, Capabilities, ContentBlock, CreateMessageResult, ElicitResult,
    InputRequest, InputResponse, ListRootsResult, RawObject, TextContent, Tool,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// The names of the scenarios, as the suite gives them.
pub(crate) const NAMES: [&str; 8] = [
    "tools_call",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
];

pub(crate) async fn play(scenario: &str, client: &Client) -> Result<()> {
    match scenario {
        "tools_call" => adds_numbers(client).await,
        "request-metadata" => says_what_it_is(client).await,
        "sep-2322-client-request-state" => answers_questions(client).await,
        "http-standard-headers" => uses_everything(client).await,
        "http-custom-headers" => calls_as_told(client).await,
        "http-invalid-tool-headers" => calls_valid_tools(client).await,
        "json-schema-ref-no-deref" => leaves_references_alone(client).await,
        "json-schema-2020-12-preservation" => repeats_a_schema(client).await,
        _ => bail!("unknown; known are {}", NAMES.join(", ")),
    }
}

async fn adds_numbers(client: &Client) -> Result<()> {
    let tools = client.list_tools().await?;
    let tool = named(&tools, "add_numbers")?;
    let numbers = json!({"a": 5, "b": 3});
    let result = client.call_tool(&tool.name, &numbers, &()).await?;
    ensure!(text(&result)?.contains('8'), "5 + 3 is {result:?}");
    Ok(())
}

/// The first request is refused once, for its version.
async fn says_what_it_is(client: &Client) -> Result<()> {
    let server = client.discover().await?;
    println!("the server speaks {}", server.supported_versions.join(", "));
    client.list_tools().await?;
    // What may be asked is declared with each call.
    client.call_tool("any", &json!({}), &everybody()).await?;
    Ok(())
}

/// One call is answered by hand while others go on, and the rest by an answerer.
async fn answers_questions(client: &Client) -> Result<()> {
    let tools = client.list_tools().await?;
    let answers = everybody();
    let (echo, unrelated) = (
        named(&tools, "test_mrtr_echo_state")?,
        named(&tools, "test_mrtr_unrelated")?,
    );
    let mut call = client
        .tool(&echo.name, &json!({}))?
        .declare(answers.capabilities());
    let Turn::Asked(questions) = call.advance().await? else {
        bail!("`{}` did not ask", echo.name)
    };
    // What the other call asks and keeps is none of this one's business.
    client.call_tool(&unrelated.name, &json!({}), &()).await?;
    let answers_by_hand = questions
        .iter()
        .map(|(key, question)| Ok((key.to_owned(), confirm(question)?)));
    call.answer(answers_by_hand.collect::<Result<_>>()?)?;
    let Turn::Done(outcome) = call.advance().await? else {
        bail!("`{}` asked twice", echo.name)
    };
    ensure!(text(&outcome.into_tool()?)? == "echo-state-ok");

    for (name, expected) in [
        ("test_mrtr_no_state", "no-state-ok"),
        ("test_mrtr_no_result_type", "no-result-type-test-ok"),
    ] {
        let tool = named(&tools, name)?;
        let result = client.call_tool(&tool.name, &json!({}), &answers).await?;
        ensure!(text(&result)? == expected, "`{name}` gave {result:?}");
    }
    Ok(())
}

async fn uses_everything(client: &Client) -> Result<()> {
    for tool in client.list_tools().await? {
        client.call_tool(&tool.name, &json!({}), &()).await?;
    }
    for resource in client.list_resources().await? {
        client.read_resource(&resource.uri, &()).await?;
    }
    for prompt in client.list_prompts().await? {
        client.get_prompt(&prompt.name, &json!({}), &()).await?;
    }
    Ok(())
}

async fn calls_as_told(client: &Client) -> Result<()> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Context {
        tool_calls: Vec<Call>,
    }
    #[derive(Deserialize)]
    struct Call {
        name: String,
        arguments: Value,
    }
    let context = env::var("MCP_CONFORMANCE_CONTEXT").context("MCP_CONFORMANCE_CONTEXT")?;
    let Context { tool_calls } = serde_json::from_str(&context)?;
    ensure!(!tool_calls.is_empty(), "no calls to make");
    for Call { name, arguments } in tool_calls {
        client.call_tool(&name, &arguments, &()).await?;
    }
    Ok(())
}

async fn calls_valid_tools(client: &Client) -> Result<()> {
    let tools = client.list_tools().await?;
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    ensure!(names == ["valid_tool"], "these seem valid: {names:?}");
    let arguments = json!({"region": "us-west1"});
    client.call_tool("valid_tool", &arguments, &()).await?;
    let refused = client
        .call_tool("invalid_number_header", &json!({"score": 1}), &())
        .await;
    ensure!(refused.is_err(), "an invalid tool can be called");
    Ok(())
}

async fn leaves_references_alone(client: &Client) -> Result<()> {
    let tools = client.list_tools().await?;
    let tool = named(&tools, "lookup_user")?;
    let properties: RawObject = tool
        .input_schema
        .get_as("properties")
        .context("no properties")?;
    let profile = properties.get("profile").context("no profile")?;
    println!("the profile is left as it is: {profile}");
    ensure!(profile.get().contains("$ref"));
    Ok(())
}

async fn repeats_a_schema(client: &Client) -> Result<()> {
    let tools = client.list_tools().await?;
    let schema = &named(&tools, "json_schema_2020_12_tool")?.input_schema;
    let echo = named(&tools, "json_schema_echo")?;
    let arguments = json!({ "schema": schema });
    let result = client.call_tool(&echo.name, &arguments, &()).await?;
    ensure!(text(&result)? == "echoed");
    Ok(())
}

fn named<'a>(tools: &'a [Tool], name: &str) -> Result<&'a Tool> {
    let tool = tools.iter().find(|tool| tool.name == name);
    tool.with_context(|| format!("no tool `{name}` is listed"))
}

fn text(result: &CallToolResult) -> Result<&str> {
    match result.content.as_slice() {
        [ContentBlock::Text(TextContent { text, .. })] => Ok(text),
        content => bail!("one text was expected, not {content:?}"),
    }
}

/// Yes to a form that asks for a confirmation.
fn confirm(question: &InputRequest) -> Result<InputResponse> {
    let content = serde_json::value::to_raw_value(&json!({"confirmed": true}))?;
    match question {
        InputRequest::Elicit(_) => Ok(InputResponse::Elicit(ElicitResult::accept(Some(content)))),
        other => bail!("a form was expected, not {:?}", other.kind()),
    }
}

/// Answers every kind of question.
fn everybody() -> Answers {
    Answers::new()
        .form(|question: FormQuestion| async move {
            println!("asked: {}", question.form.message);
            question.accept(&json!({"confirmed": true}))
        })
        .url(|question: UrlQuestion| async move {
            println!("asked to open {}", question.page.url);
            Ok::<_, BoxError>(Action::Accept)
        })
        .sampling(Capabilities::NONE, |_| async {
            let answer = json!({"role": "assistant", "model": "none", "stopReason": "endTurn",
                "content": {"type": "text", "text": "A short answer."}});
            serde_json::from_value::<CreateMessageResult>(answer)
        })
        .roots(|_| async { serde_json::from_value::<ListRootsResult>(json!({"roots": []})) })
}
