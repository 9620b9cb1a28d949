//! Showing people what servers say, without letting it act on their terminal.

pub(crate) mod clean;
mod frame;
pub(crate) mod pretty;
pub(crate) mod result;
pub(crate) mod status;
pub(crate) mod trace;
pub(crate) mod url;

use std::io::IsTerminal as _;

use clap::builder::styling::{AnsiColor, Style};
use mrtr::exchange::Target;

use self::url::Page;
use crate::out::Out;

/// How much of a key or a label is shown.
pub(crate) const LABEL: usize = 70;

/// The part of the screen beside the result: stderr.
pub(crate) struct Screen<'a> {
    out: &'a Out,
    width: Option<usize>,
}

impl<'a> Screen<'a> {
    pub(crate) fn new(out: &'a Out) -> Self {
        let width = std::io::stderr()
            .is_terminal()
            .then(|| crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns)))
            .map(|columns| if columns == 0 { 80 } else { columns });
        Self { out, width }
    }

    /// A line of the program's own.
    pub(crate) fn say(&self, text: &str) {
        self.out.note(text);
    }

    /// A server's text, set apart.
    pub(crate) fn quote(&self, text: &str) {
        let quoted = frame::quote(text, self.width);
        if !quoted.is_empty() {
            self.out.note(quoted);
        }
    }

    /// A warning.
    pub(crate) fn warn(&self, text: &str) {
        let yellow = AnsiColor::Yellow.on_default().bold();
        let warning = self.out.paint_note(yellow, "warning:");
        self.out.note(format_args!("{warning} {text}"));
    }

    /// Who asks, under which key, and what. Who asks is what the person typed, never what the server
    /// calls itself.
    pub(crate) fn asks(&self, server: &Target, key: &str, message: &str) {
        let bold = Style::new().bold();
        let server = self.out.paint_note(bold, name(server));
        let key = clean::line(key, LABEL);
        self.out.note(format_args!("\n{server} asks ({key}):"));
        self.quote(message);
    }

    /// The URL of a page, if it can be shown.
    pub(crate) fn address(&self, url: &str) {
        match Page::parse(url) {
            Ok(page) => self.page(&page),
            Err(bad) => self.warn(&format!("{bad}, so it is not shown")),
        }
    }

    /// A URL in full, its host highlighted, and what to know about it.
    pub(crate) fn page(&self, page: &Page) {
        let (before, host, after) = page.parts();
        let strong = AnsiColor::Cyan.on_default().bold().underline();
        let painted = self.out.paint_note(strong, host);
        self.out
            .note(format_args!("  URL:  {before}{painted}{after}"));
        if !host.is_empty() {
            self.out.note(format_args!("  host: {painted}"));
        }
        for caution in page.cautions() {
            self.warn(&caution.to_string());
        }
    }

    /// Whether prompts have colours.
    pub(crate) fn colors(&self) -> bool {
        self.out.colors_stderr()
    }
}

/// A server, as the person named it.
pub(crate) fn name(server: &Target) -> String {
    clean::line(&server.to_string(), 300)
}
