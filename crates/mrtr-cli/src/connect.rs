//! Reaching the server that the command line names.

use std::env;
use std::sync::Arc;
use std::time::Duration;

use mrtr::client::{Client, ClientBuilder, ClientLimits, Stderr};
use mrtr::trace::TraceContext;
use mrtr::wire::Implementation;

use crate::cli::connect::ConnectArgs;
use crate::exit::Failure;
use crate::faults;
use crate::out::Out;
use crate::show::status::Status;
use crate::show::{clean, trace};

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    Url(String),
    /// Program and arguments.
    Command(Vec<String>),
}

impl Reach {
    /// The words of a command line, split as a shell would but never run by one.
    ///
    /// # Errors
    /// Quotes that are not closed, or nothing to run.
    pub(crate) fn command(text: &str) -> Result<Self, Failure> {
        let words = shell_words::split(text)
            .map_err(|error| Failure::usage(format_args!("--command {text}: {error}")))?;
        if words.is_empty() {
            return Err(Failure::usage("--command names no program"));
        }
        Ok(Self::Command(words))
    }
}

/// A client of the server; nothing is sent or started yet.
///
/// # Errors
/// A URL, header or token that cannot be used.
pub(crate) fn client(
    reach: &Reach,
    args: &ConnectArgs,
    out: &Out,
    status: &Status,
) -> Result<Client, Failure> {
    let mut limits = ClientLimits::default();
    limits.leg = Duration::from_secs(args.timeout);
    limits.probe = limits.probe.min(limits.leg);
    limits.call.total = limits.call.total.max(limits.leg);
    let mut builder = match reach {
        Reach::Url(url) => Client::http(url),
        Reach::Command(words) => {
            let (program, arguments) = words
                .split_first()
                .map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
            Client::command(program, arguments.iter().map(String::as_str))
        }
    }
    .info(Implementation::new("mrtr-cli", env!("CARGO_PKG_VERSION")))
    .limits(limits);
    if let Some(trace) = trace_context() {
        builder = builder.trace_context(move || Some(trace.clone()));
    }
    for header in &args.headers {
        let (name, value) = header.split_once(':').ok_or_else(|| {
            Failure::usage("--header is written as 'NAME: VALUE', with a colon between them")
        })?;
        builder = builder.header(name.trim(), value.trim());
    }
    if let (Reach::Url(_), Some(token)) = (reach, &args.bearer) {
        builder = builder.bearer(token);
    }
    if args.trace {
        builder = traced(builder, out.colors_stderr(), status);
    }
    builder
        .build()
        .map_err(|error| faults::failure(&error, None))
}

/// The trace that the program was started in, as OpenTelemetry hands it to child processes.
fn trace_context() -> Option<TraceContext> {
    let [parent, state] = ["TRACEPARENT", "TRACESTATE"].map(|name| env::var(name).ok());
    TraceContext::parse(parent.as_deref(), state.as_deref(), None)
}

fn traced(builder: ClientBuilder, colors: bool, status: &Status) -> ClientBuilder {
    let (wire, stderr) = (status.clone(), status.clone());
    builder
        .trace(move |message| wire.between(&trace::message(&message, colors)))
        .stderr(Stderr::Lines(Arc::new(move |line| {
            stderr.between(&format!("stderr: {}", clean::line(line, 1000)));
        })))
}
