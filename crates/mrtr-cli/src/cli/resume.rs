//! `mrtr resume`

use std::path::PathBuf;

use clap::Args;

use super::connect::{AnswerArgs, ConnectArgs};

const EXAMPLES: &str = "\
Examples:
  mrtr resume trip.json
  mrtr resume trip.json --answer pay=true";

/// Go on with a call that was saved
///
/// The file names the server. It is rewritten with each round and removed when the call is done.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ResumeArgs {
    /// The file that `mrtr call --save` wrote
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The server's URL, when it has parts that are not saved, such as a query
    #[arg(
        long,
        value_name = "URL",
        conflicts_with = "command",
        help_heading = "Server"
    )]
    pub(crate) server: Option<String>,

    /// Send the last request again although the server may have carried it out already
    #[arg(long, visible_alias = "sent")]
    pub(crate) send_again: bool,

    #[command(flatten)]
    pub(crate) connect: ConnectArgs,

    #[command(flatten)]
    pub(crate) answers: AnswerArgs,
}
