//! A server as a process: started on a core of its own, watched, ended.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::Failure;
use crate::servers::Server;

/// The core servers run on; the load comes from another.
const SERVER_CORE: &str = "0";

/// What a server is started with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    pub tools: usize,
    /// Put before the program: a profiler.
    pub under: Vec<String>,
}

/// A server that listens; dropping it kills it.
pub struct Running {
    child: Child,
    pub port: u16,
}

impl Running {
    pub fn start(server: &Server, start: &Start) -> Result<Self, Failure> {
        let port = free_port()?;
        let mut command = command(server, start);
        command.args(["--port", &port.to_string()]);
        if start.tools > 1 {
            command.args(["--tools", &start.tools.to_string()]);
        }
        let mut child = command
            .stdout(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()?;
        let mut said = String::new();
        if let Some(stdout) = &mut child.stdout {
            let mut lines = BufReader::new(stdout);
            while lines.read_line(&mut said)? > 0 && said.trim() != "listening" {
                said.clear();
            }
        }
        let running = Self { child, port };
        match said.trim() {
            "listening" => Ok(running),
            _ => Err(format!("{} ended without listening", server.name).into()),
        }
    }

    fn proc(&self, file: &str) -> PathBuf {
        format!("/proc/{}/{file}", self.child.id()).into()
    }

    /// Processor time that all threads have used, user and system.
    pub fn cpu(&self) -> Result<Duration, Failure> {
        let mut nanoseconds = 0;
        for task in std::fs::read_dir(self.proc("task"))? {
            let text = std::fs::read_to_string(task?.path().join("schedstat")).unwrap_or_default();
            let first = text.split(' ').next().unwrap_or_default();
            nanoseconds += first.parse::<u64>().unwrap_or(0);
        }
        Ok(Duration::from_nanos(nanoseconds))
    }

    /// Memory that is resident, in bytes.
    pub fn resident(&self) -> Result<u64, Failure> {
        let text = std::fs::read_to_string(self.proc("status"))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        Ok(kib.ok_or("no VmRSS in /proc")? * 1024)
    }

    /// Ends it by SIGTERM, so that a profiler around it writes its report, and waits.
    pub fn finish(mut self) -> Result<(), Failure> {
        let id = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What starts the server, without its options.
fn command(server: &Server, start: &Start) -> Command {
    let mut words = vec![
        "taskset".to_owned(),
        "-c".to_owned(),
        SERVER_CORE.to_owned(),
    ];
    words.extend(start.under.iter().cloned());
    words.extend(server.program.iter().cloned());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// A server on its standard streams.
pub fn over_stdio(server: &Server, option: &str) -> Result<Child, Failure> {
    let mut command = command(server, &Start::default());
    command
        .arg(option)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    Ok(command.spawn()?)
}

fn free_port() -> Result<u16, Failure> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// What a program prints.
pub fn output(program: &str, args: &[&str]) -> Result<String, Failure> {
    let mut child = Command::new(program)
        .args(args)
        .stdout(Stdio::piped())
        .spawn()?;
    let mut text = String::new();
    if let Some(stdout) = &mut child.stdout {
        stdout.read_to_string(&mut text)?;
    }
    if !child.wait()?.success() {
        return Err(format!("{program} failed").into());
    }
    Ok(text.trim().to_owned())
}
