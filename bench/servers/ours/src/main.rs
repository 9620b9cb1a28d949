//! The benchmark's tool on mrtr.

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;
use std::task::{Context, Poll};

use bench_kit::{ISSUER, KEY, Options, QUESTION, SERVER, SUBJECT, booked, question};
use http::{Request, Response};
use mrtr::server::http::{Http, ReplyBody, ReplyFuture, RequestBody};
use mrtr::server::{Server, tool};
use mrtr::state::{Keyring, Principal, Secret};
use mrtr::{Cx, Form, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Trip {
    city: String,
}

#[derive(Form)]
struct Dates {
    from: String,
    to: String,
}

async fn book(cx: Cx, trip: Trip) -> Result<String, ToolError> {
    let dates: Dates = cx.elicit(QUESTION, question(&trip.city)).await?;
    Ok(booked(&trip.city, &dates.from, &dates.to))
}

#[derive(Form)]
struct Stop {
    name: String,
}

/// Asks ten times, one question after the other.
async fn tour(cx: Cx, _: Trip) -> Result<String, ToolError> {
    let mut names = Vec::new();
    for n in 1..=10 {
        let stop: Stop = cx.at(n).elicit("stop", format!("Stop {n}?")).await?;
        names.push(stop.name);
    }
    Ok(names.join(", "))
}

async fn filler(_: Cx, trip: Trip) -> Result<String, ToolError> {
    Ok(trip.city)
}

fn server(options: &Options) -> Result<Server, Box<dyn Error>> {
    let mut builder = Server::builder(SERVER, "1.0.0")
        .keyring(Keyring::new([Secret::generate(KEY)])?)
        .tool(tool("book", book).description("Books a trip"));
    for (nth, name) in options.fillers().enumerate() {
        // With more than one tool, the second is the one that asks ten times.
        builder = builder.tool(match nth {
            0 => tool("tour", tour).description("Asks ten times"),
            _ => tool(name, filler).description("Does nothing"),
        });
    }
    Ok(builder.build()?)
}

/// Says who calls, as a layer that checks tokens would.
#[derive(Clone)]
struct Authenticated {
    http: Http,
    principal: Arc<Principal>,
}

impl tower_service::Service<Request<RequestBody>> for Authenticated {
    type Response = Response<ReplyBody>;
    type Error = Infallible;
    type Future = ReplyFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<RequestBody>) -> ReplyFuture {
        request.extensions_mut().insert(self.principal.clone());
        self.http.call(request)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::from_args();
    let server = server(&options)?;
    if options.stdio {
        server.stdio().await?;
        // A thread of the runtime may still wait for input.
        std::process::exit(0);
    }
    let listener = server.http().bind(("127.0.0.1", options.port)).await?;
    println!("listening");
    let principal = Arc::new(Principal::new(ISSUER, SUBJECT));
    listener
        .wrap(|http| Authenticated { http, principal })
        .run()
        .await?;
    Ok(())
}
