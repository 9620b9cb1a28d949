//! Keys that change while the server runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mrtr::server::{Server, tool};
use mrtr::state::{KeyId, KeyText, Keyring, Secret};
use mrtr::{Cx, Form, ToolError};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Clock, Peer, accept, builder, is_asking};

#[derive(Form)]
struct Number {
    /// A number.
    number: i64,
}

async fn count(cx: Cx, _: ()) -> Result<String, ToolError> {
    let mut total = 0;
    for i in 0..9 {
        let answer: Number = cx.at(i).elicit("number", "Which number?").await?;
        total += answer.number;
    }
    Ok(total.to_string())
}

fn secret(seed: u8) -> Secret {
    Secret::generate([seed; 32])
}

fn text(seeds: &[u8]) -> String {
    seeds
        .iter()
        .map(|seed| secret(*seed).expose() + "\n")
        .collect()
}

/// An instance with a key file of its own.
struct Replica {
    peer: Peer,
    file: PathBuf,
}

impl Replica {
    fn new(file: PathBuf, keys: &str) -> Self {
        fs::write(&file, keys).expect("written");
        let server = Server::builder("travel", "1.0.0")
            .runtime(Clock::new())
            .key_file(&file)
            .tool(tool("count", count));
        let peer = Peer::of(server);
        Self { peer, file }
    }

    fn read(&self, keys: &str) {
        fs::write(&self.file, keys).expect("written");
        self.peer.server.reload_keys().expect("readable");
    }

    async fn start(&self) -> Exchange {
        let asked = self.peer.tool("count", json!({})).await;
        Exchange { asked, round: 0 }
    }

    /// The next round of an exchange, here; `None` when its state is refused.
    async fn next(&self, exchange: &Exchange) -> Option<Exchange> {
        let Exchange { asked, round } = exchange;
        let response = self
            .peer
            .send(
                "tools/call",
                json!({
                    "name": "count", "arguments": {}, "requestState": asked["requestState"],
                    "inputResponses": {format!("{round}/number"): accept(json!({"number": 1}))},
                }),
            )
            .await;
        if response["error"]["data"]["reason"] == "invalid_request_state" {
            return None;
        }
        let asked = response["result"].clone();
        assert!(is_asking(&asked), "{response}");
        let round = round + 1;
        Some(Exchange { asked, round })
    }

    async fn sealing_key(&self) -> KeyId {
        sealed_with(&self.start().await.asked)
    }
}

/// A call that waits for an answer.
#[derive(Clone)]
struct Exchange {
    asked: Value,
    round: usize,
}

fn sealed_with(asked: &Value) -> KeyId {
    let state = asked["requestState"].as_str().expect("a state");
    state["mrtr1.".len()..][..8].parse().expect("an id")
}

/// The key file after each step of a rotation over several instances.
fn steps() -> [String; 4] {
    let (old, new) = (secret(1), secret(2));
    let mut keys = KeyText::parse(&text(&[1])).expect("a key");
    let before = keys.to_text();
    keys.add(&new, "").expect("another");
    let added = keys.to_text();
    keys.seal_with(new.id()).expect("there");
    let sealing = keys.to_text();
    keys.remove(old.id()).expect("opens only");
    [before, added, sealing, keys.to_text()]
}

/// All orders in which two instances can come to the last step when none is
/// more than one step ahead: which of them reads its file.
fn orders(at: [usize; 2], last: usize) -> Vec<Vec<usize>> {
    if at == [last; 2] {
        return vec![Vec::new()];
    }
    let mut orders = Vec::new();
    for reads in 0..2 {
        let mut next = at;
        next[reads] += 1;
        if next[reads] <= last && next[0].abs_diff(next[1]) <= 1 {
            for mut rest in self::orders(next, last) {
                rest.insert(0, reads);
                orders.push(rest);
            }
        }
    }
    orders
}

