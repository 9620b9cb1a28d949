//! Logs, on stderr.

use std::io;

use tracing_subscriber::EnvFilter;

use crate::out::Out;

/// Starts logging: what `RUST_LOG` says, else warnings, and more with each `-v`.
pub(crate) fn start(verbose: u8, out: &Out) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(out.colors_stderr())
        .with_target(false)
        .init();
}
