//! A server with what the official conformance suite looks for: content of every kind, progress,
//! logs, changes, schemas, headers, and questions of every kind.
//!
//! `cargo run --release -p mrtr --example everything -- --http 127.0.0.1:3000`, then the endpoint is
//! at `/mcp`. `tests/conformance/run` runs the suite against it.

#![allow(clippy::print_stdout)]

mod asking;
mod content;
mod prompts;
mod resources;
mod telling;
mod typed;

use std::env;
use std::error::Error;
use std::net::SocketAddr;

use mrtr::server::{BuildError, Changes, Server, ServerBuilder};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address: SocketAddr = match &env::args().skip(1).collect::<Vec<_>>()[..] {
        [flag, address] if flag == "--http" => address.parse()?,
        _ => return Err("usage: everything --http ADDRESS:PORT".into()),
    };
    let listener = server()?.http().bind(address).await?;
    println!("listening on {}", listener.url());
    listener.run().await?;
    Ok(())
}

fn server() -> Result<Server, BuildError> {
    let changes = Changes::new();
    let parts: [fn(ServerBuilder) -> ServerBuilder; 5] = [
        content::register,
        prompts::register,
        resources::register,
        asking::register,
        typed::register,
    ];
    let builder = Server::builder("everything", "1.0.0")
        .title("Everything")
        .logging()
        .changes(changes.clone());
    let builder = parts.iter().fold(builder, |builder, add| add(builder));
    telling::register(builder, &changes).build()
}
