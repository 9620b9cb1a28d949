//! Properties of the decoders: they never panic, lose nothing and do not depend on order.

#![allow(clippy::unwrap_used, reason = "tests")]

use mrtr_core::form::FormSchema;
use mrtr_core::wire::*;
use proptest::collection::vec;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// JSON text with the quirks of real peers: any spelling of numbers, escapes, blanks, any order.
fn json() -> impl Strategy<Value = String> {
    let string = prop_oneof![
        "[a-z]{0,8}".prop_map(|text| format!("\"{text}\"")),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        Just(r#""\u0061\ud83d\ude00\/""#.to_owned()),
        Just(r#""\ud800""#.to_owned()),
    ];
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|flag| flag.to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>()
            .prop_filter("JSON has no NaN", |n| n.is_finite())
            .prop_map(|number| format!("{number:e}")),
        "-?[1-9][0-9]{0,40}(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,4})?",
        string,
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(|items| format!("[{}]", items.join(" , "))),
            vec((key(), inner), 0..6).prop_map(|members| object(&members)),
        ]
    })
}

/// Names the protocol knows, more often than others.
fn key() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "jsonrpc",
        "id",
        "method",
        "params",
        "result",
        "error",
        "_meta",
        "name",
        "uri",
        "arguments",
        "inputResponses",
        "requestState",
        "cursor",
        "resultType",
        "inputRequests",
        "action",
        "content",
        "role",
        "model",
        "roots",
        "type",
        "text",
        "messages",
        "maxTokens",
        "tools",
        "elicitation",
        "form",
        "url",
        "sampling",
        "mode",
        "message",
        "requestedSchema",
        "code",
        "data",
        "progressToken",
        "io.modelcontextprotocol/protocolVersion",
        "io.modelcontextprotocol/clientCapabilities",
    ]);
    prop_oneof![8 => known.prop_map(str::to_owned), 1 => any::<String>()]
        .prop_map(|name| serde_json::to_string(&name).unwrap())
}

