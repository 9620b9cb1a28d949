//! The library's client and the example server as a real child process, for all three methods.

#![allow(clippy::unwrap_used)]

use mrtr::client::{
    Answerer as _, Answers, BoxError, Client, ClientBuilder, FormQuestion, IfSent, Turn,
};
use mrtr::wire::{ContentBlock, ElicitResult, ResourceContents};
use serde_json::{Value, json};

fn child() -> ClientBuilder {
    let key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    Client::command(env!("CARGO_BIN_EXE_mrtr"), ["serve", "--stdio"]).env("MRTR_KEYS", key)
}

fn answers() -> Answers {
    Answers::new().form(|question: FormQuestion| async move {
        let content = match &*question.key {
            "details" => json!({"class": "green", "seats": 2, "departure": "2026-08-01"}),
            "reader" => json!({"reader": "Ada", "length": "short"}),
            "when" => json!({"season": "winter"}),
            _ => json!({question.form.schema.fields()[0].name.to_string(): true}),
        };
        Ok::<ElicitResult, BoxError>(question.accept(&content)?)
    })
}

#[tokio::test]
async fn tools_prompts_and_resources_ask_over_a_child_process() {
    let client = child().build().unwrap();
    let trip = json!({"to": "Kyoto"});
    let booked = client.call_tool("book", &trip, &answers()).await.unwrap();
    let ticket: Value = serde_json::from_str(booked.structured_content.unwrap().get()).unwrap();
    assert_eq!(
        (&ticket["to"], &ticket["seats"]),
        (&json!("Kyoto"), &json!(2))
    );

    let briefing = client
        .get_prompt("briefing", &trip, &answers())
        .await
        .unwrap();
    let ContentBlock::Text(text) = &briefing.messages[0].content else {
        panic!("{briefing:?}")
    };
    assert!(text.text.contains("Ada"), "{}", text.text);

    let notes = client
        .read_resource("trip://oslo/notes", &answers())
        .await
        .unwrap();
    let ResourceContents::Text(text) = &notes.contents[0] else {
        panic!("{notes:?}")
    };
    assert!(text.text.contains("warm coat"), "{}", text.text);
    client.close().await;
}

#[tokio::test]
async fn a_saved_call_outlives_client_and_server_process() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("call.json");
    let first = child().build().unwrap();
    let call = first.tool("book", &json!({"to": "Kyoto"})).unwrap();
    let mut call = call.declare(answers().capabilities());
    assert!(matches!(call.advance().await.unwrap(), Turn::Asked(_)));
    call.save(&file).await.unwrap();
    drop(call);
    first.close().await;

    let second = child().build().unwrap();
    let call = second.resume(&file, IfSent::Refuse).await.unwrap();
    let mut call = call.declare(answers().capabilities());
    let result = call.drive(&answers()).await.unwrap().into_tool().unwrap();
    assert!(!result.is_error());
    assert!(!file.exists());
    second.close().await;
}

#[tokio::test]
async fn the_example_is_started_anew_after_it_was_closed() {
    let client = child().build().unwrap();
    for _ in 0..2 {
        client.discover().await.unwrap();
        client.close().await;
    }
}
