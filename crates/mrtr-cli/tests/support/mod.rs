//! Running the program, and talking to its server as raw as it gets.
#![allow(dead_code)]

pub(crate) mod http;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::thread;

/// The program, with nothing of the environment that could change what it does.
pub(crate) fn mrtr(args: &[&str]) -> Command {
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
    command
}

/// Runs the program without input.
pub(crate) fn run(args: &[&str]) -> Output {
    run_command(mrtr(args), "")
}

/// Runs a command with `input` on its standard input.
pub(crate) fn run_command(mut command: Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that does not read its input may be gone already.
    let _ = child
        .stdin
        .take()
        .expect("stdin")
        .write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8 on stdout")
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8 on stderr")
}

/// A running `mrtr serve`, killed when dropped.
pub(crate) struct Serving {
    child: Child,
    lines: mpsc::Receiver<String>,
    seen: Vec<String>,
    /// Where it listens, such as `http://127.0.0.1:43210/mcp`; empty over stdio.
    pub(crate) endpoint: String,
}

impl Serving {
    /// `mrtr serve` on a free port, ready for requests.
    pub(crate) fn http(args: &[&str]) -> Self {
        Self::http_with(args, |_| {})
    }

    pub(crate) fn http_with(args: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        let mut command = mrtr(&["serve"]);
        if !args.contains(&"--http") {
            command.args(["--http", "127.0.0.1:0"]);
        }
        command
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        change(&mut command);
        let mut serving = Self::start(command);
        let line = serving.wait_for("listening on ");
        serving.endpoint = line["listening on ".len()..].to_owned();
        serving.wait_for("  bob  ");
        serving
    }

    fn start(mut command: Command) -> Self {
        let mut child = command
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let stderr = BufReader::new(child.stderr.take().expect("stderr"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self {
            child,
            lines,
            seen: Vec::new(),
            endpoint: String::new(),
        }
    }

    /// `mrtr serve --stdio`, with its standard input and output as pipes.
    pub(crate) fn stdio(change: impl FnOnce(&mut Command)) -> (Self, Pipes) {
        let mut command = mrtr(&["serve", "--stdio"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        change(&mut command);
        let mut serving = Self::start(command);
        let pipes = Pipes {
            stdin: serving.child.stdin.take(),
            stdout: BufReader::new(serving.child.stdout.take().expect("stdout")),
        };
        (serving, pipes)
    }

    /// The first line on stderr that begins so, now or later.
    pub(crate) fn wait_for(&mut self, beginning: &str) -> String {
        self.wait_until(beginning, |line| line.starts_with(beginning))
    }

    /// The first line on stderr that holds this, now or later.
    pub(crate) fn wait_for_text(&mut self, text: &str) -> String {
        self.wait_until(text, |line| line.contains(text))
    }

    fn wait_until(&mut self, what: &str, is_it: impl Fn(&str) -> bool) -> String {
        loop {
            if let Some(line) = self.seen.iter().find(|line| is_it(line)) {
                return line.clone();
            }
            match self.lines.recv() {
                Ok(line) => self.seen.push(line),
                Err(_) => panic!("no line with `{what}` on stderr: {:#?}", self.seen),
            }
        }
    }

    /// The code of a person.
    pub(crate) fn code(&mut self, person: &str) -> String {
        let beginning = format!("  {person}  ");
        self.wait_for(&beginning)[beginning.len()..].to_owned()
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).expect("the server is there");
    }

    /// Waits for the end; returns how it ended and everything on stderr.
    pub(crate) fn wait(mut self) -> (ExitStatus, Vec<String>) {
        let status = self.child.wait().expect("the server ends");
        let mut lines = std::mem::take(&mut self.seen);
        lines.extend(self.lines.iter());
        (status, lines)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The standard streams of a server.
pub(crate) struct Pipes {
    stdin: Option<std::process::ChildStdin>,
    stdout: BufReader<std::process::ChildStdout>,
}

impl Pipes {
    pub(crate) fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("still open");
        stdin.write_all(line.as_bytes()).expect("the server reads");
        stdin.write_all(b"\n").expect("the server reads");
        stdin.flush().expect("the server reads");
    }

    pub(crate) fn receive(&mut self) -> serde_json::Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Closes standard input and reads what is left on standard output.
    pub(crate) fn close(mut self) -> String {
        drop(self.stdin.take());
        let mut rest = String::new();
        self.stdout
            .read_to_string(&mut rest)
            .expect("UTF-8 on stdout");
        rest
    }
}