fn object(members: &[(String, String)]) -> String {
    let members: Vec<_> = members
        .iter()
        .map(|(key, value)| format!("{key} : {value}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// What decodes is written in a way that decodes to the same again.
fn stable<T: DeserializeOwned + Serialize + PartialEq + std::fmt::Debug>(text: &str) {
    if let Ok(value) = serde_json::from_str::<T>(text) {
        let written = serde_json::to_string(&value).unwrap();
        assert_eq!(
            serde_json::from_str::<T>(&written).unwrap(),
            value,
            "{written}"
        );
    }
}

fn decode_everything(text: &str) {
    let _ = Incoming::parse(text.as_bytes());
    let _ = ServerMessage::parse(text.as_bytes());
    stable::<ClientCapabilities>(text);
    stable::<CallToolResult>(text);
    stable::<ContentBlock>(text);
    stable::<CreateMessageRequest>(text);
    stable::<InputRequests>(text);
    stable::<RawObject>(text);
    stable::<RequestId>(text);
    let Ok(raw) = serde_json::from_str::<&RawValue>(text) else {
        return;
    };
    let _ = serde_json::from_str::<Capabilities>(text);
    let _ = RequestMeta::parse(Some(raw));
    let _ = InputResponses::parse(Some(raw));
    let _ = ServerNotification::decode("notifications/progress", Some(raw));
    if let Ok(params) = serde_json::from_str::<Params<'_>>(text) {
        let _ = (
            params.name(),
            params.uri(),
            params.arguments(),
            params.cursor(),
            params.request_id(),
        );
        let _ = (
            params.input_responses(),
            params.request_state(),
            params.reason(),
        );
        let _ = params.request_meta();
    }
    for strictness in [Strictness::Lenient, Strictness::Strict] {
        match AnyResult::parse(raw, strictness) {
            Ok(AnyResult::InputRequired(result)) => {
                assert!(!result.is_state_only() || result.request_state.is_some());
                let written = serde_json::to_string(&result).unwrap();
                let again =
                    AnyResult::parse(serde_json::from_str(&written).unwrap(), Strictness::Strict);
                assert!(matches!(again, Ok(AnyResult::InputRequired(again)) if again == result));
            }
            Ok(AnyResult::Complete(result)) => assert_eq!(result.get(), text.trim()),
            _ => {}
        }
    }
    for kind in [
        InputKind::ElicitForm,
        InputKind::ElicitUrl,
        InputKind::Sample,
        InputKind::Roots,
    ] {
        if let Ok(answer) = InputResponse::decode(kind, raw) {
            assert!(answer.answers(kind));
            let written = serde_json::to_string(&answer).unwrap();
            assert_eq!(
                InputResponse::decode(kind, serde_json::from_str(&written).unwrap()),
                Ok(answer)
            );
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_decoder_panic(bytes in vec(any::<u8>(), 0..200)) {
        let _ = Incoming::parse(&bytes);
        let _ = ServerMessage::parse(&bytes);
    }

    #[test]
    fn no_json_makes_a_decoder_panic(text in json()) {
        decode_everything(&text);
    }

    #[test]
    fn no_truncated_or_spliced_json_makes_a_decoder_panic(text in json(), at in any::<prop::sample::Index>(), with in ".{0,3}") {
        let boundaries: Vec<_> = text.char_indices().map(|(index, _)| index).collect();
        let at = boundaries[at.index(boundaries.len())];
        decode_everything(&text[..at]);
        decode_everything(&format!("{}{with}{}", &text[..at], &text[at..]));
    }

    #[test]
    fn valid_json_is_never_called_unparsable(text in json()) {
        if let Err(malformed) = Incoming::parse(text.as_bytes()) {
            prop_assert_ne!(malformed.cause, Cause::ParseError);
        }
    }

    #[test]
    fn unknown_members_survive_with_their_text(members in vec((key(), json()), 0..6)) {
        let text = object(&members);
        if let Ok(object) = serde_json::from_str::<RawObject>(&text) {
            prop_assert_eq!(object.len(), members.len());
            for ((key, value), (name, raw)) in members.iter().zip(object.iter()) {
                prop_assert_eq!(serde_json::from_str::<String>(key).unwrap(), name);
                prop_assert_eq!(value.as_str(), raw.get());
            }
        }
    }

    #[test]
    fn the_order_of_members_does_not_matter(order in Just((0..7).collect::<Vec<usize>>()).prop_shuffle(), split in 0..7usize) {
        let params: Vec<_> = order.iter().filter_map(|index| [
            Some(r#""name":"t""#), Some(r#""arguments":{"a":[1,{}]}"#), Some(r#""requestState":"s""#),
            Some(r#""_meta":{"x":1,"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/protocolVersion":"v"}"#), Some(r#""other":{"name":"no"}"#), None, None,
        ][*index]).collect();
        let mut members = [r#""jsonrpc":"2.0""#.to_owned(), r#""id":"i""#.to_owned(), r#""method":"tools/call""#.to_owned(),
            format!(r#""params":{{{}}}"#, params.join(" ,\n"))];
        members.rotate_left(split % 4);
        let body = format!("{{{}}}", members.join(","));
        let Ok(Incoming::Request(request)) = Incoming::parse(body.as_bytes()) else { panic!("{body}") };
        prop_assert_eq!(request.id, "i".into());
        prop_assert_eq!(request.method, "tools/call");
        prop_assert_eq!(request.params.name().unwrap(), "t");
        prop_assert_eq!(request.params.arguments().unwrap().unwrap().get(), r#"{"a":[1,{}]}"#);
        prop_assert_eq!(request.params.request_state().unwrap().unwrap(), "s");
        prop_assert_eq!(request.params.request_meta().unwrap().protocol_version, "v");
    }

    #[test]
    fn strings_read_raw_are_the_strings_that_were_written(text in any::<String>()) {
        let params = format!(r#"{{"name":{}}}"#, serde_json::to_string(&text).unwrap());
        let params: Params<'_> = serde_json::from_str(&params).unwrap();
        prop_assert_eq!(params.name().unwrap(), text);
    }

    #[test]
    fn ids_come_back_as_they_came(text in prop_oneof![
        "-?(0|[1-9][0-9]{0,45})(\\.0{1,3})?",
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ]) {
        let id: RequestId = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(id.to_string(), text.as_str());
        prop_assert_eq!(serde_json::to_string(&id).unwrap(), text);
    }

    #[test]
    fn capabilities_read_what_they_write(bits in vec(prop::sample::select(Capability::ALL.to_vec()), 0..6)) {
        let set: Capabilities = bits.iter().copied().collect();
        let read: Capabilities = serde_json::from_str(&serde_json::to_string(&set).unwrap()).unwrap();
        let implied = bits.iter().any(|bit| matches!(bit, Capability::SamplingTools | Capability::SamplingContext));
        let expected = if implied { set.with(Capability::Sampling) } else { set };
        prop_assert_eq!(read, expected);
        prop_assert_eq!(ClientCapabilities::from(set).set(), expected);
        prop_assert!(expected.missing(set).is_empty() || implied);
        let full: ClientCapabilities = serde_json::from_str(&serde_json::to_string(&set).unwrap()).unwrap();
        prop_assert_eq!(full.set(), expected);
    }

    #[test]
    fn bits_and_full_capabilities_agree(text in json()) {
        if let Ok(full) = serde_json::from_str::<ClientCapabilities>(&text) {
            prop_assert_eq!(serde_json::from_str::<Capabilities>(&text).unwrap(), full.set());
        }
    }

    #[test]
    fn asks_read_what_they_write(asks in vec(("[a-z\u{e9}\"]{0,6}", ask()), 0..5), state in prop::option::of(any::<String>())) {
        let asks: InputRequests = asks.into_iter().collect();
        prop_assume!(!asks.is_empty() || state.is_some());
        let result = InputRequiredResult::new(asks, state);
        let text = serde_json::to_string(&result).unwrap();
        let raw: &RawValue = serde_json::from_str(&text).unwrap();
        let Ok(AnyResult::InputRequired(read)) = AnyResult::parse(raw, Strictness::Strict) else { panic!("{text}") };
        prop_assert_eq!(&read, &result);
        if let Some(asks) = &read.input_requests {
            for (key, ask) in asks.iter() {
                prop_assert_eq!(result.input_requests.as_ref().unwrap().get(key), Some(ask));
            }
        }
    }

    #[test]
    fn decimals_read_what_they_write(number in any::<f64>()) {
        prop_assume!(number.is_finite());
        let text = serde_json::to_string(&Decimal::from(number)).unwrap();
        let read: Decimal = serde_json::from_str(&text).unwrap();
        prop_assert!(read.get() == number, "{text}");
    }
}

fn ask() -> impl Strategy<Value = InputRequest> {
    let form: FormSchema =
        serde_json::from_str(r#"{"type":"object","properties":{"n":{"type":"integer"}},"x":1.0}"#)
            .unwrap();
    prop_oneof![
        any::<String>().prop_map(move |message| ElicitRequest::form(message, form.clone()).into()),
        any::<(String, String)>()
            .prop_map(|(message, url)| ElicitRequest::url(message, url).into()),
        Just(ListRootsRequest::default().into()),
        (vec(any::<String>(), 0..3), any::<u64>(), any::<f64>()).prop_map(
            |(texts, max_tokens, temperature)| {
                let mut request = CreateMessageRequest::new(
                    texts.into_iter().map(SamplingMessage::user).collect(),
                    max_tokens,
                );
                request.temperature = temperature.is_finite().then(|| temperature.into());
                request.into()
            }
        ),
    ]
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    for (open, close) in [
        ("[", "]"),
        (r#"{"params":"#, "}"),
        (r#"{"content":["#, "]}"),
        (r#"{"_meta":"#, "}"),
    ] {
        let text = format!("{}1{}", open.repeat(20_000), close.repeat(20_000));
        decode_everything(&text);
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"arguments":{text}}}}}"#);
        assert!(Incoming::parse(text.as_bytes()).is_ok());
    }
}
