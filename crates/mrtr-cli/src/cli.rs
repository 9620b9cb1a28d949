//! The command line.

pub(crate) mod call;
pub(crate) mod connect;
pub(crate) mod keys;
pub(crate) mod list;
pub(crate) mod resume;
pub(crate) mod serve;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, ColorChoice, Parser, Subcommand};
use clap_complete::Shell;

use self::call::CallArgs;
use self::keys::KeysArgs;
use self::list::ListArgs;
use self::resume::ResumeArgs;
use self::serve::ServeArgs;
use crate::exit::Exit;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const EXAMPLES: &str = "\
Examples:
  mrtr demo                                     watch a whole call that asks back
  mrtr serve                                    the example server, on http://127.0.0.1:8080/mcp
  mrtr list http://127.0.0.1:8080/mcp           what a server offers
  mrtr call http://127.0.0.1:8080/mcp book to=Kyoto
                                                call a tool and answer what it asks";

/// Call, test and play MCP requests that ask back (Multi Round-Trip Requests, MCP 2026-07-28)
///
/// A server that needs input answers a call with questions and a sealed state; the client sends the
/// call again with the answers and that state. Nothing is kept on the server in between.
#[derive(Debug, Parser)]
#[command(
    name = "mrtr",
    version,
    styles = STYLES,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{}", Exit::HELP),
)]
pub(crate) struct Cli {
    /// Print one JSON document on stdout, for scripts
    #[arg(long, global = true, display_order = 900)]
    pub(crate) json: bool,

    /// When to use colours; `auto` is on terminals only and respects NO_COLOR
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        display_order = 901
    )]
    pub(crate) color: ColorChoice,

    /// Log more to stderr; -vv and -vvv still more. RUST_LOG has the last word
    #[arg(short, long, global = true, action = clap::ArgAction::Count, display_order = 902)]
    pub(crate) verbose: u8,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play a whole call that asks back, against the example server, and show every round
    Demo(DemoArgs),
    /// Run the example server
    Serve(ServeArgs),
    /// Call a tool, get a prompt or read a resource, and answer what the server asks
    Call(CallArgs),
    /// Go on with a call that was saved
    Resume(ResumeArgs),
    /// List what a server offers
    List(ListArgs),
    /// Make and look at the keys that seal states
    Keys(KeysArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Print a manual page
    Man(ManArgs),
}

/// Play a whole call that asks back, against the example server, and show every round
///
/// The server listens on a free port of this machine and the client talks HTTP to it. Needs no
/// terminal and no input. The exit code is 0 only if all went as it must.
#[derive(Args, Debug)]
pub(crate) struct DemoArgs {}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  mrtr completions bash > ~/.local/share/bash-completion/completions/mrtr
  mrtr completions zsh  > \"${fpath[1]}/_mrtr\"
  mrtr completions fish > ~/.config/fish/completions/mrtr.fish";

#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

const MAN_EXAMPLES: &str = "\
Examples:
  mrtr man | man -l -
  mrtr man call > ~/.local/share/man/man1/mrtr-call.1";

/// Print a manual page
///
/// In roff: the page of the program, or the one of a subcommand.
#[derive(Args, Debug)]
#[command(after_help = MAN_EXAMPLES)]
pub(crate) struct ManArgs {
    /// The subcommand, such as `call` or `keys new`
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Cli;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
