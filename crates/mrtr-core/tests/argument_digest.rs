//! Arguments have one digest however they are written, and different ones have
//! different digests.

use std::collections::BTreeMap;

use mrtr_core::json::canonical::{ArgumentsError, Digest, digest_arguments, digest_value};
use proptest::prelude::*;

fn digest(text: &str) -> Digest {
    digest_arguments(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What a text means, and the only thing a digest may depend on.
#[derive(Clone, Debug, PartialEq)]
enum Meaning {
    Null,
    Bool(bool),
    Integer(i64),
    Text(String),
    Array(Vec<Meaning>),
    Object(BTreeMap<String, Meaning>),
}

/// Choices of notation, taken one after the other from random bits.
struct Style(u64);

impl Style {
    fn pick(&mut self, choices: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % choices
    }

    fn space(&mut self, out: &mut String) {
        for _ in 0..self.pick(3) {
            out.push([' ', '\n', '\r', '\t'][self.pick(4) as usize]);
        }
    }

    fn text(&mut self, text: &str, out: &mut String) {
        out.push('"');
        for char in text.chars() {
            let must_escape = matches!(char, '"' | '\\' | '\0'..='\x1f');
            let short = match char {
                '"' | '\\' | '/' => Some(char),
                '\x08' => Some('b'),
                '\x0c' => Some('f'),
                '\n' => Some('n'),
                '\r' => Some('r'),
                '\t' => Some('t'),
                _ => None,
            };
            match (self.pick(3), short) {
                (0, _) if !must_escape => out.push(char),
                (1, Some(short)) => out.extend(['\\', short]),
                _ => {
                    for unit in char.encode_utf16(&mut [0; 2]) {
                        let upper = self.pick(2) == 0;
                        *out += &if upper {
                            format!("\\u{unit:04X}")
                        } else {
                            format!("\\u{unit:04x}")
                        };
                    }
                }
            }
        }
        out.push('"');
    }

    fn integer(&mut self, value: i64, out: &mut String) {
        let zeros = self.pick(25) as usize;
        *out += &match self.pick(5) {
            0 => format!("{value}.{}", "0".repeat(zeros + 1)),
            1 => format!("{value}e{}0", ["", "+", "-"][self.pick(3) as usize]),
            2 if value != 0 => format!("{value}{}E-{zeros}", "0".repeat(zeros)),
            3 if value.unsigned_abs() >= 10 => {
                let digits = value.unsigned_abs().to_string();
                let sign = if value < 0 { "-" } else { "" };
                format!(
                    "{sign}{}.{}e{}",
                    &digits[..1],
                    &digits[1..],
                    digits.len() - 1
                )
            }
            _ => value.to_string(),
        };
    }

    fn write(&mut self, meaning: &Meaning, out: &mut String) {
        self.space(out);
        match meaning {
            Meaning::Null => *out += "null",
            Meaning::Bool(value) => *out += &value.to_string(),
            Meaning::Integer(value) => self.integer(*value, out),
            Meaning::Text(text) => self.text(text, out),
            Meaning::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.write(item, out);
                }
                self.space(out);
                out.push(']');
            }
            Meaning::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                for last in (1..members.len()).rev() {
                    members.swap(last, self.pick(last as u64 + 1) as usize);
                }
                out.push('{');
                for (index, (name, value)) in members.into_iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.space(out);
                    self.text(name, out);
                    self.space(out);
                    out.push(':');
                    self.write(value, out);
                }
                self.space(out);
                out.push('}');
            }
        }
        self.space(out);
    }
}

fn written(meaning: &Meaning, style: u64) -> String {
    let mut out = String::new();
    Style(style).write(meaning, &mut out);
    out
}

