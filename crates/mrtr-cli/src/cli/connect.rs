//! What the commands that talk to a server have in common.

use std::path::PathBuf;

use clap::Args;

/// How to reach the server.
#[derive(Args, Debug)]
pub(crate) struct ConnectArgs {
    /// Start this program and talk to it over its stdin and stdout, instead of SERVER
    #[arg(long, value_name = "'PROGRAM ARGS'", help_heading = "Server")]
    pub(crate) command: Option<String>,

    /// A bearer token for HTTP. Better kept in the variable than in the shell's history
    #[arg(
        long = "bearer",
        value_name = "TOKEN",
        env = "MRTR_TOKEN",
        hide_env_values = true,
        help_heading = "Server"
    )]
    pub(crate) bearer: Option<String>,

    /// Send this header with every HTTP request. May be given several times
    #[arg(
        long = "header",
        value_name = "'NAME: VALUE'",
        conflicts_with = "command",
        help_heading = "Server"
    )]
    pub(crate) headers: Vec<String>,

    /// How long one request may take; news of its progress starts it anew
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 60,
        value_parser = clap::value_parser!(u64).range(1..=86_400),
        help_heading = "Server"
    )]
    pub(crate) timeout: u64,

    /// Show every message on the wire, on stderr, without credentials
    #[arg(long, help_heading = "Server")]
    pub(crate) trace: bool,
}

/// How the server's questions are answered.
#[derive(Args, Debug)]
pub(crate) struct AnswerArgs {
    /// Answer the question KEY: accept, decline or cancel, the fields of a form as a JSON object, the
    /// value of a form's only field, or a whole answer ({"action":..}). May be given several times
    #[arg(long = "answer", value_name = "KEY=JSON", help_heading = "Answers")]
    pub(crate) answers: Vec<String>,

    /// Read answers from a JSON file: an object of KEY to answer; - for stdin
    #[arg(long = "answers", value_name = "FILE", help_heading = "Answers")]
    pub(crate) answers_file: Option<PathBuf>,

    /// What a model answers when the server asks for one: text, or a whole message as JSON. May be
    /// given several times, for one question after the other
    #[arg(
        long = "sampling-answer",
        value_name = "TEXT",
        help_heading = "Answers"
    )]
    pub(crate) sampling_answers: Vec<String>,

    /// Offer this folder to a server that asks for roots. May be given several times
    #[arg(long = "root", value_name = "DIR", help_heading = "Answers")]
    pub(crate) roots: Vec<PathBuf>,
}
