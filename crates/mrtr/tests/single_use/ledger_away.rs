//! A ledger that cannot be reached, or has forgotten.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::line::{Line, Op};
use crate::shop::*;

const LEASE: Duration = Duration::from_secs(15);

#[tokio::test(start_paused = true)]
async fn without_the_ledger_nothing_runs_and_the_same_request_may_be_sent_again() {
    let (till, line) = (Till::open(), Line::to(ledger()));
    let server = instance(&line, &till).build().unwrap();
    line.cut();
    assert_eq!(reason(&send(&server, 1, first()).await), "unavailable");
    line.mend();
    let state = begin(&server).await;
    line.cut();
    for id in [2, 3] {
        let away = send(&server, id, retry(&state)).await;
        assert_eq!(away["error"]["code"], -32_603);
        assert_eq!(reason(&away), "unavailable");
        assert!(!away.to_string().contains("line"), "no detail: {away}");
    }
    assert_eq!(till.charged(), 0);
    line.mend();
    assert_eq!(text(&send(&server, 4, retry(&state)).await), "charge 1");
}

#[tokio::test(start_paused = true)]
async fn a_handler_whose_lease_cannot_be_renewed_is_dropped_before_another_can_run() {
    let (till, ledger) = (Till::closed(), ledger());
    let lines = [Line::to(ledger.clone()), Line::to(ledger)];
    let servers = lines
        .each_ref()
        .map(|line| instance(line, &till).build().unwrap());
    let state = begin(&servers[0]).await;
    let started = Instant::now();
    let other = async {
        till.begun(1).await;
        lines[0].cut();
        till.left(1).await;
        assert_eq!(started.elapsed(), LEASE - LEASE / 6);
        till.let_in(1);
        send(&servers[1], 3, retry(&state)).await
    };
    let (here, there) = tokio::join!(send(&servers[0], 2, retry(&state)), other);
    assert_eq!(reason(&here), "unavailable");
    assert_eq!(text(&there), "charge 1");
    lines[0].mend();
    assert_eq!(text(&send(&servers[0], 4, retry(&state)).await), "charge 1");
}

#[tokio::test(start_paused = true)]
async fn a_ledger_that_is_away_for_a_while_is_waited_for_with_the_result() {
    let (till, line) = (Till::closed(), Line::to(ledger()));
    let server = instance(&line, &till).build().unwrap();
    let state = begin(&server).await;
    let away = async {
        till.begun(1).await;
        line.cut();
        till.let_in(1);
        sleep(Duration::from_secs(5)).await;
        line.mend();
    };
    let (answer, ()) = tokio::join!(send(&server, 2, retry(&state)), away);
    assert_eq!(text(&answer), "charge 1");
    assert_eq!(text(&send(&server, 3, retry(&state)).await), "charge 1");
    assert_eq!(till.charged(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_cannot_be_stored_is_not_told() {
    let (till, line) = (Till::closed(), Line::to(ledger()));
    let server = instance(&line, &till).build().unwrap();
    let state = begin(&server).await;
    let away = async {
        till.begun(1).await;
        line.cut();
        till.let_in(1);
    };
    let (answer, ()) = tokio::join!(send(&server, 2, retry(&state)), away);
    assert_eq!(reason(&answer), "unavailable");
    assert!(!answer.to_string().contains("charge"), "{answer}");
    // Handlers are at-least-once: nobody can know that this one ran.
    line.mend();
    till.let_in(1);
    assert_eq!(text(&send(&server, 3, retry(&state)).await), "charge 2");
    assert_eq!(text(&send(&server, 4, retry(&state)).await), "charge 2");
}

#[tokio::test(start_paused = true)]
async fn the_copies_of_a_request_share_one_attempt_to_reach_the_ledger() {
    let (till, line) = (Till::open(), Line::to(ledger()));
    let server = instance(&line, &till).build().unwrap();
    let state = begin(&server).await;
    line.hold_up(Op::Claim);
    let requests = (2..102).map(|id| send(&server, id, retry(&state)));
    let mut all = Box::pin(futures::future::join_all(requests));
    assert!(futures::poll!(&mut all).is_pending());
    line.cut();
    line.hold_up(Op::Renew);
    for answer in all.await {
        assert_eq!(reason(&answer), "unavailable");
    }
    assert_eq!(line.asked(Op::Claim), 1);
}

#[tokio::test(start_paused = true)]
async fn after_the_ledger_has_forgotten_old_states_are_rejected_and_calls_can_begin_anew() {
    let (till, ledger) = (Till::open(), ledger());
    let lines = [Line::to(ledger.clone()), Line::to(ledger.clone())];
    let [here, there] = lines
        .each_ref()
        .map(|line| instance(line, &till).build().unwrap());
    let (used, open) = (begin(&here).await, begin(&here).await);
    assert_eq!(text(&send(&here, 2, retry(&used)).await), "charge 1");
    ledger.forget();
    for (server, state) in [(&here, &used), (&here, &open), (&there, &used)] {
        let rejected = send(server, 3, retry(state)).await;
        assert_eq!(rejected["error"]["code"], -32_602);
        assert_eq!(reason(&rejected), "invalid_request_state");
    }
    assert_eq!(till.charged(), 1);
    for server in [&here, &there] {
        let state = begin(server).await;
        let done = send(server, 4, retry(&state)).await;
        assert!(text(&done).starts_with("charge "), "{done}");
    }
    assert_eq!(till.charged(), 3);
}
