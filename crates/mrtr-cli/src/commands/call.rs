//! `mrtr call`

use crate::cli::call::CallArgs;
use crate::exit::{Exit, Failure};
use crate::out::Out;

pub(crate) async fn run(_args: CallArgs, _out: &Out) -> Result<Exit, Failure> {
    Err(Failure::message(
        Exit::Local,
        "`mrtr call` is not in this build yet",
    ))
}
