//! Makes the calls of `tests/interop/cells.json` and prints what came of each, one JSON object on a line.
//!
//! `interop_client CELLS auto|hand|saved http URL`, or `.. stdio PROGRAM [ARGUMENT ..]`: answered by the
//! client's own loop, round by round, or round by round with the call saved to a file between the rounds.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use mrtr::client::{
    Answerer, BoxError, Call, CallOutcome, Change, Client, ClientError, FormQuestion, Handler,
    IfSent, RootsQuestion, SampleQuestion, Turn, UrlQuestion,
};
use mrtr::exchange::ExchangeError;
use mrtr::wire::{
    Action, Capabilities, Capability, CompleteResult, CreateMessageRequest, CreateMessageResult,
    ElicitResult, InputRequest, InputResponse, ListRootsResult, SubscriptionFilter,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
struct Cells {
    answers: Map<String, Value>,
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    name: String,
    tool: Option<String>,
    prompt: Option<String>,
    resource: Option<String>,
    #[serde(default)]
    arguments: Map<String, Value>,
    /// Instead of the answers that all cells share.
    #[serde(default)]
    answers: Map<String, Value>,
    declare: Option<bool>,
    #[serde(default)]
    progress: bool,
    #[serde(default)]
    lists: bool,
    complete: Option<Complete>,
    /// The resource whose changes are listened to.
    listen: Option<String>,
}

#[derive(Deserialize)]
struct Complete {
    prompt: String,
    argument: String,
    value: String,
}

/// Answers by the message, or by the kind where there is none, and writes down what was asked.
struct Person {
    answers: Map<String, Value>,
    asked: Mutex<Vec<String>>,
    declares: bool,
}

impl Person {
    fn new(shared: &Map<String, Value>, cell: &Cell) -> Self {
        let mut answers = shared.clone();
        answers.extend(cell.answers.clone());
        Self {
            answers,
            asked: Mutex::default(),
            declares: cell.declare.unwrap_or(true),
        }
    }

    fn say<T: DeserializeOwned>(&self, question: &str) -> Result<T, BoxError> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(question.to_owned());
        let answer = self.answers.get(question).cloned();
        let answer = answer.ok_or_else(|| format!("no answer to {question:?}"))?;
        Ok(serde_json::from_value(answer)?)
    }

    fn answer(&self, question: &InputRequest) -> Result<InputResponse, BoxError> {
        Ok(match question {
            InputRequest::Elicit(question) => InputResponse::Elicit(self.say(question.message())?),
            InputRequest::Sample(question) => InputResponse::Sample(self.say(kind_of(question))?),
            _ => InputResponse::Roots(self.say("roots")?),
        })
    }

    fn handler<'a, Q, A, F>(&'a self, name: F) -> Option<Handler<'a, Q, A>>
    where
        Q: Send + 'a,
        A: DeserializeOwned + Send + 'a,
        F: Fn(&Q) -> &str + Copy + Send + Sync + 'a,
    {
        self.declares
            .then(|| Handler::new(move |question: Q| async move { self.say(name(&question)) }))
    }
}

impl Answerer for Person {
    fn form(&self) -> Option<Handler<'_, FormQuestion, ElicitResult>> {
        self.handler(|question: &FormQuestion| &question.form.message)
    }

    fn url(&self) -> Option<Handler<'_, UrlQuestion, Action>> {
        self.declares.then(|| {
            Handler::new(move |question: UrlQuestion| async move {
                let answer: ElicitResult = self.say(&question.page.message)?;
                Ok::<_, BoxError>(answer.action)
            })
        })
    }

    fn sampling(&self) -> Option<Handler<'_, SampleQuestion, CreateMessageResult>> {
        self.handler(|question: &SampleQuestion| kind_of(&question.request))
    }

    fn sampling_features(&self) -> Capabilities {
        Capability::SamplingTools.into()
    }

    fn roots(&self) -> Option<Handler<'_, RootsQuestion, ListRootsResult>> {
        self.handler(|_| "roots")
    }
}

fn kind_of(request: &CreateMessageRequest) -> &'static str {
    match (&request.tools, request.messages.len()) {
        (None, _) => "sampling",
        (Some(_), 1) => "sampling with tools",
        (Some(_), _) => "sampling with a result",
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Drive {
    Auto,
    Hand,
    Saved,
}

fn call(client: &Client, cell: &Cell, declared: Capabilities) -> Result<Call, ClientError> {
    let call = match (&cell.tool, &cell.prompt, &cell.resource) {
        (Some(tool), _, _) => client.tool(tool, &cell.arguments)?,
        (_, Some(prompt), _) => client.prompt(prompt, &cell.arguments)?,
        (_, _, uri) => client.resource(uri.as_deref().unwrap_or_default())?,
    };
    Ok(call.declare(declared))
}

/// Saves the call, lets go of it, and goes on with what the file holds.
async fn restored(client: &Client, mut call: Call, path: &Path) -> Result<Call, BoxError> {
    call.save(path).await?;
    drop(call);
    Ok(client.resume(path, IfSent::Refuse).await?)
}

async fn by_hand(
    client: &Client,
    mut call: Call,
    person: &Person,
    saved: bool,
) -> Result<(CallOutcome, u32), BoxError> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("call.json");
    loop {
        let questions = match call.advance().await? {
            Turn::Done(outcome) => {
                let reached = call.reached();
                return Ok((outcome, reached.rounds + reached.waits));
            }
            Turn::Asked(questions) => questions,
        };
        if saved {
            call = restored(client, call, &path).await?;
            call = call.declare(person.capabilities());
        }
        let answers = questions
            .iter()
            .map(|(key, question)| Ok((key.to_owned(), person.answer(question)?)))
            .collect::<Result<Vec<_>, BoxError>>()?;
        call.answer(answers)?;
    }
}

