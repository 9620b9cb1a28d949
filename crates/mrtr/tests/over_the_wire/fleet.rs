//! Rounds of one call on different processes, which share keys and nothing else.

use std::process::Stdio;

use mrtr::state::Secret;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;

use crate::support::process::{Process, command, program};
use crate::support::{Answer, Case, Kind, Peer, Via, accept};

everywhere!(
    five_rounds_land_alternately_on_two_processes,
    a_parked_exchange_survives_the_kill_of_every_process,
    e7_a_process_with_other_keys_rejects_the_state_and_the_call_can_start_anew,
);

fn keys(seed: u8) -> String {
    Secret::generate([seed; 32]).expose().to_string()
}

async fn start(case: Case, keys: &str) -> Peer {
    let folder = TempDir::new().unwrap();
    let mut command = command(folder.path());
    command.env("MRTR_KEYS", keys);
    Peer::process(case, Process::start(command, case.via)).await
}

fn number(round: u32) -> Value {
    json!({format!("{round}/number"): accept(json!({"number": round}))})
}

async fn next(peer: &mut Peer, asked: &Answer, round: u32) -> Answer {
    assert_eq!(asked.keys(), [format!("{round}/number")]);
    peer.answer("sum", number(round), asked.state()).await
}

async fn five_rounds_land_alternately_on_two_processes(case: Case) {
    let mut peers = [start(case, &keys(1)).await, start(case, &keys(1)).await];
    let mut answer = peers[0].call("sum").await;
    for round in 1..=5 {
        answer = next(&mut peers[round as usize % 2], &answer, round).await;
    }
    assert!(answer.done().starts_with("15 "));
}

async fn a_parked_exchange_survives_the_kill_of_every_process(case: Case) {
    let mut first = start(case, &keys(1)).await;
    let mut answer = first.call("sum").await;
    answer = next(&mut first, &answer, 1).await;
    first.kill().await;
    let mut second = start(case, &format!("{},{}", keys(2), keys(1))).await;
    for round in 2..=4 {
        answer = next(&mut second, &answer, round).await;
    }
    second.kill().await;
    let mut third = start(case, &keys(2)).await;
    assert!(next(&mut third, &answer, 5).await.done().starts_with("15 "));
}

async fn e7_a_process_with_other_keys_rejects_the_state_and_the_call_can_start_anew(case: Case) {
    let mut ours = start(case, &keys(1)).await;
    let state = ours.call("sum").await.state();
    let mut theirs = start(case, &keys(2)).await;
    theirs
        .answer("sum", number(1), &state)
        .await
        .assert_state_rejected();
    let anew = theirs.call("sum").await;
    assert_eq!(next(&mut theirs, &anew, 1).await.keys(), ["2/number"]);
}

#[tokio::test]
async fn two_processes_behind_a_round_robin_finish_a_call_although_both_are_killed_in_between() {
    let play = tokio::process::Command::new(program())
        .output()
        .await
        .unwrap();
    let expected = include_str!("../../examples/expected/fleet.txt");
    assert_eq!(String::from_utf8(play.stdout).unwrap(), expected);
    assert!(play.status.success());
}

#[tokio::test]
async fn a_process_on_pipes_that_is_started_anew_finds_the_key_of_the_one_before() {
    let case = Case::new(Via::Stdio, Kind::Tool);
    let (ours, theirs) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let start = async |folder: &TempDir| {
        let process = Process::start(command(folder.path()), Via::Stdio);
        Peer::process(case, process).await
    };
    let mut first = start(&ours).await;
    let asked = first.call("sum").await;
    first.kill().await;
    let mut second = start(&ours).await;
    assert_eq!(next(&mut second, &asked, 1).await.keys(), ["2/number"]);
    let mut other_user = start(&theirs).await;
    let elsewhere = other_user.answer("sum", number(1), asked.state()).await;
    elsewhere.assert_state_rejected();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = std::fs::metadata(ours.path().join("mrtr/fleet.keys")).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test]
async fn e7_a_process_on_the_network_without_keys_says_so_when_it_starts() {
    let folder = TempDir::new().unwrap();
    let mut command = command(folder.path());
    command.stderr(Stdio::piped()).arg("http");
    let mut child = command.spawn().unwrap();
    let mut log = child.stderr.take().unwrap();
    let mut said = String::new();
    while !said.contains("MRTR_KEYS") {
        let mut bytes = [0; 1024];
        let read = log.read(&mut bytes).await.unwrap();
        assert_ne!(read, 0, "the process ended: {said}");
        said.push_str(&String::from_utf8_lossy(&bytes[..read]));
    }
    assert!(said.contains("WARN"), "{said}");
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 0, "a key of its own would look as if it were shared");
}

#[tokio::test]
async fn a_process_on_pipes_writes_messages_only_and_ends_with_its_input() {
    let folder = TempDir::new().unwrap();
    let mut process = Process::start(command(folder.path()), Via::Stdio);
    process
        .write(b"nonsense\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")
        .await;
    let (output, status) = process.end().await;
    let codes: Vec<Value> = output
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["error"]["code"].clone())
        .collect();
    assert_eq!(codes, [-32_700, -32_601]);
    assert!(status.success());
}
