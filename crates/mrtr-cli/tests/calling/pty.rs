//! The program at a terminal.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::program::mrtr;

/// How long anything may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const ENTER: &str = "\r";
pub(crate) const DOWN: &str = "\u{1b}[B";
pub(crate) const ESC: &str = "\u{1b}";
pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const BACKSPACE: &str = "\u{7f}";

/// The program, running at a pseudo-terminal of 100 columns.
pub(crate) struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: Receiver<Vec<u8>>,
    /// Everything that was written.
    pub(crate) seen: String,
    /// Up to where the test has read.
    read: usize,
}

impl Terminal {
    /// `None` where there is no `script` (of util-linux) to make a terminal with. On CI that is a
    /// failure.
    pub(crate) fn start(args: &[&str]) -> Option<Self> {
        let program = mrtr(args);
        let words = std::iter::once(program.get_program()).chain(program.get_args());
        let words = words.map(|word| word.to_string_lossy().into_owned());
        let line = shell_words::join(words);
        let mut command = Command::new("script");
        command
            .args([
                "-qfec",
                &format!("stty rows 40 cols 100 && exec {line}"),
                "/dev/null",
            ])
            .env("TERM", "xterm")
            .env("SHELL", "/bin/sh");
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = match spawned {
            Ok(child) => child,
            Err(error) => {
                assert!(
                    std::env::var_os("CI").is_none(),
                    "`script` is needed on CI: {error}"
                );
                eprintln!(
                    "SKIPPED: the terminal is not tested, because `script` does not run: {error}"
                );
                return None;
            }
        };
        let keys = child.stdin.take().expect("a pipe");
        let mut output = child.stdout.take().expect("a pipe");
        let (sender, screen) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Some(Self {
            child,
            keys,
            screen,
            seen: String::new(),
            read: 0,
        })
    }

    /// Waits until `text` is written, after what was waited for before.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) -> &mut Self {
        while !self.seen[self.read..].contains(text) {
            match self.screen.recv_timeout(PATIENCE) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!("no {text:?} in {:?}", &self.seen[self.read..]),
            }
        }
        let at = self.seen[self.read..].find(text).unwrap_or_default();
        self.read += at + text.len();
        self
    }

    pub(crate) fn press(&mut self, keys: &str) -> &mut Self {
        self.keys
            .write_all(keys.as_bytes())
            .expect("the terminal reads");
        self.keys.flush().expect("the terminal reads");
        self
    }

    /// Waits for the end of the program and returns its exit code.
    pub(crate) fn end(mut self) -> (i32, String) {
        while let Ok(bytes) = self.screen.recv_timeout(PATIENCE) {
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        let status = self.child.wait().expect("the program ends");
        (status.code().unwrap_or(-1), std::mem::take(&mut self.seen))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
