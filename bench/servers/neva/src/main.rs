//! The benchmark's tool on neva, as its documentation shows it: `Context::elicit`, whose state neva seals itself and
//! binds to the principal, the method, the tool, the arguments and the audience. It expires after five minutes, which
//! cannot be set.
//!
//! neva remembers final replies, to give them again when the last round is repeated. Nobody else here does, and the
//! driver repeats rounds: it is told to remember nothing, so that each round is worked for.

mod engine;

use std::time::Duration;

use bench_kit::{KEY, Options, QUESTION, SERVER, booked, question};
use neva::error::Error;
use neva::transport::HttpServer;
use neva::types::Response;
use neva::types::elicitation::ElicitRequestParams;
use neva::{App, Context, RequestStateStore};
use serde::Deserialize;

use crate::engine::Hyper;

#[derive(Deserialize)]
struct Dates {
    from: String,
    to: String,
}

async fn book(ctx: Context, city: String) -> Result<String, Error> {
    let form = ElicitRequestParams::form(question(&city))
        .with_required("from", "string")
        .with_required("to", "string");
    let answer = ctx.elicit(QUESTION, form.into()).await?;
    answer.map(|Dates { from, to }| booked(&city, &from, &to))
}

async fn filler(city: String) -> String {
    city
}

struct NoReplies;

impl RequestStateStore for NoReplies {
    async fn get(&self, _: &str) -> Option<Response> {
        None
    }

    async fn put(&self, _: &str, _: Response, _: u64) {}
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let options = Options::from_args();
    let mut app = App::new()
        .with_request_state_secret(KEY)
        .with_request_state_audience(SERVER)
        .with_request_state_store(NoReplies)
        .with_shutdown_drain(Duration::ZERO)
        .with_options(|mcp| {
            let mcp = mcp.with_name(SERVER).with_version("1.0.0");
            if options.stdio {
                return mcp.with_stdio();
            }
            let address = format!("127.0.0.1:{}", options.port);
            mcp.set_http(HttpServer::from_engine(address, Hyper))
        });
    app.map_tool("book", book)
        .with_arg_names(["city"])
        .with_description("Books a trip");
    for name in options.fillers() {
        app.map_tool(name, filler)
            .with_arg_names(["city"])
            .with_description("Does nothing");
    }
    app.run().await;
}
