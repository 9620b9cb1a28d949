//! Calls that are saved and go on in another process.

mod exchange_support;

use std::time::Duration;

use exchange_support::*;
use mrtr_core::exchange::{
    Exchange, ExchangeLimits, HeaderNames, IfSent, Next, Peer, Pending, PendingError, PendingPhase,
    Phase, ResumeError, Target,
};

fn peer() -> Peer {
    Peer {
        target: Target::http("https://example.com/mcp").expect("valid"),
        server: Some("travel".into()),
    }
}

fn headers() -> HeaderNames {
    HeaderNames::from([(
        "Region".to_owned(),
        vec!["where".to_owned(), "region".to_owned()],
    )])
}

fn save(call: &Exchange) -> String {
    call.pending(&peer(), headers(), at(0))
        .expect("valid")
        .to_json()
        .expect("valid")
}

fn load(text: &str) -> Pending {
    Pending::from_json(text.as_bytes()).expect("valid")
}

fn resume(text: &str) -> Result<Exchange, ResumeError> {
    load(text).resume(&peer(), ExchangeLimits::default(), IfSent::Refuse)
}

/// The document with `call` changed and a checksum that fits.
fn forge(text: &str, change: impl Fn(&str) -> String) -> Vec<u8> {
    let start = text.find(r#""call":"#).expect("valid") + r#""call":"#.len();
    let call = change(&text[start..text.len() - 1]);
    let check = blake3::hash(call.as_bytes()).to_hex();
    format!(r#"{{"format":"mrtr-pending","version":1,"check":"{check}","call":{call}}}"#)
        .into_bytes()
}

fn asked_call() -> Exchange {
    let mut call = call();
    reply(&mut call, &form("f", Some(r#""S\u00e9\/1""#))).expect("valid");
    call
}

const YES: &str = r#"{"action":"accept","content":{"n":2}}"#;

#[test]
fn a_call_saved_with_open_questions_goes_on_as_if_it_had_not_stopped() {
    let mut here = asked_call();
    let text = save(&here);
    let pending = load(&text);
    assert_eq!(pending.phase(), PendingPhase::Asked);
    assert_eq!(
        (pending.method(), pending.params().get()),
        ("tools/call", PARAMS)
    );
    assert_eq!((pending.peer(), pending.headers()), (&peer(), &headers()));
    assert!(pending.questions().unwrap().get("f").is_some() && !pending.is_answered());
    assert_eq!((pending.started_at(), pending.saved_at()), (at(0), at(0)));

    let mut there = resume(&text).unwrap();
    assert_eq!(there.phase(), Phase::Asked);
    assert_eq!(there.reached(), here.reached());
    assert_eq!(
        answered(&mut there, "f", YES),
        answered(&mut here, "f", YES)
    );
    assert!(matches!(
        there.receive(&raw(DONE), at(0)).unwrap(),
        Next::Done(_)
    ));
}

#[test]
fn a_call_that_was_sent_is_resumed_only_on_request() {
    let mut call = asked_call();
    let leg = answered(&mut call, "f", YES);
    let text = save(&call);
    assert_eq!(load(&text).phase(), PendingPhase::Sent);
    let error = resume(&text).unwrap_err();
    assert!(matches!(error, ResumeError::AlreadySent { .. }));
    assert!(
        error.to_string().contains("may have been carried out"),
        "{error}"
    );
    let mut again = load(&text)
        .resume(&peer(), ExchangeLimits::default(), IfSent::SendAgain)
        .unwrap();
    assert_eq!(again.request(at(0)).unwrap(), leg);
}

#[test]
fn a_first_leg_in_flight_can_be_saved_too() {
    let mut call = call();
    call.request(at(0)).unwrap();
    let text = save(&call);
    assert!(resume(&text).is_err());
    let mut again = load(&text)
        .resume(&peer(), ExchangeLimits::default(), IfSent::SendAgain)
        .unwrap();
    assert_eq!(again.request(at(0)).unwrap(), PARAMS);
}

#[test]
fn answers_that_were_given_but_not_sent_are_kept() {
    let mut call = asked_call();
    let yes = answer(&call, "f", YES);
    call.answer(vec![yes], at(0)).unwrap();
    let pending = load(&save(&call));
    assert_eq!(
        (pending.phase(), pending.is_answered()),
        (PendingPhase::Asked, true)
    );
    let mut there = pending
        .resume(&peer(), ExchangeLimits::default(), IfSent::Refuse)
        .unwrap();
    assert_eq!(there.request(at(0)).unwrap(), call.request(at(0)).unwrap());
}

#[test]
fn a_call_that_waits_can_be_saved() {
    let mut call = call();
    reply(&mut call, &wait(r#""S1""#)).unwrap();
    let mut there = resume(&save(&call)).unwrap();
    assert_eq!(there.reached().waits, 1);
    assert!(
        there
            .request(at(0))
            .unwrap()
            .ends_with(r#","requestState":"S1"}"#)
    );
}

#[test]
fn what_is_not_pending_is_not_saved() {
    assert!(call().pending(&peer(), headers(), at(0)).is_err());
    let mut over = asked_call();
    let _ = over.cancel();
    assert!(over.pending(&peer(), headers(), at(0)).is_err());
}

#[test]
fn meta_and_url_credentials_are_not_saved() {
    let mut call = call();
    call.set_meta(raw(r#"{"token":"SECRET-META"}"#)).unwrap();
    reply(&mut call, &form("f", None)).unwrap();
    let peer = Peer {
        target: Target::http("https://SECRET-USER:SECRET-PW@example.com/mcp?key=SECRET-KEY")
            .unwrap(),
        server: None,
    };
    let pending = call.pending(&peer, headers(), at(0)).unwrap();
    let text = pending.to_json().unwrap();
    assert!(!text.contains("SECRET"), "{text}");
    assert!(!text.contains("_meta"));
}

#[test]
fn only_the_same_server_gets_the_answers_and_the_state() {
    let text = save(&asked_call());
    let limits = ExchangeLimits::default();
    let elsewhere = Peer {
        target: Target::http("https://example.org/mcp").unwrap(),
        ..peer()
    };
    let renamed = Peer {
        server: Some("other".into()),
        ..peer()
    };
    let unnamed = Peer {
        server: None,
        ..peer()
    };
    let command = Peer {
        target: Target::command(["https://example.com/mcp"]),
        ..peer()
    };
    for (peer, is_target) in [
        (elsewhere, true),
        (renamed, false),
        (unnamed, false),
        (command, true),
    ] {
        let error = load(&text)
            .resume(&peer, limits, IfSent::SendAgain)
            .unwrap_err();
        assert_eq!(
            matches!(error, ResumeError::OtherTarget { .. }),
            is_target,
            "{error}"
        );
        assert_eq!(
            matches!(error, ResumeError::OtherServer { .. }),
            !is_target,
            "{error}"
        );
    }
}

#[test]
fn used_time_counts_on_and_stored_time_only_if_asked_for() {
    let limits = ExchangeLimits::default().with_total(Duration::from_secs(10));
    let mut call = call_with(limits);
    call.request(at(0)).unwrap();
    asked(call.receive(&raw(&form("f", None)), at(4000)).unwrap());
    let text = call
        .pending(&peer(), headers(), at(5000))
        .unwrap()
        .to_json()
        .unwrap();
    let left = |limits| {
        let there = load(&text).resume(&peer(), limits, IfSent::Refuse).unwrap();
        there.time_left(at(7000))
    };
    assert_eq!(left(limits), Duration::from_secs(6));
    assert_eq!(
        left(limits.with_charge_human_time(true)),
        Duration::from_secs(4)
    );
}

#[test]
fn rounds_count_on() {
    let text = save(&asked_call());
    let limits = ExchangeLimits::default().with_max_rounds(1);
    let mut there = load(&text).resume(&peer(), limits, IfSent::Refuse).unwrap();
    answered(&mut there, "f", YES);
    assert!(there.receive(&raw(&form("f", None)), at(0)).is_err());
}

#[test]
fn another_version_is_refused_by_its_number() {
    let text = save(&asked_call()).replace(r#""version":1"#, r#""version":2,"new":true"#);
    let error = Pending::from_json(text.as_bytes()).unwrap_err();
    assert_eq!(error, PendingError::Version { found: 2 });
    assert!(error.to_string().contains("version 2"), "{error}");
}

#[test]
fn other_files_are_refused() {
    for text in [
        "",
        "{}",
        "[]",
        "null",
        r#"{"format":"x","version":1}"#,
        "\u{1}",
        "{\"format\":",
    ] {
        assert!(
            matches!(
                Pending::from_json(text.as_bytes()),
                Err(PendingError::NotPending { .. })
            ),
            "{text}"
        );
    }
    let added = save(&asked_call()).replacen('{', r#"{"added":1,"#, 1);
    assert!(Pending::from_json(added.as_bytes()).is_err());
}

#[test]
fn every_changed_byte_and_every_truncation_is_refused() {
    let text = save(&asked_call()).into_bytes();
    for at in 0..text.len() {
        let mut changed = text.clone();
        changed[at] ^= 1;
        assert!(Pending::from_json(&changed).is_err(), "byte {at}");
        assert!(Pending::from_json(&text[..at]).is_err(), "length {at}");
    }
    let edited = String::from_utf8(text)
        .unwrap()
        .replace("example.com", "example.org");
    assert_eq!(
        Pending::from_json(edited.as_bytes()).unwrap_err(),
        PendingError::Changed
    );
}

#[test]
fn a_document_beyond_the_limit_is_neither_written_nor_read() {
    let params = raw(&format!(
        r#"{{"name":"t","x":"{}"}}"#,
        "x".repeat(Pending::MAX_BYTES)
    ));
    let mut call = Exchange::new("tools/call", params, ExchangeLimits::default()).unwrap();
    call.request(at(0)).unwrap();
    let pending = call.pending(&peer(), headers(), at(0)).unwrap();
    assert!(matches!(
        pending.to_json(),
        Err(PendingError::TooLarge { .. })
    ));
    let large = vec![b' '; Pending::MAX_BYTES + 1];
    assert!(matches!(
        Pending::from_json(&large),
        Err(PendingError::TooLarge { .. })
    ));
}

#[test]
fn a_document_with_a_fitting_checksum_is_still_checked_part_by_part() {
    let mut call = asked_call();
    answered(&mut call, "f", YES);
    let text = save(&call);
    assert!(Pending::from_json(&forge(&text, str::to_owned)).is_ok());
    for (from, to) in [
        (r#""n":2"#, r#""n":9"#),
        (r#"{"f":{"action""#, r#"{"g":{"action""#),
        (r#""action":"accept""#, r#""action":"agree""#),
        (r#""method":"tools/call""#, r#""method":"tools/list""#),
        (r#""name":"t""#, r#""requestState":"old""#),
        (r#""elicitation/create""#, r#""tools/call""#),
        (r#""state":"S\u00e9\/1""#, r#""state":7"#),
        ("https://example.com/mcp", "https://u:p@example.com/mcp"),
        (r#""rounds":1"#, r#""rounds":-1"#),
        (r#""waits":0"#, r#""waits":0,"extra":0"#),
        (r#""phase":"sent""#, r#""phase":"later""#),
    ] {
        let forged = forge(&text, |call| {
            assert!(call.contains(from), "{from} in {call}");
            call.replace(from, to)
        });
        assert!(
            matches!(
                Pending::from_json(&forged),
                Err(PendingError::Invalid { .. })
            ),
            "{from} -> {to}"
        );
    }
}

#[test]
fn a_sent_round_without_its_answers_is_refused() {
    let text = save(&asked_call());
    let forged = forge(&text, |call| {
        call.replace(r#""phase":"asked""#, r#""phase":"sent""#)
    });
    assert!(matches!(
        Pending::from_json(&forged),
        Err(PendingError::Invalid { .. })
    ));
}

#[test]
fn debug_output_of_a_saved_call_holds_no_content() {
    let mut call = asked_call();
    answered(&mut call, "f", YES);
    let text = format!("{:?}", load(&save(&call)));
    assert!(text.contains("travel") && !text.contains("content") && !text.contains("arguments"));
}
