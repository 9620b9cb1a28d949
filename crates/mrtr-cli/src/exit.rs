//! How the program ends: exit codes, and the failures that lead to them.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

use crate::details::Details;

/// The exit codes of `mrtr`, all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It is done.
    Done = 0,
    /// The call ran to its end and the answer is no: the tool reports an error (`isError`), or a
    /// question was declined or cancelled.
    Refused = 1,
    /// The command line is wrong, or what it was given cannot be used. Nothing was sent.
    Usage = 2,
    /// The server asked something that nobody here answers. With `--save` the call waits in a file.
    InputNeeded = 3,
    /// The server answered with a JSON-RPC error, or with something that breaks the protocol.
    Server = 4,
    /// The server cannot be reached, or the connection was lost before it answered.
    Transport = 5,
    /// Something on this machine stands in the way: a file, a key, an address in use.
    Local = 6,
    /// Interrupted by Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    /// What `mrtr help` says of the exit codes.
    pub(crate) const HELP: &'static str = "\
Exit codes:
  0    done
  1    the answer is no: the tool reports an error, or a question was declined or cancelled
  2    the command line is wrong; nothing was sent
  3    the server asked something that nobody here answers (--save keeps the call)
  4    the server answered with an error, or broke the protocol
  5    the server cannot be reached, or the connection was lost
  6    something on this machine stands in the way: a file, a key, an address in use
  130  interrupted by Ctrl-C";

    /// The name in JSON output.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Usage => "usage",
            Self::InputNeeded => "input_needed",
            Self::Server => "server",
            Self::Transport => "transport",
            Self::Local => "local",
            Self::Interrupted => "interrupted",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command failed, and the exit code for it.
pub(crate) struct Failure {
    /// How the program ends.
    pub(crate) exit: Exit,
    /// What is said to the person, cause by cause.
    pub(crate) error: anyhow::Error,
    /// Members that a script gets with `--json` beside the message.
    pub(crate) details: Details,
}

impl Failure {
    /// A failure with this exit code.
    pub(crate) fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self {
            exit,
            error: error.into(),
            details: Details::default(),
        }
    }

    /// A failure that has only a message.
    pub(crate) fn message(exit: Exit, message: impl fmt::Display) -> Self {
        Self::new(exit, anyhow::Error::msg(message.to_string()))
    }

    /// What the person gave cannot be used.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::message(Exit::Usage, message)
    }

    /// This machine stands in the way.
    pub(crate) fn local(error: impl Error + Send + Sync + 'static) -> Self {
        Self::new(Exit::Local, error)
    }

    /// Says what was being done when it failed.
    pub(crate) fn context(mut self, what: impl fmt::Display) -> Self {
        self.error = self.error.context(what.to_string());
        self
    }

    /// Adds members for scripts.
    pub(crate) fn with_details(mut self, details: Details) -> Self {
        self.details = details;
        self
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {:#}", self.exit, self.error)
    }
}
