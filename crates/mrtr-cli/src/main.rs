//! The `mrtr` program: call, test and play multi-round MCP requests from the command line.
//!
//! Results go to stdout, everything else to stderr; see [`exit`] for the exit codes.

mod answers;
mod arguments;
mod ask;
mod cli;
mod commands;
mod connect;
mod details;
mod drive;
mod example;
mod exit;
mod faults;
mod logs;
mod out;
mod show;

use std::process::ExitCode;

use clap::Parser as _;

use self::cli::{Cli, Command};
use self::exit::{Exit, Failure};
use self::out::Out;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let out = Out::new(cli.json, cli.color);
    logs::start(cli.verbose, &out);
    let exit = match run(cli.command, &out) {
        Ok(exit) => exit,
        Err(failure) => {
            out.failure(&failure);
            failure.exit
        }
    };
    out.finish(exit).into()
}

fn run(command: Command, out: &Out) -> Result<Exit, Failure> {
    match command {
        Command::Demo(args) => on_runtime(commands::demo::run(args, out)),
        Command::Serve(args) => on_runtime(commands::serve::run(args, out)),
        Command::Call(args) => on_runtime(commands::call::run(args, out)),
        Command::Resume(args) => on_runtime(commands::resume::run(args, out)),
        Command::List(args) => on_runtime(commands::list::run(args, out)),
        Command::Keys(args) => commands::keys::run(args, out),
        Command::Completions(args) => commands::completions::run(args, out),
        Command::Man(args) => commands::man::run(args, out),
    }
}

fn on_runtime(work: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::local(error).context("the program cannot start its threads"))?;
    let exit = runtime.block_on(work);
    // Whatever still reads standard input must not keep the program from ending.
    runtime.shutdown_background();
    exit
}
