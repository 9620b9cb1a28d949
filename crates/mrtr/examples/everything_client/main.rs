//! A client that does what the official conformance suite asks of clients, one scenario a run.
//!
//! The suite starts it with the URL of a server as its last argument and the scenario's name in the
//! environment, reads what arrives at the server, and wants exit code 0:
//!
//! ```text
//! cargo build -p mrtr --example everything_client
//! npx @modelcontextprotocol/conformance client --spec-version 2026-07-28 --scenario tools_call \
//!     --command "$PWD/target/debug/examples/everything_client"
//! ```
//!
//! `everything_client [--deadline SECONDS] URL`
//!
//! | variable | what it says |
//! | --- | --- |
//! | `MCP_CONFORMANCE_SCENARIO` | which of [`scenarios::NAMES`] to play |
//! | `MCP_CONFORMANCE_CONTEXT` | JSON for the scenario, such as the calls to make |
//! | `MCP_CONFORMANCE_PROTOCOL_VERSION` | must be 2026-07-28 when it is set |
//!
//! Exit code 0: everything was as the scenario wants. 1: something was not, or the deadline (20 seconds
//! by default) passed. 2: it was started wrongly.

#![allow(clippy::print_stdout)]

mod scenarios;

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use mrtr::client::Client;
use mrtr::wire::{Implementation, PROTOCOL_VERSION};

const USAGE: &str = "everything_client [--deadline SECONDS] URL";

/// What the program was told.
struct Task {
    url: String,
    deadline: Duration,
    scenario: String,
}

impl Task {
    fn read() -> Result<Self, String> {
        let mut arguments = env::args().skip(1);
        let (mut url, mut deadline) = (None, Duration::from_secs(20));
        while let Some(argument) = arguments.next() {
            if argument == "--deadline" {
                let seconds = arguments.next().and_then(|seconds| seconds.parse().ok());
                deadline = Duration::from_secs(seconds.ok_or(USAGE)?);
            } else if url.replace(argument).is_some() {
                return Err(USAGE.to_owned());
            }
        }
        if let Ok(version) = env::var("MCP_CONFORMANCE_PROTOCOL_VERSION")
            && version != PROTOCOL_VERSION
        {
            return Err(format!(
                "this client speaks {PROTOCOL_VERSION}, not {version}: run the suite with `--spec-version {PROTOCOL_VERSION}`"
            ));
        }
        Ok(Self {
            url: url.ok_or(USAGE)?,
            deadline,
            scenario: env::var("MCP_CONFORMANCE_SCENARIO")
                .map_err(|_| "MCP_CONFORMANCE_SCENARIO is not set")?,
        })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    // Shows the tools that were left out, among other things.
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .init();
    let Task {
        url,
        deadline,
        scenario,
    } = match Task::read() {
        Ok(task) => task,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    let play = async {
        let me = Implementation::new("everything-client", env!("CARGO_PKG_VERSION"));
        let client = Client::http(url).info(me).build()?;
        scenarios::play(&scenario, &client).await
    };
    match tokio::time::timeout(deadline, play).await {
        Ok(Ok(())) => {
            println!("{scenario}: done");
            ExitCode::SUCCESS
        }
        Ok(Err(error)) => {
            eprintln!("{scenario}: {error:#}");
            ExitCode::FAILURE
        }
        Err(_) => {
            eprintln!("{scenario}: not done after {deadline:?}");
            ExitCode::FAILURE
        }
    }
}
