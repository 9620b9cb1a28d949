//! How a client spends its time. The clock of these tests stands still until everybody waits.

use std::time::Duration;

use crate::support::peer::Peer;
use crate::support::{asks, done, form, says_yes};
use mrtr::client::{
    Answerer, Answers, BoxError, Client, ClientBuilder, ClientError, ClientLimits, Delivery,
    FormQuestion, Loss, Turn,
};
use mrtr::exchange::{Blame, ExchangeError, ExchangeLimits, Limit};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn later() -> Value {
    json!({"resultType": "input_required", "requestState": "S1"})
}

fn build(builder: ClientBuilder, edit: impl FnOnce(&mut ClientLimits)) -> Client {
    let mut limits = ClientLimits::default();
    edit(&mut limits);
    builder.limits(limits).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn b6_state_only_rounds_are_spaced_and_a_slow_backend_still_finishes() {
    let (mut peer, builder) = Peer::new();
    let client = build(builder, |_| {});
    let server = tokio::spawn(async move {
        peer.discover().await;
        let mut times = Vec::new();
        for round in 0..10 {
            let request = peer.next().await.unwrap();
            times.push(Instant::now());
            peer.result(&request, if round < 9 { later() } else { done() })
                .await;
        }
        times
    });
    client.call_tool("t", &json!({}), &()).await.unwrap();
    let times = server.await.unwrap();
    let pauses: Vec<_> = times
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).as_millis())
        .collect();
    assert_eq!(pauses, [250, 500, 1000, 2000, 4000, 5000, 5000, 5000, 5000]);
}

