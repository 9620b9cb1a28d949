//! A server with one tool that asks twice, and a client that answers, in one process.
//!
//! `cargo run -p mrtr --example hello`

#![allow(clippy::print_stdout)]

use std::error::Error;

use mrtr::client::{Answers, Client, FormQuestion};
use mrtr::server::{Server, tool};
use mrtr::{Cx, Form, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// What the model gives.
#[derive(Deserialize, JsonSchema)]
struct Trip {
    /// The city to go to.
    to: String,
}

/// What only the person can give.
#[derive(Form)]
struct Seat {
    #[form(min = 1, max = 30)]
    row: u8,
    side: Side,
}

#[derive(Form, Debug)]
enum Side {
    Window,
    Aisle,
}

async fn book(cx: Cx, trip: Trip) -> Result<String, ToolError> {
    // Runs in the first round. Later ones read its value from the sealed state.
    let price = cx.step("price", || look_up_price(&trip.to)).await?;
    // Without an answer the round ends here, and nothing of it stays behind.
    let seat: Seat = cx
        .elicit("seat", format!("Which seat to {}?", trip.to))
        .await?;
    cx.confirm("pay", format!("Pay {price} EUR?")).await?;
    let Seat { row, side } = seat;
    Ok(format!("Booked to {}: row {row}, {side:?}.", trip.to))
}

async fn look_up_price(to: &str) -> Result<u32, std::io::Error> {
    println!("server: looking up the price to {to}");
    Ok(420)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("travel", "1.0.0")
        .tool(tool("book", book).description("Books a flight"))
        .build()?;
    let listener = server.http().bind("127.0.0.1:0").await?;
    let client = Client::http(listener.url()).build()?;
    tokio::spawn(listener.run());

    let answers = Answers::new().form(|question: FormQuestion| async move {
        println!(
            "client: asked `{}`: {}",
            question.key, question.form.message
        );
        question.accept(&match question.key.as_str() {
            "seat" => json!({"row": 12, "side": "Window"}),
            _ => json!({"confirmed": true}),
        })
    });
    let result = client
        .call_tool("book", &json!({"to": "Kyoto"}), &answers)
        .await?;
    println!("result: {}", serde_json::to_string(&result.content)?);
    Ok(())
}
