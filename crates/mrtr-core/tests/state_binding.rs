//! A state opens for the request it was sealed for and for no other.

use mrtr_core::Timestamp;
use mrtr_core::json::canonical::digest_bytes;
use mrtr_core::state::{
    Binding, Bound, Claims, ExchangeId, Keyring, Method, Opened, Principal, Rejection,
    RejectionReason, Secret, StateLimits, open, seal,
};
use serde_json::value::RawValue;

const NOW: Timestamp = Timestamp::from_secs(1_785_196_800);
const REQUEST: Binding<'static> = Binding {
    principal: None,
    method: Method::ToolsCall,
    target: "book",
    arguments: None,
    audience: "travel",
    revision: None,
};

fn with_principal(principal: Option<&Principal>) -> Binding<'_> {
    Binding {
        principal,
        ..REQUEST
    }
}

fn with_target(target: &str) -> Binding<'_> {
    Binding { target, ..REQUEST }
}

fn with_arguments(arguments: &RawValue) -> Binding<'_> {
    Binding {
        arguments: Some(arguments),
        ..REQUEST
    }
}

fn keyring() -> Keyring {
    Keyring::new([Secret::generate([1; 32])]).expect("a key")
}

fn json(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("JSON")
}

fn sealed(binding: &Binding<'_>) -> String {
    let limits = StateLimits::default();
    let exchange = ExchangeId::from_bytes([7; 16]);
    let claims = Claims::first(exchange, NOW, NOW, &limits).expect("time is left");
    let bound = Bound::new(binding).expect("arguments are canonical");
    seal(&keyring(), &claims, &bound, b"body", [3; 12], &limits).expect("small")
}

fn present(text: &str, binding: &Binding<'_>) -> Result<Opened, Rejection> {
    open(&keyring(), text, binding, NOW, &StateLimits::default())
}

fn reason(result: Result<Opened, Rejection>) -> Option<RejectionReason> {
    result.err().map(|rejection| rejection.reason().clone())
}

#[test]
fn e5_another_principal_is_rejected_and_a_refreshed_token_is_not() {
    let alice = Principal::new("https://auth.example.com", "alice");
    let state = sealed(&with_principal(Some(&alice)));
    let same = Principal::new(String::from("https://auth.example.com"), "alice");
    assert!(present(&state, &with_principal(Some(&same))).is_ok());

    let others = [
        Principal::new("https://auth.example.com", "bob"),
        Principal::new("https://auth.example.com", "Alice"),
        Principal::new("https://auth.example.com", "alice "),
        Principal::new("https://auth.example.org", "alice"),
        Principal::new("alice", "https://auth.example.com"),
        Principal::new("https://auth.example.coma", "lice"),
        Principal::new(
            "https://auth.example.com",
            "a subject that is longer than sixteen bytes",
        ),
        Principal::new("", ""),
    ];
    let others = others.iter().map(Some).chain([None]);
    for principal in others {
        let rejected = present(&state, &with_principal(principal));
        assert_eq!(
            reason(rejected),
            Some(RejectionReason::Principal),
            "{principal:?}"
        );
    }
    let anonymous = sealed(&REQUEST);
    let rejected = present(&anonymous, &with_principal(Some(&alice)));
    assert_eq!(reason(rejected), Some(RejectionReason::Principal));
}

