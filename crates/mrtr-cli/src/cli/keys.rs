//! `mrtr keys`

use std::path::PathBuf;

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  export MRTR_KEYS=$(mrtr keys new)           one key for all servers that share their calls
  (mrtr keys new; cat keys) > keys.new        rotate: the new key seals, the old ones still open
  mrtr keys show keys.new                     which keys a file holds";

/// Make and look at the keys that seal states
///
/// A server seals what it must remember between two rounds and hands it to the client. All instances
/// of a server need the same keys. The first key seals, all of them open.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Print a new key, fit for MRTR_KEYS and key files
    New,
    /// Print the ids of keys, never the keys
    Show(ShowArgs),
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// A file of keys, `-` for stdin; without it, MRTR_KEYS
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}
