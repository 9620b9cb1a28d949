use super::*;
use proptest::prelude::*;

fn kind() -> impl Strategy<Value = InputKind> {
    prop_oneof![
        Just(InputKind::ElicitForm),
        Just(InputKind::ElicitUrl),
        Just(InputKind::Sample),
        Just(InputKind::Roots),
    ]
}

fn given() -> impl Strategy<Value = Given> {
    prop_oneof![
        any::<String>().prop_map(|text| Given::Accepted(text.into())),
        Just(Given::Declined),
        Just(Given::Cancelled),
    ]
}

fn asked() -> impl Strategy<Value = Asked> {
    (kind(), any::<Digest>(), any::<u8>()).prop_map(|(kind, digest, changes)| Asked {
        kind,
        digest,
        changes,
    })
}

fn entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        asked().prop_map(Entry::Asked),
        (asked(), given(), any::<bool>()).prop_map(|(asked, given, solicited)| Entry::Received {
            asked,
            given,
            solicited
        }),
        (asked(), given(), any::<bool>(), any::<bool>()).prop_map(
            |(asked, given, projected, solicited)| Entry::Recorded(Recorded {
                kind: asked.kind,
                digest: asked.digest,
                given,
                projected,
                solicited,
            })
        ),
        any::<String>().prop_map(|text| Entry::Step(text.into())),
    ]
}

fn journal() -> impl Strategy<Value = Journal> {
    (
        proptest::collection::btree_map("[a-z]{1,8}", entry(), 0..8),
        proptest::option::of(any::<String>()),
        proptest::option::of(any::<[u8; 16]>()),
        proptest::option::of(crate::trace::tests::context()),
    )
        .prop_map(|(entries, flow, epoch, trace)| Journal {
            entries: entries
                .into_iter()
                .map(|(key, entry)| (key.into(), entry))
                .collect(),
            flow: flow.map(Into::into),
            epoch: epoch.map(Epoch::from_bytes),
            trace,
        })
}

fn encode(journal: &Journal) -> Vec<u8> {
    let mut out = Writer::new();
    journal.encode(&mut out);
    out.into_bytes()
}

proptest! {
    #[test]
    fn a_journal_is_read_back_as_it_was(journal in journal()) {
        prop_assert_eq!(Journal::decode(&encode(&journal)), Ok(journal));
    }

    #[test]
    fn a_damaged_journal_is_refused_or_is_another_journals_only_encoding(
        journal in journal(), at: prop::sample::Index, bit in 0u8..8,
    ) {
        let mut bytes = encode(&journal);
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        if let Ok(read) = Journal::decode(&bytes) {
            prop_assert_eq!(encode(&read), bytes);
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Journal::decode(&bytes);
    }
}

#[test]
fn a_journal_that_holds_what_is_not_known_is_refused() {
    for holds in [1 << 3, 1 << 7, 0xff] {
        assert_eq!(
            Journal::decode(&[holds, 0]),
            Err(DecodeError::UnknownTag(holds))
        );
    }
}

#[test]
fn what_a_journal_does_not_hold_costs_nothing() {
    assert_eq!(encode(&Journal::default()), [0, 0]);
}

#[test]
fn keys_out_of_order_or_twice_are_refused() {
    for keys in [["b", "a"], ["a", "a"]] {
        let mut out = Writer::new();
        out.bool(false);
        out.varint(2);
        for key in keys {
            out.str(key);
            Entry::Step("1".into()).encode(&mut out);
        }
        assert_eq!(
            Journal::decode(&out.into_bytes()),
            Err(DecodeError::NotCanonical)
        );
    }
}

#[test]
fn the_largest_key_is_named_with_its_share() {
    let mut journal = Journal::default();
    journal
        .entries
        .insert("small".into(), Entry::Step("1".into()));
    journal
        .entries
        .insert("big".into(), Entry::Step("x".repeat(100).into()));
    let (key, share) = journal.largest().expect("two entries");
    assert_eq!((&*key, share), ("big", 1 + 3 + 1 + 1 + 100));
}
