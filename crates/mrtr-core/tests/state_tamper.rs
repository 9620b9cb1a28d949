//! Nothing but the exact text that was sealed opens.

use base64_simd::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use mrtr_core::Timestamp;
use mrtr_core::state::{
    Binding, Bound, Claims, ExchangeId, Keyring, Method, RejectionReason, Secret, StateLimits,
    open, seal,
};
use proptest::prelude::*;

const PREFIX: &str = "mrtr1.";
const NOW: Timestamp = Timestamp::from_secs(1_785_196_800);
const REQUEST: Binding<'static> = Binding {
    principal: None,
    method: Method::ToolsCall,
    target: "book",
    arguments: None,
    audience: "travel",
    revision: None,
};

fn keyring() -> Keyring {
    Keyring::new([1, 2].map(|byte| Secret::generate([byte; 32]))).expect("two keys")
}

fn token(keyring: &Keyring, body: &[u8], nonce: u8) -> String {
    let limits = StateLimits::default();
    let exchange = ExchangeId::from_bytes([nonce; 16]);
    let claims = Claims::first(exchange, NOW, NOW, &limits).expect("time is left");
    let bound = Bound::new(&REQUEST).expect("no arguments");
    seal(keyring, &claims, &bound, body, [nonce; 12], &limits).expect("small")
}

fn reason(keyring: &Keyring, text: &str) -> RejectionReason {
    open(keyring, text, &REQUEST, NOW, &StateLimits::default())
        .expect_err(text)
        .reason()
        .clone()
}

fn opens(keyring: &Keyring, text: &str) -> bool {
    open(keyring, text, &REQUEST, NOW, &StateLimits::default()).is_ok()
}

/// One token for each number of bits that the last character leaves unused.
fn tokens(keyring: &Keyring) -> Vec<String> {
    let tokens: Vec<_> = [&b""[..], b"1", b"22"]
        .iter()
        .map(|body| token(keyring, body, 9))
        .collect();
    let mut tails: Vec<_> = tokens
        .iter()
        .map(|t| (t.len() - PREFIX.len()) % 4)
        .collect();
    tails.sort_unstable();
    assert_eq!(tails, [0, 2, 3], "every tail length is covered");
    assert!(tokens.iter().all(|text| opens(keyring, text)));
    tokens
}

fn bytes(text: &str) -> Vec<u8> {
    let encoded = text.strip_prefix(PREFIX).expect("prefix");
    URL_SAFE_NO_PAD.decode_to_vec(encoded).expect("base64url")
}

fn text(bytes: &[u8]) -> String {
    format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode_to_string(bytes))
}

#[test]
fn e1_every_bit_flipped_is_rejected() {
    let keyring = keyring();
    for token in tokens(&keyring) {
        let bytes = bytes(&token);
        for bit in 0..bytes.len() * 8 {
            let mut altered = bytes.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            let expected = match bit / 8 {
                0..6 => {
                    assert!(matches!(
                        reason(&keyring, &text(&altered)),
                        RejectionReason::UnknownKey(_)
                    ));
                    continue;
                }
                _ => RejectionReason::Forged,
            };
            assert_eq!(reason(&keyring, &text(&altered)), expected, "bit {bit}");
        }
    }
}

#[test]
fn e1_every_character_replaced_by_every_other_is_rejected() {
    let keyring = keyring();
    for token in tokens(&keyring) {
        for at in 0..token.len() {
            for other in (0..0x80).map(char::from) {
                let mut altered = token.clone();
                altered.replace_range(at..=at, other.encode_utf8(&mut [0; 4]));
                assert_eq!(
                    opens(&keyring, &altered),
                    altered == token,
                    "{at} {other:?}"
                );
            }
        }
    }
}

#[test]
fn e1_unused_bits_of_the_last_character_must_be_zero() {
    let keyring = keyring();
    let alphabet = URL_SAFE_NO_PAD.charset();
    for token in tokens(&keyring) {
        let unused = match (token.len() - PREFIX.len()) % 4 {
            2 => 4,
            3 => 2,
            _ => continue,
        };
        let (kept, last) = token.split_at(token.len() - 1);
        let value = alphabet
            .iter()
            .position(|c| *c == last.as_bytes()[0])
            .expect("in alphabet");
        for padding in 1..1 << unused {
            let altered = format!("{kept}{}", char::from(alphabet[value | padding]));
            assert_eq!(reason(&keyring, &altered), RejectionReason::NotCanonical);
        }
    }
}

