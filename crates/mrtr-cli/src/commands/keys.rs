//! `mrtr keys`

use crate::cli::keys::KeysArgs;
use crate::exit::{Exit, Failure};
use crate::out::Out;

pub(crate) fn run(_args: KeysArgs, _out: &Out) -> Result<Exit, Failure> {
    Err(Failure::message(
        Exit::Local,
        "`mrtr keys` is not in this build yet",
    ))
}
