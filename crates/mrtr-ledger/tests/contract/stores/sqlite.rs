//! A file in a folder of its own, and what only files do.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use mrtr_core::ledger::{Claim, Claimed, Entered, JournalKey, Ledger, LedgerErrorKind, StateKey};
use mrtr_ledger::SqliteLedger;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::rules::{Desk, Store, is_running};

pub(crate) struct File(TempDir);

pub(crate) async fn store() -> Option<File> {
    Some(File::new())
}

impl File {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("ledger.db")
    }

    fn sql(&self, sql: &str) {
        let connection = Connection::open(self.path()).unwrap();
        connection.execute_batch(sql).unwrap();
    }
}

impl Store for File {
    async fn instance(&self) -> Arc<dyn Ledger> {
        Arc::new(SqliteLedger::open(self.path()).await.unwrap())
    }

    async fn forget(&self) {
        for file in fs::read_dir(self.0.path()).unwrap() {
            fs::remove_file(file.unwrap().path()).unwrap();
        }
    }
}

#[tokio::test]
async fn what_was_confirmed_is_there_when_it_is_opened_again() {
    let file = File::new();
    let desk = Desk::at(&file).await;
    desk.granted(desk.a_claim(1, 1)).await;
    assert_eq!(
        desk.enter(desk.an_entry_of_the_run(1)).await,
        Entered::Begin
    );
    let epoch = desk.epoch;
    drop(desk);
    let desk = Desk::at(&file).await;
    assert_eq!(desk.epoch, epoch);
    assert!(is_running(&desk.claim(desk.a_claim(1, 2)).await));
    assert_eq!(desk.other_run().await, Claimed::Consumed);
}

#[tokio::test]
async fn another_file_in_its_place_is_another_memory() {
    let (one, two) = (File::new(), File::new());
    let (desk, elsewhere) = (Desk::at(&one).await, Desk::at(&two).await);
    desk.granted(desk.a_claim(1, 1)).await;
    let epoch = elsewhere.epoch;
    drop(elsewhere);
    two.sql("PRAGMA wal_checkpoint(TRUNCATE)");
    one.forget().await;
    fs::rename(two.path(), one.path()).unwrap();
    assert_eq!(desk.claim(desk.a_claim(1, 1)).await, Claimed::Forgotten);
    assert_eq!(desk.ledger.epoch().await.unwrap(), epoch);
}

#[tokio::test]
async fn a_table_that_was_dropped_or_emptied_is_another_memory() {
    for sql in ["DROP TABLE ledger", "DELETE FROM ledger"] {
        let file = File::new();
        let desk = Desk::at(&file).await;
        desk.granted(desk.a_claim(1, 1)).await;
        file.sql(sql);
        assert_eq!(desk.claim(desk.a_claim(1, 1)).await, Claimed::Forgotten);
        assert_ne!(desk.ledger.epoch().await.unwrap(), desk.epoch);
    }
}

#[tokio::test]
async fn a_file_that_stays_locked_is_an_error_in_time_and_works_again_after() {
    let file = File::new();
    let short = Duration::from_millis(50);
    let ledger = SqliteLedger::open_with_timeout(file.path(), short).await;
    let ledger: Arc<dyn Ledger> = Arc::new(ledger.unwrap());
    let epoch = ledger.epoch().await.unwrap();
    let desk = Desk { ledger, epoch };
    let other = Connection::open(file.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = desk.ledger.claim(&desk.a_claim(1, 1)).await.unwrap_err();
    assert_eq!(error.kind(), LedgerErrorKind::Unavailable, "{error}");
    other.execute_batch("ROLLBACK").unwrap();
    desk.granted(desk.a_claim(1, 1)).await;
}

#[tokio::test]
async fn a_file_of_a_later_version_is_refused() {
    let file = File::new();
    drop(file.instance().await);
    file.sql("PRAGMA user_version = 2");
    let error = SqliteLedger::open(file.path()).await.unwrap_err();
    assert_eq!(error.kind(), LedgerErrorKind::Broken);
    assert!(error.to_string().contains("version 2"), "{error}");
}

#[tokio::test]
async fn what_is_no_ledger_is_refused_and_left_alone() {
    let file = File::new();
    file.sql("CREATE TABLE customers (name TEXT)");
    let before = fs::read(file.path()).unwrap();
    let error = SqliteLedger::open(file.path()).await.unwrap_err();
    assert_eq!(error.kind(), LedgerErrorKind::Broken);
    assert_eq!(fs::read(file.path()).unwrap(), before);

    let file = File::new();
    fs::write(file.path(), "no database".repeat(100)).unwrap();
    let error = SqliteLedger::open(file.path()).await.unwrap_err();
    assert_eq!(error.kind(), LedgerErrorKind::Broken);
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_an_error() {
    let file = File::new();
    let path = file.path().join("nowhere");
    let error = SqliteLedger::open(path).await.unwrap_err();
    assert_eq!(error.kind(), LedgerErrorKind::Unavailable);
}

#[tokio::test]
async fn rows_that_are_gone_are_removed_by_later_writes() {
    let file = File::new();
    let desk = Desk::at(&file).await;
    for n in 0..40 {
        let key = JournalKey::from_bytes([n; 16]);
        let kept = desk.ledger.keep_journal(key, b"gone", Duration::ZERO);
        kept.await.unwrap();
    }
    desk.granted(desk.a_claim(1, 1)).await;
    let connection = Connection::open(file.path()).unwrap();
    let count = connection.query_row("SELECT count(*) FROM ledger", [], |row| row.get(0));
    assert_eq!(count, Ok(2), "the epoch and the claim");
}

#[test]
fn of_several_processes_one_is_granted_each_state() {
    let file = File::new();
    let processes: Vec<_> = (0..4)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["stores::sqlite::another_process", "--exact"])
                .args(["--ignored", "--nocapture"])
                .env("LEDGER", file.path())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut granted = Vec::new();
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success());
        let output = String::from_utf8(output.stdout).unwrap();
        granted.extend(
            output
                .lines()
                .filter_map(|line| line.strip_prefix("granted ")?.parse::<u8>().ok()),
        );
    }
    granted.sort_unstable();
    assert_eq!(granted, Vec::from_iter(0..STATES));
}

const STATES: u8 = 100;

#[tokio::test]
#[ignore = "is a process of `of_several_processes_one_is_granted_each_state`"]
async fn another_process() {
    let ledger = SqliteLedger::open(std::env::var_os("LEDGER").unwrap()).await;
    let ledger: Arc<dyn Ledger> = Arc::new(ledger.unwrap());
    let epoch = ledger.epoch().await.unwrap();
    let desk = Desk { ledger, epoch };
    for n in 0..STATES {
        let claim = Claim {
            state: StateKey::from_bytes([n; 16]),
            ..desk.a_claim(1, std::process::id())
        };
        if desk.claim(claim).await == Claimed::Granted {
            println!("\ngranted {n}");
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_file_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let file = File::new();
    let desk = Desk::at(&file).await;
    desk.granted(desk.a_claim(1, 1)).await;
    let files: Vec<_> = fs::read_dir(file.0.path()).unwrap().collect();
    assert_eq!(files.len(), 3, "with its log and its index");
    for file in files {
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
