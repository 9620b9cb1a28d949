//! The client of rmcp: makes the calls of a cells.json and prints what came of each.
//!
//! `client CELLS auto|hand http URL`, or `client CELLS auto|hand stdio PROGRAM [ARGUMENT ..]`

// Sampling and roots are deprecated, and asked for all the same.
#![allow(deprecated)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::bail;
use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, RoleClient, RunningService, ServiceError};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Cells {
    answers: BTreeMap<String, Value>,
    cells: Vec<Cell>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct Cell {
    name: String,
    tool: Option<String>,
    prompt: Option<String>,
    resource: Option<String>,
    arguments: JsonObject,
    answers: BTreeMap<String, Value>,
    declare: Option<bool>,
    list: bool,
    lists: bool,
    alter: bool,
    complete: Option<Complete>,
    listen: Option<String>,
}

#[derive(Clone, Deserialize)]
struct Complete {
    prompt: String,
    argument: String,
    value: String,
}

struct Said {
    answers: Mutex<BTreeMap<String, Value>>,
    asked: Mutex<Vec<String>>,
    progress: AtomicBool,
}

impl Said {
    fn say(&self, question: &str) -> anyhow::Result<Value> {
        // The lines behind the first one say what was wrong with an answer.
        let question = question.lines().next().unwrap_or_default();
        self.asked.lock().unwrap().push(question.to_owned());
        let mut answers = self.answers.lock().unwrap();
        match answers.get_mut(question) {
            Some(Value::Array(answers)) if !answers.is_empty() => Ok(answers.remove(0)),
            Some(answer) => Ok(answer.clone()),
            None => bail!("no answer to {question:?}"),
        }
    }

    fn answer(&self, request: &InputRequest) -> anyhow::Result<Value> {
        match request {
            InputRequest::Elicitation(request) => self.say(message(&request.params)),
            InputRequest::CreateMessage(request) => self.say(kind_of(&request.params)),
            InputRequest::ListRoots(_) => self.say("roots"),
            _ => bail!("a question of no known kind"),
        }
    }
}

fn kind_of(params: &CreateMessageRequestParams) -> &'static str {
    match (&params.tools, params.messages.len()) {
        (None, _) => "sampling",
        (Some(_), 1) => "sampling with tools",
        (Some(_), _) => "sampling with a result",
    }
}

fn message(params: &ElicitRequestParams) -> &str {
    match params {
        ElicitRequestParams::FormElicitationParams { message, .. }
        | ElicitRequestParams::UrlElicitationParams { message, .. } => message,
        _ => "",
    }
}

#[derive(Clone)]
struct Person {
    said: Arc<Said>,
    declares: bool,
}

impl Person {
    fn handle<T: DeserializeOwned>(&self, question: &str) -> Result<T, ErrorData> {
        let answer = self
            .said
            .say(question)
            .and_then(|answer| Ok(serde_json::from_value(answer)?));
        answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let capabilities = match self.declares {
            true => json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}),
            false => json!({}),
        };
        let capabilities = serde_json::from_value(capabilities).expect("capabilities");
        ClientConfig::new(capabilities, Implementation::new("interop", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.handle(message(&params))
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.handle(kind_of(&params))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.handle("roots")
    }

    async fn on_progress(&self, _: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.said.progress.store(true, Ordering::Relaxed);
    }
}

type Running = RunningService<RoleClient, Person>;

async fn connect(person: Person, over_http: bool, place: &[String]) -> anyhow::Result<Running> {
    let lifecycle = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    Ok(if over_http {
        let transport = StreamableHttpClientTransport::from_uri(place[0].as_str());
        person.serve_with_lifecycle(transport, lifecycle).await?
    } else {
        let mut command = tokio::process::Command::new(&place[0]);
        command.args(&place[1..]);
        person
            .serve_with_lifecycle(TokioChildProcess::new(command)?, lifecycle)
            .await?
    })
}

enum Answered {
    Done(Value),
    Asked(InputRequiredResult),
}

/// Sends one request, and nothing more.
async fn once(
    client: &Running,
    cell: &Cell,
    input_responses: Option<InputResponses>,
    request_state: Option<String>,
) -> anyhow::Result<Answered> {
    if let Some(tool) = &cell.tool {
        let mut params = CallToolRequestParams::new(tool.clone()).with_arguments(cell.arguments.clone());
        (params.input_responses, params.request_state) = (input_responses, request_state);
        return Ok(match client.call_tool_once(params).await? {
            CallToolResponse::Complete(result) => Answered::Done(serde_json::to_value(result)?),
            CallToolResponse::InputRequired(result) => Answered::Asked(result),
            _ => bail!("neither complete nor input_required"),
        });
    }
    if let Some(prompt) = &cell.prompt {
        let mut params = GetPromptRequestParams::new(prompt).with_arguments(cell.arguments.clone());
        (params.input_responses, params.request_state) = (input_responses, request_state);
        return Ok(match client.get_prompt_once(params).await? {
            GetPromptResponse::Complete(result) => Answered::Done(serde_json::to_value(result)?),
            GetPromptResponse::InputRequired(result) => Answered::Asked(result),
            _ => bail!("neither complete nor input_required"),
        });
    }
    let mut params = ReadResourceRequestParams::new(cell.resource.clone().unwrap_or_default());
    (params.input_responses, params.request_state) = (input_responses, request_state);
    Ok(match client.read_resource_once(params).await? {
        ReadResourceResponse::Complete(result) => Answered::Done(serde_json::to_value(result)?),
        ReadResourceResponse::InputRequired(result) => Answered::Asked(result),
        _ => bail!("neither complete nor input_required"),
    })
}

