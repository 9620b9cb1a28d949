//! `mrtr list`

use crate::cli::list::ListArgs;
use crate::exit::{Exit, Failure};
use crate::out::Out;

pub(crate) async fn run(_args: ListArgs, _out: &Out) -> Result<Exit, Failure> {
    Err(Failure::message(
        Exit::Local,
        "`mrtr list` is not in this build yet",
    ))
}
