//! Whatever a server says, a client neither panics nor mixes up its rounds.

mod exchange_support;

use exchange_support::*;
use mrtr_core::exchange::{Exchange, ExchangeLimits, IfSent, Next, Peer, Pending, Phase, Target};
use mrtr_core::wire::{InputKind, InputResponse};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".{0,6}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn question() -> impl Strategy<Value = Value> {
    let method = prop_oneof![
        Just("elicitation/create"),
        Just("sampling/createMessage"),
        Just("roots/list"),
        Just("tools/call"),
    ];
    let field = prop_oneof![
        Just(json!({"type": "string", "enum": ["a", "b"]})),
        Just(json!({"type": "integer", "minimum": 1})),
        Just(json!({"type": "boolean"})),
        any_json(),
    ];
    let params = (field, any_json()).prop_flat_map(|(field, other)| {
        prop_oneof![
            Just(json!({"message": "m", "requestedSchema":
                {"type": "object", "properties": {"x": field}}})),
            Just(json!({"mode": "url", "message": "m", "url": "https://example.com/"})),
            Just(json!({"maxTokens": 1, "messages": other.clone()})),
            Just(other),
        ]
    });
    (method, prop::option::of(params)).prop_map(|(method, params)| match params {
        Some(params) => json!({"method": method, "params": params}),
        None => json!({"method": method}),
    })
}

/// Results that are nearly right: each member is right, wrong or missing.
fn nearly_a_result() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![
        4 => Just(json!("input_required")),
        1 => Just(json!("complete")),
        1 => any_json(),
    ];
    let questions = prop_oneof![
        3 => prop::collection::hash_map("[a-c]", question(), 0..3)
            .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>())),
        1 => any_json(),
    ];
    let state = prop_oneof![3 => ".{0,12}".prop_map(Value::from), 1 => any_json()];
    (
        prop::option::weighted(0.9, kind),
        prop::option::weighted(0.8, questions),
        prop::option::weighted(0.7, state),
    )
        .prop_map(|(kind, questions, state)| {
            let members = [
                ("resultType", kind),
                ("inputRequests", questions),
                ("requestState", state),
            ];
            members
                .into_iter()
                .filter_map(|(name, value)| Some((name.to_owned(), value?)))
                .collect::<Map<_, _>>()
                .into()
        })
}

/// One interim result of a well-behaved server: keys asked, and a state or none.
fn round() -> impl Strategy<Value = (Vec<String>, Option<String>)> {
    let keys = prop::collection::btree_set("[a-e]{1,2}", 0..4);
    (keys, prop::option::of(".{0,24}"))
        .prop_filter("one of the two fields", |(keys, state)| {
            !keys.is_empty() || state.is_some()
        })
        .prop_map(|(keys, state)| (keys.into_iter().collect(), state))
}

fn interim(keys: &[String], state: Option<&str>) -> Value {
    let mut result = json!({"resultType": "input_required"});
    if !keys.is_empty() {
        let questions = keys
            .iter()
            .map(|key| (key.clone(), json!({"method": "roots/list"})));
        result["inputRequests"] = Value::Object(questions.collect());
    }
    if let Some(state) = state {
        result["requestState"] = json!(state);
    }
    result
}

fn roots_of(round: usize) -> Value {
    json!({"roots": [{"uri": format!("file:///{round}")}]})
}

fn peer() -> Peer {
    Peer {
        target: Target::command(["server"]),
        server: None,
    }
}