#[test]
fn e1_every_truncation_is_rejected() {
    let keyring = keyring();
    for token in tokens(&keyring) {
        for len in 0..token.len() {
            assert!(!opens(&keyring, &token[..len]), "first {len}");
            assert!(!opens(&keyring, &token[token.len() - len..]), "last {len}");
        }
        let bytes = bytes(&token);
        for len in 0..bytes.len() {
            assert!(!opens(&keyring, &text(&bytes[..len])), "first {len} bytes");
        }
    }
}

#[test]
fn e1_anything_appended_or_put_before_is_rejected() {
    let keyring = keyring();
    for token in tokens(&keyring) {
        for more in [
            "=", "==", "A", "AA", "AAA", "AAAA", "\n", " ", "\0", "\u{e9}", ".",
        ] {
            assert!(
                !opens(&keyring, &format!("{token}{more}")),
                "{more:?} after"
            );
            assert!(
                !opens(&keyring, &format!("{more}{token}")),
                "{more:?} before"
            );
        }
        assert!(!opens(&keyring, &format!("{token}{token}")));
    }
}

#[test]
fn e1_other_encodings_of_the_same_bytes_are_rejected() {
    let keyring = keyring();
    // Both padding and the two alphabets make a difference.
    let token = (0..=255)
        .map(|nonce| token(&keyring, b"bytes", nonce))
        .find(|token| token.contains('-') && token.contains('_'))
        .expect("one has both");
    let bytes = bytes(&token);
    assert_eq!(text(&bytes), token);
    assert_ne!(bytes.len() % 3, 0);
    for encoding in [STANDARD, STANDARD_NO_PAD, URL_SAFE] {
        let altered = format!("{PREFIX}{}", encoding.encode_to_string(&bytes));
        assert!(!opens(&keyring, &altered), "{altered}");
    }
    assert!(!opens(&keyring, &token.to_lowercase()));
    assert!(!opens(&keyring, &token.to_uppercase()));
    let split = token.len() / 2;
    assert!(!opens(
        &keyring,
        &format!("{}\n{}", &token[..split], &token[split..])
    ));
}

#[test]
fn e1_another_prefix_is_rejected() {
    let keyring = keyring();
    let token = token(&keyring, b"body", 1);
    let rest = &token[PREFIX.len()..];
    for prefix in [
        "",
        "mrtr2.",
        "MRTR1.",
        "mrtr1",
        "mrtr1..",
        "mrtr1.mrtr1.",
        "mrtrb1.",
        "v1.",
    ] {
        let altered = format!("{prefix}{rest}");
        assert_eq!(
            reason(&keyring, &altered),
            match prefix {
                // Not base64url any more, but no other format either.
                "mrtr1.." | "mrtr1.mrtr1." => RejectionReason::NotCanonical,
                _ => RejectionReason::UnknownFormat,
            }
        );
    }
    assert_eq!(reason(&keyring, ""), RejectionReason::UnknownFormat);
    assert_eq!(reason(&keyring, PREFIX), RejectionReason::NotCanonical);
}

#[test]
fn e1_parts_swapped_between_genuine_tokens_are_rejected() {
    let keyring = keyring();
    let other_first =
        Keyring::new([2, 1].map(|byte| Secret::generate([byte; 32]))).expect("two keys");
    let first = bytes(&token(&keyring, b"body one", 1));
    let same_key = bytes(&token(&keyring, b"body two", 2));
    let other_key = bytes(&token(&other_first, b"body two", 2));
    let end = first.len();
    let cuts = [0..6, 6..18, 18..end - 16, end - 16..end];
    for other in [same_key, other_key] {
        assert_eq!(other.len(), end);
        for choice in 0..1 << cuts.len() {
            let mut mixed = first.clone();
            for (index, part) in cuts.iter().cloned().enumerate() {
                if choice >> index & 1 == 1 {
                    mixed[part.clone()].copy_from_slice(&other[part]);
                }
            }
            let genuine = mixed == first || mixed == other;
            assert_eq!(
                opens(&keyring, &text(&mixed)),
                genuine,
                "parts {choice:04b}"
            );
        }
    }
}

