//! `mrtr resume`

use crate::cli::resume::ResumeArgs;
use crate::exit::{Exit, Failure};
use crate::out::Out;

pub(crate) async fn run(_args: ResumeArgs, _out: &Out) -> Result<Exit, Failure> {
    Err(Failure::message(
        Exit::Local,
        "`mrtr resume` is not in this build yet",
    ))
}
