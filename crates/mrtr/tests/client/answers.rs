//! What answerers declare, and how their answers are checked and sent.

use crate::support::http::{Do, Script};
use crate::support::{asks, done, form, no_roots, says_yes};
use mrtr::client::{
    Answerer, Answers, BoxError, Client, ClientError, Delivery, FormQuestion, Handler,
    SampleQuestion, Turn,
};
use mrtr::exchange::{Blame, ExchangeError, Violation};
use mrtr::wire::{Action, Capabilities, Capability, ElicitResult, InputKind, InputResponse};
use serde_json::{Value, json};

#[tokio::test]
async fn b17_what_nobody_answers_is_never_declared() {
    let kinds = [
        (Answers::new(), json!({})),
        (says_yes(), json!({"elicitation": {"form": {}}})),
        (no_roots(), json!({"roots": {}})),
        (
            Answers::new().url(|_| async { Ok::<_, BoxError>(Action::Accept) }),
            json!({"elicitation": {"url": {}}}),
        ),
        (
            Answers::new().sampling(
                Capability::SamplingTools.into(),
                |_: SampleQuestion| async { Err::<_, BoxError>("no model".into()) },
            ),
            json!({"sampling": {"tools": {}}}),
        ),
    ];
    for (answers, declared) in kinds {
        let script = Script::new([Do::Result(done())]).await;
        script
            .client()
            .call_tool("t", &json!({}), &answers)
            .await
            .unwrap();
        let meta = script.seen()[0].params()["_meta"].clone();
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], declared);
    }
}

#[tokio::test]
async fn b17_a_question_without_a_handler_ends_the_call_without_an_answer() {
    let script = Script::new([Do::Result(asks(form()))]).await;
    let mut call = script
        .client()
        .tool("t", &json!({}))
        .unwrap()
        .declare(Capability::ElicitationForm.into());
    let error = call.drive(&()).await.unwrap_err();
    let ClientError::Refused(refused) = error else {
        panic!("{error}")
    };
    assert_eq!(
        (&*refused.refusal.key, refused.refusal.kind),
        ("q", InputKind::ElicitForm)
    );
    assert_eq!(script.seen().len(), 1);
    assert!(matches!(
        call.advance().await,
        Err(ClientError::Exchange(ExchangeError::Misuse(_)))
    ));
}

#[tokio::test]
async fn a_refused_sampling_request_is_not_answered() {
    let ask = json!({"method": "sampling/createMessage", "params": {"maxTokens": 10, "messages": [
        {"role": "user", "content": {"type": "text", "text": "hi"}}]}});
    let script = Script::new([Do::Result(asks(ask))]).await;
    let answers = Answers::new().sampling(Capabilities::NONE, |_| async {
        Err::<_, BoxError>("the user said no".into())
    });
    let error = script
        .client()
        .call_tool("t", &json!({}), &answers)
        .await
        .unwrap_err();
    assert_eq!(error.blame(), Blame::Caller);
    assert_eq!(error.delivery(), Delivery::NotDelivered);
    assert!(error.to_string().contains("the user said no"), "{error}");
    assert_eq!(script.seen().len(), 1);
}

#[tokio::test]
async fn b19_invalid_sampling_is_refused_before_a_model_sees_it() {
    let ask = json!({"method": "sampling/createMessage", "params": {"maxTokens": 10, "messages": [
        {"role": "user", "content": [{"type": "tool_result", "toolUseId": "u1", "content": []},
            {"type": "text", "text": "x"}]}]}});
    let script = Script::new([Do::Result(asks(ask))]).await;
    let answers = Answers::new().sampling(Capabilities::NONE, |_: SampleQuestion| async {
        panic!("the model must not be called");
        #[allow(unreachable_code)]
        Err::<_, BoxError>("".into())
    });
    let error = script
        .client()
        .call_tool("t", &json!({}), &answers)
        .await
        .unwrap_err();
    assert!(matches!(
        &error,
        ClientError::Exchange(ExchangeError::Protocol(error))
            if matches!(error.kind, Violation::Sampling { .. })
    ));
    assert_eq!(script.seen().len(), 1);
}

