//! A Redis server of its own, and what only Redis does.

use std::io::{BufRead, BufReader, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mrtr_core::ledger::{Claimed, Entered, Ledger, LedgerErrorKind};
use mrtr_ledger::RedisLedger;
use redis::aio::MultiplexedConnection;
use redis::{Client, FromRedisValue};
use tempfile::TempDir;

use crate::outage::Remote;
use crate::proxy::Proxy;
use crate::rules::{Desk, JOURNAL, LONG, Store, is_running};

pub(crate) struct Server {
    folder: TempDir,
    address: SocketAddr,
    process: Mutex<Child>,
}

/// `None`, said loudly, when there is no Redis; a failure where CI runs.
pub(crate) async fn store() -> Option<Server> {
    Server::start()
}

fn spawn(folder: &TempDir, address: SocketAddr) -> std::io::Result<Child> {
    Command::new("redis-server")
        .args(["--bind", "127.0.0.1", "--port", &address.port().to_string()])
        .args(["--appendonly", "yes", "--appendfsync", "always"])
        .args(["--save", ""])
        .arg("--dir")
        .arg(folder.path())
        .stdout(Stdio::piped())
        .spawn()
}

/// Whether it accepts connections; otherwise it has ended.
fn is_ready(process: &mut Child) -> bool {
    let output = BufReader::new(process.stdout.take().unwrap());
    let mut lines = output.lines().map_while(Result::ok);
    let ready = lines.any(|line| line.contains("Ready to accept connections"));
    // what it writes later must go somewhere
    std::thread::spawn(move || lines.for_each(drop));
    ready
}

impl Server {
    fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        loop {
            let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let address = free.local_addr().unwrap();
            drop(free);
            let mut process = match spawn(&folder, address) {
                Ok(process) => process,
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    assert!(
                        std::env::var_os("CI").is_none(),
                        "redis-server must be installed where CI runs"
                    );
                    eprintln!("SKIPPED: needs the program redis-server");
                    return None;
                }
                Err(error) => panic!("{error}"),
            };
            // somebody else may have taken the port meanwhile
            if is_ready(&mut process) {
                return Some(Self {
                    folder,
                    address,
                    process: Mutex::new(process),
                });
            }
            process.wait().unwrap();
        }
    }

    fn kill(&self) {
        let mut process = self.process.lock().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    fn start_again(&self) {
        let mut process = spawn(&self.folder, self.address).unwrap();
        assert!(is_ready(&mut process));
        *self.process.lock().unwrap() = process;
    }

    fn url(&self) -> String {
        format!("redis://{}/", self.address)
    }

    async fn connection(&self) -> MultiplexedConnection {
        let client = Client::open(self.url()).unwrap();
        client.get_multiplexed_async_connection().await.unwrap()
    }

    /// A command, in words.
    async fn command<T: FromRedisValue>(&self, words: &str) -> T {
        let mut words = words.split(' ');
        let mut command = redis::cmd(words.next().unwrap());
        command.arg(words.collect::<Vec<_>>());
        command
            .query_async(&mut self.connection().await)
            .await
            .unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let process = self.process.get_mut().unwrap();
        let _ = process.kill();
        let _ = process.wait();
    }
}

impl Store for Server {
    async fn instance(&self) -> Arc<dyn Ledger> {
        Arc::new(RedisLedger::connect(&self.url()).await.unwrap())
    }

    async fn forget(&self) {
        self.command::<()>("FLUSHALL").await;
    }
}

/// A ledger behind a proxy, with little time.
async fn remote() -> Option<(Remote, Server)> {
    let server = Server::start()?;
    let proxy = Proxy::to(server.address).await;
    let url = format!("redis://{}/", proxy.address);
    let options = RedisLedger::options().timeout(Duration::from_millis(300));
    let ledger: Arc<dyn Ledger> = Arc::new(options.connect(&url).await.unwrap());
    Some((Remote { ledger, proxy }, server))
}

outage!(remote);

#[tokio::test]
async fn what_was_confirmed_is_there_after_the_server_was_killed() {
    let Some(server) = Server::start() else {
        return;
    };
    let desk = Desk::at(&server).await;
    desk.granted(desk.a_claim(1, 1)).await;
    assert_eq!(
        desk.enter(desk.an_entry_of_the_run(1)).await,
        Entered::Begin
    );
    server.kill();
    let error = desk.ledger.epoch().await.unwrap_err();
    assert_eq!(error.kind(), LedgerErrorKind::Unavailable, "{error}");
    server.start_again();
    assert_eq!(desk.ledger.epoch().await.unwrap(), desk.epoch);
    assert!(is_running(&desk.claim(desk.a_claim(1, 2)).await));
    assert_eq!(desk.other_run().await, Claimed::Consumed);
}

#[tokio::test]
async fn a_redis_that_may_lose_what_it_confirmed_is_refused_and_told_what_to_set() {
    let Some(server) = Server::start() else {
        return;
    };
    for (setting, loss, safe) in [
        ("appendonly", "no", "yes"),
        ("appendfsync", "everysec", "always"),
        ("no-appendfsync-on-rewrite", "yes", "no"),
        ("maxmemory-policy", "allkeys-lru", "noeviction"),
    ] {
        let set = async |value| {
            let set = format!("CONFIG SET {setting} {value}");
            server.command::<()>(&set).await;
        };
        set(loss).await;
        let error = RedisLedger::connect(&server.url()).await.unwrap_err();
        assert_eq!(error.kind(), LedgerErrorKind::Unsafe);
        let told = format!("set {setting} {safe} (it is {loss})");
        assert!(error.to_string().ends_with(&told), "{error}");
        let accepted = RedisLedger::options().accept_loss();
        accepted.connect(&server.url()).await.unwrap();
        set(safe).await;
        RedisLedger::connect(&server.url()).await.unwrap();
    }
}

