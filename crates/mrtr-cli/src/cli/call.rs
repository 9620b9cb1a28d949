//! `mrtr call`

use std::path::PathBuf;

use clap::Args;

use super::connect::{AnswerArgs, ConnectArgs};

const EXAMPLES: &str = "\
Examples:
  mrtr call http://127.0.0.1:8080/mcp book to=Kyoto
  mrtr call http://127.0.0.1:8080/mcp trip://kyoto/notes
  mrtr call http://127.0.0.1:8080/mcp --prompt briefing to=Oslo
  mrtr call --command 'mrtr serve --stdio' deploy service=web
  mrtr call http://127.0.0.1:8080/mcp deploy service=web --answer confirm=true
  mrtr call http://127.0.0.1:8080/mcp book to=Kyoto --save trip.json < /dev/null";

/// Call a tool, get a prompt or read a resource, and answer what the server asks
///
/// On a terminal each question is a form to fill in. Without one, the answers come from --answer and
/// --answers; what they leave open ends the call with exit code 3 and a list of what was asked.
#[derive(Args, Debug)]
#[command(
    after_help = EXAMPLES,
    override_usage = "mrtr call [OPTIONS] SERVER NAME [KEY=VALUE]...\n       \
                      mrtr call [OPTIONS] --command 'PROGRAM ARGS' NAME [KEY=VALUE]..."
)]
pub(crate) struct CallArgs {
    /// SERVER: the URL of the server, unless --command is given.
    /// NAME: a tool, or a resource if it contains `://`, or a prompt with --prompt.
    /// KEY=VALUE: its arguments, read by the types that the tool names for them
    #[arg(value_name = "SERVER NAME [KEY=VALUE]", required = true)]
    pub(crate) words: Vec<String>,

    /// NAME is a prompt
    #[arg(long)]
    pub(crate) prompt: bool,

    /// The arguments as a JSON object; KEY=VALUE adds to it
    #[arg(long, value_name = "JSON")]
    pub(crate) input_json: Option<String>,

    /// Save the call to FILE, a new file, while a question is open, for `mrtr resume`; it is removed when the call is done
    #[arg(long, value_name = "FILE", help_heading = "Answers")]
    pub(crate) save: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) connect: ConnectArgs,

    #[command(flatten)]
    pub(crate) answers: AnswerArgs,
}
