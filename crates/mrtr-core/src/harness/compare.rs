//! Whether two runs of a round ask the same.

use crate::wire::{ElicitRequest, InputRequest, InputRequests};

/// What the second run asks differently, as lines with `-` and `+`. A
/// correction in the first run and another URL make no difference.
pub(super) fn diverged(first: &InputRequests, second: &InputRequests) -> Option<String> {
    let mut lines = String::new();
    for (key, request) in first.iter() {
        match second.get(key) {
            Some(again) if same(request, again) => {}
            Some(again) => lines += &format!("- {}+ {}", line(key, request), line(key, again)),
            None => lines += &format!("- {}", line(key, request)),
        }
    }
    for (key, request) in second.iter().filter(|(key, _)| first.get(key).is_none()) {
        lines += &format!("+ {}", line(key, request));
    }
    (!lines.is_empty()).then_some(lines)
}

fn same(first: &InputRequest, second: &InputRequest) -> bool {
    use ElicitRequest::{Form, Url};
    match (first, second) {
        (InputRequest::Elicit(Form(a)), InputRequest::Elicit(Form(b))) => {
            a.schema == b.schema && is_corrected(&a.message, &b.message)
        }
        (InputRequest::Elicit(Url(a)), InputRequest::Elicit(Url(b))) => {
            is_corrected(&a.message, &b.message)
        }
        _ => first == second,
    }
}

/// Whether `message` is `plain`, possibly with a correction behind it.
fn is_corrected(message: &str, plain: &str) -> bool {
    let rest = message.strip_prefix(plain);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("\n\n"))
}

fn line(key: &str, request: &InputRequest) -> String {
    let json = serde_json::to_string(request).unwrap_or_default();
    format!("{key}: {json}\n")
}
