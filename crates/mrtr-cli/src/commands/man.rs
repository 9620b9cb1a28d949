//! `mrtr man`

use clap::CommandFactory as _;
use clap_mangen::Man;

use crate::cli::{Cli, ManArgs};
use crate::exit::{Exit, Failure};
use crate::out::Out;

pub(crate) fn run(args: ManArgs, out: &Out) -> Result<Exit, Failure> {
    let mut command = Cli::command();
    // Gives subcommands their full names and the global options.
    command.build();
    for name in &args.command {
        let sub = command.find_subcommand(name).cloned();
        command = sub.ok_or_else(|| Failure::usage(format!("there is no subcommand `{name}`")))?;
    }
    let mut page = Vec::new();
    Man::new(command)
        .render(&mut page)
        .map_err(Failure::local)?;
    out.raw(&page);
    Ok(Exit::Done)
}
