//! `mrtr keys`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use mrtr::state::KeyId;

const EXAMPLES: &str = "\
Examples:
  export MRTR_KEYS=$(mrtr keys new)           one key for all servers that share their calls
  (umask 077; mrtr keys new > keys)           or a file, which running servers follow
  mrtr keys rotate keys                       a new key seals, the old one still opens
  mrtr keys show keys                         which keys a file holds";

/// Make, look at and rotate the keys that seal states
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
    /// Print the ids of keys and what each does, never the keys
    Show(ShowArgs),
    Rotate(RotateArgs),
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// A file of keys, `-` for stdin; without it, MRTR_KEYS
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

const ROTATE_EXAMPLES: &str = "\
Examples:
  mrtr keys rotate keys                       one server: the new key seals at once
Several servers, which read their files at different times; each step is everywhere before the next:
  mrtr keys rotate keys --add                 1. a new key that opens only; prints its id
  mrtr keys rotate keys --seal Xk3-_9aQ       2. it seals, the old one opens
  mrtr keys rotate keys --drop a81PqLx0       3. once the longest exchange is over: the old one goes";

/// Change the keys in a file: without an option, a new one seals and the others still open
///
/// The file is replaced in one step and is readable by its owner alone; servers that run with it
/// follow within a second or two. Prints what it holds then, as `mrtr keys show` does.
#[derive(Args, Debug)]
#[command(after_help = ROTATE_EXAMPLES)]
pub(crate) struct RotateArgs {
    /// The file of keys
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Add a new key that opens only
    #[arg(long, conflicts_with_all = ["seal", "drop"])]
    pub(crate) add: bool,

    /// Let a key of the file seal; the others open
    #[arg(
        long,
        value_name = "ID",
        conflicts_with = "drop",
        allow_hyphen_values = true
    )]
    pub(crate) seal: Option<KeyId>,

    /// Remove a key that does not seal. May be repeated
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) drop: Vec<KeyId>,
}
