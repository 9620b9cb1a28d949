//! `mrtr serve`

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  mrtr serve                                  on http://127.0.0.1:8080/mcp
  mrtr serve --http 127.0.0.1:0               on a free port; the endpoint is printed on stderr
  mrtr serve --stdio                          as a child process of an MCP client
  export MRTR_KEYS=$(mrtr keys new)           a key for all servers started from this shell, and for
  mrtr serve                                  their restarts; or keep it in a file: --keys FILE";

/// Run the example server
///
/// It has tools, a prompt and a resource that ask: a booking, a deployment to confirm, a sign-in on a
/// web page, a summary by the client's model. Ctrl-C or SIGTERM lets the requests that run finish.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    /// Listen for Streamable HTTP on this address
    #[arg(
        long,
        value_name = "ADDR",
        default_value = "127.0.0.1:8080",
        conflicts_with = "stdio"
    )]
    pub(crate) http: SocketAddr,

    /// Speak over stdin and stdout instead
    #[arg(long)]
    pub(crate) stdio: bool,

    /// Read the keys that seal states from this file, one on a line; changes of it are followed
    /// within a second or two, and at once on SIGHUP. Without it they come from MRTR_KEYS
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: Option<PathBuf>,
}
