//! How a client builds its retries and what it never does (over HTTP).

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::http::{Do, Script, events};
use crate::support::{asks, done, form, no_roots, roots, says_yes};
use mrtr::client::{Answerer, Answers, BoxError, ClientError, Delivery, FormQuestion, Loss};
use mrtr::exchange::{Blame, ExchangeError, ExchangeLimits, Limit};
use mrtr::wire::ElicitResult;
use serde_json::json;
use tokio::sync::Notify;

#[tokio::test]
async fn b1_two_calls_with_the_same_arguments_are_asked_twice() {
    let steps = [asks(form()), done(), asks(form()), done()];
    let script = Script::new(steps.map(Do::Result)).await;
    let client = script.client();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let answers = Answers::new().form(move |question: FormQuestion| {
        count.fetch_add(1, Ordering::Relaxed);
        async move { question.accept(&json!({"yes": true})) }
    });
    let arguments = json!({"path": "/"});
    for _ in 0..2 {
        client.call_tool("rm", &arguments, &answers).await.unwrap();
    }
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    let first = json!({"name": "rm", "arguments": {"path": "/"}});
    assert_eq!(script.seen()[0].bare(), first);
    assert_eq!(script.seen()[2].bare(), first);
}

#[tokio::test]
async fn b2_a_result_without_a_state_leaves_none_in_the_retry() {
    let second = json!({"resultType": "input_required", "inputRequests": {"b": roots()}});
    let steps = [asks(roots()), second, done()];
    let script = Script::new(steps.map(Do::Result)).await;
    script
        .client()
        .call_tool("t", &json!({}), &no_roots())
        .await
        .unwrap();
    let seen = script.seen();
    assert_eq!(seen[1].bare()["requestState"], "S1");
    assert_eq!(
        seen[2].bare(),
        json!({"name": "t", "arguments": {}, "inputResponses": {"b": {"roots": []}}})
    );
}

#[tokio::test]
async fn b3_the_state_comes_back_exactly() {
    let long = "x".repeat(64 * 1024);
    let states = [
        "a+b/c==",
        "é 😀",
        " lead/trail ",
        "",
        &long,
        "{\"k\":1.0}",
        "\u{0}\u{7f}\"\\",
    ];
    for state in states {
        let mut asked = asks(roots());
        asked["requestState"] = json!(state);
        let script = Script::new([Do::Result(asked), Do::Result(done())]).await;
        script
            .client()
            .call_tool("t", &json!({}), &no_roots())
            .await
            .unwrap();
        assert_eq!(script.seen()[1].bare()["requestState"], state);
    }
    // Even the way it is written stays.
    let body = r#"{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"input_required",
        "requestState":"\u00e9 \ud83d\ude00 \/","inputRequests":{"q":{"method":"roots/list"}}}}"#;
    let bytes = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: $LEN\r\n\r\n";
    let script = Script::new([Do::Bytes(format!("{bytes}{body}")), Do::Result(done())]).await;
    script
        .client()
        .call_tool("t", &json!({}), &no_roots())
        .await
        .unwrap();
    let text = &script.seen()[1].text;
    assert!(
        text.contains(r#""requestState":"\u00e9 \ud83d\ude00 \/""#),
        "{text}"
    );
}

#[tokio::test]
async fn b7_the_round_cap_is_a_setting_and_the_error_names_it() {
    let steps = || {
        (0..12)
            .map(|_| Do::Result(asks(roots())))
            .chain([Do::Result(done())])
    };
    let run = async |script: &Script, limits| {
        let call = script.client().tool("t", &json!({})).unwrap();
        let mut call = call
            .declare(no_roots().capabilities())
            .limits(limits)
            .unwrap();
        call.drive(&no_roots()).await
    };
    let script = Script::new(steps()).await;
    run(&script, ExchangeLimits::default().with_max_rounds(12))
        .await
        .unwrap();

    let script = Script::new(steps()).await;
    let error = run(&script, ExchangeLimits::default()).await.unwrap_err();
    assert_eq!(error.blame(), Blame::Limit);
    let ClientError::Exchange(ExchangeError::Limit(reached)) = &error else {
        panic!("{error}")
    };
    assert_eq!(reached.limit, Limit::Rounds(10));
    assert!(
        reached.reached.state,
        "it says whether the last result had a state"
    );
    assert!(error.to_string().contains("10 rounds"), "{error}");
    assert_eq!(script.seen().len(), 11);
}

