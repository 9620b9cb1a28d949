//! `mrtr call`, `resume` and `list`: the real program against real servers.

mod answers;
mod arguments;
mod errors;
mod hostile;
mod listing;
mod outcome;
mod program;
#[cfg(target_os = "linux")]
mod pty;
mod resuming;
mod scripted;
#[cfg(target_os = "linux")]
mod terminal;
mod wire;
