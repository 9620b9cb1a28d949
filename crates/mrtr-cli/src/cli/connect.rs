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
        long,
        value_name = "TOKEN",
        env = "MRTR_TOKEN",
        hide_env_values = true,
        conflicts_with = "command",
        help_heading = "Server"
    )]
    pub(crate) token: Option<String>,

    /// Show every message on the wire, on stderr
    #[arg(long, help_heading = "Server")]
    pub(crate) trace: bool,
}

/// How the server's questions are answered.
#[derive(Args, Debug)]
pub(crate) struct AnswerArgs {
    /// Answer the question KEY: the content of a form as a JSON object, `true` or `false` for a
    /// confirmation, "accept", "decline" or "cancel", or a whole answer. May be given several times
    #[arg(long = "answer", value_name = "KEY=JSON", help_heading = "Answers")]
    pub(crate) answers: Vec<String>,

    /// Read answers from a JSON file: an object of KEY to answer; `-` for stdin
    #[arg(long = "answers", value_name = "FILE", help_heading = "Answers")]
    pub(crate) answers_file: Option<PathBuf>,

    /// Offer this folder to a server that asks for roots. May be given several times
    #[arg(long = "root", value_name = "DIR", help_heading = "Answers")]
    pub(crate) roots: Vec<PathBuf>,

    /// Save the call to FILE while a question is open, for `mrtr resume`
    #[arg(long, value_name = "FILE", help_heading = "Answers")]
    pub(crate) save: Option<PathBuf>,
}
