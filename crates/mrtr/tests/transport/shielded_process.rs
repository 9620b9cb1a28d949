//! Shielded work of a server that is a process, told to stop in both ways.
#![cfg(unix)]

use std::env;
use std::net::SocketAddr;
use std::process::Stdio;

use mrtr::server::{Changes, Server, tool};
use mrtr::{Cx, ToolError};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::support::message;

/// Where the work of the process reports, in its environment.
const REPORT_TO: &str = "MRTR_TEST_REPORT_TO";

/// Says that it has begun by connecting; ends when it is told to, and says so.
async fn reported(to: SocketAddr) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(to).await?;
    stream.read_u8().await?;
    stream.write_all(b"ended").await
}

/// The process itself; no test when it is run as one.
#[tokio::test(flavor = "multi_thread")]
async fn process() {
    let Ok(report_to) = env::var(REPORT_TO) else {
        return;
    };
    let report_to = report_to.parse().unwrap();
    let work = tool("work", move |cx: Cx, (): ()| async move {
        cx.shield(reported(report_to)).await?;
        Ok::<_, ToolError>("worked")
    });
    let server = Server::builder("process", "1.0.0").tool(work);
    let server = server.changes(Changes::new()).build().unwrap();
    server.stdio().await.unwrap();
}

struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    work: TcpStream,
}

impl Process {
    /// With a subscription, and work whose request was cancelled.
    async fn start() -> Self {
        let reports = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "shielded_process::process", "--nocapture"])
            .env(REPORT_TO, reports.local_addr().unwrap().to_string())
            .env("MRTR_KEYS", "w".repeat(43))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        let wish = json!({"notifications": {"toolsListChanged": true}});
        let mut call = message("tools/call", json!({"name": "work", "arguments": {}}));
        call["id"] = json!(2);
        for message in [message("subscriptions/listen", wish), call] {
            let line = format!("{message}\n");
            input.write_all(line.as_bytes()).await.unwrap();
        }
        let work = tokio::select! {
            work = reports.accept() => work.unwrap().0,
            status = child.wait() => panic!("it ended: {status:?}"),
        };
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}});
        let line = format!("{cancel}\n");
        input.write_all(line.as_bytes()).await.unwrap();
        Self {
            child,
            input: Some(input),
            output,
            work,
        }
    }

    /// The result of the subscription is the first thing of its end.
    async fn begins_to_stop(&mut self) {
        while let Some(line) = self.output.next_line().await.unwrap() {
            let message: Value = serde_json::from_str(&line).unwrap_or_default();
            assert_ne!(message["id"], 2, "the call was cancelled");
            if message["id"] == 1 && message.get("result").is_some() {
                return;
            }
        }
        panic!("the subscription had no result");
    }

    async fn ends_with_its_work(mut self) {
        self.work.write_all(b"!").await.unwrap();
        let mut report = String::new();
        self.work.read_to_string(&mut report).await.unwrap();
        assert_eq!(report, "ended");
        let status = self.child.wait().await.unwrap();
        assert!(status.success(), "{status}");
    }
}

#[tokio::test]
async fn a_process_whose_input_ends_waits_for_shielded_work() {
    let mut process = Process::start().await;
    process.input = None;
    process.begins_to_stop().await;
    process.ends_with_its_work().await;
}

#[tokio::test]
async fn a_process_told_to_terminate_waits_for_shielded_work_and_for_no_input() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut process = Process::start().await;
        let id = process.child.id().and_then(|id| Pid::from_raw(id as i32));
        kill_process(id.unwrap(), signal).unwrap();
        process.begins_to_stop().await;
        process.ends_with_its_work().await;
    }
}
