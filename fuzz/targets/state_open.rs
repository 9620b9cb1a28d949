//! A `requestState`: any text, and a genuine one with some bytes changed.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use mrtr_core::Timestamp;
use mrtr_core::state::{
    Binding, Bound, Claims, ExchangeId, Keyring, Method, Reader, Secret, StateLimits, open,
    presented, seal,
};
use serde_json::value::RawValue;

const NOW: Timestamp = Timestamp::from_secs(1_785_000_000);

const BINDING: Binding<'static> = Binding {
    principal: None,
    method: Method::ToolsCall,
    target: "book",
    arguments: None,
    audience: "travel",
    revision: None,
};

static KEYRING: LazyLock<Keyring> =
    LazyLock::new(|| Keyring::new([Secret::generate([7; 32])]).expect("one key"));

static GENUINE: LazyLock<String> = LazyLock::new(|| {
    let limits = StateLimits::default();
    let claims =
        Claims::first(ExchangeId::from_bytes([7; 16]), NOW, NOW, &limits).expect("in time");
    let bound = Bound::new(&BINDING).expect("no arguments");
    seal(&KEYRING, &claims, &bound, b"body", [7; 12], &limits).expect("a small state")
});

fuzz_target!(|data: &[u8]| {
    let limits = StateLimits::default();
    if let Ok(raw) = serde_json::from_slice::<&RawValue>(data)
        && let Ok(Some(text)) = presented(Some(raw), &limits)
    {
        let _ = open(&KEYRING, &text, &BINDING, NOW, &limits);
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = Keyring::parse(text);
    }
    read_codec(data);

    let mut changed = GENUINE.clone().into_bytes();
    for change in data.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % changed.len();
        changed[at] ^= change[2] & 0x7f;
    }
    if let Ok(changed) = String::from_utf8(changed) {
        let opened = open(&KEYRING, &changed, &BINDING, NOW, &limits);
        assert_eq!(opened.is_ok(), changed == *GENUINE, "{changed}");
    }
});

/// The primitives of the sealed payload, in an order that the input chooses.
fn read_codec(data: &[u8]) {
    let Some((steps, rest)) = data.split_at_checked(8) else {
        return;
    };
    let mut reader = Reader::new(rest);
    for step in steps {
        let read = match step % 4 {
            0 => reader.varint().is_ok(),
            1 => reader.bool().is_ok(),
            2 => reader.str(64).is_ok(),
            _ => reader.count(1000).is_ok(),
        };
        if !read {
            return;
        }
    }
    let _ = reader.finish();
}
