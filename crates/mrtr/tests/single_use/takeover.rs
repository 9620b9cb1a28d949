//! Runners that die or hang, and how long one waits for them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::line::{Line, Op};
use crate::shop::*;

const LEASE: Duration = Duration::from_secs(15);

#[tokio::test(start_paused = true)]
async fn a_run_of_an_instance_that_died_is_taken_over_when_its_lease_ends() {
    let (till, ledger) = (Till::closed(), ledger());
    let lines = [Line::to(ledger.clone()), Line::to(ledger)];
    let [dies, lives] = lines
        .each_ref()
        .map(|line| instance(line, &till).build().unwrap());
    let state = begin(&dies).await;
    let retried = tokio::spawn({
        let state = state.clone();
        async move { send(&dies, 2, retry(&state)).await }
    });
    till.begun(1).await;
    let started = Instant::now();
    lines[0].die();
    retried.abort();
    till.let_in(1);
    let again = send(&lives, 3, retry(&state)).await;
    assert_eq!(text(&again), "charge 1");
    assert_eq!(started.elapsed(), LEASE);
    assert_eq!(text(&send(&lives, 4, retry(&state)).await), "charge 1");
}

#[tokio::test(start_paused = true)]
async fn a_long_run_keeps_its_lease_and_the_same_request_waits_for_it_elsewhere() {
    let (till, ledger) = (Till::closed(), ledger());
    let lines = [Line::to(ledger.clone()), Line::to(ledger)];
    let servers = lines
        .each_ref()
        .map(|line| instance(line, &till).build().unwrap());
    let state = begin(&servers[0]).await;
    let long = async {
        till.begun(1).await;
        sleep(LEASE * 3).await;
        till.let_in(1);
    };
    let (here, there, ()) = tokio::join!(
        send(&servers[0], 2, retry(&state)),
        send(&servers[1], 3, retry(&state)),
        long,
    );
    assert_eq!(text(&here), "charge 1");
    assert_eq!(here["result"], there["result"]);
    assert_eq!(till.begun_now(), 1);
    assert!(lines[1].asked(Op::Claim) < 100, "half a second apart");
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_too_long_is_told_that_it_is_still_being_worked_on() {
    let (till, ledger) = (Till::closed(), ledger());
    let servers = [Duration::from_secs(60), Duration::from_secs(4)].map(|deadline| {
        let builder = instance(&Line::to(ledger.clone()), &till);
        builder.request_deadline(deadline).build().unwrap()
    });
    let state = begin(&servers[0]).await;
    let impatient = async {
        till.begun(1).await;
        let started = Instant::now();
        let [elsewhere, beside] =
            [&servers[1], &servers[1]].map(|server| send(server, 3, retry(&state)));
        let (elsewhere, beside) = tokio::join!(elsewhere, beside);
        assert_eq!(started.elapsed(), Duration::from_secs(4));
        till.let_in(1);
        [elsewhere, beside]
    };
    let (here, told) = tokio::join!(send(&servers[0], 2, retry(&state)), impatient);
    assert_eq!(text(&here), "charge 1");
    for answer in told {
        assert_eq!(answer["error"]["code"], -32_603);
        assert_eq!(reason(&answer), "busy");
    }
    let again = send(&servers[1], 4, retry(&state)).await;
    assert_eq!(text(&again), "charge 1");
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_takes_too_long_leaves_the_state_as_it_was() {
    let (till, line) = (Till::closed(), Line::to(ledger()));
    let server = instance(&line, &till).request_deadline(Duration::from_secs(40));
    let server = server.build().unwrap();
    let state = begin(&server).await;
    let slow = send(&server, 2, retry(&state)).await;
    assert_eq!(reason(&slow), "deadline");
    till.left(1).await;
    till.let_in(1);
    let started = Instant::now();
    assert_eq!(text(&send(&server, 3, retry(&state)).await), "charge 1");
    assert!(started.elapsed() < Duration::from_millis(100));
}

/// A runner that does not notice that its lease has ended; what of it is found out by `late`.
async fn taken_over(late: impl AsyncFnOnce(&Till)) -> [serde_json::Value; 2] {
    let (till, ahead) = (Till::closed(), Arc::default());
    let ledger = ledger_ahead(&ahead);
    let servers = [(); 2].map(|()| instance(&Line::to(ledger.clone()), &till).build().unwrap());
    let state = begin(&servers[0]).await;
    let other = async {
        till.begun(1).await;
        ahead.store(LEASE.as_secs(), Ordering::Relaxed);
        let second = send(&servers[1], 3, retry(&state));
        let late = async {
            till.begun(2).await;
            late(&till).await;
        };
        tokio::join!(second, late).0
    };
    let (first, second) = tokio::join!(send(&servers[0], 2, retry(&state)), other);
    [first, second]
}

#[tokio::test(start_paused = true)]
async fn a_runner_that_finishes_after_it_was_taken_over_answers_what_the_other_one_does() {
    let [first, second] = taken_over(async |till| {
        till.let_in(1);
        sleep(Duration::from_secs(1)).await;
        till.let_in(1);
    })
    .await;
    assert_eq!(text(&second), "charge 2", "the first one's is not counted");
    assert_eq!(first["result"], second["result"]);
}

#[tokio::test(start_paused = true)]
async fn a_runner_that_learns_that_it_was_taken_over_drops_its_handler_and_waits() {
    let [first, second] = taken_over(async |till| {
        till.left(1).await;
        till.let_in(1);
    })
    .await;
    assert_eq!(text(&second), "charge 1");
    assert_eq!(first["result"], second["result"]);
}
