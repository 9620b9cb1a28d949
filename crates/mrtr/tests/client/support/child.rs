//! Servers as real child processes: shell scripts that read and write lines.

use std::path::{Path, PathBuf};

use mrtr::client::{Client, ClientBuilder};
use serde_json::Value;
use tempfile::TempDir;

use super::peer::discovered;

/// A child that keeps what it read in a file.
pub(crate) struct Child {
    directory: TempDir,
    script: String,
}

const PRELUDE: &str = r#"
take() { IFS= read -r line || exit 0; printf '%s\n' "$line" >> "$LOG"; id=${line#*\"id\":}; id=${id%%,*}; }
say() { printf '%s\n' "$1"; }
result() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
error() { printf '{"jsonrpc":"2.0","id":%s,"error":%s}\n' "$id" "$1"; }
"#;

impl Child {
    /// Runs `script` in a shell: `take` reads a message, `result '..'` and `error '..'` answer it,
    /// `say '..'` writes a line, `$DIR` is a folder of its own.
    pub(crate) fn raw(script: &str) -> Self {
        let script = format!("{PRELUDE}{script}");
        Self {
            directory: TempDir::new().unwrap(),
            script,
        }
    }

    /// The same after the probe was answered.
    pub(crate) fn new(script: &str) -> Self {
        Self::raw(&format!("take; result '{}'\n{script}", discovered("child")))
    }

    pub(crate) fn builder(&self) -> ClientBuilder {
        Client::command("sh", ["-c", &self.script])
            .env("LOG", self.file("log"))
            .env("DIR", self.directory.path())
    }

    pub(crate) fn client(&self) -> Client {
        self.builder().build().unwrap()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The messages that it read, over all its lives.
    pub(crate) fn log(&self) -> Vec<Value> {
        read_log(&self.file("log"))
    }

    /// The methods that it read.
    pub(crate) fn methods(&self) -> Vec<String> {
        let method = |message: &Value| message["method"].as_str().unwrap().to_owned();
        self.log().iter().map(method).collect()
    }
}

fn read_log(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
