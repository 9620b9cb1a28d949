use super::*;
use proptest::prelude::*;

pub(crate) fn context() -> impl Strategy<Value = TraceContext> {
    let parent = (1..=u128::MAX, 1..=u64::MAX, any::<bool>()).prop_map(|(trace, span, sampled)| {
        TraceParent::new(trace.to_be_bytes(), span.to_be_bytes(), sampled).expect("not zero")
    });
    let list = || proptest::option::of("[ -~]{0,40}");
    (parent, list(), list()).prop_map(|(parent, state, baggage)| {
        let mut context = TraceContext::new(parent);
        if let Some(state) = state {
            context = context.with_state(&state);
        }
        if let Some(baggage) = baggage {
            context = context.with_baggage(&baggage);
        }
        context
    })
}

fn encode(context: &TraceContext) -> Vec<u8> {
    let mut out = Writer::new();
    context.encode(&mut out);
    out.into_bytes()
}

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn parent(text: &str) -> Option<String> {
    text.parse::<TraceParent>()
        .ok()
        .map(|parent| parent.to_string())
}

#[test]
fn what_is_no_traceparent_is_none() {
    assert_eq!(parent(PARENT).as_deref(), Some(PARENT));
    for wrong in [
        "",
        "00",
        &PARENT[..54],
        &format!("{PARENT}-"),
        &format!("{PARENT}0"),
        &PARENT.to_uppercase(),
        &PARENT.replace("-01", "_01"),
        &PARENT.replace("00-", "ff-"),
        &PARENT.replace("00-", "0x-"),
        &PARENT.replace("0af7651916cd43dd8448eb211c80319c", &"0".repeat(32)),
        &PARENT.replace("b7ad6b7169203331", &"0".repeat(16)),
        &PARENT.replace("9c-", "9-c"),
        &PARENT.replace("b7", "é"),
        &format!(" {PARENT}"),
    ] {
        assert_eq!(parent(wrong), None, "{wrong}");
    }
}

#[test]
fn a_later_version_is_read_as_far_as_it_is_known() {
    for (text, read) in [
        (PARENT.replace("00-", "01-"), true),
        (PARENT.replace("00-", "cc-") + "-what-comes", true),
        (PARENT.replace("00-", "cc-") + ".what-comes", false),
    ] {
        assert_eq!(parent(&text), read.then(|| PARENT.to_owned()), "{text}");
    }
}

#[test]
fn flags_that_mean_nothing_are_not_passed_on() {
    assert_eq!(
        parent(&PARENT.replace("-01", "-fe")),
        Some(PARENT.replace("-01", "-02"))
    );
}

#[test]
fn lists_are_fit_for_headers_and_bounded_by_whole_members() {
    let with = |state: &str| TraceContext::parse(Some(PARENT), Some(state), Some(state));
    let (state, baggage) = (
        &|text: &str| with(text)?.state.map(String::from),
        &|text: &str| with(text)?.baggage.map(String::from),
    );
    for none in [
        "",
        " , ",
        "a=1\r\nHost: evil",
        "a=\u{e9}",
        "a=\u{0}",
        "a=1\t,b=2",
    ] {
        assert_eq!((state(none), baggage(none)), (None, None), "{none:?}");
    }
    assert_eq!(state(" a=1,b=2 ,").as_deref(), Some("a=1,b=2"));
    let many = vec!["k=12345"; 100].join(",");
    let kept = state(&many).expect("some");
    assert_eq!(kept.len(), 511, "64 members of 7 and 63 commas");
    assert!(many.starts_with(&kept) && kept.ends_with("k=12345"));
    assert_eq!(baggage(&many).as_deref(), Some(many.as_str()));
    assert_eq!(state(&"k".repeat(513)), None, "one member, too long");
    assert_eq!(state(&"k".repeat(512)), Some("k".repeat(512)));
}

#[test]
fn without_a_parent_there_is_no_context() {
    assert_eq!(TraceContext::parse(None, Some("a=1"), Some("b=2")), None);
    assert_eq!(TraceContext::parse(Some("00-1"), Some("a=1"), None), None);
}

proptest! {
    #[test]
    fn a_context_is_read_back_as_it_was(context in context()) {
        let bytes = encode(&context);
        let mut input = Reader::new(&bytes);
        prop_assert_eq!(TraceContext::decode(&mut input), Ok(context.clone()));
        prop_assert_eq!(input.finish(), Ok(()));
        let text = context.parent().to_string();
        prop_assert_eq!(TraceContext::parse(Some(&text), context.state(), context.baggage()), Some(context));
    }

    #[test]
    fn bytes_are_refused_or_are_a_contexts_only_encoding(
        context in context(), at: prop::sample::Index, byte: u8, noise: Vec<u8>,
    ) {
        let mut damaged = encode(&context);
        let at = at.index(damaged.len());
        damaged[at] = byte;
        for bytes in [damaged, noise] {
            let mut input = Reader::new(&bytes);
            if let Ok(read) = TraceContext::decode(&mut input) {
                let used = bytes.len() - input.remaining().len();
                prop_assert_eq!(encode(&read), &bytes[..used]);
            }
        }
    }

    #[test]
    fn whatever_a_client_sends_is_bounded_and_fit_for_headers(parent: String, list: String) {
        let parent = format!("{PARENT}{parent}");
        for parent in [PARENT, &*parent] {
            let Some(context) = TraceContext::parse(Some(parent), Some(&list), Some(&list)) else {
                continue;
            };
            let texts = [context.state(), context.baggage()];
            for text in texts.into_iter().flatten() {
                prop_assert!(text.len() <= MAX_BAGGAGE);
                prop_assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
            }
        }
    }
}
