//! The fourth and fifth requirement for servers, and the security considerations, of
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mrtr::server::ServerBuilder;
use mrtr::{Cx, Form, ToolError};
use serde_json::{Value, json};

use crate::support::{Case, Clock, Kind, Offer, Peer, Via, accept, builder, yes};

#[derive(Form)]
struct Amount {
    #[form(min = 1)]
    amount: u32,
}

async fn pay(cx: Cx) -> Result<String, ToolError> {
    let Amount { amount } = cx.elicit("amount", "How much?").await?;
    cx.confirm("sure", format!("Really pay {amount}?")).await?;
    Ok(format!("paid {amount}"))
}

async fn sure(cx: Cx) -> Result<String, ToolError> {
    cx.confirm("sure", "Sure?").await?;
    Ok("done".into())
}

/// A handler called `counted` that counts how often it starts.
fn counted(builder: ServerBuilder) -> (ServerBuilder, Arc<AtomicU32>) {
    let runs = Arc::new(AtomicU32::new(0));
    let counter = runs.clone();
    let handler = move |cx: Cx| {
        counter.fetch_add(1, Ordering::SeqCst);
        sure(cx)
    };
    (builder.offer("counted", handler), runs)
}

everywhere!(
    server_requirement_4_state_is_attacker_controlled_input_that_no_handler_sees_unverified,
    server_requirement_4_state_that_fails_verification_is_rejected,
    server_requirement_4_state_of_another_type_is_rejected,
    server_requirement_5_e5_state_of_another_principal_is_rejected,
    server_requirement_5_state_is_rejected_from_the_instant_it_expires,
    server_requirement_5_e4_state_of_another_method_or_target_is_rejected,
    server_requirement_5_e4_state_of_other_arguments_is_rejected,
    server_requirement_5_replay_is_bounded_but_not_single_use,
    security_considerations_the_order_of_questions_cannot_be_left_out,
    security_considerations_what_was_answered_cannot_be_replaced,
    security_considerations_consent_cannot_be_given_in_advance,
);

