//! A genuine state opens in time, for the request it was sealed for, with a
//! key that is still there.

use std::time::Duration;

use mrtr_core::Timestamp;
use mrtr_core::state::{
    Binding, Bound, Claims, ExchangeId, Keyring, Method, Opened, Principal, Rejection,
    RejectionReason, SealError, Secret, StateLimits, open, presented, seal,
};
use serde_json::value::RawValue;

const NOW: Timestamp = Timestamp::from_secs(1_785_196_800);
const EXCHANGE: ExchangeId = ExchangeId::from_bytes([7; 16]);
const REQUEST: Binding<'static> = Binding {
    principal: None,
    method: Method::ToolsCall,
    target: "book",
    arguments: None,
    audience: "travel",
    revision: None,
};

fn secret(byte: u8) -> Secret {
    Secret::generate([byte; 32])
}

fn keyring(bytes: &[u8]) -> Keyring {
    Keyring::new(bytes.iter().copied().map(secret)).expect("keys")
}

fn json(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("JSON")
}

fn sealed_at(binding: &Binding<'_>, now: Timestamp, limits: &StateLimits) -> String {
    let claims = Claims::first(EXCHANGE, now, now, limits).expect("time is left");
    let bound = Bound::new(binding).expect("arguments are canonical");
    seal(&keyring(&[1]), &claims, &bound, b"body", [3; 12], limits).expect("small")
}

fn sealed(binding: &Binding<'_>) -> String {
    sealed_at(binding, NOW, &StateLimits::default())
}

fn present(text: &str, binding: &Binding<'_>, now: Timestamp) -> Result<Opened, Rejection> {
    open(&keyring(&[1]), text, binding, now, &StateLimits::default())
}

fn reason(result: Result<Opened, Rejection>) -> Option<RejectionReason> {
    result.err().map(|rejection| rejection.reason().clone())
}

#[test]
fn a_state_opens_until_the_instant_it_expires() {
    let state = sealed(&REQUEST);
    let expiry = NOW + Duration::from_secs(600);
    let last = Timestamp::from_millis(expiry.as_millis() - 1);
    assert!(present(&state, &REQUEST, last).is_ok());
    for now in [
        expiry,
        expiry + Duration::from_millis(1),
        Timestamp::from_millis(u64::MAX),
    ] {
        let expected = if now < NOW + Duration::from_secs(3_600) {
            RejectionReason::Expired { at: expiry }
        } else {
            RejectionReason::DeadlinePassed {
                at: NOW + Duration::from_secs(3_600),
            }
        };
        assert_eq!(reason(present(&state, &REQUEST, now)), Some(expected));
    }
}

#[test]
fn the_deadline_of_the_exchange_holds_although_every_round_renews_the_expiry() {
    let limits = StateLimits::default();
    let keyring = keyring(&[1]);
    let bound = Bound::new(&REQUEST).expect("no arguments");
    let mut claims = Claims::first(EXCHANGE, NOW, NOW, &limits).expect("time is left");
    let mut now = NOW;
    let deadline = NOW + limits.exchange;
    for round in 2.. {
        now = now + Duration::from_secs(599);
        let state = seal(&keyring, &claims, &bound, b"", [3; 12], &limits).expect("small");
        let opened = open(&keyring, &state, &REQUEST, now, &limits);
        if now >= deadline {
            let expected = RejectionReason::DeadlinePassed { at: deadline };
            assert_eq!(reason(opened), Some(expected));
            break;
        }
        claims = opened
            .expect("renewed")
            .claims
            .next(now, &limits)
            .expect("time is left");
        assert_eq!(claims.round, round);
        assert!(claims.expires_at <= deadline);
    }
}

#[test]
fn at_the_deadline_the_log_says_deadline_although_the_state_expired_as_well() {
    let limits = StateLimits::default().with_exchange(Duration::from_secs(300));
    let state = sealed_at(&REQUEST, NOW, &limits);
    let at = NOW + limits.exchange;
    let expected = RejectionReason::DeadlinePassed { at };
    assert_eq!(reason(present(&state, &REQUEST, at)), Some(expected));
}

