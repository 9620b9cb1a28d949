//! A server as a child process.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::{oneshot, watch};

use super::lines::Lines;
use crate::client::error::Unreachable;
use crate::client::trace::Hooks;

/// How much of the last stderr output goes into errors.
const TAIL: usize = 1024;
/// How long output that was still under way may take after the process is gone.
const DRAIN: Duration = Duration::from_millis(500);

/// What happens to a child's standard error. Its end is kept for error messages in every case.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Stderr {
    /// Nothing more.
    #[default]
    Quiet,
    /// It is copied to the standard error of this process.
    Forward,
    /// Each line is handed over, without its end.
    Lines(Arc<dyn Fn(&str) + Send + Sync>),
}

impl fmt::Debug for Stderr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quiet => "Quiet",
            Self::Forward => "Forward",
            Self::Lines(_) => "Lines(..)",
        })
    }
}

/// How a child is started.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) stderr: Stderr,
}

/// A running child and the connection to it.
pub(crate) struct Process {
    pub(crate) lines: Lines,
    exit: watch::Receiver<Option<String>>,
    tail: Arc<Mutex<VecDeque<u8>>>,
    stop: Mutex<Option<oneshot::Sender<()>>>,
}

impl Process {
    /// # Errors
    /// When the program cannot be started.
    pub(crate) fn start(
        spec: &Spec,
        hooks: Hooks,
        limit: usize,
        grace: Duration,
    ) -> Result<Self, Unreachable> {
        let mut command = Command::new(&spec.program);
        command
            .args(&spec.arguments)
            .envs(spec.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(directory) = &spec.directory {
            command.current_dir(directory);
        }
        // Launchers such as shells and package runners would otherwise leave the server behind.
        #[cfg(unix)]
        command.process_group(0);
        let failed = |error: std::io::Error| {
            let program = spec.program.to_string_lossy();
            Unreachable::because(format!("`{program}` cannot be started"), error)
        };
        let mut child = command.spawn().map_err(failed)?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Unreachable::new("the child's pipes cannot be used"));
        };
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        tokio::spawn(drain(stderr, spec.stderr.clone(), Arc::clone(&tail)));
        let lines = Lines::start(stdout, stdin, hooks, limit);
        let (stop, stopped) = oneshot::channel();
        let (exited, exit) = watch::channel(None);
        let closer = lines.closer();
        tokio::spawn(async move {
            let status = tokio::select! {
                status = child.wait() => status,
                _ = stopped => shut_down(&mut child, grace).await,
            };
            let status = describe(status);
            exited.send_replace(Some(status.clone()));
            tokio::time::sleep(DRAIN).await;
            closer.close(&status);
        });
        Ok(Self {
            lines,
            exit,
            tail,
            stop: Mutex::new(Some(stop)),
        })
    }

    /// `reason`, and what is known of the child's end.
    pub(crate) async fn explain(&self, reason: &str) -> String {
        let mut exit = self.exit.clone();
        let status = tokio::time::timeout(DRAIN, exit.wait_for(Option::is_some)).await;
        let mut text = reason.to_owned();
        if let Ok(Ok(status)) = status {
            text = format!("{reason}: {}", status.as_deref().unwrap_or_default());
        }
        let tail = self.tail();
        if !tail.is_empty() {
            text = format!("{text}; it last wrote: {tail}");
        }
        text
    }

    fn tail(&self) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = tail.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let text = text
            .trim()
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c });
        text.collect()
    }

    /// Closes the child's input, waits, terminates, kills; returns when it is gone.
    pub(crate) async fn close(&self) {
        self.lines.end();
        drop(
            self.stop
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        let _ = self.exit.clone().wait_for(Option::is_some).await;
    }
}

fn describe(status: std::io::Result<ExitStatus>) -> String {
    match status {
        Ok(status) => format!("the server process ended ({status})"),
        Err(error) => format!("the server process is lost: {error}"),
    }
}

/// The child's input is closed by now, which asks it to exit.
async fn shut_down(child: &mut Child, grace: Duration) -> std::io::Result<ExitStatus> {
    if let Ok(status) = tokio::time::timeout(grace, child.wait()).await {
        return status;
    }
    signal(child, Signal::Terminate);
    if let Ok(status) = tokio::time::timeout(grace, child.wait()).await {
        return status;
    }
    signal(child, Signal::Kill);
    let _ = child.start_kill();
    child.wait().await
}

#[derive(Clone, Copy)]
enum Signal {
    Terminate,
    Kill,
}

/// Signals the child's process group. A child that was waited for has no id any more.
#[cfg(unix)]
fn signal(child: &Child, signal: Signal) {
    use rustix::process::{Pid, Signal as Unix, kill_process_group};

    let id = child.id().and_then(|id| i32::try_from(id).ok());
    if let Some(group) = id.and_then(Pid::from_raw) {
        let _ = kill_process_group(
            group,
            match signal {
                Signal::Terminate => Unix::TERM,
                Signal::Kill => Unix::KILL,
            },
        );
    }
}

#[cfg(not(unix))]
fn signal(_: &Child, _: Signal) {}

/// Reads standard error to its end, so that the child never blocks on it.
async fn drain(stderr: impl AsyncRead + Unpin, mode: Stderr, tail: Arc<Mutex<VecDeque<u8>>>) {
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        let bytes = match stderr.fill_buf().await {
            Ok([]) | Err(_) => break,
            Ok(bytes) => bytes,
        };
        let end = bytes.iter().position(|b| *b == b'\n').map(|at| at + 1);
        let part = &bytes[..end.unwrap_or(bytes.len())];
        line.extend_from_slice(part);
        let used = part.len();
        stderr.consume(used);
        if end.is_some() || line.len() > 64 * 1024 {
            hand_over(&line, &mode, &tail);
            line.clear();
        }
    }
    if !line.is_empty() {
        hand_over(&line, &mode, &tail);
    }
}

fn hand_over(line: &[u8], mode: &Stderr, tail: &Mutex<VecDeque<u8>>) {
    let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
    tail.extend(line);
    let excess = tail.len().saturating_sub(TAIL);
    tail.drain(..excess);
    drop(tail);
    match mode {
        Stderr::Quiet => {}
        Stderr::Forward => {
            use std::io::Write as _;
            let _ = std::io::stderr().write_all(line);
        }
        Stderr::Lines(sink) => sink(String::from_utf8_lossy(line).trim_end_matches(['\n', '\r'])),
    }
}
