//! Telling that a call is under way, and how far it is.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mrtr::wire::ProgressParams;

use super::clean;

/// How much of a progress message is shown.
const MESSAGE: usize = 60;

/// Where a running call shows how far it is: one line of a terminal that is written anew, or a line
/// for each notification where there is no terminal.
#[derive(Clone)]
pub(crate) struct Status(Arc<Mutex<Line>>);

struct Line {
    terminal: bool,
    /// Whether the terminal's line has text of ours on it.
    shown: bool,
    progress: Option<String>,
}

impl Status {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Line {
            terminal: io::stderr().is_terminal(),
            shown: false,
            progress: None,
        })))
    }

    /// The server told how far it is.
    pub(crate) fn progress(&self, progress: &ProgressParams) {
        let text = told(progress);
        let mut line = self.line();
        if line.terminal {
            line.show(&text);
        } else {
            print(&format!("{text}\n"));
        }
        line.progress = Some(text);
    }

    /// Time went by without an answer.
    pub(crate) fn waiting(&self, server: &str, since: Duration) {
        let mut line = self.line();
        if line.terminal {
            let seconds = since.as_secs();
            let text = match &line.progress {
                Some(progress) => format!("{progress} ({seconds} s)"),
                None => format!("waiting for {} ({seconds} s)", clean::line(server, MESSAGE)),
            };
            line.show(&text);
        }
    }

    /// Makes room for something else.
    pub(crate) fn clear(&self) {
        let mut line = self.line();
        if line.shown {
            print("\r\u{1b}[2K");
            line.shown = false;
        }
    }

    /// The request is over.
    pub(crate) fn end(&self) {
        self.clear();
        self.line().progress = None;
    }

    /// Writes a line between what is shown.
    pub(crate) fn between(&self, text: &str) {
        self.clear();
        print(&format!("{text}\n"));
    }

    fn line(&self) -> std::sync::MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    fn show(&mut self, text: &str) {
        let columns = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
        let room = if columns == 0 { 80 } else { columns }.saturating_sub(2);
        print(&format!("\r\u{1b}[2K{}", clean::line(text, room)));
        self.shown = true;
    }
}

fn print(text: &str) {
    let mut stderr = io::stderr().lock();
    // Nobody is left to be told when stderr is closed.
    let _ = stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.flush());
}

/// Progress in words: `3/10 Replacing instances`.
fn told(progress: &ProgressParams) -> String {
    let mut text = format!("progress {}", progress.progress);
    if let Some(total) = &progress.total {
        text.push_str(&format!("/{total}"));
    }
    if let Some(message) = &progress.message {
        text.push(' ');
        text.push_str(&clean::line(message, MESSAGE));
    }
    text
}
