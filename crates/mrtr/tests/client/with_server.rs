//! The client and the server of this crate with each other: over HTTP and over a stream of lines,
//! for tools, prompts and resources.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use mrtr::client::{
    Answerer, Answers, BoxError, Client, ClientBuilder, ClientError, FormQuestion, IfSent,
    RootsQuestion, SampleQuestion, Turn, UrlQuestion,
};
use mrtr::exchange::ExchangeError;
use mrtr::server::Server;
use mrtr::wire::{
    Action, Capabilities, Capability, ContentBlock, CreateMessageResult, ElicitResult, ErrorCode,
    ListRootsResult, ResourceContents,
};
use serde_json::json;

use crate::support::travel::{Counters, server};

/// A running server and a client of it.
async fn over_http(server: &Server) -> ClientBuilder {
    let listener = server.http().bind("127.0.0.1:0").await.unwrap();
    let url = listener.url();
    tokio::spawn(listener.run_until(std::future::pending()));
    Client::http(url)
}

fn over_lines(server: &Server) -> ClientBuilder {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let stdio = server.stdio();
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(theirs);
        stdio.over(reader, writer).await
    });
    let (reader, writer) = tokio::io::split(ours);
    Client::stream("travel", reader, writer)
}

/// Runs a test over both.
macro_rules! over_both {
    ($($name:ident),* $(,)?) => {
        mod http {$(
            #[tokio::test]
            async fn $name() {
                let counters = crate::support::travel::Counters::default();
                let server = crate::support::travel::server(&counters);
                super::$name(super::over_http(&server).await, counters).await;
            }
        )*}
        mod lines {$(
            #[tokio::test]
            async fn $name() {
                let counters = crate::support::travel::Counters::default();
                let server = crate::support::travel::server(&counters);
                super::$name(super::over_lines(&server), counters).await;
            }
        )*}
    };
}

over_both!(
    a_tool_asks_over_three_rounds,
    prompts_and_resources_ask,
    a_no_ends_the_tool_politely,
    wrong_answers_are_asked_again_with_the_reason,
    urls_are_shown_and_agreed_to,
    models_and_roots_are_asked,
    what_was_not_declared_is_refused_by_the_server,
    names_that_are_not_there_are_errors,
    lists_and_discovery_describe_the_server,
    giving_up_cancels_the_handler,
    another_client_goes_on_with_a_saved_call,
);

/// Row 7, and yes.
fn answers() -> Answers {
    Answers::new().form(|question: FormQuestion| async move {
        let content = match &*question.key {
            "seat" => json!({"row": 7}),
            _ => {
                let name = question.form.schema.fields()[0].name.to_string();
                json!({name: true})
            }
        };
        Ok::<ElicitResult, BoxError>(question.accept(&content)?)
    })
}

async fn a_tool_asks_over_three_rounds(builder: ClientBuilder, counters: Counters) {
    let client = builder.build().unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hear = Arc::clone(&heard);
    let mut call = client
        .tool("book", &json!({"to": "Zürich"}))
        .unwrap()
        .declare(answers().capabilities())
        .on_progress(move |progress| hear.lock().unwrap().push(progress.message));
    let result = call.drive(&answers()).await.unwrap().into_tool().unwrap();
    assert!(!result.is_error());
    let ticket = result.structured_content.unwrap();
    let ticket: serde_json::Value = serde_json::from_str(ticket.get()).unwrap();
    assert_eq!(ticket, json!({"to": "Zürich", "row": 7, "price": 41}));
    assert_eq!(
        counters.quotes.load(Ordering::Relaxed),
        1,
        "a step is done once"
    );
    assert_eq!(call.reached().rounds, 2);
    assert!(heard.lock().unwrap().contains(&Some("quoted".to_owned())));
}

