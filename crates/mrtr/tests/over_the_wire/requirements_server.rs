//! The numbered requirements for servers, in the order of the page
//! <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow>.
//! The fourth and fifth are in [`crate::requirements_state`], the seventh in
//! [`crate::requirements_capabilities`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mrtr::wire::{CreateMessageRequest, SamplingMessage};
use mrtr::{Cx, Form, ToolError};
use serde_json::json;

use crate::support::{Case, Kind, Offer, Peer, Via, accept, builder, yes};

#[derive(Form)]
struct Seats {
    #[form(min = 1, max = 9)]
    seats: u8,
}

async fn book(cx: Cx) -> Result<String, ToolError> {
    let Seats { seats } = cx.elicit("seats", "How many seats?").await?;
    cx.confirm("pay", format!("Pay for {seats}?")).await?;
    Ok(format!("booked {seats}"))
}

/// One question of each kind.
async fn everything(cx: Cx) -> Result<String, ToolError> {
    let ready = || async { Ok::<_, ToolError>(()) };
    let form = cx.elicit::<Seats>("form", "How many seats?");
    let url = cx.elicit_url("url", "Please sign in.", "https://example.com/", ready);
    let request = CreateMessageRequest::new(vec![SamplingMessage::user("Hello")], 10);
    let (sample, roots) = (cx.sample("sample", request), cx.roots("roots"));
    let (form, url, sample, roots) = futures::join!(form, url, sample, roots);
    url.map_err(|error| error.flatten())?;
    sample?;
    Ok(format!("{} seats, {} roots", form?.seats, roots?.len()))
}

everywhere!(
    server_requirement_1_any_supported_request_may_be_answered_with_input_required,
    server_requirement_2_keys_are_the_servers_and_unique,
    server_requirement_2_values_are_one_of_the_three_requests,
    server_requirement_3_the_state_is_one_opaque_string,
    server_requirement_6_every_interim_result_has_questions_or_a_state,
    server_requirement_8_a_request_that_is_never_retried_leaves_nothing_behind,
    server_requirement_8_the_server_may_ask_again_and_again,
);
over_both!(server_requirement_1_no_other_request_is_answered_with_input_required);

async fn server_requirement_1_any_supported_request_may_be_answered_with_input_required(
    case: Case,
) {
    let mut peer = Peer::of(case, builder().offer("book", book)).await;
    let asked = peer.call("book").await;
    assert_eq!(asked.result()["resultType"], "input_required");
    assert_eq!(asked.keys(), ["seats"]);
    let seats = json!({"seats": accept(json!({"seats": 2}))});
    let asked = peer.answer("book", seats, asked.state()).await;
    assert_eq!(asked.keys(), ["pay"]);
    assert_eq!(asked.question("pay")["message"], "Pay for 2?");
    let done = peer
        .answer("book", json!({"pay": yes()}), asked.state())
        .await;
    assert_eq!(done.done(), "booked 2");
}

async fn server_requirement_1_no_other_request_is_answered_with_input_required(via: Via) {
    let builder = builder().offer("book", book);
    let mut peer = Peer::of(Case::new(via, Kind::Tool), builder).await;
    let asked = peer.call("book").await;
    for method in [
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
    ] {
        let retry = json!({"requestState": asked.state(), "inputResponses": {"seats": yes()}});
        // A13
        let wrong = json!({"requestState": 7, "inputResponses": []});
        for params in [
            json!({}),
            json!({"name": "book", "uri": "proof://book"}),
            retry,
            wrong,
        ] {
            let request = peer.request(method, params);
            let answer = peer.send(&request).await;
            assert_eq!(answer.result()["resultType"], "complete", "{method}");
        }
    }
}

async fn server_requirement_2_keys_are_the_servers_and_unique(case: Case) {
    let builder = builder()
        .offer("everything", everything)
        .offer("loops", |cx| async move {
            let asks: Vec<_> = (0..3).map(|i| cx.at(i).confirm("sure", "Sure?")).collect();
            futures::future::try_join_all(asks).await?;
            Ok("done".into())
        })
        .offer("twice", |cx| async move {
            let (one, two) = (cx.confirm("sure", "Sure?"), cx.confirm("sure", "Really?"));
            one.await?;
            two.await?;
            Ok("done".into())
        });
    let mut peer = Peer::of(case, builder).await;
    let asked = peer.call("everything").await;
    for key in ["form", "url", "sample", "roots"] {
        let member = format!("\"{key}\":{{\"method\":");
        assert_eq!(asked.text.matches(&member).count(), 1, "{}", asked.text);
    }
    assert_eq!(
        peer.call("loops").await.keys(),
        ["0/sure", "1/sure", "2/sure"]
    );
    peer.call("twice").await.assert_error(-32_603, 200);
}