#[test]
fn a_state_from_the_future_opens_within_the_clock_skew_only() {
    let skew = Duration::from_secs(60);
    let ahead = sealed_at(&REQUEST, NOW + skew, &StateLimits::default());
    assert!(present(&ahead, &REQUEST, NOW).is_ok());
    let too_far = NOW + skew + Duration::from_millis(1);
    let state = sealed_at(&REQUEST, too_far, &StateLimits::default());
    let expected = RejectionReason::IssuedInFuture { at: too_far };
    assert_eq!(reason(present(&state, &REQUEST, NOW)), Some(expected));
}

#[test]
fn e8_rotation_keeps_old_states_until_their_key_is_removed() {
    let state = sealed(&REQUEST);
    let limits = StateLimits::default();
    let with = |keys: &[u8]| reason(open(&keyring(keys), &state, &REQUEST, NOW, &limits));
    assert_eq!(with(&[2, 1]), None);
    assert_eq!(with(&[3, 2, 1]), None);
    let removed = RejectionReason::UnknownKey(secret(1).id());
    assert_eq!(with(&[2]), Some(removed));
    let rotated = keyring(&[2, 1]);
    let claims = Claims::first(EXCHANGE, NOW, NOW, &limits).expect("time is left");
    let bound = Bound::new(&REQUEST).expect("no arguments");
    let newer = seal(&rotated, &claims, &bound, b"", [3; 12], &limits).expect("small");
    let old = open(&keyring(&[1]), &newer, &REQUEST, NOW, &limits);
    assert_eq!(
        reason(old),
        Some(RejectionReason::UnknownKey(secret(2).id())),
        "the first seals"
    );
}

#[test]
fn e7_a_state_of_an_instance_with_other_keys_is_recognised_as_such() {
    let rejection = open(
        &keyring(&[9]),
        &sealed(&REQUEST),
        &REQUEST,
        NOW,
        &StateLimits::default(),
    )
    .expect_err("another key");
    let log = rejection.to_string();
    assert!(log.contains(&secret(1).id().to_string()), "{log}");
    assert!(log.contains("another instance uses other keys"), "{log}");
    assert_eq!(
        sealed(&REQUEST)["mrtr1.".len()..][..8],
        secret(1).id().to_string()
    );
}

#[test]
fn e11_a_state_that_would_be_too_large_is_an_error_when_it_is_sealed() {
    let limits = StateLimits::default();
    let claims = Claims::first(EXCHANGE, NOW, NOW, &limits).expect("time is left");
    let bound = Bound::new(&REQUEST).expect("no arguments");
    let seal = |body: usize, limits: &StateLimits| {
        seal(
            &keyring(&[1]),
            &claims,
            &bound,
            &vec![0; body],
            [3; 12],
            limits,
        )
    };
    let Err(SealError::TooLarge {
        bytes,
        limit: 65_536,
    }) = seal(1 << 20, &limits)
    else {
        panic!("1 MiB is too large");
    };
    assert!(bytes > 4 << 18);

    let fits = seal(1_000, &limits).expect("small").len();
    assert!(seal(1_000, &limits.clone().with_max_bytes(fits)).is_ok());
    let tight = limits.with_max_bytes(fits - 1);
    let limit = fits - 1;
    assert_eq!(
        seal(1_000, &tight),
        Err(SealError::TooLarge { bytes: fits, limit })
    );
}

