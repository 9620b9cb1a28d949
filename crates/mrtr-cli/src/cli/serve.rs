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
/// Probes are answered at /health/live and /health/ready.
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

    /// Serve requests for this host. Needed behind a proxy, as a server on a loopback address serves
    /// only those for this machine. May be given several times
    #[arg(
        long = "allow-host",
        value_name = "HOST",
        conflicts_with = "stdio",
        help_heading = "On the network"
    )]
    pub(crate) hosts: Vec<String>,

    /// Serve web pages of this origin, such as https://app.example. May be given several times
    #[arg(
        long = "allow-origin",
        value_name = "ORIGIN",
        conflicts_with = "stdio",
        help_heading = "On the network"
    )]
    pub(crate) origins: Vec<String>,

    /// Serve metrics for Prometheus at /metrics on this address, and the probes as well. Whoever
    /// reaches it can read them
    #[arg(
        long,
        value_name = "ADDR",
        conflicts_with = "stdio",
        help_heading = "On the network"
    )]
    pub(crate) metrics: Option<SocketAddr>,

    /// How long to serve on after being told to stop, while /health/ready says 503: time for a
    /// balancer to send requests elsewhere
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 0,
        value_parser = clap::value_parser!(u64).range(..=3_600),
        conflicts_with = "stdio",
        help_heading = "On the network"
    )]
    pub(crate) drain_delay: u64,

    /// How long the requests that run may take to finish after that
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 10,
        value_parser = clap::value_parser!(u64).range(..=3_600),
        conflicts_with = "stdio",
        help_heading = "On the network"
    )]
    pub(crate) grace: u64,
}
