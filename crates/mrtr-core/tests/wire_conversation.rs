//! The rules between the messages of a conversation with a model.

#![allow(clippy::unwrap_used, reason = "tests")]

use mrtr_core::wire::*;
use serde_json::{Value, json};

fn check(messages: Value) -> Result<(), ConversationError> {
    let request: CreateMessageRequest =
        serde_json::from_value(json!({"messages": messages, "maxTokens": 1})).unwrap();
    request.validate()
}

fn text(role: &str) -> Value {
    json!({"role": role, "content": {"type": "text", "text": "hi"}})
}

fn uses(ids: &[&str]) -> Value {
    let blocks: Vec<_> = ids
        .iter()
        .map(|id| json!({"type": "tool_use", "id": id, "name": "t", "input": {}}))
        .collect();
    json!({"role": "assistant", "content": blocks})
}

fn results(ids: &[&str]) -> Value {
    let blocks: Vec<_> = ids
        .iter()
        .map(|id| json!({"type": "tool_result", "toolUseId": id, "content": []}))
        .collect();
    json!({"role": "user", "content": blocks})
}

#[test]
fn balanced_conversations_are_valid() {
    for messages in [
        json!([]),
        json!([text("user"), text("assistant"), text("user")]),
        json!([text("user"), uses(&["a", "b"]), results(&["b", "a"])]),
        json!([
            text("user"),
            uses(&["a"]),
            results(&["a"]),
            uses(&["a"]),
            results(&["a"]),
            text("assistant")
        ]),
        json!([{"role": "assistant", "content": [
            {"type": "text", "text": "let me look"}, {"type": "tool_use", "id": "a", "name": "t", "input": {}}
        ]}, results(&["a"])]),
    ] {
        assert_eq!(check(messages.clone()), Ok(()), "{messages}");
    }
}

#[test]
fn every_tool_use_is_answered_by_the_next_message() {
    let unanswered = |index, id: &str| {
        Err(ConversationError::Unanswered {
            index,
            id: id.into(),
        })
    };
    assert_eq!(
        check(json!([text("user"), uses(&["a"])])),
        unanswered(1, "a")
    );
    assert_eq!(
        check(json!([uses(&["a"]), text("user")])),
        unanswered(0, "a")
    );
    assert_eq!(
        check(json!([uses(&["a", "b"]), results(&["a"])])),
        unanswered(0, "b")
    );
    assert_eq!(
        check(json!([uses(&["a"]), text("assistant"), results(&["a"])])),
        unanswered(0, "a")
    );
}

#[test]
fn every_result_answers_a_use_of_the_message_before() {
    let unknown = |index, id: &str| {
        Err(ConversationError::UnknownUse {
            index,
            id: id.into(),
        })
    };
    assert_eq!(check(json!([results(&["a"])])), unknown(0, "a"));
    assert_eq!(
        check(json!([uses(&["a"]), results(&["a", "b"])])),
        unknown(1, "b")
    );
    assert_eq!(
        check(json!([uses(&["a"]), results(&["a"]), results(&["a"])])),
        unknown(2, "a")
    );
}

#[test]
fn results_are_not_mixed_and_roles_and_ids_are_right() {
    let mixed = json!({"role": "user", "content": [
        {"type": "text", "text": "here"}, {"type": "tool_result", "toolUseId": "a", "content": []}
    ]});
    assert_eq!(
        check(json!([uses(&["a"]), mixed])),
        Err(ConversationError::MixedResults { index: 1 })
    );
    let mut wrong = results(&["a"]);
    wrong["role"] = json!("assistant");
    assert_eq!(
        check(json!([uses(&["a"]), wrong])),
        Err(ConversationError::WrongRole { index: 1 })
    );
    let mut wrong = uses(&["a"]);
    wrong["role"] = json!("user");
    assert_eq!(
        check(json!([wrong])),
        Err(ConversationError::WrongRole { index: 0 })
    );
    let twice = Err(ConversationError::RepeatedId {
        index: 0,
        id: "a".into(),
    });
    assert_eq!(check(json!([uses(&["a", "a"]), results(&["a"])])), twice);
}

/// Takes minutes where each use is looked for among all results.
#[test]
fn the_time_to_check_a_conversation_does_not_explode_with_its_tool_uses() {
    let ids: Vec<_> = (0..100_000).map(|i| i.to_string()).collect();
    let uses = ids
        .iter()
        .map(|id| ToolUseContent::new(id, "t", RawObject::new()).into());
    let results = ids
        .iter()
        .rev()
        .map(|id| ToolResultContent::new(id, Vec::new()).into());
    let messages = vec![
        SamplingMessage::new(Role::Assistant, SamplingContent::Many(uses.collect())),
        SamplingMessage::new(Role::User, SamplingContent::Many(results.collect())),
    ];
    assert_eq!(CreateMessageRequest::new(messages, 1).validate(), Ok(()));
}
