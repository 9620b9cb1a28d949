//! `mrtr keys rotate`, alone and under servers that run.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};
use support::http::call;
use support::{Serving, run, stderr, stdout};
use tempfile::TempDir;

fn new_file(folder: &TempDir, name: &str) -> PathBuf {
    let file = folder.path().join(name);
    fs::write(&file, stdout(&run(&["keys", "new"]))).expect("written");
    file
}

fn rotate(file: &Path, options: &[&str]) -> Output {
    let file = file.to_str().expect("UTF-8");
    run(&[&["--json", "keys", "rotate", file], options].concat())
}

/// The ids that a successful command printed; the first one seals.
fn ids(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{}", stderr(output));
    let shown: Vec<Value> = serde_json::from_str(&stdout(output)).expect("JSON");
    for (place, key) in shown.iter().enumerate() {
        assert_eq!(key["seals"], place == 0);
    }
    let id = |key: &Value| key["id"].as_str().expect("an id").to_owned();
    shown.iter().map(id).collect()
}

fn show(file: &Path) -> Vec<String> {
    ids(&run(&[
        "--json",
        "keys",
        "show",
        file.to_str().expect("UTF-8"),
    ]))
}

#[test]
fn a_new_key_seals_at_once_and_the_old_one_still_opens() {
    let folder = TempDir::new().expect("a folder");
    let file = new_file(&folder, "keys");
    let old = show(&file);
    let rotated = ids(&rotate(&file, &[]));
    assert_eq!(rotated[1..], old);
    assert_eq!(show(&file), rotated);
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "neither draft nor lock stays: {left:?}");
}

#[test]
fn three_steps_add_a_key_let_it_seal_and_drop_the_old_one() {
    let folder = TempDir::new().expect("a folder");
    let file = new_file(&folder, "keys");
    let old = show(&file).remove(0);
    let added = ids(&rotate(&file, &["--add"]));
    assert_eq!(added[0], old, "the new one only opens");
    let new = added[1].clone();
    let seal = ["--seal", &new];
    assert_eq!(ids(&rotate(&file, &seal)), [new.clone(), old.clone()]);
    assert_eq!(
        ids(&rotate(&file, &seal)),
        [new.clone(), old.clone()],
        "again is no change"
    );

    let refused = rotate(&file, &["--drop", &new]);
    assert_eq!(refused.status.code(), Some(2), "it seals");
    let left = ids(&rotate(&file, &["--drop", &old]));
    let refused = rotate(&file, &["--drop", &old]);
    assert_eq!(refused.status.code(), Some(2), "it is gone");
    assert_eq!(rotate(&file, &["--seal", "short"]).status.code(), Some(2));
    assert_eq!((left, show(&file)), (vec![new.clone()], vec![new]));
}

#[test]
fn what_is_no_key_file_stays_as_it_is() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("keys");
    let missing = rotate(&file, &[]);
    assert_eq!(missing.status.code(), Some(6));
    assert!(!file.exists());
    fs::write(&file, "c2hvcnQ").expect("written");
    let broken = rotate(&file, &[]);
    assert_eq!(broken.status.code(), Some(6));
    assert!(stderr(&broken).contains("line 1"), "{}", stderr(&broken));
    assert!(!stderr(&broken).contains("c2hvcnQ"));
    assert_eq!(fs::read_to_string(&file).expect("there"), "c2hvcnQ");
}

#[test]
fn rotations_at_the_same_time_lose_no_key() {
    let folder = TempDir::new().expect("a folder");
    let file = new_file(&folder, "keys");
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert!(rotate(&file, &["--add"]).status.success()));
        }
    });
    assert_eq!(show(&file).len(), 9);
}

