//! What `tests/interop` calls: tools, a prompt and a resource that ask in every way there is.
//!
//! `cargo run -p mrtr --example interop_server -- http` prints the URL it serves at;
//! `.. -- stdio` serves over the standard streams.

#![allow(clippy::print_stdout)]

use std::convert::Infallible;
use std::error::Error;
use std::future::pending;
use std::time::{Duration, SystemTime};

use mrtr::server::{Changes, Completing, Json, Notify, Server, prompt, resource, tool};
use mrtr::wire::{
    ContentBlock, CreateMessageRequest, RawObject, Role, SamplingBlock, SamplingContent,
    SamplingMessage, Tool, ToolResultContent,
};
use mrtr::{Cx, Form, Refused, Timestamp, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
struct Trip {
    /// The city to go to.
    to: String,
}

#[derive(Form)]
struct Seat {
    #[form(min = 1, max = 30)]
    row: u8,
    side: Side,
}

#[derive(Form)]
enum Side {
    #[form(rename = "window")]
    Window,
    #[form(rename = "aisle")]
    Aisle,
}

#[derive(Form)]
struct Meal {
    #[form(max_length = 20)]
    meal: String,
}

/// Three rounds.
async fn book(cx: Cx, trip: Trip) -> Result<String, ToolError> {
    let Trip { to } = trip;
    let seat: Seat = cx.elicit("seat", format!("Which seat to {to}?")).await?;
    let Meal { meal } = cx.elicit("meal", "Which meal?").await?;
    cx.confirm("pay", "Pay?").await?;
    let side = match seat.side {
        Side::Window => "window",
        Side::Aisle => "aisle",
    };
    Ok(format!("{to}: row {}, {side}, {meal}, paid", seat.row))
}

/// Every kind of field.
#[derive(Form)]
struct Everything {
    #[form(title = "Name", min_length = 1)]
    name: String,
    #[form(format = "email")]
    email: String,
    /// How many travel.
    #[form(min = 1, max = 9, default = 1)]
    seats: u8,
    height: f64,
    insured: bool,
    colour: Colour,
    #[form(min_items = 1)]
    meals: Vec<Course>,
    /// May be left out.
    note: Option<String>,
}

#[derive(Form)]
enum Colour {
    #[form(rename = "red", title = "Red")]
    Red,
    #[form(rename = "green", title = "Green")]
    Green,
}

#[derive(Form)]
enum Course {
    #[form(rename = "soup")]
    Soup,
    #[form(rename = "fish")]
    Fish,
    #[form(rename = "cake")]
    Cake,
}

async fn fill_in(cx: Cx, _: ()) -> Result<String, ToolError> {
    let all: Everything = cx.elicit("all", "Fill in everything.").await?;
    let colour = match all.colour {
        Colour::Red => "red",
        Colour::Green => "green",
    };
    let course = |course: &Course| match course {
        Course::Soup => "soup",
        Course::Fish => "fish",
        Course::Cake => "cake",
    };
    let meals: Vec<_> = all.meals.iter().map(course).collect();
    Ok(format!(
        "{}, {}, {}, {}, {}, {colour}, {}, {}",
        all.name,
        all.email,
        all.seats,
        all.height,
        all.insured,
        meals.join("+"),
        all.note.as_deref().unwrap_or("no note"),
    ))
}

async fn sign_in(cx: Cx, _: ()) -> Result<&'static str, ToolError> {
    let url = format!("https://example.com/sign-in?exchange={}", cx.exchange_id());
    let done = || async { Ok::<_, Infallible>(true) };
    cx.elicit_url("sign-in", "Sign in first.", url, done)
        .await?;
    Ok("signed in")
}

fn say_hello() -> CreateMessageRequest {
    CreateMessageRequest::new(vec![SamplingMessage::user("Say hello.")], 100)
        .system_prompt("One word.")
}

async fn summarise(cx: Cx, _: ()) -> Result<String, ToolError> {
    let answer = cx.sample("summary", say_hello()).await?;
    Ok(format!("the model says: {}", answer.content.to_text()))
}

/// The model wants a tool to be used, and is told what the tool gave.
async fn forecast(cx: Cx, _: ()) -> Result<String, ToolError> {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let schema: RawObject = serde_json::from_value(schema)?;
    let mut request =
        CreateMessageRequest::new(vec![SamplingMessage::user("Weather in Kyoto?")], 100);
    request.tools = Some(vec![Tool::new("weather", schema)]);
    let answer = cx.sample("forecast", request.clone()).await?;
    let used = answer
        .content
        .blocks()
        .iter()
        .find_map(|block| match block {
            SamplingBlock::ToolUse(used) => Some(used.id.clone()),
            _ => None,
        });
    let Some(id) = used else {
        return Ok(answer.content.to_text());
    };
    request.messages.push(answer.into_message());
    let gave = ToolResultContent::new(id, vec![ContentBlock::text("sunny")]);
    let gave = SamplingContent::Many(vec![gave.into()]);
    request
        .messages
        .push(SamplingMessage::new(Role::User, gave));
    Ok(cx.sample("told", request).await?.content.to_text())
}