async fn prompts_and_resources_ask(builder: ClientBuilder, _: Counters) {
    let client = builder.build().unwrap();
    let prompt = client
        .get_prompt("brief", &json!({"to": "Oslo"}), &answers())
        .await
        .unwrap();
    let ContentBlock::Text(text) = &prompt.messages[0].content else {
        panic!("{prompt:?}")
    };
    assert_eq!(text.text, "Row 7 to Oslo");
    let read = client
        .read_resource("note://todo", &answers())
        .await
        .unwrap();
    let ResourceContents::Text(text) = &read.contents[0] else {
        panic!("{read:?}")
    };
    assert_eq!((&*text.uri, &*text.text), ("note://todo", "row 7"));
}

async fn a_no_ends_the_tool_politely(builder: ClientBuilder, _: Counters) {
    let client = builder.build().unwrap();
    let no = Answers::new().form(|_| async { Ok::<_, BoxError>(ElicitResult::decline()) });
    let result = client
        .call_tool("book", &json!({"to": "Oslo"}), &no)
        .await
        .unwrap();
    assert!(result.is_error());
    let error = client.read_resource("note://todo", &no).await.unwrap_err();
    assert_eq!(code(&error), ErrorCode::INVALID_PARAMS);
}

async fn wrong_answers_are_asked_again_with_the_reason(builder: ClientBuilder, _: Counters) {
    let client = builder.build().unwrap();
    let mut call = client
        .resource("note://todo")
        .unwrap()
        .declare(Capability::ElicitationForm.into());
    let Turn::Asked(questions) = call.advance().await.unwrap() else {
        panic!("it asks")
    };
    assert_eq!(questions.len(), 1);
    let row = |row: u32| {
        let content = serde_json::value::to_raw_value(&json!({"row": row})).unwrap();
        let answer = ElicitResult::accept(Some(content));
        vec![("seat".to_owned(), mrtr::wire::InputResponse::Elicit(answer))]
    };
    let error = call.answer(row(41)).unwrap_err();
    assert!(
        error.to_string().contains("40"),
        "refused before it is sent: {error}"
    );
    call.answer(row(40)).unwrap();
    assert!(matches!(call.advance().await.unwrap(), Turn::Done(_)));
}

async fn urls_are_shown_and_agreed_to(builder: ClientBuilder, _: Counters) {
    let client = builder.build().unwrap();
    let shown = Arc::new(Mutex::new(Vec::new()));
    let show = Arc::clone(&shown);
    let browser = Answers::new().url(move |question: UrlQuestion| {
        show.lock().unwrap().push(question.page.url);
        async { Ok::<_, BoxError>(Action::Accept) }
    });
    let result = client.call_tool("sign_in", &(), &browser).await.unwrap();
    let ContentBlock::Text(text) = &result.content[0] else {
        panic!("{result:?}")
    };
    assert_eq!(text.text, "token");
    assert_eq!(*shown.lock().unwrap(), ["https://example.com/login"]);
}

async fn models_and_roots_are_asked(builder: ClientBuilder, _: Counters) {
    let client = builder.build().unwrap();
    let answers = Answers::new()
        .sampling(Capabilities::NONE, |question: SampleQuestion| async move {
            assert_eq!(question.request.max_tokens, 10);
            let answer = json!({"role": "assistant", "model": "m",
                "content": {"type": "text", "text": "Hi"}});
            Ok::<CreateMessageResult, BoxError>(serde_json::from_value(answer)?)
        })
        .roots(|_: RootsQuestion| async {
            let roots = json!({"roots": [{"uri": "file:///home"}]});
            Ok::<ListRootsResult, BoxError>(serde_json::from_value(roots)?)
        });
    let result = client.call_tool("think", &(), &answers).await.unwrap();
    let ContentBlock::Text(text) = &result.content[0] else {
        panic!("{result:?}")
    };
    assert_eq!(text.text, "Hi in file:///home");
}

fn code(error: &ClientError) -> ErrorCode {
    let ClientError::Exchange(ExchangeError::Rejected(rejected)) = error else {
        panic!("{error}")
    };
    rejected.error.code
}

