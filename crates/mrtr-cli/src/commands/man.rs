//! `mrtr man`

use clap::CommandFactory as _;
use clap_mangen::Man;

use crate::cli::{Cli, ManArgs};
use crate::exit::{Exit, Failure};
use crate::out::Out;

pub(crate) fn run(_args: ManArgs, out: &Out) -> Result<Exit, Failure> {
    let mut page = Vec::new();
    Man::new(Cli::command())
        .render(&mut page)
        .map_err(Failure::local)?;
    out.raw(&page);
    Ok(Exit::Done)
}