#[cfg(unix)]
#[test]
fn the_file_is_for_its_owner_alone_and_a_link_to_it_stays_a_link() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    let folder = TempDir::new().expect("a folder");
    let file = new_file(&folder, "real");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("changed");
    let before = fs::metadata(&file).expect("there");
    let link = folder.path().join("keys");
    symlink("real", &link).expect("a link");
    ids(&rotate(&link, &[]));
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    let after = fs::metadata(&file).expect("there");
    assert_eq!(after.mode() & 0o777, 0o600);
    assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
    assert_ne!(after.ino(), before.ino(), "replaced, not written over");
    assert_eq!(show(&link).len(), 2);
}

/// Books a trip, each round at the other one of two servers.
fn book(endpoints: &[String; 2], first: usize) {
    let trip = json!({ "to": "Lisbon" });
    let details = json!({ "class": "standard", "seats": 1, "departure": "2027-05-01" });
    let answers = [
        vec![],
        vec![("details", details)],
        vec![("pay", json!({ "confirmed": true }))],
    ];
    let mut state = None;
    for (round, answers) in answers.iter().enumerate() {
        let endpoint = &endpoints[(first + round) % 2];
        let reply = call(endpoint, "book", &trip, state.as_ref(), answers);
        assert_eq!(reply.status, 200, "{}", reply.body);
        let result = reply.json()["result"].clone();
        state = Some(result["requestState"].clone());
        if round == 2 {
            assert_eq!(result["structuredContent"]["to"], "Lisbon", "{result}");
        }
    }
}

/// Books one trip after the other until it is stopped.
struct Booker {
    stop: Arc<AtomicBool>,
    booked: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

impl Booker {
    fn start(endpoints: [String; 2], first: usize) -> Self {
        let (stop, booked) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let (ended, counter) = (stop.clone(), booked.clone());
        let thread = thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                book(&endpoints, first);
                counter.fetch_add(1, Ordering::Relaxed);
            }
        });
        Self {
            stop,
            booked,
            thread,
        }
    }

    fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("every booking went well");
    }

    /// Waits until the booking that runs now has ended, and another one has.
    fn go_on(&self) {
        let enough = self.booked.load(Ordering::Relaxed) + 2;
        while self.booked.load(Ordering::Relaxed) < enough {
            assert!(!self.thread.is_finished(), "a booking failed");
            thread::yield_now();
        }
    }
}

/// Both servers follow a copy of their own, one on a signal and one when it
/// comes to look; booking goes on all the time.
#[cfg(unix)]
#[test]
fn three_steps_under_traffic_refuse_no_exchange() {
    let folder = TempDir::new().expect("a folder");
    let copies = [new_file(&folder, "one"), folder.path().join("two")];
    fs::copy(&copies[0], &copies[1]).expect("copied");
    let old = show(&copies[0]).remove(0);
    let mut servers = copies
        .each_ref()
        .map(|file| Serving::http(&["--keys", file.to_str().expect("UTF-8")]));
    let endpoints = servers.each_ref().map(|server| server.endpoint.clone());
    let bookers = [0, 1].map(|first| Booker::start(endpoints.clone(), first));
    let mut step = |options: &[&str]| {
        let keys = ids(&rotate(&copies[0], options));
        servers[0].signal(rustix::process::Signal::HUP);
        servers[0].wait_for_text(&replaced(&keys));
        bookers.iter().for_each(Booker::go_on);
        let draft = folder.path().join("draft");
        fs::copy(&copies[0], &draft).expect("copied");
        fs::rename(&draft, &copies[1]).expect("renamed");
        servers[1].wait_for_text(&replaced(&keys));
        // Whatever was begun before this step is over now.
        bookers.iter().for_each(Booker::go_on);
        keys
    };
    let new = step(&["--add"])[1].clone();
    step(&["--seal", &new]);
    step(&["--drop", &old]);
    bookers.into_iter().for_each(Booker::stop);
}

/// What the log says when a server has taken over these keys.
fn replaced(ids: &[String]) -> String {
    let ids: Vec<_> = ids.iter().map(|id| format!("KeyId({id})")).collect();
    format!("keys=[{}]", ids.join(", "))
}
