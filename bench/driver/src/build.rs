//! Which servers of the table can be measured here.

use std::process::{Command, Stdio};

use crate::Failure;
use crate::check::check;
use crate::servers::{FLOOR, OURS, Server};

/// The servers that could be built and answer as they should. Says of every other why it is absent; the floor and mrtr
/// must be there.
pub fn present(servers: Vec<Server>) -> Result<Vec<Server>, Failure> {
    let mut present = Vec::new();
    for server in servers {
        match build(&server).and_then(|()| check(&server)) {
            Ok(()) => {
                println!("{}: ok", server.name);
                present.push(server);
            }
            Err(why) if server.name == FLOOR || server.name == OURS => return Err(why),
            Err(why) => println!("{}: absent: {why}", server.name),
        }
    }
    Ok(present)
}

fn build(server: &Server) -> Result<(), Failure> {
    let output = Command::new("bash")
        .args(["-c", &server.build])
        .stdin(Stdio::null())
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("`{}`: {}", server.build, reason(&output.stderr)).into())
}

/// What went wrong, of all that a build said: where it says `error`, or else the end.
fn reason(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines
        .clone()
        .find(|line| line.to_ascii_lowercase().starts_with("error"));
    error
        .or_else(|| lines.next_back())
        .unwrap_or("failed and said nothing")
        .to_owned()
}
