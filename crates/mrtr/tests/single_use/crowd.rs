//! A thousand requests at once.

use futures::future::join_all;
use mrtr::ledger::Ledger;
use mrtr_ledger::{MemoryLedger, SqliteLedger};
use tempfile::TempDir;

use crate::line::{Line, Op};
use crate::shop::*;

async fn a_thousand_on_two_instances(ledger: impl Ledger + Clone + 'static) {
    let till = Till::closed();
    let lines = [Line::to(ledger.clone()), Line::to(ledger)];
    let servers = lines
        .each_ref()
        .map(|line| instance(line, &till).build().unwrap());
    let state = begin(&servers[0]).await;
    let requests = (2..1_002).map(|id| send(&servers[id as usize % 2], id, retry(&state)));
    let mut all = Box::pin(join_all(requests));
    // All of them are there before the first one is served.
    tokio::select! {
        biased;
        answers = &mut all => panic!("{answers:?}"),
        () = till.begun(1) => till.let_in(1_000),
    }
    let answers = all.await;
    let first = &answers[0]["result"];
    assert_eq!(text(&answers[0]), "charge 1");
    for answer in &answers {
        assert_eq!(&answer["result"], first, "{answer}");
    }
    assert_eq!((till.begun_now(), till.charged()), (1, 1));
    let asked = |op| lines.iter().map(|line| line.asked(op)).sum::<usize>();
    assert_eq!((asked(Op::Finish), asked(Op::Release)), (1, 0));
    // One to run, then the other instance asks with growing pauses, and once or twice more who was
    // not there yet when it was told.
    assert!(asked(Op::Claim) <= 16, "{}", asked(Op::Claim));
}

#[tokio::test]
async fn of_a_thousand_same_requests_on_two_instances_one_runs_and_all_get_its_result() {
    a_thousand_on_two_instances(MemoryLedger::new()).await;
}

#[tokio::test]
async fn of_a_thousand_same_requests_on_two_instances_with_one_file_one_runs() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ledger");
    let ledger = SqliteLedger::open(&path).await.unwrap();
    a_thousand_on_two_instances(ledger).await;
}

#[tokio::test]
async fn of_two_answers_at_once_one_counts_and_the_other_is_rejected() {
    let (till, line) = (Till::closed(), Line::to(ledger()));
    let servers = [(); 2].map(|()| instance(&line, &till).build().unwrap());
    let state = begin(&servers[0]).await;
    let yes = send(&servers[0], 2, retry(&state));
    let (here, there) = tokio::join!(yes, async {
        till.begun(1).await;
        let here = send(&servers[0], 3, answered(&state, false));
        let there = send(&servers[1], 4, answered(&state, false));
        let let_in = async { till.let_in(1) };
        let (here, there, ()) = tokio::join!(here, there, let_in);
        [here, there]
    });
    assert_eq!(text(&here), "charge 1");
    for answer in there {
        assert_eq!(answer["error"]["code"], -32_602);
        assert_eq!(reason(&answer), "invalid_request_state");
    }
    assert_eq!(till.charged(), 1);
}