async fn what_was_not_declared_is_refused_by_the_server(builder: ClientBuilder, _: Counters) {
    let client = builder.build().unwrap();
    let error = client
        .call_tool("book", &json!({"to": "Oslo"}), &())
        .await
        .unwrap_err();
    assert_eq!(code(&error), ErrorCode::MISSING_CLIENT_CAPABILITY);
    let ClientError::Exchange(ExchangeError::Rejected(rejected)) = &error else {
        panic!()
    };
    let missing: Capabilities = rejected.error.data_member("requiredCapabilities").unwrap();
    assert!(missing.contains(Capability::ElicitationForm));
    let error = client
        .call_tool("sign_in", &(), &answers())
        .await
        .unwrap_err();
    assert_eq!(
        code(&error),
        ErrorCode::MISSING_CLIENT_CAPABILITY,
        "a form is no page"
    );
}

async fn names_that_are_not_there_are_errors(builder: ClientBuilder, _: Counters) {
    let client = builder.build().unwrap();
    let error = client.call_tool("nope", &(), &answers()).await.unwrap_err();
    assert_eq!(code(&error), ErrorCode::INVALID_PARAMS);
    let error = client
        .get_prompt("nope", &(), &answers())
        .await
        .unwrap_err();
    assert_eq!(code(&error), ErrorCode::INVALID_PARAMS);
    let error = client
        .read_resource("note://nope", &answers())
        .await
        .unwrap_err();
    assert_eq!(code(&error), ErrorCode::INVALID_PARAMS);
    let error = client
        .request("no/such/method", &json!({}))
        .await
        .unwrap_err();
    assert_eq!(code(&error), ErrorCode::METHOD_NOT_FOUND);
}

async fn lists_and_discovery_describe_the_server(builder: ClientBuilder, _: Counters) {
    let client = builder.build().unwrap();
    let discovered = client.discover().await.unwrap();
    assert_eq!(discovered.supported_versions, ["2026-07-28"]);
    assert!(discovered.capabilities.tools.is_some());
    let mut tools: Vec<_> = client
        .list_tools()
        .await
        .unwrap()
        .into_iter()
        .map(|t| t.name)
        .collect();
    tools.sort();
    assert_eq!(tools, ["book", "hang", "sign_in", "think"]);
    assert_eq!(client.list_prompts().await.unwrap()[0].name, "brief");
    assert_eq!(client.list_resources().await.unwrap()[0].uri, "note://todo");
    assert!(client.list_resource_templates().await.unwrap().is_empty());
}

async fn giving_up_cancels_the_handler(builder: ClientBuilder, counters: Counters) {
    let client = builder.build().unwrap();
    let mut call = client.tool("hang", &()).unwrap();
    tokio::select! {
        turn = call.advance() => panic!("{turn:?}"),
        () = counters.started.notified() => {}
    }
    counters.dropped.notified().await;
    // The client is as good as new.
    client.discover().await.unwrap();
}

async fn another_client_goes_on_with_a_saved_call(builder: ClientBuilder, counters: Counters) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("call.json");
    let first = builder.build().unwrap();
    let mut call = first
        .tool("book", &json!({"to": "Zürich"}))
        .unwrap()
        .declare(answers().capabilities());
    assert!(matches!(call.advance().await.unwrap(), Turn::Asked(_)));
    call.save(&file).await.unwrap();
    drop((call, first.clone()));

    // Another server process with the same key.
    let restarted = server(&counters);
    let second = match first.target().url() {
        Some(url) => Client::http(url),
        None => over_lines(&restarted),
    };
    let second = second.build().unwrap();
    let call = second.resume(&file, IfSent::Refuse).await.unwrap();
    let mut call = call.declare(answers().capabilities());
    let result = call.drive(&answers()).await.unwrap().into_tool().unwrap();
    assert!(!result.is_error());
    assert_eq!(counters.quotes.load(Ordering::Relaxed), 1);
    assert!(!file.exists());
}
