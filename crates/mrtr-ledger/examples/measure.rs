//! Measures a ledger: how long claiming and finishing a run takes, and how many
//! it does at once.
//!
//! `cargo run --release -p mrtr-ledger --all-features --example measure -- ADDRESS`,
//! with an address as [`mrtr_ledger::open`] takes it.

use std::error::Error;
use std::time::{Duration, Instant};

use futures::future::try_join_all;
use mrtr_core::ledger::{
    Claim, Claimed, Entered, Entry, Epoch, Fence, Held, Ledger, LedgerError, OnceKey, Recorded,
    RunId, StateKey,
};

const ALONE: usize = 500;
const AT_ONCE: usize = 64;
const EACH: usize = 50;
const LEASE: Duration = Duration::from_secs(15);
const KEEP: Duration = Duration::from_secs(60);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).ok_or("which ledger? memory:")?;
    let ledger = &*mrtr_ledger::open(&address).await?;
    let epoch = ledger.epoch().await?;

    let mut runs = Vec::new();
    let mut bodies = Vec::new();
    for _ in 0..ALONE {
        runs.push(run(ledger, epoch).await?);
        bodies.push(body(ledger, epoch).await?);
    }
    report("claim and finish, one after the other", runs);
    report("enter and record, one after the other", bodies);

    let start = Instant::now();
    let at_once = (0..AT_ONCE).map(async |_| {
        let mut took = Vec::new();
        for _ in 0..EACH {
            took.push(run(ledger, epoch).await?);
        }
        Ok::<_, LedgerError>(took)
    });
    let runs = try_join_all(at_once).await?.concat();
    let operations = 2 * runs.len();
    let rate = operations as f64 / start.elapsed().as_secs_f64();
    report(&format!("claim and finish, {AT_ONCE} at once"), runs);
    eprintln!("{rate:.0} operations a second, {AT_ONCE} at once");
    Ok(())
}

async fn run(ledger: &dyn Ledger, epoch: Epoch) -> Result<Duration, LedgerError> {
    let claim = Claim {
        epoch,
        state: StateKey::from_bytes(rand::random()),
        run: RunId::from_bytes(rand::random()),
        fence: Fence::from_bytes(rand::random()),
        lease: LEASE,
        keep: KEEP,
    };
    let start = Instant::now();
    assert_eq!(ledger.claim(&claim).await?, Claimed::Granted);
    let result = [7; 300];
    let held = ledger.finish(claim.state, claim.fence, &result).await?;
    assert_eq!(held, Held::Held);
    Ok(start.elapsed())
}

async fn body(ledger: &dyn Ledger, epoch: Epoch) -> Result<Duration, LedgerError> {
    let entry = Entry {
        epoch,
        key: OnceKey::from_bytes(rand::random()),
        state: None,
        fence: Fence::from_bytes(rand::random()),
        lease: LEASE,
        keep: KEEP,
    };
    let start = Instant::now();
    assert_eq!(ledger.enter(&entry).await?, Entered::Begin);
    let recorded = ledger.record(entry.key, &[7; 300]).await?;
    assert_eq!(recorded, Recorded::Stored);
    Ok(start.elapsed())
}

fn report(what: &str, mut took: Vec<Duration>) {
    took.sort_unstable();
    let at = |part: usize| took[(took.len() - 1) * part / 100];
    eprintln!("{what}: median {:?}, 99 % within {:?}", at(50), at(99));
}
