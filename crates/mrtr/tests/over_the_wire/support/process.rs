//! Servers that are processes of their own: the example `fleet`.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::Via;

/// A running process; it is killed when it is dropped.
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// What `cargo test` builds beside the tests.
pub(crate) fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.ancestors().nth(2).unwrap().join("examples/fleet");
    let program = program.with_extension(std::env::consts::EXE_EXTENSION);
    let built = "run `cargo build -p mrtr --example fleet` first, which `cargo test` does unless it is given `--test`";
    assert!(
        program.exists(),
        "{} is not there: {built}",
        program.display()
    );
    program
}

/// A command that sees nothing of this machine's keys.
pub(crate) fn command(state_folder: &Path) -> Command {
    let mut command = Command::new(program());
    command
        .env_remove("MRTR_KEYS")
        .env("XDG_STATE_HOME", state_folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    command
}

impl Process {
    pub(crate) fn start(mut command: Command, via: Via) -> Self {
        let mode = match via {
            Via::Http => "http",
            Via::Stdio => "stdio",
        };
        let mut child = command.arg(mode).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self {
            input: child.stdin.take(),
            output,
            child,
        }
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).await.unwrap();
    }

    pub(crate) async fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).await.unwrap();
        assert!(line.ends_with('\n'), "the process ended: {line:?}");
        line.pop();
        line
    }

    /// Kills it, so that nothing of it can be kept for later.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Closes its input, and gives the rest of its output and its status.
    pub(crate) async fn end(mut self) -> (String, ExitStatus) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).await.unwrap();
        (rest, self.child.wait().await.unwrap())
    }
}
