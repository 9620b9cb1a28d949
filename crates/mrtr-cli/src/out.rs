//! Writing to people and scripts: results to stdout, the rest to stderr.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};
use std::sync::Mutex;

use clap::ColorChoice;
use clap::builder::styling::{AnsiColor, Style};
use serde::Serialize;

use crate::details::Details;
use crate::exit::{Exit, Failure};
use crate::show::clean;

/// Where a command writes. A reader that closes the pipe early ends nothing: what is written after
/// that is dropped.
pub(crate) struct Out {
    json: bool,
    color: ColorChoice,
    trouble: Mutex<Option<io::Error>>,
}

impl Out {
    pub(crate) fn new(json: bool, color: ColorChoice) -> Self {
        Self {
            json,
            color,
            trouble: Mutex::new(None),
        }
    }

    /// Whether stdout carries one JSON document instead of text for people.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether text on stdout has colours.
    pub(crate) fn colors_stdout(&self) -> bool {
        colors(self.color, io::stdout().is_terminal())
    }

    /// Whether text on stderr has colours.
    pub(crate) fn colors_stderr(&self) -> bool {
        colors(self.color, io::stderr().is_terminal())
    }

    /// Writes a line to stdout.
    pub(crate) fn line(&self, text: impl Display) {
        self.stdout(format!("{text}\n").as_bytes());
    }

    /// Writes bytes to stdout as they are.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        self.stdout(bytes);
    }

    /// Writes a JSON document to stdout.
    pub(crate) fn document(&self, value: &impl Serialize) {
        match serde_json::to_string_pretty(value) {
            // What would act on a terminal is written as JSON escapes.
            Ok(text) => self.line(clean::json(&text)),
            Err(error) => self.remember(error.into()),
        }
    }

    /// Tells the person something beside the result: a line to stderr.
    pub(crate) fn note(&self, text: impl Display) {
        // Nobody is left to be told when stderr is closed.
        let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
    }

    /// `text` in `style`, on stdout.
    pub(crate) fn paint(&self, style: Style, text: impl Display) -> String {
        painted(self.colors_stdout(), style, text)
    }

    /// `text` in `style`, on stderr.
    pub(crate) fn paint_note(&self, style: Style, text: impl Display) -> String {
        painted(self.colors_stderr(), style, text)
    }

    /// Says why the command failed. With `--json` stdout gets a document for it too.
    pub(crate) fn failure(&self, failure: &Failure) {
        #[derive(Serialize)]
        struct Document<'a> {
            status: &'static str,
            exit: u8,
            message: &'a str,
            #[serde(flatten)]
            details: &'a Details,
        }
        let message = format!("{:#}", failure.error);
        let red = AnsiColor::Red.on_default().bold();
        self.note(format_args!("{} {message}", self.paint_note(red, "error:")));
        if self.json {
            self.document(&Document {
                status: failure.exit.name(),
                exit: failure.exit as u8,
                message: &message,
                details: &failure.details,
            });
        }
    }

    /// How the program ends after all was written: a result that could not be written is a failure.
    pub(crate) fn finish(&self, exit: Exit) -> Exit {
        let trouble = match self.trouble.lock() {
            Ok(mut trouble) => trouble.take(),
            Err(_) => None,
        };
        match trouble {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.note(format_args!("error: the result cannot be written: {error}"));
                if exit == Exit::Done {
                    Exit::Local
                } else {
                    exit
                }
            }
            _ => exit,
        }
    }

    fn stdout(&self, bytes: &[u8]) {
        if self.trouble.lock().is_ok_and(|trouble| trouble.is_some()) {
            return;
        }
        let mut stdout = io::stdout().lock();
        if let Err(error) = stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            self.remember(error);
        }
    }

    fn remember(&self, error: io::Error) {
        if let Ok(mut trouble) = self.trouble.lock() {
            trouble.get_or_insert(error);
        }
    }
}

fn colors(choice: ColorChoice, terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            terminal && !set("NO_COLOR") && !dumb
        }
    }
}

fn painted(colors: bool, style: Style, text: impl Display) -> String {
    if colors {
        format!("{style}{text}{style:#}")
    } else {
        text.to_string()
    }
}
