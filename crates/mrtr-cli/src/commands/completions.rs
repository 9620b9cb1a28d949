//! `mrtr completions`

use clap::CommandFactory as _;

use crate::cli::{Cli, CompletionsArgs};
use crate::exit::{Exit, Failure};
use crate::out::Out;

pub(crate) fn run(args: CompletionsArgs, out: &Out) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "mrtr", &mut script);
    out.raw(&script);
    Ok(Exit::Done)
}