#[tokio::test]
async fn b9_giving_up_while_a_person_answers_sends_nothing() {
    let script = Script::new([Do::Result(asks(form()))]).await;
    let client = script.client();
    let shown = Arc::new(Notify::new());
    let show = Arc::clone(&shown);
    let answers = Answers::new().form(move |_: FormQuestion| {
        show.notify_one();
        std::future::pending::<Result<ElicitResult, BoxError>>()
    });
    let mut call = client
        .tool("t", &json!({}))
        .unwrap()
        .declare(answers.capabilities());
    {
        let drive = call.drive(&answers);
        tokio::select! {
            outcome = drive => panic!("{outcome:?}"),
            () = shown.notified() => {}
        }
    }
    assert_eq!(
        script.seen().len(),
        1,
        "no retry, no decline, no cancellation"
    );
    assert!(call.questions().is_some(), "the questions are still there");
    drop(call);
    // The connection is still good: nothing was cancelled by closing it either.
    assert_eq!(client.list_tools().await.unwrap().len(), 0);
    assert_eq!(script.seen().len(), 1);
}

#[tokio::test]
async fn b10_every_leg_has_an_id_of_its_own() {
    let steps = [asks(roots()), asks(roots()), done(), done()];
    let script = Script::new(steps.map(Do::Result)).await;
    let client = script.client();
    client
        .call_tool("t", &json!({}), &no_roots())
        .await
        .unwrap();
    client
        .clone()
        .call_tool("t", &json!({}), &())
        .await
        .unwrap();
    let ids: HashSet<_> = script
        .all()
        .iter()
        .map(|seen| seen.body["id"].to_string())
        .collect();
    assert_eq!(ids.len(), script.all().len());
}

#[tokio::test]
async fn b21_a_lost_reply_is_an_explicit_error_and_nothing_is_sent_again() {
    // The committing leg goes out on a connection that was used before.
    let steps = [Do::Result(asks(form())), Do::Hangup];
    let script = Script::new(steps).await;
    let client = script.client();
    let error = client
        .call_tool("pay", &json!({}), &says_yes())
        .await
        .unwrap_err();
    let ClientError::Ambiguous(lost) = &error else {
        panic!("{error}")
    };
    assert_eq!(
        (&*lost.method, &lost.target),
        ("tools/call", client.target())
    );
    assert_eq!(lost.reached.rounds, 1);
    assert_eq!(error.delivery(), Delivery::Unknown);
    assert_eq!(error.blame(), Blame::Transport);
    assert!(
        error.to_string().contains("may have carried it out"),
        "{error}"
    );
    assert_eq!(script.seen().len(), 2, "one execution");
}

#[tokio::test]
async fn b21_sending_again_has_to_be_asked_for() {
    let steps = [Do::Result(asks(form())), Do::Hangup, Do::Result(done())];
    let script = Script::new(steps).await;
    let answers = says_yes();
    let mut call = script
        .client()
        .tool("pay", &json!({}))
        .unwrap()
        .declare(answers.capabilities());
    assert!(matches!(
        call.drive(&answers).await,
        Err(ClientError::Ambiguous(_))
    ));
    assert!(matches!(
        call.drive(&answers).await,
        Err(ClientError::Exchange(ExchangeError::Lost(_)))
    ));
    assert_eq!(script.seen().len(), 2);
    call.send_again().unwrap();
    call.drive(&answers).await.unwrap();
    let seen = script.seen();
    assert_eq!(seen[1].bare(), seen[2].bare(), "the same answers and state");
    assert_ne!(seen[1].body["id"], seen[2].body["id"]);
}

#[tokio::test]
async fn a_reply_that_breaks_off_is_lost_too() {
    let half = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{";
    for reply in [half.to_owned(), events(": nothing\n\ndata: {\n")] {
        let script = Script::new([Do::Cut(reply)]).await;
        let error = script
            .client()
            .call_tool("t", &json!({}), &())
            .await
            .unwrap_err();
        let ClientError::Ambiguous(lost) = &error else {
            panic!("{error}")
        };
        assert!(matches!(lost.loss, Loss::Closed { .. }), "{error}");
        assert_eq!(script.seen().len(), 1);
    }
}