async fn by_hand(client: &Running, cell: &Cell, said: &Said) -> anyhow::Result<(Value, Option<u32>)> {
    let mut rounds = 0;
    let mut answered = once(client, cell, None, None).await?;
    loop {
        let asked = match answered {
            Answered::Done(result) => return Ok((result, Some(rounds))),
            Answered::Asked(asked) => asked,
        };
        rounds += 1;
        let mut answers = InputResponses::new();
        for (key, request) in asked.input_requests.iter().flatten() {
            answers.insert(key.clone(), said.answer(request)?);
        }
        if answers.is_empty() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let mut state = asked.request_state;
        if let (true, Some(state)) = (cell.alter, &mut state) {
            state.push('A');
        }
        answered = once(client, cell, (!answers.is_empty()).then_some(answers), state).await?;
    }
}

async fn automatic(client: &Running, cell: &Cell) -> anyhow::Result<(Value, Option<u32>)> {
    let result = if let Some(tool) = &cell.tool {
        let params = CallToolRequestParams::new(tool.clone()).with_arguments(cell.arguments.clone());
        serde_json::to_value(client.call_tool(params).await?)?
    } else if let Some(prompt) = &cell.prompt {
        let params = GetPromptRequestParams::new(prompt).with_arguments(cell.arguments.clone());
        serde_json::to_value(client.get_prompt(params).await?)?
    } else {
        let uri = cell.resource.clone().unwrap_or_default();
        serde_json::to_value(client.read_resource(ReadResourceRequestParams::new(uri)).await?)?
    };
    Ok((result, None))
}

/// Names of all tools and prompts, and how many resources and templates there are.
async fn lists(client: &Running) -> anyhow::Result<(Value, Option<u32>)> {
    let tools = client.list_all_tools().await?;
    let mut tools: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    tools.sort();
    let prompts = client.list_all_prompts().await?;
    let prompts: Vec<_> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    let places = client.list_all_resources().await?.len() + client.list_all_resource_templates().await?.len();
    let text = format!("{} | {} | {places}", tools.join(" "), prompts.join(" "));
    Ok((json!({"text": text}), None))
}

async fn complete(client: &Running, what: &Complete) -> anyhow::Result<(Value, Option<u32>)> {
    let values = client
        .complete_prompt_simple(&what.prompt, &what.argument, &what.value)
        .await?;
    Ok((json!({"text": values.join(" ")}), None))
}

/// What is heard of a change of the resource and of the tools, which the cell's tool makes.
async fn listen(client: &Running, cell: &Cell, uri: &str) -> anyhow::Result<(Value, Option<u32>)> {
    let wanted = SubscriptionFilter::builder()
        .tools_list_changed()
        .resource_subscription(uri);
    let mut subscription = client.listen(wanted.build()).await?;
    automatic(client, cell).await?;
    let mut heard = Vec::new();
    while heard.len() < 2 {
        match subscription.next().await? {
            Some(ServerNotification::ResourceUpdatedNotification(update)) => heard.push(update.params.uri),
            Some(ServerNotification::ToolListChangedNotification(_)) => heard.push("tools".to_owned()),
            other => bail!("heard {other:?}"),
        }
    }
    heard.sort();
    Ok((json!({"text": heard.join(" ")}), None))
}

async fn run(
    cell: &Cell,
    shared: &BTreeMap<String, Value>,
    by_itself: bool,
    over_http: bool,
    place: &[String],
) -> Value {
    let mut answers = shared.clone();
    answers.extend(cell.answers.clone());
    let said = Arc::new(Said {
        answers: Mutex::new(answers),
        asked: Mutex::default(),
        progress: AtomicBool::new(false),
    });
    let person = Person {
        said: said.clone(),
        declares: cell.declare.unwrap_or(true),
    };
    let mut report = json!({"cell": cell.name});
    let outcome: anyhow::Result<(Value, Option<u32>)> = async {
        let client = connect(person, over_http, place).await?;
        if cell.list {
            client.list_all_tools().await?;
        }
        let outcome = match (&cell.complete, &cell.listen) {
            (Some(what), _) => complete(&client, what).await,
            (_, Some(uri)) => listen(&client, cell, uri).await,
            _ if cell.lists => lists(&client).await,
            _ if by_itself => automatic(&client, cell).await,
            _ => by_hand(&client, cell, &said).await,
        };
        client.cancel().await?;
        outcome
    }
    .await;
    match outcome {
        Ok((result, rounds)) => {
            let pointer = match (&cell.tool, &cell.prompt) {
                _ if cell.lists || cell.complete.is_some() || cell.listen.is_some() => "/text",
                (Some(_), _) => "/content/0/text",
                (_, Some(_)) => "/messages/0/content/text",
                _ => "/contents/0/text",
            };
            let name = if result["isError"] == true { "toolError" } else { "text" };
            report[name] = result.pointer(pointer).cloned().unwrap_or_default();
            report["structured"] = result["structuredContent"].clone();
            report["rounds"] = rounds.into();
        }
        Err(error) => match error.downcast_ref() {
            Some(ServiceError::McpError(error)) => {
                report["error"] = error.code.0.into();
                report["message"] = error.message.as_ref().into();
            }
            _ => report["threw"] = format!("{error:#}").into(),
        },
    }
    report["asked"] = said.asked.lock().unwrap().clone().into();
    report["progress"] = said.progress.load(Ordering::Relaxed).into();
    report
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [cells, drive, transport, place @ ..] = arguments.as_slice() else {
        bail!("CELLS auto|hand http|stdio WHERE ..");
    };
    let cells: Cells = serde_json::from_slice(&std::fs::read(cells)?)?;
    for cell in &cells.cells {
        println!(
            "{}",
            run(cell, &cells.answers, drive == "auto", transport == "http", place).await
        );
    }
    Ok(())
}