#[test]
fn sealed_bytes_and_states_never_open_as_each_other() {
    let keyring = keyring();
    let state = token(&keyring, b"body", 1);
    let ticket = keyring
        .seal_bytes("mrtr1.", b"body", [1; 12])
        .expect("small");
    assert!(ticket.starts_with("mrtrb1."));
    let as_state = ticket.replacen("mrtrb1.", PREFIX, 1);
    let as_ticket = state.replacen(PREFIX, "mrtrb1.", 1);
    assert_eq!(reason(&keyring, &ticket), RejectionReason::UnknownFormat);
    assert_eq!(reason(&keyring, &as_state), RejectionReason::Forged);
    for purpose in ["", "mrtr1.", "state"] {
        let rejected = |text| {
            let rejection = keyring.open_bytes(purpose, text).expect_err("another kind");
            rejection.reason().clone()
        };
        assert_eq!(rejected(&state), RejectionReason::UnknownFormat);
        assert_eq!(rejected(&as_ticket), RejectionReason::Forged);
    }
}

#[test]
fn sealed_bytes_open_for_their_purpose_only() {
    let keyring = keyring();
    let ticket = keyring
        .seal_bytes("sign-in", b"alice", [1; 12])
        .expect("small");
    assert_eq!(
        keyring.open_bytes("sign-in", &ticket).as_deref(),
        Ok(&b"alice"[..])
    );
    for purpose in ["", "sign-i", "sign-in ", "Sign-in", "download"] {
        let rejection = keyring.open_bytes(purpose, &ticket).expect_err(purpose);
        assert_eq!(rejection.reason(), &RejectionReason::Forged, "{purpose}");
    }
    let large = vec![0; 64 * 1024];
    assert!(keyring.seal_bytes("sign-in", &large, [1; 12]).is_err());
    let long = "A".repeat(64 * 1024 + 1);
    let rejection = keyring.open_bytes("sign-in", &long).expect_err("too long");
    assert!(matches!(
        rejection.reason(),
        RejectionReason::TooLong { .. }
    ));
}

#[test]
fn sealed_bytes_may_be_longer_where_that_is_asked_for() {
    let keyring = keyring();
    let large = vec![7; 64 * 1024];
    let limit = 100 * 1024;
    let sealed = keyring
        .seal_bytes_within(limit, "result", &large, [1; 12])
        .expect("within the limit");
    let opened = keyring.open_bytes_within(limit, "result", &sealed);
    assert_eq!(opened, Ok(large));
    let short = sealed.len() - 1;
    assert!(keyring.open_bytes_within(short, "result", &sealed).is_err());
    assert!(
        keyring
            .seal_bytes_within(short, "result", &[7; 64 * 1024], [1; 12])
            .is_err()
    );
}

proptest! {
    #[test]
    fn arbitrary_text_never_opens_and_never_panics(tail: String, raw: Vec<u8>) {
        let keyring = keyring();
        prop_assert!(!opens(&keyring, &tail));
        let prefixed = PREFIX.to_owned() + &tail;
        prop_assert!(!opens(&keyring, &prefixed));
        prop_assert!(!opens(&keyring, &text(&raw)));
        prop_assert!(keyring.open_bytes("", &tail).is_err());
    }

    #[test]
    fn any_body_is_read_back(body in proptest::collection::vec(any::<u8>(), 0..3_000), nonce: u8) {
        let keyring = keyring();
        let token = token(&keyring, &body, nonce);
        let opened = open(&keyring, &token, &REQUEST, NOW, &StateLimits::default())
            .expect("genuine");
        prop_assert_eq!(opened.body(), &body[..]);
        let ticket = keyring.seal_bytes("p", &body, [nonce; 12]).expect("small");
        prop_assert_eq!(keyring.open_bytes("p", &ticket), Ok(body));
    }
}
