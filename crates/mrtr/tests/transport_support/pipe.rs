//! The client's end of a server on pipes.

use std::io;

use mrtr::server::Stdio;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};
use tokio::task::JoinHandle;

pub(crate) struct Pipe {
    input: Option<DuplexStream>,
    output: BufReader<DuplexStream>,
    server: JoinHandle<io::Result<()>>,
}

impl Pipe {
    pub(crate) fn new(stdio: Stdio) -> Self {
        Self::with_room(stdio, 1024 * 1024)
    }

    /// A pipe that takes so many bytes each way before a writer has to wait.
    pub(crate) fn with_room(stdio: Stdio, room: usize) -> Self {
        let (input, stdin) = duplex(room);
        let (stdout, output) = duplex(room);
        Self {
            input: Some(input),
            output: BufReader::new(output),
            server: tokio::spawn(stdio.over(stdin, stdout)),
        }
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).await.unwrap();
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes()).await;
    }

    /// The next message; panics when the output ends before.
    pub(crate) async fn next(&mut self) -> Value {
        let line = self.line().await.expect("a message");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The next line; `None` at the end of the output.
    pub(crate) async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.output.read_line(&mut line).await.unwrap();
        if line.is_empty() {
            return None;
        }
        assert!(line.ends_with('\n'), "written whole: {line:?}");
        line.pop();
        Some(line)
    }

    /// Writes while it reads so many messages.
    pub(crate) async fn exchange(&mut self, bytes: &[u8], messages: usize) -> Vec<Value> {
        let Self { input, output, .. } = self;
        let write = input.as_mut().unwrap().write_all(bytes);
        let read = async {
            let mut read = Vec::new();
            for _ in 0..messages {
                let mut line = String::new();
                output.read_line(&mut line).await.unwrap();
                read.push(serde_json::from_str(&line).unwrap());
            }
            read
        };
        let (written, read) = tokio::join!(write, read);
        written.unwrap();
        read
    }

    /// Closes the input.
    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    /// Closes the input, and gives what is still written until the server ends.
    pub(crate) async fn rest(mut self) -> Vec<Value> {
        self.close();
        let mut rest = Vec::new();
        while let Some(line) = self.line().await {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        self.server.await.unwrap().unwrap();
        rest
    }

    /// Stops reading for good.
    pub(crate) async fn hang_up(self) -> io::Result<()> {
        let Self {
            input,
            output,
            server,
        } = self;
        drop(output);
        let result = server.await.unwrap();
        drop(input);
        result
    }
}