#[tokio::test(start_paused = true)]
async fn b8_one_budget_covers_all_legs() {
    let (mut peer, builder) = Peer::new();
    let client = build(builder, |limits| {
        limits.call = limits.call.with_total(seconds(5))
    });
    let server = tokio::spawn(async move {
        peer.discover().await;
        for _ in 0..2 {
            let request = peer.next().await.unwrap();
            sleep(seconds(2)).await;
            peer.result(&request, asks(form())).await;
        }
        let third = peer.next().await.unwrap();
        let cancelled = peer.next().await.unwrap();
        assert_eq!(cancelled["method"], "notifications/cancelled");
        assert_eq!(cancelled["params"]["requestId"], third["id"]);
        peer.silence().await;
    });
    let start = Instant::now();
    let error = client
        .call_tool("t", &json!({}), &says_yes())
        .await
        .unwrap_err();
    assert_eq!(start.elapsed().as_secs(), 5);
    let ClientError::Exchange(ExchangeError::Limit(limit)) = &error else {
        panic!("{error}")
    };
    assert_eq!(
        (limit.limit, limit.in_flight),
        (Limit::Total(seconds(5)), true)
    );
    assert_eq!(
        (error.blame(), error.delivery()),
        (Blame::Limit, Delivery::Unknown)
    );
    server.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn b8_time_that_a_person_takes_is_charged_only_on_request() {
    for charge in [false, true] {
        let (mut peer, builder) = Peer::new();
        let limits = ExchangeLimits::default()
            .with_total(seconds(5))
            .with_charge_human_time(charge);
        let client = build(builder, |all| all.call = limits);
        tokio::spawn(async move {
            peer.discover().await;
            let first = peer.next().await.unwrap();
            peer.result(&first, asks(form())).await;
            while let Some(request) = peer.next().await {
                peer.result(&request, done()).await;
            }
        });
        let slow = Answers::new().form(|question: FormQuestion| async move {
            sleep(seconds(3600)).await;
            Ok::<_, BoxError>(question.accept(&json!({}))?)
        });
        let result = client.call_tool("t", &json!({}), &slow).await;
        match result {
            Ok(_) => assert!(!charge),
            Err(error) => {
                assert!(charge, "{error}");
                assert_eq!(
                    error.delivery(),
                    Delivery::NotDelivered,
                    "nothing was sent: {error}"
                );
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_leg_without_an_answer_is_given_up_and_the_server_is_told() {
    let (mut peer, builder) = Peer::new();
    let client = build(builder, |limits| limits.leg = seconds(7));
    let server = tokio::spawn(async move {
        peer.discover().await;
        let request = peer.next().await.unwrap();
        let cancelled = peer.next().await.unwrap();
        assert_eq!(
            cancelled,
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": {"requestId": request["id"]}})
        );
        // The answer comes too late, and the connection lives on.
        peer.result(&request, done()).await;
        let next = peer.next().await.unwrap();
        peer.result(&next, done()).await;
        peer.silence().await;
    });
    let start = Instant::now();
    let error = client.call_tool("t", &json!({}), &()).await.unwrap_err();
    assert_eq!(start.elapsed(), seconds(7));
    let ClientError::Ambiguous(lost) = &error else {
        panic!("{error}")
    };
    assert_eq!(lost.loss, Loss::Timeout { after: seconds(7) });
    client.call_tool("t", &json!({}), &()).await.unwrap();
    server.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn progress_renews_the_time_of_a_leg_but_not_of_the_call() {
    let (mut peer, builder) = Peer::new();
    let client = build(builder, |limits| {
        limits.leg = seconds(5);
        limits.call = limits.call.with_total(seconds(30));
    });
    tokio::spawn(async move {
        peer.discover().await;
        let request = peer.next().await.unwrap();
        let token = request["params"]["_meta"]["progressToken"].clone();
        for progress in 1.. {
            sleep(seconds(4)).await;
            peer.say(json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": token, "progress": progress}}))
                .await;
        }
    });
    let start = Instant::now();
    let mut call = client.tool("t", &json!({})).unwrap().on_progress(|_| {});
    let error = call.advance().await.unwrap_err();
    assert_eq!(
        start.elapsed(),
        seconds(30),
        "a server that makes progress for ever"
    );
    assert!(
        matches!(error, ClientError::Exchange(ExchangeError::Limit(_))),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn b9_nothing_is_sent_while_a_person_answers_nor_when_they_leave() {
    let (mut peer, builder) = Peer::new();
    let client = build(builder, |_| {});
    let server = tokio::spawn(async move {
        peer.discover().await;
        let request = peer.next().await.unwrap();
        peer.result(&request, asks(form())).await;
        peer.silence().await;
    });
    let mut call = client
        .tool("t", &json!({}))
        .unwrap()
        .declare(says_yes().capabilities());
    assert!(matches!(call.advance().await.unwrap(), Turn::Asked(_)));
    sleep(seconds(30)).await;
    drop(call);
    server.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_request_that_never_left_is_not_cancelled() {
    let (mut peer, builder) = Peer::new();
    let client = build(builder, |_| {});
    let probing = client.clone();
    let probe = tokio::spawn(async move { probing.list_prompts().await });
    peer.discover().await;
    let list = peer.next().await.unwrap();
    peer.result(&list, json!({"resultType": "complete", "prompts": []}))
        .await;
    probe.await.unwrap().unwrap();

    // Polled once: it stands in the queue, and the writer has not run yet.
    let mut call = client.tool("t", &json!({})).unwrap();
    {
        let mut advance = std::pin::pin!(call.advance());
        let once = futures::poll!(&mut advance);
        assert!(once.is_pending());
    }
    drop(call);
    peer.silence().await;
}

#[tokio::test(start_paused = true)]
async fn pauses_between_state_only_rounds_can_be_left() {
    let (mut peer, builder) = Peer::new();
    let client = build(builder, |_| {});
    let server = tokio::spawn(async move {
        peer.discover().await;
        let request = peer.next().await.unwrap();
        peer.result(&request, later()).await;
        peer.silence().await;
        peer
    });
    let mut call = client.tool("t", &json!({})).unwrap();
    let pause = Duration::from_millis(100);
    assert!(tokio::time::timeout(pause, call.advance()).await.is_err());
    // Nothing was in flight, so the call can simply go on.
    let mut peer = server.await.unwrap();
    tokio::spawn(async move {
        let request = peer.next().await.unwrap();
        assert_eq!(request["params"]["requestState"], "S1");
        peer.result(&request, done()).await;
        peer.silence().await;
    });
    assert!(matches!(call.advance().await.unwrap(), Turn::Done(_)));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ended_cannot_be_opened_again() {
    let (mut peer, builder) = Peer::new();
    let client = build(builder, |_| {});
    tokio::spawn(async move {
        peer.discover().await;
        let _ = peer.next().await;
    });
    let error = client.call_tool("t", &json!({}), &()).await.unwrap_err();
    assert!(matches!(error, ClientError::Ambiguous(_)), "{error}");
    let error = client.call_tool("t", &json!({}), &()).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable(_)), "{error}");
    assert!(error.to_string().contains("new one"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_list_ends_with_the_time_of_one_call() {
    let (mut peer, builder) = Peer::new();
    let client = build(builder, |limits| {
        limits.call = limits.call.with_total(seconds(60));
    });
    let server = tokio::spawn(async move {
        peer.discover().await;
        while let Some(request) = peer.next().await {
            sleep(seconds(25)).await;
            let page = json!({"resultType": "complete", "prompts": [], "nextCursor": "more"});
            peer.result(&request, page).await;
        }
    });
    let error = client.list_prompts().await.unwrap_err();
    let ClientError::TooManyPages(error) = error else {
        panic!("{error}");
    };
    assert_eq!(error.pages, 3);
    server.abort();
}
