//! A saved call: any document, and any content under a checksum that fits.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mrtr_core::exchange::{ExchangeLimits, IfSent, Pending};

fuzz_target!(|data: &[u8]| {
    read(data);
    if let Ok(call) = std::str::from_utf8(data) {
        let call = call.trim();
        let check = blake3::hash(call.as_bytes()).to_hex();
        let document =
            format!(r#"{{"format":"mrtr-pending","version":1,"check":"{check}","call":{call}}}"#);
        read(document.as_bytes());
    }
});

fn read(document: &[u8]) {
    let Ok(pending) = Pending::from_json(document) else {
        return;
    };
    let text = pending.to_json().expect("what was read is written");
    let again = Pending::from_json(text.as_bytes()).expect("and read again");
    assert_eq!(again.to_json().as_deref(), Ok(text.as_str()));
    let exchange = again
        .resume(
            &again.peer().clone(),
            ExchangeLimits::default(),
            IfSent::SendAgain,
        )
        .expect("the same server");
    assert_eq!(
        exchange.questions().is_some(),
        again.questions().is_some() && !again.is_answered()
    );
}