async fn server_requirement_4_state_is_attacker_controlled_input_that_no_handler_sees_unverified(
    case: Case,
) {
    let (builder, runs) = counted(builder());
    let mut peer = Peer::of(case, builder).await;
    let genuine = peer.call("counted").await.state();
    let hostile = [
        String::new(),
        " ".into(),
        "null".into(),
        "{}".into(),
        r#"{"confirmed":true}"#.into(),
        "eyJhbGciOiJub25lIn0.eyJzdXJlIjp0cnVlfQ.".into(),
        "../../etc/passwd\0".into(),
        "\u{fffd}\u{1f600}\u{202e}".into(),
        "A".repeat(64 * 1024),
        "A".repeat(1024 * 1024),
        genuine.to_lowercase(),
        genuine.chars().rev().collect(),
        format!("{genuine}{genuine}"),
        format!(" {genuine}"),
        format!("{genuine}="),
        format!("{genuine}\n"),
    ];
    for state in hostile {
        let head: String = state.chars().take(40).collect();
        assert_eq!(runs.load(Ordering::SeqCst), 1, "before {head:?}");
        let answer = peer.answer("counted", json!({"sure": yes()}), state).await;
        answer.assert_state_rejected();
    }
    let done = peer
        .answer("counted", json!({"sure": yes()}), genuine)
        .await;
    assert_eq!(done.done(), "done");
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

/// The whole matrix of bits and lengths is tested where the state is made; here that nothing on the
/// way to it makes a difference.
async fn server_requirement_4_state_that_fails_verification_is_rejected(case: Case) {
    let (builder, runs) = counted(builder());
    let mut peer = Peer::of(case, builder).await;
    let one = peer.call("counted").await.state();
    let two = peer.call("counted").await.state();
    assert_eq!(one.len(), two.len());
    let other = |c: char| if c == 'A' { 'B' } else { 'A' };
    let flipped = (0..one.len()).step_by(5).map(|at| {
        let change = |(index, c)| if index == at { other(c) } else { c };
        one.chars().enumerate().map(change).collect::<String>()
    });
    let cut = (0..one.len()).step_by(5).map(|at| one[..at].to_owned());
    let swapped = (5..one.len() - 5)
        .step_by(5)
        .map(|at| [&one[..at], &two[at..]].concat());
    let swapped = swapped.filter(|state| *state != one && *state != two);
    for state in flipped.chain(cut).chain(swapped) {
        peer.answer("counted", json!({"sure": yes()}), state)
            .await
            .assert_state_rejected();
    }
    assert_eq!(runs.load(Ordering::SeqCst), 2, "only the first rounds ran");
}

async fn server_requirement_4_state_of_another_type_is_rejected(case: Case) {
    let (builder, runs) = counted(builder());
    let mut peer = Peer::of(case, builder).await;
    // D4
    for state in [
        json!(123),
        json!({}),
        json!([]),
        json!(true),
        json!(0.5),
        json!(["x"]),
    ] {
        let members = json!({"requestState": state, "inputResponses": {"sure": yes()}});
        peer.call_with("counted", members)
            .await
            .assert_state_rejected();
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
    // E2
    let first = peer
        .call_with("counted", json!({"requestState": null}))
        .await;
    assert_eq!(first.keys(), ["sure"]);
}

async fn server_requirement_5_e5_state_of_another_principal_is_rejected(case: Case) {
    let server = builder().offer("sure", sure).build().unwrap();
    let answers = || json!({"sure": yes()});
    let mut known = Peer::new(Case::new(Via::Http, case.kind), &server).await;
    let of_alice = known.user(Some("alice")).call("sure").await.state();
    match case.via {
        Via::Http => {
            known
                .user(Some("bob"))
                .answer("sure", answers(), &of_alice)
                .await
                .assert_state_rejected();
            known
                .user(None)
                .answer("sure", answers(), &of_alice)
                .await
                .assert_state_rejected();
            let of_nobody = known.call("sure").await.state();
            known.user(Some("alice"));
            known
                .answer("sure", answers(), of_nobody)
                .await
                .assert_state_rejected();
        }
        Via::Stdio => {
            let mut nobody = Peer::new(case, &server).await;
            nobody
                .answer("sure", answers(), &of_alice)
                .await
                .assert_state_rejected();
            let of_nobody = nobody.call("sure").await.state();
            known
                .answer("sure", answers(), of_nobody)
                .await
                .assert_state_rejected();
        }
    }
    // The same person again, on another connection.
    let mut known = Peer::new(Case::new(Via::Http, case.kind), &server).await;
    known.user(Some("alice"));
    assert_eq!(
        known.answer("sure", answers(), &of_alice).await.done(),
        "done"
    );
}

async fn server_requirement_5_state_is_rejected_from_the_instant_it_expires(case: Case) {
    let clock = Clock::new();
    let builder = builder().runtime(clock.clone()).offer("sure", sure);
    let mut peer = Peer::of(case, builder).await;
    let state = peer.call("sure").await.state();
    clock.advance(Duration::from_millis(599_999));
    assert_eq!(
        peer.answer("sure", json!({"sure": yes()}), &state)
            .await
            .done(),
        "done"
    );
    clock.advance(Duration::from_millis(1));
    peer.answer("sure", json!({"sure": yes()}), &state)
        .await
        .assert_state_rejected();
    clock.back(Duration::from_millis(600_000 + 60_001));
    let from_the_future = peer.answer("sure", json!({"sure": yes()}), &state).await;
    from_the_future.assert_state_rejected();
}

async fn server_requirement_5_e4_state_of_another_method_or_target_is_rejected(case: Case) {
    let server = builder()
        .offer("sure", sure)
        .offer("other", sure)
        .build()
        .unwrap();
    let mut peer = Peer::new(case, &server).await;
    let state = peer.call("sure").await.state();
    let answers = || json!({"sure": yes()});
    peer.answer("other", answers(), &state)
        .await
        .assert_state_rejected();
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != case.kind) {
        let mut other = Peer::new(Case::new(case.via, kind), &server).await;
        other
            .answer("sure", answers(), &state)
            .await
            .assert_state_rejected();
    }
    let elsewhere = mrtr::server::Server::builder("elsewhere", "1.0.0")
        .keyring(crate::support::keyring([1]))
        .runtime(Clock::new())
        .offer("sure", sure);
    let mut elsewhere = Peer::of(case, elsewhere).await;
    elsewhere
        .answer("sure", answers(), &state)
        .await
        .assert_state_rejected();
    assert_eq!(peer.answer("sure", answers(), &state).await.done(), "done");
}

/// Arguments, spellings that are the same, and others.
const SAME: [(&str, &[&str], &[&str]); 4] = [
    (
        r#"{"x":"a","n":9007199254740993,"list":[1,{"b":2,"a":1}]}"#,
        &[
            r#"{"n":9007199254740993,"list":[1.0,{"a":1,"b":2}],"x":"a"}"#,
            r#"{ "x" : "\u0061", "list" : [10e-1, {"b":2.0,"a":1}], "n" : 9007199254740993.0 }"#,
        ],
        &[
            r#"{"x":"a","n":9007199254740992,"list":[1,{"b":2,"a":1}]}"#,
            r#"{"x":"a","n":9007199254740993,"list":[{"b":2,"a":1},1]}"#,
            r#"{"x":"b","n":9007199254740993,"list":[1,{"b":2,"a":1}]}"#,
            r#"{"x":"a","n":9007199254740993}"#,
            r#"{"x":"a","n":"9007199254740993","list":[1,{"b":2,"a":1}]}"#,
            r#"{"x":"a","n":9007199254740993,"list":[1,{"b":2,"a":1}],"y":null}"#,
            "{}",
        ],
    ),
    (
        r#"{"n":1}"#,
        &[r#"{"n":1.0}"#, r#"{"n":100e-2}"#],
        &[r#"{"n":1.0000000000000000001}"#, r#"{"n":-1}"#],
    ),
    ("{}", &["{ }"], &[r#"{"x":""}"#, r#"{"x":null}"#]),
    (
        r#"{"x":""}"#,
        &[],
        &["{}", r#"{"x":" "}"#, r#"{"x":"","x":""}"#],
    ),
];

/// Arguments of prompts are texts.
const SAME_TEXTS: [(&str, &[&str], &[&str]); 1] = [(
    r#"{"x":"a","y":"b"}"#,
    &[r#"{"y":"b","x":"a"}"#, r#"{"x":"\u0061", "y":"b"}"#],
    &[
        r#"{"x":"a"}"#,
        r#"{"x":"b","y":"a"}"#,
        r#"{"x":"A","y":"b"}"#,
        "{}",
    ],
)];

async fn server_requirement_5_e4_state_of_other_arguments_is_rejected(case: Case) {
    let mut peer = Peer::of(case, builder().offer("sure", sure)).await;
    let table: &[(&str, &[&str], &[&str])] = match case.kind {
        Kind::Tool => &SAME,
        Kind::Prompt => &SAME_TEXTS,
        Kind::Resource => return another_uri_is_another_request(peer).await,
    };
    for (arguments, same, other) in table {
        let state = peer
            .call_written("sure", arguments, json!({}))
            .await
            .state();
        let retry = json!({"requestState": state, "inputResponses": {"sure": yes()}});
        for spelled in same.iter().chain([arguments]) {
            let done = peer.call_written("sure", spelled, retry.clone()).await;
            assert_eq!(done.done(), "done", "{spelled}");
        }
        for changed in *other {
            let rejected = peer.call_written("sure", changed, retry.clone()).await;
            rejected.assert_state_rejected();
        }
    }
    // Absent arguments are empty ones, and `_meta` is none of them.
    let state = peer.call("sure").await.state();
    let retry = json!({"name": "sure", "requestState": state, "inputResponses": {"sure": yes()}});
    let request = peer.request(case.kind.method(), retry);
    assert_eq!(peer.send(&request).await.done(), "done");
}

/// The arguments of a resource are in its URI.
async fn another_uri_is_another_request(mut peer: Peer) {
    let state = peer.call("sure/1").await.state();
    for other in ["sure/2", "sure", "sure/1%20", "sure/%31"] {
        peer.answer(other, json!({"sure": yes()}), &state)
            .await
            .assert_state_rejected();
    }
    assert_eq!(
        peer.answer("sure/1", json!({"sure": yes()}), &state)
            .await
            .done(),
        "done"
    );
}

async fn server_requirement_5_replay_is_bounded_but_not_single_use(case: Case) {
    let clock = Clock::new();
    let builder = builder().runtime(clock.clone()).offer("pay", pay);
    let mut peer = Peer::of(case, builder).await;
    let state = peer.call("pay").await.state();
    let amount = json!({"amount": accept(json!({"amount": 5}))});
    let state = peer.answer("pay", amount, state).await.state();
    for _ in 0..3 {
        let paid = peer.answer("pay", json!({"sure": yes()}), &state).await;
        assert_eq!(paid.done(), "paid 5", "the very same request");
    }
    clock.advance(Duration::from_secs(600));
    peer.answer("pay", json!({"sure": yes()}), &state)
        .await
        .assert_state_rejected();
}

async fn security_considerations_the_order_of_questions_cannot_be_left_out(case: Case) {
    let mut peer = Peer::of(case, builder().offer("pay", pay)).await;
    let first = peer.call("pay").await.state();
    // What was not asked yet is no answer, however it is presented.
    let both = json!({"amount": accept(json!({"amount": 5})), "sure": yes()});
    let asked = peer.answer("pay", both, &first).await;
    assert_eq!(asked.keys(), ["sure"]);
    let only = peer.answer("pay", json!({"sure": yes()}), &first).await;
    assert_eq!(only.keys(), ["amount"]);
}

async fn security_considerations_what_was_answered_cannot_be_replaced(case: Case) {
    let mut peer = Peer::of(case, builder().offer("pay", pay)).await;
    let first = peer.call("pay").await.state();
    let amount = |amount: u32| accept(json!({"amount": amount}));
    let asked = peer
        .answer("pay", json!({"amount": amount(5)}), first)
        .await;
    assert_eq!(asked.question("sure")["message"], "Really pay 5?");
    let answers = json!({"sure": yes(), "amount": amount(1)});
    let paid = peer.answer("pay", answers, asked.state()).await;
    assert_eq!(paid.done(), "paid 5", "what the person consented to");
}

async fn security_considerations_consent_cannot_be_given_in_advance(case: Case) {
    let mut peer = Peer::of(case, builder().offer("sure", sure).offer("pay", pay)).await;
    let early: Value = json!({"inputResponses": {"sure": yes()}});
    assert_eq!(peer.call_with("sure", early).await.keys(), ["sure"]);
    let early = json!({"inputResponses": {"amount": accept(json!({"amount": 5})), "sure": yes()}});
    assert_eq!(peer.call_with("pay", early).await.keys(), ["sure"]);
}