#[test]
fn e4_another_request_is_rejected() {
    let state = sealed(&Binding {
        revision: Some("r1"),
        ..REQUEST
    });
    let request = Binding {
        revision: Some("r1"),
        ..REQUEST
    };
    assert!(present(&state, &request).is_ok());
    type Change = fn(&mut Binding<'static>);
    let cases: [(Change, RejectionReason); 11] = [
        (|r| r.method = Method::PromptsGet, RejectionReason::Method),
        (
            |r| r.method = Method::ResourcesRead,
            RejectionReason::Method,
        ),
        (|r| r.target = "boo", RejectionReason::Target),
        (|r| r.target = "book\0", RejectionReason::Target),
        (|r| r.target = "", RejectionReason::Target),
        (
            |r| r.target = "book a trip to Rome",
            RejectionReason::Target,
        ),
        (|r| r.audience = "trave", RejectionReason::Audience),
        (|r| r.revision = Some("r2"), RejectionReason::Revision),
        (|r| r.revision = Some(""), RejectionReason::Revision),
        (|r| r.revision = None, RejectionReason::Revision),
        (
            |r| std::mem::swap(&mut r.target, &mut r.audience),
            RejectionReason::Target,
        ),
    ];
    for (change, expected) in cases {
        let mut other = request;
        change(&mut other);
        let rejected = reason(present(&state, &other));
        assert_eq!(rejected, Some(expected), "{other:?}");
    }
}

#[test]
fn long_names_are_told_apart_to_the_last_byte() {
    for len in [15, 16, 17, 64, 2_000] {
        let uri = "u".repeat(len);
        let state = sealed(&with_target(&uri));
        assert!(present(&state, &with_target(&uri)).is_ok());
        let other = "u".repeat(len - 1) + "v";
        let rejected = present(&state, &with_target(&other));
        assert_eq!(reason(rejected), Some(RejectionReason::Target));
    }
}

#[test]
fn a_short_name_that_spells_the_digest_of_a_long_one_is_another_name() {
    // One of the few whose digest is text.
    let long = "note://archive/8606";
    let digest = digest_bytes(long.as_bytes());
    let short = std::str::from_utf8(&digest).expect("this digest is UTF-8");
    let state = sealed(&with_target(long));
    let rejected = present(&state, &with_target(short));
    assert_eq!(reason(rejected), Some(RejectionReason::Target));
}

#[test]
fn e4_arguments_may_be_rewritten_but_not_changed() {
    let sent = json(r#"{"to":"Rome","seats":1,"id":9007199254740993,"opts":{"a":[1,2],"b":null}}"#);
    let state = sealed(&with_arguments(&sent));
    let same = [
        sent.get(),
        r#"{ "opts" : {"b":null,"a":[1, 2]}, "seats":1.0, "id":9007199254740993,"to":"Rome" }"#,
        r#"{"\u0074o":"R\u006fme","seats":10e-1,"id":9007199254740993.0,"opts":{"a":[1e0,2],"b":null}}"#,
        r#"{"_meta":{"progressToken":1},"to":"Rome","seats":1,"id":9007199254740993,"opts":{"a":[1,2],"b":null}}"#,
    ];
    for text in same {
        let arguments = json(text);
        let opened = present(&state, &with_arguments(&arguments));
        assert_eq!(reason(opened), None, "{text}");
    }
    let changed = [
        r#"{"to":"Rome","seats":2,"id":9007199254740993,"opts":{"a":[1,2],"b":null}}"#,
        r#"{"to":"Rome","seats":1,"id":9007199254740992,"opts":{"a":[1,2],"b":null}}"#,
        r#"{"to":"Rome","seats":1,"id":9007199254740993,"opts":{"a":[2,1],"b":null}}"#,
        r#"{"to":"Rome","seats":1,"id":9007199254740993,"opts":{"a":[1,2]}}"#,
        r#"{"to":"Rome","seats":"1","id":9007199254740993,"opts":{"a":[1,2],"b":null}}"#,
        r#"{"to":"Rome","seats":1,"id":9007199254740993,"opts":{"_meta":0,"a":[1,2],"b":null}}"#,
        "{}",
    ];
    for text in changed {
        let arguments = json(text);
        let rejected = present(&state, &with_arguments(&arguments));
        assert_eq!(reason(rejected), Some(RejectionReason::Arguments), "{text}");
    }
    assert_eq!(
        reason(present(&state, &REQUEST)),
        Some(RejectionReason::Arguments)
    );
}

#[test]
fn absent_arguments_are_an_empty_object() {
    let state = sealed(&REQUEST);
    for text in ["{}", " { } ", r#"{"_meta":{"x":1}}"#] {
        let arguments = json(text);
        let opened = present(&state, &with_arguments(&arguments));
        assert_eq!(reason(opened), None, "{text}");
    }
    for text in ["[]", r#"{"x":null}"#, r#"{"_meta":{},"_meta ":{}}"#] {
        let arguments = json(text);
        let rejected = present(&state, &with_arguments(&arguments));
        assert_eq!(reason(rejected), Some(RejectionReason::Arguments), "{text}");
    }
}

#[test]
fn arguments_without_a_canonical_form_are_refused_when_sealing_and_when_opening() {
    let state = sealed(&REQUEST);
    let deep = format!(
        "{}{}",
        r#"{"a":"#.repeat(64) + "[",
        "]".to_owned() + &"}".repeat(64)
    );
    for text in [
        r#"{"a":1,"\u0061":1}"#,
        &deep,
        r#"{"a":1e99999999999999999999}"#,
    ] {
        let arguments = json(text);
        let binding = with_arguments(&arguments);
        let error = Bound::new(&binding).expect_err(text);
        let expected = RejectionReason::ArgumentsUnreadable(error);
        assert_eq!(reason(present(&state, &binding)), Some(expected), "{text}");
    }
}

#[test]
fn the_bound_request_of_an_opened_state_seals_the_next_round() {
    let sent = json(r#"{"a":1,"b":2}"#);
    let rewritten = json(r#"{"b":2,"a":1.0}"#);
    let first = with_arguments(&sent);
    let second = with_arguments(&rewritten);
    let limits = StateLimits::default();
    let opened = present(&sealed(&first), &second).expect("same arguments");
    let rewritten = Bound::new(&second).expect("canonical");
    assert_eq!(opened.bound, rewritten, "the bytes seen last compare first");
    let claims = opened.claims.next(NOW, &limits).expect("time is left");
    let state = seal(&keyring(), &claims, &opened.bound, b"", [4; 12], &limits).expect("small");
    for binding in [first, second] {
        assert_eq!(reason(present(&state, &binding)), None);
    }
}