#[tokio::test]
async fn a_rotation_in_three_steps_refuses_no_exchange_whenever_each_instance_reads_its_file() {
    let folder = TempDir::new().expect("a folder");
    let steps = steps();
    let orders = orders([0; 2], 3);
    assert_eq!(orders.len(), 8);
    for order in orders {
        let replicas = ["a", "b"].map(|name| Replica::new(folder.path().join(name), &steps[0]));
        let mut at = [0; 2];
        let mut open: Vec<Exchange> = Vec::new();
        for reads in order.iter().copied().chain([2]) {
            // Every open exchange goes on at each of the two.
            let mut going_on = Vec::new();
            for replica in &replicas {
                going_on.push(replica.start().await);
                for exchange in &open {
                    let next = replica.next(exchange).await;
                    going_on.push(next.unwrap_or_else(|| panic!("refused at {at:?} of {order:?}")));
                }
            }
            open = going_on.split_off(going_on.len().saturating_sub(8));
            let Some(replica) = replicas.get(reads) else {
                break;
            };
            at[reads] += 1;
            if at[reads] == 3 {
                // The longest exchange of the time when the old key sealed is over.
                open.retain(|exchange| sealed_with(&exchange.asked) == secret(2).id());
                assert!(!open.is_empty());
            }
            replica.read(&steps[at[reads]]);
        }
    }
}

#[tokio::test]
async fn a_key_that_seals_before_all_know_it_is_refused_by_the_others() {
    let folder = TempDir::new().expect("a folder");
    let [first, second] =
        ["a", "b"].map(|name| Replica::new(folder.path().join(name), &text(&[1])));
    first.read(&text(&[2, 1]));
    let exchange = first.start().await;
    assert!(second.next(&exchange).await.is_none(), "not known yet");
    second.read(&text(&[2, 1]));
    let exchange = second.next(&exchange).await.expect("known now");
    first.read(&text(&[1]));
    assert!(first.next(&exchange).await.is_none(), "removed too early");
}

#[tokio::test]
async fn a_key_file_is_read_again_on_demand_and_kept_when_it_is_broken() {
    let folder = TempDir::new().expect("a folder");
    let replica = Replica::new(folder.path().join("keys"), &text(&[1]));
    let exchange = replica.start().await;
    fs::write(&replica.file, "short").expect("written");
    assert!(replica.peer.server.reload_keys().is_err());
    assert!(replica.next(&exchange).await.is_some());
    replica.read(&text(&[2]));
    assert!(replica.next(&exchange).await.is_none());
    let without = Peer::of(builder().tool(tool("count", count)));
    assert!(without.server.reload_keys().is_err(), "there is no file");
}