#[test]
fn e11_the_length_is_bounded_before_anything_is_decoded() {
    let limits = StateLimits::default();
    let long = "mrtr1.".to_owned() + &"!".repeat(1 << 20);
    let bytes = long.len();
    let expected = RejectionReason::TooLong {
        bytes,
        limit: 65_536,
    };
    assert_eq!(reason(present(&long, &REQUEST, NOW)), Some(expected));
    let member = json(&format!("\"{}\"", "\\u0041".repeat(65_537)));
    let rejection = presented(Some(&member), &limits).expect_err("too long even unescaped");
    assert!(matches!(
        rejection.reason(),
        RejectionReason::TooLong { .. }
    ));
}

#[test]
fn a_journal_of_two_answers_stays_below_540_characters() {
    let alice = Principal::new("https://auth.example.com", "auth0|507f1f77bcf86cd799439020");
    let arguments = json(r#"{"to":"Rome","seats":2}"#);
    let binding = Binding {
        principal: Some(&alice),
        target: "an unusually long name of a tool",
        arguments: Some(&arguments),
        audience: "an unusually long name of a server",
        revision: Some("2026-07-28T00:00:00Z"),
        ..REQUEST
    };
    let limits = StateLimits::default();
    let first = Claims::first(EXCHANGE, NOW, NOW, &limits).expect("time is left");
    let claims = first
        .next(NOW + Duration::from_secs(300), &limits)
        .expect("time is left");
    let bound = Bound::new(&binding).expect("canonical");
    let state = seal(&keyring(&[1]), &claims, &bound, &[1; 200], [3; 12], &limits).expect("small");
    assert!(state.len() <= 540, "{} characters", state.len());
}

#[test]
fn e2_absent_and_null_are_a_first_round_and_nothing_else_is() {
    let limits = StateLimits::default();
    assert_eq!(presented(None, &limits), Ok(None));
    assert_eq!(presented(Some(&json("null")), &limits), Ok(None));
    for text in ["123", "{}", "[]", "true", "false", "[null]"] {
        let member = json(text);
        let rejection = presented(Some(&member), &limits).expect_err(text);
        assert_eq!(rejection.reason(), &RejectionReason::NotAString);
    }
    let empty = json("\"\"");
    let text = presented(Some(&empty), &limits)
        .expect("a string")
        .expect("not absent");
    assert_eq!(
        reason(present(&text, &REQUEST, NOW)),
        Some(RejectionReason::UnknownFormat)
    );
    let member = json(r#""null""#);
    assert_eq!(presented(Some(&member), &limits), Ok(Some("null".into())));
    let surrogate = json(r#""\ud800""#);
    assert!(presented(Some(&surrogate), &limits).is_err());
}

#[test]
fn a_state_whose_characters_were_escaped_still_opens() {
    let state = sealed(&REQUEST);
    let escaped: String = state.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
    let member = json(&format!("\"{escaped}\""));
    let limits = StateLimits::default().with_max_bytes(state.len());
    let text = presented(Some(&member), &limits).expect("a string");
    assert_eq!(text.as_deref(), Some(state.as_str()));
}

#[test]
fn more_rounds_than_allowed_are_not_sealed() {
    let limits = StateLimits::default();
    let mut claims = Claims::first(EXCHANGE, NOW, NOW, &limits).expect("time is left");
    claims.round = 11;
    let bound = Bound::new(&REQUEST).expect("no arguments");
    let error = seal(&keyring(&[1]), &claims, &bound, b"", [3; 12], &limits);
    assert_eq!(error, Err(SealError::TooManyRounds { limit: 10 }));
}

#[test]
fn every_claim_is_read_back() {
    let limits = StateLimits::default();
    let started = NOW;
    let now = NOW + Duration::from_millis(1_234);
    let claims = Claims::first(EXCHANGE, started, now, &limits).expect("time is left");
    let bound = Bound::new(&REQUEST).expect("no arguments");
    let state = seal(&keyring(&[1]), &claims, &bound, b"", [3; 12], &limits).expect("small");
    let opened = present(&state, &REQUEST, now).expect("genuine");
    assert_eq!(opened.claims, claims);
    assert_eq!(opened.bound, bound);
    assert_eq!(opened.claims.started_at, started);
}