/// Names of all tools and prompts, and how many resources and templates there are.
async fn lists(client: &Client) -> Result<Value, BoxError> {
    let (tools, prompts) = (client.list_tools().await?, client.list_prompts().await?);
    let mut tools: Vec<_> = tools.into_iter().map(|tool| tool.name).collect();
    tools.sort();
    let prompts: Vec<_> = prompts.into_iter().map(|prompt| prompt.name).collect();
    let resources = client.list_resources().await?.len();
    let templates = client.list_resource_templates().await?.len();
    let places = resources + templates;
    Ok(json!({ "text": format!("{} | {} | {places}", tools.join(" "), prompts.join(" ")) }))
}

async fn complete(client: &Client, complete: &Complete) -> Result<Value, BoxError> {
    let params = json!({
        "ref": {"type": "ref/prompt", "name": complete.prompt},
        "argument": {"name": complete.argument, "value": complete.value},
    });
    let result = client.request("completion/complete", &params).await?;
    let result: CompleteResult = serde_json::from_str(result.get())?;
    Ok(json!({ "text": result.completion.values.join(" ") }))
}

/// What is heard of a change of the resource and of the tools, which the cell's tool makes.
async fn listen(client: &Client, cell: &Cell, uri: &str) -> Result<Value, BoxError> {
    let mut wanted = SubscriptionFilter::default();
    wanted.tools_list_changed = Some(true);
    wanted.resource_subscriptions = Some(vec![uri.to_owned()]);
    let mut subscription = client.listen(wanted).await?;
    let touch = cell.tool.as_deref().unwrap_or_default();
    client.call_tool(touch, &cell.arguments, &()).await?;
    let mut heard = Vec::new();
    while heard.len() < 2 {
        match subscription.next().await? {
            Some(Change::Resource { uri }) => heard.push(uri),
            Some(Change::Tools) => heard.push("tools".to_owned()),
            other => return Err(format!("heard {other:?}").into()),
        }
    }
    heard.sort();
    Ok(json!({ "text": heard.join(" ") }))
}

fn read(cell: &Cell, outcome: CallOutcome) -> Result<Value, BoxError> {
    let result: Value = serde_json::from_str(outcome.raw().get())?;
    if cell.tool.is_some() {
        let result = outcome.into_tool()?;
        let name = if result.is_error() {
            "toolError"
        } else {
            "text"
        };
        let texts = result.content.iter().filter_map(|block| block.as_text());
        let texts = texts.collect::<String>();
        return Ok(json!({ name: texts, "structured": result.structured_content }));
    }
    let pointer = match cell.prompt {
        Some(_) => "/messages/0/content/text",
        None => "/contents/0/text",
    };
    let text = result.pointer(pointer).cloned();
    Ok(json!({ "text": text.ok_or_else(|| format!("no {pointer} in {result}"))? }))
}

async fn play(
    client: &Client,
    cell: &Cell,
    person: &Person,
    heard: &Arc<AtomicBool>,
    drive: Drive,
) -> Result<Value, BoxError> {
    if cell.lists {
        return lists(client).await;
    }
    if let Some(what) = &cell.complete {
        return complete(client, what).await;
    }
    if let Some(uri) = &cell.listen {
        return listen(client, cell, uri).await;
    }
    let mut call = call(client, cell, person.capabilities())?;
    if cell.progress {
        let heard = heard.clone();
        call = call.on_progress(move |_| heard.store(true, Ordering::Relaxed));
    }
    if drive == Drive::Auto {
        return read(cell, call.drive(person).await?);
    }
    let saved = drive == Drive::Saved;
    let (outcome, rounds) = by_hand(client, call, person, saved).await?;
    let mut report = read(cell, outcome)?;
    report["rounds"] = rounds.into();
    Ok(report)
}

async fn run(client: &Client, cell: &Cell, shared: &Map<String, Value>, drive: Drive) -> Value {
    let person = Person::new(shared, cell);
    let heard = Arc::new(AtomicBool::new(false));
    let mut report = match play(client, cell, &person, &heard, drive).await {
        Ok(report) => report,
        Err(error) => match error.downcast_ref::<ClientError>() {
            Some(ClientError::Exchange(ExchangeError::Rejected(rejected))) => {
                let error = &rejected.error;
                json!({ "error": error.code.0, "message": error.message })
            }
            _ => json!({ "threw": error.to_string() }),
        },
    };
    report["cell"] = cell.name.as_str().into();
    report["progress"] = heard.load(Ordering::Relaxed).into();
    let asked = person.asked.into_inner();
    report["asked"] = asked.unwrap_or_else(PoisonError::into_inner).into();
    report
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("CELLS DRIVE http|stdio WHERE ..");
    let cells: Cells = serde_json::from_slice(&std::fs::read(next()?)?)?;
    let drive = match next()?.as_str() {
        "auto" => Drive::Auto,
        "saved" => Drive::Saved,
        _ => Drive::Hand,
    };
    let over_http = next()? == "http";
    let server = next()?;
    let builder = match over_http {
        true => Client::http(server),
        false => Client::command(server, arguments),
    };
    let client = builder.build()?;
    for cell in &cells.cells {
        println!("{}", run(&client, cell, &cells.answers, drive).await);
    }
    client.close().await;
    Ok(())
}
