//! A server of this crate that asks everything.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mrtr::server::{Json, Notify as _, Server, prompt, resource, tool};
use mrtr::state::{Keyring, Secret};
use mrtr::wire::{CreateMessageRequest, SamplingMessage};
use mrtr::{Cx, Form, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Deserialize, JsonSchema)]
struct Trip {
    #[schemars(extend("x-mcp-header" = "To"))]
    to: String,
}

#[derive(Form)]
struct Seat {
    #[form(min = 1, max = 40)]
    row: u8,
}

#[derive(Serialize, JsonSchema)]
struct Ticket {
    to: String,
    row: u8,
    price: u32,
}

#[derive(Clone, Default)]
pub(crate) struct Counters {
    pub(crate) quotes: Arc<AtomicU32>,
    pub(crate) dropped: Arc<Notify>,
    pub(crate) started: Arc<Notify>,
}

struct OnDrop(Arc<Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// A server that asks everything.
pub(crate) fn server(counters: &Counters) -> Server {
    let (quotes, stuck) = (Arc::clone(&counters.quotes), counters.clone());
    let book = move |cx: Cx, trip: Trip| {
        let quotes = Arc::clone(&quotes);
        async move {
            let price = cx
                .step("quote", || async move {
                    Ok::<_, ToolError>(41 + quotes.fetch_add(1, Ordering::Relaxed))
                })
                .await?;
            cx.progress(1.0, 2.0, "quoted");
            let seat: Seat = cx.elicit("seat", "Which row?").await?;
            cx.confirm("pay", format!("Pay {price}?")).await?;
            let Trip { to } = trip;
            Ok::<_, ToolError>(Json(Ticket {
                to,
                row: seat.row,
                price,
            }))
        }
    };
    let sign_in = |cx: Cx, (): ()| async move {
        let done = || async { Ok::<_, ToolError>("token".to_owned()) };
        let token: String = cx
            .elicit_url("login", "Please sign in", "https://example.com/login", done)
            .await
            .map_err(|error| error.flatten())?;
        Ok::<_, ToolError>(token)
    };
    let think = |cx: Cx, (): ()| async move {
        let request = CreateMessageRequest::new(vec![SamplingMessage::user("Hello")], 10);
        let (answer, roots) = (cx.sample("model", request), cx.roots("roots"));
        let (answer, roots) = tokio::join!(answer, roots);
        Ok::<_, ToolError>(format!(
            "{} in {}",
            answer?.content.to_text(),
            roots?[0].uri
        ))
    };
    let hang = move |_: Cx, (): ()| {
        let stuck = stuck.clone();
        async move {
            let _guard = OnDrop(Arc::clone(&stuck.dropped));
            stuck.started.notify_one();
            std::future::pending::<Result<String, ToolError>>().await
        }
    };
    let brief = |cx: Cx, trip: Trip| async move {
        let seat: Seat = cx.elicit("seat", "Which row?").await?;
        Ok::<_, ToolError>(format!("Row {} to {}", seat.row, trip.to))
    };
    let note = |cx: Cx, (): ()| async move {
        let seat: Seat = cx.elicit("seat", "Which row?").await?;
        Ok::<_, ToolError>(format!("row {}", seat.row))
    };
    Server::builder("travel", "1.0.0")
        .keyring(Keyring::new([Secret::from_bytes(&[7; 32]).unwrap()]).unwrap())
        .tool(tool("book", book))
        .tool(tool("sign_in", sign_in))
        .tool(tool("think", think))
        .tool(tool("hang", hang))
        .prompt(prompt("brief", brief))
        .resource(resource("note://todo", note))
        .build()
        .unwrap()
}
