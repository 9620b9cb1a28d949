//! A `once` body, and what a request is told that is sent again.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mrtr::server::{Server, tool};
use mrtr::state::{Keyring, Secret};
use mrtr::{Cx, Durable, ToolError};
use tokio::time::Instant;

use crate::line::Line;
use crate::shop::*;

const LEASE: Duration = Duration::from_secs(15);

/// An instance that charges in a `once` body, behind a door.
fn careful(line: &Line, door: &Till, till: &Till) -> Server {
    let (door, till) = (door.clone(), till.clone());
    let charge = move |cx: Cx<Durable>, (): ()| {
        let (door, till) = (door.clone(), till.clone());
        async move {
            cx.confirm("sure", "Charge it?").await?;
            door.charge().await;
            let charged = cx.once("charge", move || till.charge()).await?;
            Ok::<_, ToolError>(format!("charge {charged}"))
        }
    };
    Server::builder("shop", "1.0.0")
        .keyring(Keyring::new([Secret::generate([7; 32])]).unwrap())
        .ledger(line.clone())
        .tool(tool("charge", charge))
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_outcome_that_is_not_known_is_told_and_is_given_once_it_is_known() {
    let (till, ledger) = (Till::closed(), ledger());
    let lines = [Line::to(ledger.clone()), Line::to(ledger)];
    let [dies, lives] = lines
        .each_ref()
        .map(|line| careful(line, &Till::open(), &till));
    let state = begin(&dies).await;
    let retried = tokio::spawn({
        let state = state.clone();
        async move { send(&dies, 2, retry(&state)).await }
    });
    till.begun(1).await;
    lines[0].die();
    retried.abort();
    let started = Instant::now();
    for id in [3, 4] {
        let told = send(&lives, id, retry(&state)).await;
        assert_eq!(told["result"]["isError"], true);
        assert!(text(&told).contains("its outcome is not known"), "{told}");
        assert!(started.elapsed() >= LEASE);
    }
    // It had only been stopped, and goes on.
    lines[0].mend();
    till.let_in(1);
    while text(&send(&lives, 5, retry(&state)).await) != "charge 1" {
        tokio::task::yield_now().await;
    }
    assert_eq!((till.begun_now(), till.charged()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_taken_over_begins_no_body_and_gives_the_result_of_the_other() {
    let (door, till, ahead) = (Till::closed(), Till::open(), Arc::default());
    let ledger = ledger_ahead(&ahead);
    let lines = [Line::to(ledger.clone()), Line::to(ledger)];
    let [stopped, other] = lines.each_ref().map(|line| careful(line, &door, &till));
    let state = begin(&stopped).await;
    let takes_over = async {
        door.begun(1).await;
        ahead.store(20, Ordering::Relaxed);
        let goes_on = async {
            door.begun(2).await;
            door.let_in(2);
        };
        tokio::join!(send(&other, 3, retry(&state)), goes_on).0
    };
    let (here, there) = tokio::join!(send(&stopped, 2, retry(&state)), takes_over);
    assert_eq!(text(&there), "charge 1");
    assert_eq!(here["result"], there["result"]);
    assert_eq!(till.begun_now(), 1);
}