fn meaning() -> impl Strategy<Value = Meaning> {
    let text = prop_oneof![any::<String>(), "[ab\u{e9}\u{1f600}\"\\\\/\n]{0,10}"];
    let leaf = prop_oneof![
        Just(Meaning::Null),
        any::<bool>().prop_map(Meaning::Bool),
        any::<i64>().prop_map(Meaning::Integer),
        (-20i64..20).prop_map(Meaning::Integer),
        text.prop_map(Meaning::Text),
    ];
    let value = leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Meaning::Array),
            members(inner).prop_map(Meaning::Object),
        ]
    });
    members(value).prop_map(Meaning::Object)
}

/// Names that share their first bytes, so that order is decided late.
fn members(
    value: impl Strategy<Value = Meaning> + Clone,
) -> impl Strategy<Value = BTreeMap<String, Meaning>> {
    let name = prop_oneof!["[ab]{0,3}", "prefixed[ab\u{e9}]{0,4}", any::<String>()];
    proptest::collection::btree_map(name, value, 0..6)
}

fn without_meta(meaning: &Meaning) -> Meaning {
    match meaning.clone() {
        Meaning::Object(mut members) => {
            members.remove("_meta");
            Meaning::Object(members)
        }
        other => other,
    }
}

proptest! {
    #[test]
    fn order_space_escapes_and_notation_make_no_difference(
        meaning in meaning(), left: u64, right: u64,
    ) {
        let (left, right) = (written(&meaning, left), written(&meaning, right));
        prop_assert!(serde_json::from_str::<serde_json::Value>(&left).is_ok(), "{}", left);
        prop_assert_eq!(digest(&left), digest(&right), "{}\n{}", left, right);
    }

    #[test]
    fn other_arguments_have_another_digest(left in meaning(), right in meaning(), style: u64) {
        let same = without_meta(&left) == without_meta(&right);
        let digests = (digest(&written(&left, style)), digest(&written(&right, !style)));
        prop_assert_eq!(digests.0 == digests.1, same);
    }

    #[test]
    fn a_member_added_twice_is_refused(meaning in meaning(), name: String, style: u64) {
        let Meaning::Object(members) = meaning else { return Ok(()) };
        let mut style = Style(style);
        let mut text = String::from("{");
        for name in [&name].into_iter().chain(members.keys()).chain([&name]) {
            style.text(name, &mut text);
            text += ":[],";
        }
        text.pop();
        text.push('}');
        prop_assert_eq!(digest_arguments(&text), Err(ArgumentsError::Duplicate), "{}", text);
    }

    #[test]
    fn what_is_digested_is_json(text in r#"[\[\]{}:,"a0-9.eE+\\un \-]{0,24}"#) {
        if digest_arguments(&text).is_ok() {
            prop_assert!(serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok(), "{}", text);
        }
    }

    #[test]
    fn arbitrary_text_never_panics(text: String) {
        let _ = digest_arguments(&text);
    }

    #[test]
    fn a_text_cut_anywhere_never_panics(meaning in meaning(), style: u64, cut: prop::sample::Index) {
        let text = written(&meaning, style);
        let text = text.trim();
        let mut end = cut.index(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        prop_assert!(digest_arguments(&text[..end]).is_err());
    }
}

#[test]
fn numbers_count_by_value_also_beyond_two_to_the_53() {
    let of = |number: &str| digest(&format!(r#"{{"n":{number}}}"#));
    for same in ["1.0", "1e0", "10e-1", "0.1E+1", "1.00000000000000000000000"] {
        assert_eq!(of(same), of("1"), "{same}");
    }
    assert_eq!(of("-0"), of("0.0e5"));
    assert_ne!(of("9007199254740993"), of("9007199254740992"));
    assert_ne!(of("0.1"), of("0.1000000000000000055511151231257827"));
    assert_ne!(of("1"), of("-1"));
    assert_ne!(of("1"), of("\"1\""));
    assert_ne!(of("1e999999999"), of("1e999999998"));
    let huge = format!(r#"{{"n":1e{}}}"#, "9".repeat(1_000));
    assert_eq!(
        digest_arguments(&huge),
        Err(ArgumentsError::ExponentTooLarge)
    );
}

#[test]
fn structure_is_never_confused_with_content() {
    let texts = [
        r#"{}"#,
        r#"[]"#,
        r#"null"#,
        r#"{"a":{}}"#,
        r#"{"a":[]}"#,
        r#"{"a":""}"#,
        r#"{"a":0}"#,
        r#"{"a":null}"#,
        r#"{"a":false}"#,
        r#"{"a":"false"}"#,
        r#"{"a":[[],[]]}"#,
        r#"{"a":[[[]]]}"#,
        r#"{"a":["b","c"]}"#,
        r#"{"a":["bc"]}"#,
        r#"{"a":["b"],"c":0}"#,
        r#"{"a":1,"b":2}"#,
        r#"{"a":12}"#,
        r#"{"1":1,"25":0}"#,
        r#"{"1":12,"5":0}"#,
        r#"{"a":[1,2]}"#,
        r#"{"a":[12]}"#,
        r#"{"a":{"b":1},"c":2}"#,
        r#"{"a":{"b":1,"c":2}}"#,
        r#"{"":0}"#,
        r#"{"}":0}"#,
        r#"{"a":"\u0000"}"#,
        r#"{"a":"0"}"#,
    ];
    for (index, left) in texts.iter().enumerate() {
        for right in &texts[..index] {
            assert_ne!(digest(left), digest(right), "{left} {right}");
        }
    }
}

#[test]
fn meta_is_left_out_at_the_top_and_only_there() {
    let plain = digest(r#"{"a":1,"z":2}"#);
    assert_eq!(digest(r#"{"z":2,"_meta":{"a":[1,{}]},"a":1}"#), plain);
    assert_eq!(digest(r#"{"\u005fmeta":7,"a":1,"z":2}"#), plain);
    assert_ne!(digest(r#"{"a":1,"z":2,"_metb":7}"#), plain);
    assert_ne!(digest(r#"{"a":{"_meta":1}}"#), digest(r#"{"a":{}}"#));
    assert_ne!(digest(r#"[{"_meta":1}]"#), digest(r#"[{}]"#));
    let twice = digest_arguments(r#"{"_meta":1,"a":1,"_meta":1}"#);
    assert_eq!(twice, Err(ArgumentsError::Duplicate));
    let inside = digest_arguments(r#"{"_meta":{"a":1,"a":1}}"#);
    assert_eq!(inside, Err(ArgumentsError::Duplicate));
}

#[test]
fn nesting_beyond_64_is_refused() {
    let nested = |arrays: usize| {
        let (open, close) = ("[".repeat(arrays), "]".repeat(arrays));
        digest_arguments(&format!(r#"{{"a":{open}{{}}{close}}}"#))
    };
    assert!(nested(62).is_ok());
    assert_eq!(nested(63), Err(ArgumentsError::TooDeep));
    let hostile = "[".repeat(1 << 20);
    assert_eq!(digest_arguments(&hostile), Err(ArgumentsError::TooDeep));
}

#[test]
fn text_that_is_not_unicode_is_refused() {
    for text in [
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800\u0041""#,
        r#""\ud800x""#,
        r#""\u12"#,
    ] {
        assert!(
            matches!(digest_arguments(text), Err(ArgumentsError::NotJson { .. })),
            "{text}"
        );
    }
}

#[test]
fn the_digest_of_a_value_counts_every_member() {
    let value = |text: &str| digest_value(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let meta = r#"{"a":1,"_meta":{"x":2}}"#;
    assert_ne!(value(meta), value(r#"{"a":1}"#));
    assert_eq!(value(meta), value(r#"{ "\u005fmeta": {"x":2.0}, "a":1 }"#));
    assert_eq!(value(r#"{"a":1}"#), digest(r#"{"a":1}"#));
    let twice = digest_value(r#"{"_meta":1,"_meta":1}"#);
    assert_eq!(twice, Err(ArgumentsError::Duplicate));
}
