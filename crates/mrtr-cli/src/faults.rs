//! What went wrong with a call, as an exit code and in words for the person.

use std::path::Path;

use mrtr::client::{ClientError, SaveError};
use mrtr::exchange::{ExchangeError, Limit, Rejected, ResumeError};
use mrtr::wire::{Capabilities, Capability, ErrorCode};

use crate::details::Details;
use crate::exit::{Exit, Failure};
use crate::show::clean;

/// How much of a message is shown: parts of it come from the server.
const MESSAGE: usize = 2000;

/// The failure for `error`. `saved` is the file that the call is kept in.
pub(crate) fn failure(error: &ClientError, saved: Option<&Path>) -> Failure {
    let saved = saved.filter(|path| path.exists());
    let mut message = clean::line(&error.to_string(), MESSAGE);
    for hint in hints(error, saved) {
        message.push_str("\nhint: ");
        message.push_str(&hint);
    }
    let failure = Failure::message(exit(error), message);
    match error {
        ClientError::Exchange(ExchangeError::Rejected(rejected)) => {
            failure.with_details(Details::default().with("error", &rejected.error))
        }
        ClientError::Status(status) => {
            failure.with_details(Details::default().with("httpStatus", &status.status))
        }
        ClientError::Output(mismatch) => {
            failure.with_details(Details::default().with("result", &mismatch.outcome.raw()))
        }
        _ => failure,
    }
}

/// Whether the server answered with an error of its own.
pub(crate) fn is_rejected(error: &ClientError) -> bool {
    matches!(error, ClientError::Exchange(ExchangeError::Rejected(_)))
}

fn exit(error: &ClientError) -> Exit {
    match error {
        ClientError::Exchange(error) => match error {
            ExchangeError::Lost(_) => Exit::Transport,
            ExchangeError::Limit(limit) if matches!(limit.limit, Limit::Total(_)) => {
                Exit::Transport
            }
            ExchangeError::Misuse(_) => Exit::Local,
            _ => Exit::Server,
        },
        ClientError::Unreachable(_) | ClientError::Ambiguous(_) => Exit::Transport,
        ClientError::Usage(_) => Exit::Usage,
        ClientError::Refused(_) | ClientError::Answer(_) => Exit::InputNeeded,
        ClientError::Save(error) => match error.resume_error() {
            Some(ResumeError::OtherServer { .. }) => Exit::Server,
            Some(_) => Exit::Usage,
            None => Exit::Local,
        },
        _ => Exit::Server,
    }
}

fn hints(error: &ClientError, saved: Option<&Path>) -> Vec<String> {
    let resume = |flag: &str| {
        saved.map(|path| {
            let path = path.display().to_string();
            format!("`mrtr resume {}{flag}`", shell_words::quote(&path))
        })
    };
    let hint = match error {
        ClientError::Exchange(ExchangeError::Rejected(rejected)) => {
            return rejected_hints(rejected);
        }
        ClientError::Exchange(ExchangeError::Lost(_)) | ClientError::Ambiguous(_) => {
            resume(" --send-again").map(|command| {
                format!(
                    "the call is kept; {command} sends the request again, whatever it did before"
                )
            })
        }
        ClientError::Unreachable(_) => {
            resume("").map(|command| format!("the call is kept; {command} goes on"))
        }
        ClientError::Status(status) if status.status == 401 => {
            Some("give a token with --bearer or in MRTR_TOKEN".to_owned())
        }
        ClientError::Save(error) => save_hint(error),
        ClientError::Output(_) => Some("--json shows the result that came".to_owned()),
        _ => None,
    };
    hint.into_iter().collect()
}

fn save_hint(error: &SaveError) -> Option<String> {
    match error.resume_error()? {
        ResumeError::AlreadySent { .. } => Some("--send-again sends it again".to_owned()),
        _ => None,
    }
}

fn rejected_hints(rejected: &Rejected) -> Vec<String> {
    if rejected.error.code != ErrorCode::MISSING_CLIENT_CAPABILITY {
        return Vec::new();
    }
    let missing: Capabilities = rejected
        .error
        .data_member("requiredCapabilities")
        .unwrap_or_default();
    let hint = |capability: Capability| match capability {
        Capability::Sampling => {
            "the server wants to ask a model (sampling): give its answers with --sampling-answer TEXT"
        }
        Capability::SamplingTools => {
            "the server wants a model that uses tools (sampling.tools): give whole messages with a \
             `tool_use` in them with --sampling-answer"
        }
        Capability::SamplingContext => {
            "the server wants a model that knows other context (sampling.context), which this program \
             cannot give"
        }
        Capability::Roots => {
            "the server wants to know which folders you work in (roots): give them with --root DIR"
        }
        Capability::ElicitationForm | Capability::ElicitationUrl => {
            "the server wants to ask you, which this program had declared to be fine: tell its author"
        }
        _ => "the server wants something that this program does not know",
    };
    let mut hints: Vec<_> = missing
        .iter()
        .map(|missing| hint(missing).to_owned())
        .collect();
    if hints.is_empty() {
        hints.push(
            "the server needs a capability that was not declared, and does not say which"
                .to_owned(),
        );
    }
    hints
}
