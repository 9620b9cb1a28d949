//! The play as text.

use clap::builder::styling::{AnsiColor, Style};
use serde_json::Value;

use super::report::{Asked, Report, Round, State};
use crate::out::Out;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

pub(super) fn beginning(tool: &str, arguments: &Value, endpoint: &str, out: &Out) {
    out.line(out.paint(BOLD, "A call that asks back"));
    out.line(format_args!(
        "A client calls the tool `{tool}` of {endpoint}"
    ));
    out.line(format_args!(
        "with {arguments}. Each request meets a server that was built for it."
    ));
}

pub(super) fn round(round: &Round, out: &Out) {
    out.line("");
    out.line(out.paint(BOLD, format_args!("Round {}", round.round)));
    let what = match round.request.returns_state {
        false => "tools/call",
        true => "tools/call with the same arguments, the answers and the state",
    };
    out.line(arrow(out, "client -> server", what, round.request.bytes));
    if let Some(answers) = round.request.answers.as_ref().and_then(Value::as_object) {
        for (key, answer) in answers {
            out.line(format_args!("    {key}: {}", answer["content"]));
        }
    }
    let what = match round.state {
        Some(_) => "input_required",
        None => "complete",
    };
    out.line(arrow(out, "server -> client", what, round.reply.bytes));
    for question in &round.asks {
        asked(question, out);
    }
    if let Some(state) = &round.state {
        sealed(state, out);
    }
}

fn arrow(out: &Out, who: &str, what: &str, bytes: usize) -> String {
    let who = out.paint(AnsiColor::Cyan.on_default(), who);
    let bytes = out.paint(DIM, format_args!("({bytes} bytes)"));
    format!("  {who}  {what} {bytes}")
}

fn asked(question: &Asked, out: &Out) {
    let yellow = AnsiColor::Yellow.on_default();
    let key = out.paint(yellow, &question.key);
    out.line(format_args!("    asks {key}: {}", question.message));
    for field in &question.fields {
        let optional = if field.required {
            ""
        } else {
            " (may be left out)"
        };
        out.line(format_args!(
            "      {:<10} {}{optional}",
            field.name, field.takes
        ));
    }
}

fn sealed(state: &State, out: &Out) {
    let magenta = AnsiColor::Magenta.on_default();
    let name = out.paint(magenta, "requestState");
    out.line(format_args!(
        "    {name}, {} characters that only the server can read:",
        state.characters
    ));
    for (at, known) in state.knows.iter().enumerate() {
        let holds = if at == 0 { "holds" } else { "" };
        out.line(format_args!("      {holds:<9}  {known}"));
    }
    out.line("      opens for  this tool with these arguments, sent by the same caller");
    out.line(format_args!(
        "      opens for  {} minutes",
        state.good_for_seconds / 60
    ));
    out.line(format_args!(
        "    {}",
        out.paint(
            DIM,
            "The server is gone. It remembers nothing; the client has it all."
        )
    ));
}

pub(super) fn end(report: &Report, out: &Out) {
    let green = AnsiColor::Green.on_default().bold();
    out.line(format_args!("    {}", report.result));
    out.line("");
    out.line(out.paint(BOLD, "And with one character of the state changed"));
    let tampered = &report.tampered;
    out.line(format_args!(
        "  refused: HTTP {}, error {}: {}",
        tampered.http_status, tampered.code, tampered.message
    ));
    out.line("");
    out.line(format_args!(
        "{} {} rounds, {} servers with one key between them, {} ms.",
        out.paint(green, "Done:"),
        report.rounds.len(),
        report.servers,
        report.milliseconds
    ));
    out.line("Try it yourself: `mrtr serve`, and in another terminal");
    out.line("  mrtr call http://127.0.0.1:8080/mcp book to=Kyoto");
}
