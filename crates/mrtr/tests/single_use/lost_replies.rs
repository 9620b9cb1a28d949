//! Clients that go away, and come back with the same request, over real transports.

use mrtr::server::Server;
use serde_json::{Value, json};

use crate::line::{Line, Op};
use crate::shop::*;
use crate::transport_support::pipe::Pipe;
use crate::transport_support::{Connection, Post, Running, run};

/// Two instances on the network with one ledger.
struct Shop {
    till: Till,
    lines: [Line; 2],
    running: [Running; 2],
}

impl Shop {
    async fn new(till: Till) -> Self {
        let ledger = ledger();
        let lines = [Line::to(ledger.clone()), Line::to(ledger)];
        let server = |line| instance(line, &till).build().unwrap().http();
        let running = [run(server(&lines[0])).await, run(server(&lines[1])).await];
        Self {
            till,
            lines,
            running,
        }
    }

    async fn begin(&self) -> String {
        let asked = self.running[0].send(&post(1, first())).await;
        state_of(&asked.json())
    }

    /// A connection to the first one, on which the request was sent.
    async fn sent(&self, state: &str) -> Connection {
        let mut connection = Connection::open(self.running[0].address).await;
        connection.write(&post(2, retry(state)).bytes()).await;
        connection
    }

    /// The answer of each to the same request under another id.
    async fn sent_again(&self, state: &str) -> [Value; 2] {
        let [here, there] = self.running.each_ref();
        let here = here.send(&post(3, retry(state))).await;
        let there = there.send(&post(4, retry(state))).await;
        assert_eq!((here.status, there.status), (200, 200));
        [here.json(), there.json()]
    }
}

fn post(id: u32, params: Value) -> Post {
    Post::new("tools/call", params).edit(|message| message["id"] = json!(id))
}

fn assert_both(answers: &[Value; 2], expected: &str) {
    for (answer, id) in answers.iter().zip([3, 4]) {
        assert_eq!(text(answer), expected);
        assert_eq!(answer["id"], id);
    }
    assert_eq!(answers[0]["result"], answers[1]["result"]);
}

#[tokio::test]
async fn b21_a_reply_that_was_lost_is_given_again_and_the_handler_ran_once() {
    let shop = Shop::new(Till::open()).await;
    let state = shop.begin().await;
    let connection = shop.sent(&state).await;
    shop.lines[0].answered(Op::Finish, 1).await;
    drop(connection);
    assert_both(&shop.sent_again(&state).await, "charge 1");
    assert_eq!(shop.till.begun_now(), 1);
}

#[tokio::test]
async fn a_client_that_leaves_while_the_handler_runs_leaves_the_state_as_it_was() {
    let shop = Shop::new(Till::closed()).await;
    let state = shop.begin().await;
    let connection = shop.sent(&state).await;
    shop.till.begun(1).await;
    drop(connection);
    shop.till.left(1).await;
    shop.lines[0].answered(Op::Release, 1).await;
    shop.till.let_in(1);
    assert_both(&shop.sent_again(&state).await, "charge 1");
}

#[tokio::test]
async fn a_client_that_leaves_while_its_result_is_stored_finds_it_stored() {
    let shop = Shop::new(Till::open()).await;
    let state = shop.begin().await;
    shop.lines[0].hold_up(Op::Finish);
    let connection = shop.sent(&state).await;
    while shop.lines[0].asked(Op::Finish) == 0 {
        tokio::task::yield_now().await;
    }
    drop(connection);
    shop.lines[0].mend();
    assert_both(&shop.sent_again(&state).await, "charge 1");
    assert_eq!(shop.till.begun_now(), 1);
}

#[tokio::test]
async fn a_request_that_is_sent_again_while_the_first_is_served_waits_and_gets_the_same() {
    let shop = Shop::new(Till::closed()).await;
    let state = shop.begin().await;
    let mut connection = shop.sent(&state).await;
    shop.till.begun(1).await;
    let (again, ()) = tokio::join!(shop.sent_again(&state), async {
        shop.till.let_in(1);
    });
    assert_both(&again, "charge 1");
    let answer = connection.answer().await.json();
    assert_eq!(answer["result"], again[0]["result"]);
    assert_eq!(shop.till.begun_now(), 1);
}

#[tokio::test]
async fn a_used_state_is_rejected_with_status_400_as_json() {
    let shop = Shop::new(Till::open()).await;
    let state = shop.begin().await;
    shop.running[0].send(&post(2, retry(&state))).await;
    for running in &shop.running {
        let rejected = running.send(&post(3, answered(&state, false))).await;
        assert_eq!(rejected.status, 400);
        assert_eq!(rejected.header("content-type"), Some("application/json"));
        assert_eq!(reason(&rejected.json()), "invalid_request_state");
        assert_eq!(rejected.json()["id"], 3);
    }
}

fn call(id: u32, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

#[tokio::test]
async fn a_cancelled_request_leaves_the_state_as_it_was() {
    let (till, line) = (Till::closed(), Line::to(ledger()));
    let server: Server = instance(&line, &till).build().unwrap();
    let mut pipe = Pipe::new(server.stdio());
    pipe.send(&call(1, first())).await;
    let state = state_of(&pipe.next().await);
    pipe.send(&call(2, retry(&state))).await;
    till.begun(1).await;
    let params = json!({"requestId": 2});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    pipe.send(&cancel).await;
    line.answered(Op::Release, 1).await;
    till.let_in(1);
    pipe.send(&call(3, retry(&state))).await;
    let done = pipe.next().await;
    assert_eq!((text(&done), &done["id"]), ("charge 1", &json!(3)));
}
