//! `mrtr demo`

use crate::cli::DemoArgs;
use crate::exit::{Exit, Failure};
use crate::out::Out;

pub(crate) async fn run(_args: DemoArgs, _out: &Out) -> Result<Exit, Failure> {
    Err(Failure::message(
        Exit::Local,
        "`mrtr demo` is not in this build yet",
    ))
}
