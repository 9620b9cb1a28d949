//! `mrtr serve`

use crate::cli::serve::ServeArgs;
use crate::exit::{Exit, Failure};
use crate::out::Out;

pub(crate) async fn run(_args: ServeArgs, _out: &Out) -> Result<Exit, Failure> {
    Err(Failure::message(
        Exit::Local,
        "`mrtr serve` is not in this build yet",
    ))
}
