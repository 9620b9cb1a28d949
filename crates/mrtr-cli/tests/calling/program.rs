//! Running the program, and its example server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// What a run of the program left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// The one document on stdout.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is not one JSON document ({error}): {self:#?}"))
    }

    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }
}

/// The program, with nothing of the environment that could change what it does.
pub(crate) fn mrtr<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mrtr"));
    command.args(args);
    for name in [
        "MRTR_KEYS",
        "MRTR_TOKEN",
        "RUST_LOG",
        "NO_COLOR",
        "TRACEPARENT",
    ] {
        command.env_remove(name);
    }
    command.env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// Runs the program without a terminal and without input.
pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Ran {
    run_with(mrtr(args), "")
}

/// Runs a command with `input` on its stdin.
pub(crate) fn run_with(mut command: Command, input: &str) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A program that does not read its input closes the pipe, which is fine.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// The example server on a free port; it ends when this is dropped.
pub(crate) struct Example {
    child: Child,
    pub(crate) url: String,
}

impl Example {
    pub(crate) fn start() -> Self {
        let mut child = mrtr(["serve", "--http", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut said = String::new();
        let url = loop {
            let from = said.len();
            let read = stderr.read_line(&mut said).expect("text");
            assert_ne!(read, 0, "the server did not start: {said}");
            if let Some(url) = said[from..].strip_prefix("listening on ") {
                break url.trim().to_owned();
            }
        };
        // Read on, so that the server never waits for a reader.
        std::thread::spawn(move || {
            let mut rest = Vec::new();
            let _ = stderr.read_to_end(&mut rest);
        });
        Self { child, url }
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The example server as a `--command`.
pub(crate) fn stdio_server() -> String {
    format!("'{}' serve --stdio", env!("CARGO_BIN_EXE_mrtr"))
}
