//! States that are used once, on two instances with one ledger.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mrtr::round::Replay;
use mrtr::server::{Server, ServerBuilder};
use mrtr::{Cx, Form, ToolError};
use mrtr_ledger::MemoryLedger;
use serde_json::{Value, json};

use crate::support::{Answer, Case, Kind, Offer, Peer, accept, keyring, yes};

everywhere!(
    e6_a_final_request_that_is_sent_again_does_not_run_again_on_any_instance,
    an_interim_result_is_given_again_with_the_same_state,
    other_answers_to_a_used_state_are_rejected_like_any_bad_state,
    the_same_answers_however_they_are_written_are_the_same_run,
    answers_that_were_not_asked_for_do_not_count,
    a_refusal_is_an_end_and_no_yes_comes_after_it,
    what_the_client_can_mend_leaves_the_state_as_it_was,
    a_fault_leaves_the_state_as_it_was,
    a_failure_is_an_end_where_it_is_a_result,
);

#[derive(Form)]
struct Amount {
    #[form(min = 1)]
    amount: u32,
}

fn amount(amount: u32) -> Value {
    json!({"amount": accept(json!({"amount": amount}))})
}

/// How often something happened.
#[derive(Clone, Default)]
struct Count(Arc<AtomicU32>);

impl Count {
    fn more(&self) -> u32 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn get(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Two instances that share keys and a ledger.
async fn two(case: Case, offer: impl Fn(ServerBuilder) -> ServerBuilder) -> [Peer; 2] {
    let ledger = MemoryLedger::new();
    let instance = || {
        let builder = Server::builder("proof", "1.0.0").keyring(keyring([1]));
        offer(builder.ledger(ledger.clone()))
    };
    [
        Peer::of(case, instance()).await,
        Peer::of(case, instance()).await,
    ]
}

/// Offers `pay`, which has an effect at its end, and counts that.
async fn two_that_pay(case: Case) -> ([Peer; 2], Count) {
    let paid = Count::default();
    let counter = paid.clone();
    let pay = move |cx: Cx| {
        let paid = counter.clone();
        async move {
            let Amount { amount } = cx.elicit("amount", "How much?").await?;
            cx.confirm("sure", format!("Really pay {amount}?")).await?;
            Ok(format!("paid {amount}, payment {}", paid.more()))
        }
    };
    let peers = two(case, move |builder| {
        builder.offer_as(Replay::Once, "pay", pay.clone())
    });
    (peers.await, paid)
}

/// The response but for its id.
fn beside_id(answer: &Answer) -> (Option<u16>, Value) {
    let mut message = answer.message.clone();
    message["id"] = Value::Null;
    (answer.status, message)
}

async fn e6_a_final_request_that_is_sent_again_does_not_run_again_on_any_instance(case: Case) {
    let ([mut here, mut there], paid) = two_that_pay(case).await;
    let first = here.call("pay").await.state();
    let second = there.answer("pay", amount(5), first).await.state();
    let done = here.answer("pay", json!({"sure": yes()}), &second).await;
    assert_eq!(done.done(), "paid 5, payment 1");
    for peer in [&mut here, &mut there] {
        let again = peer.answer("pay", json!({"sure": yes()}), &second).await;
        assert_eq!(beside_id(&again), beside_id(&done));
    }
    assert_eq!(paid.get(), 1);
}

async fn an_interim_result_is_given_again_with_the_same_state(case: Case) {
    let ([mut here, mut there], paid) = two_that_pay(case).await;
    let first = here.call("pay").await.state();
    let asked = here.answer("pay", amount(5), &first).await;
    assert_eq!(asked.keys(), ["sure"]);
    let again = there.answer("pay", amount(5), &first).await;
    assert_eq!(again.state(), asked.state());
    assert_eq!(beside_id(&again), beside_id(&asked));
    let done = there
        .answer("pay", json!({"sure": yes()}), again.state())
        .await;
    assert_eq!(done.done(), "paid 5, payment 1");
    assert_eq!(paid.get(), 1);
}

async fn other_answers_to_a_used_state_are_rejected_like_any_bad_state(case: Case) {
    let ([mut here, mut there], paid) = two_that_pay(case).await;
    let first = here.call("pay").await.state();
    let second = here.answer("pay", amount(5), &first).await.state();
    let done = here.answer("pay", json!({"sure": yes()}), &second).await;
    assert_eq!(done.done(), "paid 5, payment 1");
    let no = json!({"action": "decline"});
    for peer in [&mut here, &mut there] {
        for (answers, state) in [
            (amount(6), &first),
            (json!({}), &first),
            (json!({"sure": no}), &second),
            (json!({"sure": yes(), "other": {}}), &second),
        ] {
            let rejected = peer.answer("pay", answers, state).await;
            rejected.assert_state_rejected();
        }
    }
    assert_eq!(paid.get(), 1);
}

async fn the_same_answers_however_they_are_written_are_the_same_run(case: Case) {
    let ([mut here, mut there], _) = two_that_pay(case).await;
    let first = here.call("pay").await.state();
    let asked = here.answer("pay", amount(5), &first).await;
    for written in [
        r#"{"amount":{"content":{"amount":5},"action":"accept"}}"#,
        r#"{ "amount" : { "action" : "accept" , "content" : { "amount" : 5 } } }"#,
        r#"{"\u0061mount":{"action":"acc\u0065pt","content":{"amount":5}}}"#,
        r#"{"amount":{"action":"accept","content":{"amount":5.0}}}"#,
    ] {
        let method = case.kind.method();
        let mut params = case.kind.params("pay");
        params["requestState"] = json!(first);
        params["inputResponses"] = json!("$ANSWERS");
        let request = there.request(method, params);
        let text = request.to_string().replace("\"$ANSWERS\"", written);
        let again = there.send_text(method, &request["params"], &text).await;
        assert_eq!(beside_id(&again), beside_id(&asked), "{written}");
    }
}

async fn answers_that_were_not_asked_for_do_not_count(case: Case) {
    let ([mut here, _], _) = two_that_pay(case).await;
    let members = json!({"inputResponses": amount(5)});
    let asked = here.call_with("pay", members).await;
    assert_eq!(asked.keys(), ["amount"]);
}

async fn a_refusal_is_an_end_and_no_yes_comes_after_it(case: Case) {
    let ([mut here, mut there], paid) = two_that_pay(case).await;
    let first = here.call("pay").await.state();
    let second = here.answer("pay", amount(5), &first).await.state();
    let no = json!({"sure": {"action": "decline"}});
    let refused = here.answer("pay", no.clone(), &second).await;
    match case.kind {
        Kind::Tool => assert_eq!(refused.result()["isError"], true),
        _ => assert_eq!(
            refused.assert_error(-32_602, 200)["data"],
            json!({"reason": "declined", "key": "sure"})
        ),
    }
    let again = there.answer("pay", no, &second).await;
    assert_eq!(beside_id(&again), beside_id(&refused));
    let yes = there.answer("pay", json!({"sure": yes()}), &second).await;
    yes.assert_state_rejected();
    assert_eq!(paid.get(), 0);
}

async fn what_the_client_can_mend_leaves_the_state_as_it_was(case: Case) {
    let ([mut here, there], paid) = two_that_pay(case).await;
    let first = here.call("pay").await.state();
    let wrong = json!({"amount": {"roots": []}});
    let refused = here.answer("pay", wrong, &first).await;
    refused.assert_error(-32_602, 400);

    let mut poor = there.declaring(json!({}));
    let refused = poor.answer("pay", amount(5), &first).await;
    refused.assert_error(-32_021, 400);
    let second = here.answer("pay", amount(5), &first).await.state();
    let done = here.answer("pay", json!({"sure": yes()}), second).await;
    assert_eq!(done.done(), "paid 5, payment 1");
    assert_eq!(paid.get(), 1);
}

async fn sure_then(
    cx: Cx,
    then: impl FnOnce() -> Result<String, ToolError>,
) -> Result<String, ToolError> {
    cx.confirm("sure", "Sure?").await?;
    then()
}

async fn a_fault_leaves_the_state_as_it_was(case: Case) {
    let runs = Count::default();
    let handler = move |cx: Cx| {
        let runs = runs.clone();
        sure_then(cx, move || match runs.more() {
            1 => panic!("the first one fails"),
            run => Ok(format!("run {run}")),
        })
    };
    let [mut here, mut there] = two(case, |builder| {
        builder.offer_as(Replay::Once, "sure", handler.clone())
    })
    .await;
    let state = here.call("sure").await.state();
    let failed = here.answer("sure", json!({"sure": yes()}), &state).await;
    failed.assert_error(-32_603, 200);
    for peer in [&mut there, &mut here] {
        let done = peer.answer("sure", json!({"sure": yes()}), &state).await;
        assert_eq!(done.done(), "run 2");
    }
}

/// Tools fail with a result, which a model reads; prompts and resources with an error.
async fn a_failure_is_an_end_where_it_is_a_result(case: Case) {
    let runs = Count::default();
    let handler = move |cx: Cx| {
        let runs = runs.clone();
        sure_then(cx, move || match runs.more() {
            1 => Err(ToolError::visible("not today")),
            run => Ok(format!("run {run}")),
        })
    };
    let [mut here, mut there] = two(case, |builder| {
        builder.offer_as(Replay::Once, "sure", handler.clone())
    })
    .await;
    let state = here.call("sure").await.state();
    let failed = here.answer("sure", json!({"sure": yes()}), &state).await;
    let again = there.answer("sure", json!({"sure": yes()}), &state).await;
    match case.kind {
        Kind::Tool => {
            assert_eq!(failed.result()["isError"], true);
            assert_eq!(beside_id(&again), beside_id(&failed));
        }
        _ => {
            failed.assert_error(-32_602, 200);
            assert_eq!(again.done(), "run 2");
        }
    }
}