#[tokio::test]
async fn answers_are_checked_before_they_are_sent() {
    let strict = json!({"method": "elicitation/create", "params": {"mode": "form", "message": "n?",
        "requestedSchema": {"type": "object", "required": ["n"],
            "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 3}}}}});
    let script = Script::new([Do::Result(asks(strict)), Do::Result(done())]).await;
    let mut call = script
        .client()
        .tool("t", &json!({}))
        .unwrap()
        .declare(Capability::ElicitationForm.into());
    let Turn::Asked(_) = call.advance().await.unwrap() else {
        panic!("it asks")
    };
    let answer = |value: Value| {
        let content = serde_json::value::to_raw_value(&value).unwrap();
        vec![(
            "q".to_owned(),
            InputResponse::Elicit(ElicitResult::accept(Some(content))),
        )]
    };
    for wrong in [
        json!({}),
        json!({"n": 4}),
        json!({"n": "2"}),
        json!({"n": 1.5}),
    ] {
        let error = call.answer(answer(wrong)).unwrap_err();
        assert!(matches!(error, ClientError::Answer(_)), "{error}");
        assert!(
            matches!(call.advance().await.unwrap(), Turn::Asked(_)),
            "the question is open"
        );
    }
    assert!(
        call.answer(Vec::new()).is_err(),
        "no answer is missing silently"
    );
    assert_eq!(script.seen().len(), 1);
    call.answer(answer(json!({"n": 2}))).unwrap();
    assert!(matches!(call.advance().await.unwrap(), Turn::Done(_)));
    let content = script.seen()[1].bare()["inputResponses"]["q"]["content"].clone();
    assert_eq!(content, json!({"n": 2}));
}

#[tokio::test]
async fn a_persons_no_is_an_answer() {
    for (action, wire) in [(Action::Decline, "decline"), (Action::Cancel, "cancel")] {
        let page = json!({"method": "elicitation/create", "params": {"mode": "url", "message": "m",
            "url": "https://example.com/"}});
        let both =
            json!({"resultType": "input_required", "inputRequests": {"f": form(), "u": page}});
        let script = Script::new([Do::Result(both), Do::Result(done())]).await;
        let answers = Answers::new()
            .form(move |_| async move {
                let mut answer = ElicitResult::decline();
                answer.action = action;
                Ok::<_, BoxError>(answer)
            })
            .url(move |_| async move { Ok::<_, BoxError>(action) });
        script
            .client()
            .call_tool("t", &json!({}), &answers)
            .await
            .unwrap();
        assert_eq!(
            script.seen()[1].bare()["inputResponses"],
            json!({"f": {"action": wire}, "u": {"action": wire}})
        );
    }
}

/// An answerer that is a type of its own, as a terminal would be.
struct Terminal {
    told: std::sync::Mutex<Vec<String>>,
}

impl Terminal {
    async fn ask(&self, question: FormQuestion) -> Result<ElicitResult, BoxError> {
        let line = format!("{}: {}", question.target, question.form.message);
        self.told.lock().unwrap().push(line);
        Ok(question.accept(&json!({}))?)
    }
}

impl Answerer for Terminal {
    fn form(&self) -> Option<Handler<'_, FormQuestion, ElicitResult>> {
        Some(Handler::new(move |question| self.ask(question)))
    }
}

#[tokio::test]
async fn an_answerer_can_be_a_type_and_learns_who_asks_by_url() {
    let script = Script::new([asks(form()), done()].map(Do::Result)).await;
    let terminal = Terminal {
        told: std::sync::Mutex::default(),
    };
    let client: Client = script.client();
    client.call_tool("t", &json!({}), &terminal).await.unwrap();
    assert_eq!(
        *terminal.told.lock().unwrap(),
        [format!("{}: Sure?", script.url)]
    );
    assert_eq!(
        script.seen()[1].bare()["inputResponses"],
        json!({"q": {"action": "accept", "content": {}}})
    );
}