/// Time for a file to be read; the clock is paused.
async fn a_while() {
    tokio::time::sleep(Duration::from_secs(3)).await;
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_watched_is_followed_however_it_changes() {
    let folder = TempDir::new().expect("a folder");
    let replica = Replica::new(folder.path().join("keys"), &text(&[1]));
    tokio::spawn(replica.peer.server.watch_keys());
    a_while().await;
    assert_eq!(replica.sealing_key().await, secret(1).id());

    fs::write(&replica.file, text(&[2, 1])).expect("written in place");
    a_while().await;
    assert_eq!(replica.sealing_key().await, secret(2).id());

    let draft = folder.path().join("draft");
    fs::write(&draft, text(&[3, 2])).expect("written");
    fs::rename(&draft, &replica.file).expect("renamed over");
    a_while().await;
    assert_eq!(replica.sealing_key().await, secret(3).id());

    for broken in ["", "nonsense\n", "c2hvcnQ\n"] {
        fs::write(&replica.file, broken).expect("written");
        a_while().await;
        assert_eq!(replica.sealing_key().await, secret(3).id(), "{broken:?}");
    }
    fs::remove_file(&replica.file).expect("removed");
    a_while().await;
    assert_eq!(replica.sealing_key().await, secret(3).id());

    fs::write(&replica.file, text(&[4])).expect("there again");
    a_while().await;
    assert_eq!(replica.sealing_key().await, secret(4).id());
}

#[tokio::test(start_paused = true)]
async fn keys_that_were_set_stay_until_the_file_changes_or_is_asked_for() {
    let folder = TempDir::new().expect("a folder");
    let replica = Replica::new(folder.path().join("keys"), &text(&[1]));
    tokio::spawn(replica.peer.server.watch_keys());
    a_while().await;
    let set = || {
        let keyring = Keyring::new([secret(2)]).expect("keys");
        replica.peer.server.set_keyring(keyring);
    };
    set();
    a_while().await;
    assert_eq!(replica.sealing_key().await, secret(2).id(), "1 is out");

    fs::write(&replica.file, text(&[3])).expect("written");
    a_while().await;
    assert_eq!(replica.sealing_key().await, secret(3).id());
    set();
    replica.peer.server.reload_keys().expect("readable");
    assert_eq!(replica.sealing_key().await, secret(3).id());
}

/// Mounted secrets of a cluster: the file is a link into a folder that is a
/// link, and that one is swapped.
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_link_that_is_swapped_is_followed() {
    use std::os::unix::fs::symlink;

    let folder = TempDir::new().expect("a folder");
    let publish = |version: &str, keys: &str| {
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path(version)).expect("a folder");
        fs::write(path(version).join("keys"), keys).expect("written");
        symlink(version, path("..next")).expect("a link");
        fs::rename(path("..next"), path("..data")).expect("swapped");
    };
    publish("..1", &text(&[1]));
    let file = folder.path().join("keys");
    symlink(Path::new("..data/keys"), &file).expect("a link");
    let server = Server::builder("travel", "1.0.0")
        .runtime(Clock::new())
        .key_file(&file)
        .tool(tool("count", count));
    let peer = Peer::of(server);
    let replica = Replica { peer, file };
    tokio::spawn(replica.peer.server.watch_keys());
    assert_eq!(replica.sealing_key().await, secret(1).id());
    publish("..2", &text(&[2, 1]));
    a_while().await;
    assert_eq!(replica.sealing_key().await, secret(2).id());
}

#[tokio::test(start_paused = true)]
async fn a_listener_and_stdio_follow_the_file_by_themselves() {
    let folder = TempDir::new().expect("a folder");
    let web = Replica::new(folder.path().join("web"), &text(&[1]));
    let listener = web.peer.server.http().bind("127.0.0.1:0").await;
    let served = tokio::spawn(listener.expect("a port").run_until(std::future::pending()));
    let pipe = Replica::new(folder.path().join("pipe"), &text(&[1]));
    let (_client, reader) = tokio::io::duplex(64);
    let piped = tokio::spawn(pipe.peer.server.stdio().over(reader, tokio::io::sink()));
    for replica in [&web, &pipe] {
        fs::write(&replica.file, text(&[2, 1])).expect("written");
    }
    a_while().await;
    for replica in [&web, &pipe] {
        assert_eq!(replica.sealing_key().await, secret(2).id());
    }
    served.abort();
    piped.abort();
    a_while().await;
    fs::write(&web.file, text(&[3])).expect("written");
    a_while().await;
    assert_eq!(
        web.sealing_key().await,
        secret(2).id(),
        "nobody serves any more"
    );
}

#[tokio::test]
async fn whoever_seals_with_the_keys_too_is_told_of_new_ones() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("keys");
    fs::write(&file, text(&[1])).expect("written");
    let (told, hears) = std::sync::mpsc::channel();
    let server = Server::builder("travel", "1.0.0")
        .key_file(&file)
        .on_new_keys(move |keys| told.send(keys.sealing_key()).expect("heard"))
        .build()
        .expect("a server");
    fs::write(&file, format!("# the same\n{}", text(&[1]))).expect("written");
    server.reload_keys().expect("readable");
    fs::write(&file, text(&[2, 1])).expect("written");
    server.reload_keys().expect("readable");
    assert_eq!(hears.try_iter().collect::<Vec<_>>(), [secret(2).id()]);
}
