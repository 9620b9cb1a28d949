//! `mrtr list`

use clap::Args;

use super::connect::ConnectArgs;

const EXAMPLES: &str = "\
Examples:
  mrtr list http://127.0.0.1:8080/mcp
  mrtr list --command 'mrtr serve --stdio'
  mrtr list http://127.0.0.1:8080/mcp --json";

/// List what a server offers
///
/// Its tools with their arguments, its prompts, its resources and templates of resources.
#[derive(Args, Debug)]
#[command(
    after_help = EXAMPLES,
    override_usage = "mrtr list [OPTIONS] SERVER\n       mrtr list [OPTIONS] --command 'PROGRAM ARGS'"
)]
pub(crate) struct ListArgs {
    /// The URL of the server
    #[arg(
        value_name = "SERVER",
        required_unless_present = "command",
        conflicts_with = "command"
    )]
    pub(crate) server: Option<String>,

    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
}