proptest! {
    #[test]
    fn any_json_as_a_result_is_read_without_a_panic(
        result in prop_oneof![any_json(), nearly_a_result()],
    ) {
        let mut call = call();
        call.request(at(0)).unwrap();
        match call.receive(&raw(&result.to_string()), at(0)) {
            Ok(Next::Done(done)) => {
                prop_assert_eq!(done.get(), result.to_string());
                prop_assert_eq!(call.phase(), Phase::Ended);
            }
            Ok(Next::Ask(questions)) => {
                prop_assert!(!questions.is_empty());
                prop_assert!(call.request(at(0)).is_err());
            }
            Ok(Next::Wait { .. }) => {
                let leg: Value = serde_json::from_str(&call.request(at(0)).unwrap()).unwrap();
                prop_assert_eq!(&leg["requestState"], &result["requestState"]);
                prop_assert!(leg.get("inputResponses").is_none());
            }
            Ok(other) => prop_assert!(false, "{:?}", other),
            Err(error) => {
                prop_assert!(error.to_string().len() < 16 * 1024);
                prop_assert_eq!(call.phase(), Phase::Ended);
            }
        }
    }

    #[test]
    fn a_leg_is_the_params_and_what_the_last_result_calls_for(
        rounds in prop::collection::vec(round(), 1..8),
        save in any::<bool>(),
    ) {
        let params: Value = serde_json::from_str(PARAMS).unwrap();
        let mut call = call();
        prop_assert_eq!(call.request(at(0)).unwrap(), PARAMS);
        for (index, (keys, state)) in rounds.iter().enumerate() {
            let result = interim(keys, state.as_deref());
            call.receive(&raw(&result.to_string()), at(0)).unwrap();
            if save {
                let text = call.pending(&peer(), Default::default(), at(0)).unwrap().to_json().unwrap();
                let pending = Pending::from_json(text.as_bytes()).unwrap();
                call = pending.resume(&peer(), ExchangeLimits::default(), IfSent::Refuse).unwrap();
            }
            if !keys.is_empty() {
                let text = raw(&roots_of(index).to_string());
                let roots = InputResponse::decode(InputKind::Roots, &text).unwrap();
                let answers = keys.iter().map(|key| (key.clone(), roots.clone())).collect();
                call.answer(answers, at(0)).unwrap();
            }
            let leg = call.request(at(0)).unwrap();
            let kept = PARAMS.strip_suffix('}').unwrap();
            prop_assert!(leg.starts_with(kept));

            let mut expected = params.clone();
            if !keys.is_empty() {
                let answers = keys.iter().map(|key| (key.clone(), roots_of(index)));
                expected["inputResponses"] = Value::Object(answers.collect());
            }
            if let Some(state) = state {
                expected["requestState"] = json!(state);
            }
            prop_assert_eq!(serde_json::from_str::<Value>(&leg).unwrap(), expected);
        }
    }

    #[test]
    fn any_params_object_is_kept_between_what_a_leg_adds(
        members in prop::collection::vec((".{0,6}", any_json()), 0..5),
        state in ".{0,16}",
    ) {
        let object: Map<String, Value> = members
            .into_iter()
            .filter(|(key, _)| !["inputResponses", "requestState", "_meta"].contains(&key.as_str()))
            .collect();
        let text = serde_json::to_string_pretty(&object).unwrap();
        let mut call =
            Exchange::new("tools/call", raw(&text), ExchangeLimits::default()).unwrap();
        call.set_meta(raw("{\"m\":1}")).unwrap();
        reply(&mut call, &wait(&json!(state).to_string())).unwrap();
        let leg = call.request(at(0)).unwrap();
        let inner = &text[1..text.len() - 1];
        prop_assert!(leg.contains(inner));
        let mut expected = object.clone();
        expected.insert("_meta".into(), json!({"m": 1}));
        expected.insert("requestState".into(), json!(state));
        prop_assert_eq!(serde_json::from_str::<Map<String, Value>>(&leg).unwrap(), expected);
    }

    #[test]
    fn any_bytes_as_a_saved_call_are_refused_without_a_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..256),
        json in any_json(),
    ) {
        prop_assert!(Pending::from_json(&bytes).is_err());
        prop_assert!(Pending::from_json(json.to_string().as_bytes()).is_err());
    }
}