async fn places(cx: Cx, _: ()) -> Result<String, ToolError> {
    let roots = cx.roots("places").await?;
    let uris: Vec<_> = roots.into_iter().map(|root| root.uri).collect();
    Ok(uris.join(" "))
}

#[derive(Form)]
struct Name {
    name: String,
}

/// Three questions in one round.
async fn together(cx: Cx, _: ()) -> Result<String, ToolError> {
    let name = cx.elicit::<Name>("name", "Your name?");
    let summary = cx.sample("summary", say_hello());
    let places = cx.roots("places");
    let (name, summary, places) = futures::future::try_join3(name, summary, places).await?;
    let place = places.into_iter().map(|root| root.uri).next();
    Ok(format!(
        "{}; {}; {}",
        name.name,
        summary.content.to_text(),
        place.unwrap_or_default()
    ))
}

/// Sends the client away once with a state and no question.
async fn later(cx: Cx, _: ()) -> Result<&'static str, ToolError> {
    let begun = cx.started_at();
    let ready = async move {
        if now().since(begun) < Duration::from_millis(40) {
            pending::<()>().await;
        }
    };
    cx.later_when(ready, Duration::from_millis(40)).await;
    Ok("later is now")
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Timestamp::from_millis(since.map_or(0, |since| since.as_millis() as u64))
}

/// Reports how far it is in each round.
async fn slow(cx: Cx, _: ()) -> Result<String, ToolError> {
    cx.progress(1.0, 2.0, "looking around");
    // Some clients drop a report that arrives together with the result.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let Name { name } = cx.elicit("name", "Your name?").await?;
    Ok(format!("found {name}"))
}

#[derive(Serialize, JsonSchema)]
struct Quote {
    name: String,
    price: u32,
    per_person: Option<f64>,
}

/// Structured content, which clients check against the tool's output schema.
async fn quote(cx: Cx, _: ()) -> Result<Json<Quote>, ToolError> {
    let Name { name } = cx.elicit("name", "Your name?").await?;
    Ok(Json(Quote {
        name,
        price: 420,
        per_person: None,
    }))
}

#[derive(Deserialize, JsonSchema)]
struct Address {
    /// Also in the header `Mcp-Param-City`.
    #[schemars(extend("x-mcp-header" = "City"))]
    city: String,
}

#[derive(Form)]
struct Street {
    street: String,
}

async fn locate(cx: Cx, address: Address) -> Result<String, ToolError> {
    let Street { street } = cx.elicit("street", "Which street?").await?;
    Ok(format!("{street} in {}", address.city))
}

#[derive(Deserialize, JsonSchema)]
struct Brief {
    topic: String,
}

#[derive(Form)]
struct Tone {
    tone: Manner,
}

#[derive(Form)]
enum Manner {
    #[form(rename = "formal")]
    Formal,
    #[form(rename = "friendly")]
    Friendly,
}

async fn brief(cx: Cx, brief: Brief) -> Result<String, ToolError> {
    let Tone { tone } = cx.elicit("tone", "Which tone?").await?;
    let tone = match tone {
        Manner::Formal => "formal",
        Manner::Friendly => "friendly",
    };
    Ok(format!("{}, {tone}", brief.topic))
}

async fn topics(typed: Completing) -> Result<Vec<String>, Infallible> {
    Ok(typed.matching(["Kyoto", "Kyushu", "Oslo"]))
}

#[derive(Form)]
struct Page {
    #[form(min = 1)]
    page: u32,
}

async fn today(cx: Cx, _: ()) -> Result<String, Refused> {
    let Page { page } = cx.elicit("page", "Which page?").await?;
    Ok(format!("page {page}"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let changes = Changes::new();
    let told = changes.clone();
    let touch = move |_: Cx, (): ()| {
        told.resource_updated("note://today");
        told.tools_list_changed();
        async { Ok::<_, Infallible>("touched") }
    };
    let server = Server::builder("interop", "1.0.0")
        .tool(tool("book", book).description("Books a seat"))
        .tool(tool("fill_in", fill_in).description("Asks for every kind of field"))
        .tool(tool("sign_in", sign_in).description("Sends the person to a page"))
        .tool(tool("summarise", summarise).description("Asks the model"))
        .tool(tool("forecast", forecast).description("Asks a model that uses tools"))
        .tool(tool("places", places).description("Asks for the roots"))
        .tool(tool("together", together).description("Asks three things at once"))
        .tool(tool("later", later).description("Asks nothing and takes two rounds"))
        .tool(tool("slow", slow).description("Reports how far it is"))
        .tool(tool("quote", quote).description("Has structured content"))
        .tool(tool("locate", locate).description("Has an argument in a header"))
        .tool(tool("touch", touch).description("Says that a note and the tools changed"))
        .prompt(
            prompt("brief", brief)
                .description("A brief in some tone")
                .complete("topic", topics),
        )
        .resource(resource("note://today", today).mime_type("text/plain"))
        .changes(changes)
        .page_size(4)
        .build()?;
    if std::env::args().nth(1).as_deref() == Some("stdio") {
        server.stdio().await?;
    } else {
        let listener = server.http().bind("127.0.0.1:0").await?;
        println!("{}", listener.url());
        listener.run().await?;
    }
    Ok(())
}