async fn server_requirement_2_values_are_one_of_the_three_requests(case: Case) {
    let mut peer = Peer::of(case, builder().offer("everything", everything)).await;
    let asked = peer.call("everything").await;
    let methods: Vec<_> = ["form", "url", "sample", "roots"]
        .iter()
        .map(|key| {
            asked.result()["inputRequests"][key]["method"]
                .as_str()
                .unwrap()
        })
        .collect();
    assert_eq!(
        methods,
        [
            "elicitation/create",
            "elicitation/create",
            "sampling/createMessage",
            "roots/list"
        ]
    );
    assert_eq!(asked.question("url")["mode"], "url");
    let answers = json!({
        "form": accept(json!({"seats": 3})),
        "url": {"action": "accept"},
        "sample": {"role": "assistant", "content": {"type": "text", "text": "Hi"}, "model": "m"},
        "roots": {"roots": [{"uri": "file:///a"}, {"uri": "file:///b"}]},
    });
    let done = peer.answer("everything", answers, asked.state()).await;
    assert_eq!(done.done(), "3 seats, 2 roots");
}

async fn server_requirement_3_the_state_is_one_opaque_string(case: Case) {
    let builder = builder().offer("book", |cx| async move {
        let name: String = cx
            .step_value("name", || async { "octocat".to_owned() })
            .await;
        cx.confirm("sure", format!("Sure, {name}?")).await?;
        Ok(name)
    });
    let mut peer = Peer::of(case, builder).await;
    let (one, two) = (
        peer.call("book").await.state(),
        peer.call("book").await.state(),
    );
    assert_ne!(one, two, "equal contents are not seen from outside");
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    assert!(
        one.chars().all(plain),
        "passes through anything unchanged: {one}"
    );
    let (_, sealed) = one.split_once('.').unwrap();
    let bytes = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(sealed).unwrap();
    assert!(!bytes.windows(7).any(|window| window == b"octocat"));
    let done = peer.answer("book", json!({"sure": yes()}), &one).await;
    assert_eq!(done.done(), "octocat");
}

async fn server_requirement_6_every_interim_result_has_questions_or_a_state(case: Case) {
    let builder = builder().offer("later", |cx| async move {
        let ready = cx.round() > 1;
        if !ready {
            let never = std::future::pending::<()>();
            let asked = cx.confirm("sure", "Sure?");
            if cx.can_ask(mrtr::wire::Capability::ElicitationForm) {
                asked.await?;
            } else {
                drop(asked);
                cx.later_when(never, Duration::from_secs(1)).await;
            }
        }
        Ok("done".into())
    });
    let server = builder.build().unwrap();
    let mut peer = Peer::new(case, &server).await;
    let asked = peer.call("later").await;
    assert_eq!(asked.keys(), ["sure"]);
    assert!(!asked.state().is_empty());

    let mut peer = Peer::new(case, &server).await.declaring(json!({}));
    let waits = peer.call("later").await;
    assert!(waits.asks());
    assert_eq!(waits.result().get("inputRequests"), None);
    assert!(!waits.state().is_empty());
    let again = peer
        .call_with("later", json!({"requestState": waits.state()}))
        .await;
    assert!(again.asks() && again.keys().is_empty());
    assert_ne!(again.state(), waits.state());
}

/// Counts how many there are.
struct Held(Arc<AtomicU32>);

impl Held {
    fn new(count: &Arc<AtomicU32>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count.clone())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn server_requirement_8_a_request_that_is_never_retried_leaves_nothing_behind(case: Case) {
    let (held, runs) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let handler = {
        let (held, runs) = (held.clone(), runs.clone());
        move |cx: Cx| {
            let (held, runs) = (held.clone(), runs.clone());
            async move {
                let _lock = Held::new(&held);
                runs.fetch_add(1, Ordering::SeqCst);
                cx.confirm("sure", "Sure?").await?;
                Ok("done".into())
            }
        }
    };
    let mut peer = Peer::of(case, builder().offer("lock", handler)).await;
    let mut states = Vec::new();
    for _ in 0..10 {
        states.push(peer.call("lock").await.state());
        assert_eq!(held.load(Ordering::SeqCst), 0, "held between rounds");
    }
    assert_eq!(runs.load(Ordering::SeqCst), 10);
    let done = peer
        .answer("lock", json!({"sure": yes()}), &states[3])
        .await;
    assert_eq!(done.done(), "done", "any of them may still be taken up");
}

async fn server_requirement_8_the_server_may_ask_again_and_again(case: Case) {
    let mut peer = Peer::of(case, builder().offer("book", book)).await;
    let mut asked = peer.call("book").await;
    for answers in [
        json!({}),
        json!({"seats": accept(json!({"seats": 99}))}),
        json!({"x": yes()}),
    ] {
        asked = peer.answer("book", answers, asked.state()).await;
        assert_eq!(asked.keys(), ["seats"]);
    }
    let plain = peer
        .call_with("book", json!({"requestState": asked.state()}))
        .await;
    assert_eq!(plain.keys(), ["seats"], "a retry without answers");
}