#[tokio::test]
async fn a_redis_that_became_unsafe_is_refused_at_the_next_connection() {
    let Some(server) = Server::start() else {
        return;
    };
    let desk = Desk::at(&server).await;
    server.command::<()>("CONFIG SET appendfsync no").await;
    server
        .command::<()>("CLIENT KILL TYPE normal SKIPME yes")
        .await;
    let error = desk.ledger.claim(&desk.a_claim(1, 1)).await.unwrap_err();
    assert_eq!(error.kind(), LedgerErrorKind::Unsafe, "{error}");
    server.command::<()>("CONFIG SET appendfsync always").await;
    desk.granted(desk.a_claim(1, 1)).await;
}

#[tokio::test]
async fn a_redis_that_does_not_say_how_it_is_set_up_is_refused() {
    let Some(server) = Server::start() else {
        return;
    };
    let user = "ACL SETUSER mrtr on >hunter2 ~* +@all -config";
    server.command::<()>(user).await;
    let url = format!("redis://mrtr:hunter2@{}/", server.address);
    let error = RedisLedger::connect(&url).await.unwrap_err();
    assert_eq!(error.kind(), LedgerErrorKind::Unsafe);
    assert!(error.to_string().contains("allow CONFIG GET"), "{error}");
    let accepted = RedisLedger::options().accept_loss();
    accepted.connect(&url).await.unwrap();
}

#[tokio::test]
async fn no_error_and_no_debug_output_names_the_password() {
    let Some(server) = Server::start() else {
        return;
    };
    for url in [
        format!("redis://user:hunter2@{}/", server.address),
        "redis://user:hunter2@127.0.0.1:1/".to_owned(),
        "redis://user:hunter2@127.0.0.1:hunter2/".to_owned(),
        "redis://user:hunter2@[::1/hunter2?hunter2=hunter2".to_owned(),
    ] {
        let error = RedisLedger::connect(&url).await.unwrap_err();
        for text in [error.to_string(), format!("{error:?}")] {
            assert!(!text.contains("hunter2"), "{text}");
        }
    }
}

#[tokio::test]
async fn rows_of_a_later_version_are_refused() {
    let Some(server) = Server::start() else {
        return;
    };
    drop(server.instance().await);
    server.command::<()>("HSET mrtr:store version 2").await;
    let error = RedisLedger::connect(&server.url()).await.unwrap_err();
    assert_eq!(error.kind(), LedgerErrorKind::Broken);
    assert!(error.to_string().contains("version 2"), "{error}");
}

#[tokio::test]
async fn prefixes_keep_ledgers_apart() {
    let Some(server) = Server::start() else {
        return;
    };
    let desk = Desk::at(&server).await;
    let other = RedisLedger::options().prefix("other");
    let other = other.connect(&server.url()).await.unwrap();
    assert_ne!(other.epoch().await.unwrap(), desk.epoch);
    let claim = desk.a_claim(1, 1);
    assert_eq!(other.claim(&claim).await.unwrap(), Claimed::Forgotten);
}

#[tokio::test]
async fn every_row_is_removed_by_redis() {
    let Some(server) = Server::start() else {
        return;
    };
    let desk = Desk::at(&server).await;
    desk.granted(desk.a_claim(1, 1)).await;
    assert_eq!(
        desk.enter(desk.an_entry_of_the_run(1)).await,
        Entered::Begin
    );
    desk.record(b"value").await;
    desk.keep_journal(b"journal", LONG).await;
    assert!(desk.journal().await.is_some(), "{JOURNAL:?}");
    let mut keys: Vec<String> = server.command("KEYS *").await;
    keys.retain(|key| key != "mrtr:store");
    assert_eq!(keys.len(), 3);
    for key in keys {
        let left: i64 = server.command(&format!("TTL {key}")).await;
        assert!(left > 0 && left <= 3600, "{key}");
    }
}

#[tokio::test]
async fn scripts_that_the_server_lost_are_loaded_again() {
    let Some(server) = Server::start() else {
        return;
    };
    let desk = Desk::at(&server).await;
    server.command::<()>("SCRIPT FLUSH").await;
    desk.granted(desk.a_claim(1, 1)).await;
}

#[tokio::test]
async fn a_redis_without_memory_left_is_an_error_and_forgets_nothing() {
    let Some(server) = Server::start() else {
        return;
    };
    let desk = Desk::at(&server).await;
    desk.granted(desk.a_claim(1, 1)).await;
    server.command::<()>("CONFIG SET maxmemory 1").await;
    let entry = desk.an_entry_of_the_run(1);
    let error = desk.ledger.enter(&entry).await.unwrap_err();
    assert_eq!(error.kind(), LedgerErrorKind::Unavailable, "{error}");
    server.command::<()>("CONFIG SET maxmemory 0").await;
    assert!(is_running(&desk.other_run().await), "not pinned");
    assert_eq!(desk.enter(entry).await, Entered::Begin);
}
