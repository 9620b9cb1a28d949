//! What a sealed state holds, as if the key had leaked: any body behind a genuine seal.

#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use mrtr_core::Timestamp;
use mrtr_core::replay::NoHold;
use mrtr_core::round::{RoundEnv, RoundPolicy, RoundRequest, Rounds};
use mrtr_core::state::{
    Binding, Bound, Claims, ExchangeId, Keyring, Method, Secret, StateLimits, seal,
};
use mrtr_core::wire::Capabilities;
use serde_json::value::to_raw_value;

const NOW: Timestamp = Timestamp::from_secs(1_785_000_000);

static KEYRING: LazyLock<Arc<Keyring>> =
    LazyLock::new(|| Arc::new(Keyring::new([Secret::generate([7; 32])]).expect("one key")));

fuzz_target!(|data: &[u8]| {
    let limits = StateLimits::default();
    let binding = Binding {
        principal: None,
        method: Method::ToolsCall,
        target: "book",
        arguments: None,
        audience: "travel",
        revision: None,
    };
    let claims =
        Claims::first(ExchangeId::from_bytes([7; 16]), NOW, NOW, &limits).expect("in time");
    let bound = Bound::new(&binding).expect("no arguments");
    let Ok(state) = seal(&KEYRING, &claims, &bound, data, [7; 12], &limits) else {
        return;
    };
    let state = to_raw_value(&state).expect("a string");
    let answers = to_raw_value(&serde_json::json!({"seat": {"action": "decline"}})).expect("JSON");
    let mut request = RoundRequest::new(Method::ToolsCall, "book");
    request.capabilities = Capabilities::NONE;
    request.request_state = Some(&state);
    request.input_responses = Some(&answers);
    let env = RoundEnv::new(NOW, [7; 32], Arc::new(NoHold));
    let _ = Rounds::new(KEYRING.clone(), "travel").open(&request, &RoundPolicy::default(), env);
});
